"""Strikes: how often work on a content ended in a way that nobody expects. Counted where they outlive the worker.

Scoring takes a strike beforehand and gives it back after a result and after any fault that it has a name for; a death,
a time limit and an exception that nobody expects leave it standing. Publishing takes one after such an exception alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Protocol
from urllib.parse import parse_qs, unquote_to_bytes, urlsplit

import redis
import structlog
from redis.backoff import NoBackoff
from redis.retry import Retry

EXPIRY_SECONDS = 7 * 86_400
LIMIT = 3  # this try, and all further ones, are made alone in a limited process
_TIMEOUT_SECONDS = 2.0

_log = structlog.get_logger()


class Strikes(Protocol):
    """Counts per (set, content), or (set, key) where a whole set is worked on."""

    def take(self, set_name: str, sha256: str) -> int:
        """Count this try; returns the tries standing, this one included."""

    def clear(self, set_name: str, sha256: str) -> None:
        """The try ended with a result or a named fault: none stands, at the latest after the next `take` or `flush`."""

    def flush(self) -> None:
        """The task ends: nothing that was cleared stands any more."""

    def forget(self, set_name: str, contents: Sequence[str]) -> bool:
        """Somebody wants all of them tried afresh. False when the counts cannot be reached, after seconds at most."""


class RedisStrikes:
    """Strikes in the broker's server. A server that does not answer counts as a first try.

    What is cleared goes with the next request: every one has to wait for a core while all are busy.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._cleared: list[str] = []

    def take(self, set_name: str, sha256: str) -> int:
        """Count this try; the count expires a week after the last one."""
        name = _name(set_name, sha256)
        cleared, self._cleared = self._cleared, []
        try:
            with self._client.pipeline(transaction=False) as pipeline:  # one packet, and the order is all that counts
                if cleared:
                    pipeline.delete(*cleared)
                pipeline.incr(name)
                pipeline.expire(name, EXPIRY_SECONDS)
                return int(pipeline.execute()[-2])
        except redis.RedisError as error:
            _log.warning("strikes not counted", set=set_name, reason=str(error))
            return 1

    def clear(self, set_name: str, sha256: str) -> None:
        """Forget the tries; one that stays standing costs at most a run in a process of its own."""
        self._cleared.append(_name(set_name, sha256))

    def flush(self) -> None:
        """Forget what was cleared."""
        cleared, self._cleared = self._cleared, []
        try:
            if cleared:
                self._client.delete(*cleared)
        except redis.RedisError as error:
            _log.warning("strikes not cleared", reason=str(error))

    def forget(self, set_name: str, contents: Sequence[str]) -> bool:
        """Forget the tries of all of them in one request."""
        names = [_name(set_name, sha256) for sha256 in contents]
        try:
            if names:
                self._client.delete(*names)
        except redis.RedisError:
            return False
        return True


class MemoryStrikes:
    """Strikes of a worker that lives in this process, where no death can be counted."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def take(self, set_name: str, sha256: str) -> int:
        """Count this try."""
        name = _name(set_name, sha256)
        self._counts[name] = self._counts.get(name, 0) + 1
        return self._counts[name]

    def clear(self, set_name: str, sha256: str) -> None:
        """Forget the tries."""
        self._counts.pop(_name(set_name, sha256), None)

    def flush(self) -> None:
        """Nothing waits."""

    def forget(self, set_name: str, contents: Sequence[str]) -> bool:
        """Forget the tries of all of them."""
        for sha256 in contents:
            self.clear(set_name, sha256)
        return True


def redis_client(broker_url: str) -> redis.Redis:
    """A client for the broker's own server, from Celery's spelling of its address.

    It answers or fails within seconds: its default rests between tries would hold up whoever asks.
    """
    retry = Retry(NoBackoff(), 1)  # at once: a connection from before a restart of the server is dead
    parts = urlsplit(broker_url)
    if parts.scheme == "redis+socket":
        return redis.Redis(
            unix_socket_path=unquote_to_bytes(parts.path).decode("utf-8", "surrogateescape"),
            db=int(parse_qs(parts.query).get("virtual_host", ["0"])[0].strip("/") or 0),
            socket_timeout=_TIMEOUT_SECONDS,
            retry=retry,
        )
    return redis.Redis.from_url(
        broker_url, socket_timeout=_TIMEOUT_SECONDS, socket_connect_timeout=_TIMEOUT_SECONDS, retry=retry
    )


def strikes_for(broker_url: str) -> Strikes:
    """Where the strikes of this broker's tasks are counted."""
    return MemoryStrikes() if broker_url.startswith("memory:") else RedisStrikes(redis_client(broker_url))


def _name(set_name: str, sha256: str) -> str:
    return f"scorewatch:strike:{hashlib.sha256(set_name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}:{sha256}"
