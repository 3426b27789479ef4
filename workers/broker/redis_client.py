"""Clients of the broker's server for everything that is not a task: locks, counters and queue lengths."""

from __future__ import annotations

from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.addresses import split_broker_url
from workers.celery_settings import PUBLISH_SECONDS, is_in_memory


def redis_client(broker_url: str) -> redis.Redis:
    """A client for a broker URL, connected as Celery is. Every command answers or fails within seconds."""
    address = split_broker_url(broker_url)
    options: dict[str, Any] = {"unix_socket_path": address.socket}
    if not address.socket:
        options = {"host": address.host, "port": address.port, "socket_connect_timeout": PUBLISH_SECONDS}
    if address.tls is not None:
        options |= {"ssl": True, **address.tls}
    return redis.Redis(
        db=address.database,
        username=address.username,
        password=address.password,
        socket_timeout=PUBLISH_SECONDS,
        retry=Retry(NoBackoff(), 1),  # once, without a pause: a connection from before a restart of the server is dead
        **options,
    )


def shared_client(broker_url: str) -> redis.Redis | None:
    """`redis_client`, or None for the in-memory transport, whose only worker is in this process."""
    return None if is_in_memory(broker_url) else redis_client(broker_url)
