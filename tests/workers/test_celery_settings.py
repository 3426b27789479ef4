"""Celery is told what the measured faults ask for."""

from pathlib import Path

import pytest

from config import Settings
from workers.queue import make_app


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(watch=tmp_path / "in", out=tmp_path / "out", state=tmp_path / "state")


def test_settings_reach_celery(settings: Settings) -> None:
    conf = make_app(settings, "redis+socket:///nowhere").conf
    assert {
        name: conf[name]
        for name in (
            "accept_content",
            "broker_channel_error_retry",
            "broker_connection_max_retries",
            "broker_connection_retry",
            "broker_connection_retry_on_startup",
            "result_backend",
            "task_acks_late",
            "task_ignore_result",
            "task_reject_on_worker_lost",
            "task_serializer",
            "task_time_limit",
            "visibility_timeout",
            "worker_cancel_long_running_tasks_on_connection_loss",
            "worker_enable_remote_control",
            "worker_prefetch_multiplier",
            "worker_soft_shutdown_timeout",
        )
    } == {
        "accept_content": ["json"],
        "broker_channel_error_retry": True,
        "broker_connection_max_retries": None,
        "broker_connection_retry": True,
        "broker_connection_retry_on_startup": True,
        "result_backend": None,
        "task_acks_late": True,
        "task_ignore_result": True,
        "task_reject_on_worker_lost": True,
        "task_serializer": "json",
        "task_time_limit": 300,
        "visibility_timeout": 600,
        "worker_cancel_long_running_tasks_on_connection_loss": True,
        "worker_enable_remote_control": False,
        "worker_prefetch_multiplier": 1,
        "worker_soft_shutdown_timeout": 20,
    }


def test_a_worker_without_queues_named_takes_from_both(settings: Settings) -> None:
    queues = make_app(settings, "redis+socket:///nowhere").amqp.queues
    assert set(queues.consume_from) == {"score", "report"}
    queues.select(["judge"])
    assert set(queues.consume_from) == {"judge"}


def test_transport_options_reach_the_channel(settings: Settings) -> None:
    app = make_app(settings, "redis+socket:///nowhere")
    assert app.conf.broker_transport_options == {
        "visibility_timeout": 600,
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
        "socket_timeout": 2.0,
        "socket_connect_timeout": 2.0,
        "socket_keepalive": True,
        "health_check_interval": 25,
        "priority_steps": [0, 9],
    }
    assert app.conf.result_backend_transport_options["visibility_timeout"] == 600
    assert app.conf.task_publish_retry_policy["max_retries"] == 2


def test_tasks_go_to_their_queues(settings: Settings) -> None:
    app = make_app(settings, "memory://")
    route = app.amqp.router.route
    assert route({}, "scorewatch.score_file")["queue"].name == "score"
    assert route({}, "scorewatch.score_files")["queue"].name == "score"
    assert route({}, "scorewatch.assemble_report")["queue"].name == "report"
    assert route({}, "scorewatch.judge_items")["queue"].name == "judge"
    compared = route({}, "scorewatch.compare_reports")
    assert (compared["queue"].name, compared["priority"]) == ("report", 9)
