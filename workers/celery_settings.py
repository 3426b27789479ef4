"""Celery's configuration. docs/queue.md says which fault each value answers."""

from typing import Any

from kombu import Exchange, Queue

from config import Settings, split_broker_url

SCORE_QUEUE = "score"
REPORT_QUEUE = "report"
JUDGE_QUEUE = "judge"  # has a worker of its own, so that a slow model delays no report
SCORE_TASK = "scorewatch.score_file"
PIECE_TASK = "scorewatch.score_piece"
BUNDLE_TASK = "scorewatch.score_files"
REPORT_TASK = "scorewatch.assemble_report"
JUDGE_TASK = "scorewatch.judge_items"
COMPARE_TASK = "scorewatch.compare_reports"
QUEUES = frozenset({SCORE_QUEUE, REPORT_QUEUE, JUDGE_QUEUE})
TASKS = frozenset({SCORE_TASK, PIECE_TASK, BUNDLE_TASK, REPORT_TASK, JUDGE_TASK, COMPARE_TASK})
LAST = 9  # priority of a task that is taken when no other waits; that of the others is 0
SOFT_SHUTDOWN_SECONDS = 20
PUBLISH_TRIES = 2
PUBLISH_SECONDS = 2.0  # to connect to the broker, and to wait for an answer; `redis_client` uses it too


def celery_settings(settings: Settings, broker_url: str) -> dict[str, Any]:
    """All settings of the application. broker_url: "memory://" for the in-memory transport."""
    transport = {
        "visibility_timeout": settings.visibility_timeout_seconds,
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
        "socket_timeout": PUBLISH_SECONDS,
        "socket_connect_timeout": PUBLISH_SECONDS,
        "socket_keepalive": True,
        "health_check_interval": 25,
        "priority_steps": [0, LAST],
    }
    tls = None
    if is_in_memory(broker_url):
        transport = {"polling_interval": 0.05}
    else:
        tls = split_broker_url(broker_url).tls
    return {
        "broker_url": broker_url,
        "broker_use_ssl": tls or False,  # else kombu does not verify the certificate
        "broker_transport_options": transport,
        "broker_connection_retry": True,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "broker_channel_error_retry": True,
        "broker_pool_acquire_timeout": PUBLISH_SECONDS,
        # No results: status.json is the truth. The options apply should a result backend be configured.
        "result_backend": None,
        "result_backend_transport_options": {"visibility_timeout": settings.visibility_timeout_seconds},
        "visibility_timeout": settings.visibility_timeout_seconds,
        "redis_socket_timeout": PUBLISH_SECONDS,
        "redis_socket_connect_timeout": PUBLISH_SECONDS,
        "task_ignore_result": True,
        "task_store_errors_even_if_ignored": False,
        "task_serializer": "json",
        "result_serializer": "json",
        "accept_content": ["json"],
        "event_serializer": "json",
        "task_default_queue": SCORE_QUEUE,
        # Those of a worker that is started without --queues. The judge has workers of its own.
        "task_queues": [Queue(name, Exchange(name), routing_key=name) for name in (SCORE_QUEUE, REPORT_QUEUE)],
        "task_create_missing_queues": True,
        "task_routes": {
            SCORE_TASK: {"queue": SCORE_QUEUE},
            BUNDLE_TASK: {"queue": SCORE_QUEUE},
            PIECE_TASK: {"queue": SCORE_QUEUE},
            REPORT_TASK: {"queue": REPORT_QUEUE},
            COMPARE_TASK: {"queue": REPORT_QUEUE, "priority": LAST},
            JUDGE_TASK: {"queue": JUDGE_QUEUE},
        },
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_time_limit": settings.task_time_limit_seconds,
        "task_publish_retry": True,
        "task_publish_retry_policy": {
            "max_retries": PUBLISH_TRIES,
            "interval_start": 0,
            "interval_step": 0.2,
            "interval_max": 0.5,
        },
        "worker_prefetch_multiplier": 1,
        "worker_soft_shutdown_timeout": SOFT_SHUTDOWN_SECONDS,
        "worker_cancel_long_running_tasks_on_connection_loss": True,
        # Results are files, so a killed child's task is returned without waiting for one.
        "worker_lost_wait": 1.0,
        "worker_max_tasks_per_child": 1000,
        "worker_enable_remote_control": settings.remote_control,
        "worker_send_task_events": False,
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
        "timezone": "UTC",
    }


def is_in_memory(broker_url: str) -> bool:
    """Is the queue in this process, without a server?"""
    return broker_url.startswith("memory:")
