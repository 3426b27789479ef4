"""Which of several watchers does the work: whoever holds the lease in the broker's server.

Losing it costs asks that are made twice, nothing else; so a server that does not answer stands in nobody's way.
"""

from __future__ import annotations

import contextlib

import redis
import structlog

from workers.broker.embedded import MEMORY_URL
from workers.jobs.attempts import redis_client

NAME = "scorewatch:watcher"
LONGEST_SECONDS = 10.0
SHORTEST_SECONDS = 2.0
RENEWALS = 3  # in the time of one lease

_TAKE = """
local holder = redis.call('get', KEYS[1])
if holder and holder ~= ARGV[1] then return holder end
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
return ARGV[1]
"""
_RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"

_log = structlog.get_logger()


class Lease:
    """The lease of one broker's watcher.

    client: None where the queue is this process's own. holder: who asks for it; one that comes back under its old
    name goes on with its old lease. seconds: without a sign of its holder, until somebody else may have it.
    """

    def __init__(self, client: redis.Redis | None, *, holder: str, seconds: float) -> None:
        self._client = client
        self._holder = holder
        self._seconds = seconds
        self._look_at = float("-inf")
        self._is_held: bool | None = None

    def hold(self, now: float) -> bool:
        """Take or renew it when it is time. True while it is ours. now: monotonic."""
        if now >= self._look_at:
            self._look_at = now + self._seconds / RENEWALS
            held = self._take()
            if held != self._is_held and (self._is_held is not None or not held):
                _log.warning("watching" if held else "standing by: another watcher does the work")
            self._is_held = held
        return bool(self._is_held)

    def release(self) -> None:
        """Let the next one have it now."""
        if self._client is not None and self._is_held:
            with contextlib.suppress(redis.RedisError):
                self._client.eval(_RELEASE, 1, NAME, self._holder)

    def _take(self) -> bool:
        if self._client is None:
            return True
        try:
            holder = self._client.eval(_TAKE, 1, NAME, self._holder, round(self._seconds * 1000))
        except redis.RedisError as error:
            _log.warning("lease not asked for", reason=type(error).__name__)
            return True
        return bool(holder in {self._holder, self._holder.encode()})


def watcher_lease(broker_url: str, *, holder: str, retry_seconds: float) -> Lease:
    """The lease at a broker. retry_seconds: how soon a lost ask is repeated; a dead watcher is replaced no later."""
    client = None if broker_url == MEMORY_URL else redis_client(broker_url)
    return Lease(client, holder=holder, seconds=min(max(retry_seconds, SHORTEST_SECONDS), LONGEST_SECONDS))
