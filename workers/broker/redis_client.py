"""Clients of the broker's server for everything that is not a task: locks, counters and queue lengths."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote_to_bytes, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from workers.celery_settings import PUBLISH_SECONDS, is_in_memory


def redis_client(broker_url: str) -> redis.Redis:
    """A client for a broker URL as Celery spells it. Every command answers or fails within seconds."""
    retry = Retry(NoBackoff(), 1)  # once, without a pause: a connection from before a restart of the server is dead
    parts = urlsplit(broker_url)
    if parts.scheme == "redis+socket":
        return redis.Redis(
            unix_socket_path=unquote_to_bytes(parts.path).decode("utf-8", "surrogateescape"),
            db=int(parse_qs(parts.query).get("virtual_host", ["0"])[0].strip("/") or 0),
            socket_timeout=PUBLISH_SECONDS,
            retry=retry,
        )
    return redis.Redis.from_url(
        broker_url, socket_timeout=PUBLISH_SECONDS, socket_connect_timeout=PUBLISH_SECONDS, retry=retry
    )


def shared_client(broker_url: str) -> redis.Redis | None:
    """`redis_client`, or None for the in-memory transport, whose only worker is in this process."""
    return None if is_in_memory(broker_url) else redis_client(broker_url)
