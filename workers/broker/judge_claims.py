"""Who asks the judge for an item: one worker at a time, over machines, so that no verdict is paid for twice.

A claim is held only as long as its holder lives: it is renewed while the work goes on and runs out soon after a death.
A broker that does not answer stands in nobody's way; what that costs is a verdict paid twice, nothing else.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import redis
import structlog

from workers.jobs.attempts import redis_client

CLAIM_SECONDS = 20
RENEWALS = 4  # in the time of one claim

_PREFIX = "scorewatch:judge:"
_RENEW = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('expire', KEYS[1], ARGV[2]) end return 0"
_RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"

_log = structlog.get_logger()


class Claims:
    """Claims on hashes of items, in the broker's server. client: None where no other worker can be."""

    def __init__(self, client: redis.Redis | None, *, seconds: int = CLAIM_SECONDS) -> None:
        self._client = client
        self._seconds = seconds

    @contextmanager
    def hold(self, hashes: Sequence[str], owner: str) -> Iterator[tuple[str, ...]]:
        """Those of the hashes that nobody else holds, held until the end of the block.

        owner: a task that is given out again comes under its old name and takes over what it held.
        """
        if self._client is None:
            yield tuple(hashes)
            return
        held = self._take(self._client, hashes, owner)
        ending = threading.Event()
        renewing = threading.Thread(target=self._renew, args=(self._client, held, owner, ending), daemon=True)
        renewing.start()
        try:
            yield held
        finally:
            ending.set()
            renewing.join()
            self._each(self._client, _RELEASE, held, owner)

    def _take(self, client: redis.Redis, hashes: Sequence[str], owner: str) -> tuple[str, ...]:
        names = [_PREFIX + name for name in hashes]
        try:
            with client.pipeline(transaction=False) as pipeline:
                for name in names:
                    pipeline.set(name, owner, nx=True, ex=self._seconds)
                    pipeline.get(name)
                holders = pipeline.execute()[1::2]
        except redis.RedisError as error:
            _log.warning("items not claimed", reason=type(error).__name__)
            return tuple(hashes)
        return tuple(
            name for name, holder in zip(hashes, holders, strict=True) if holder in {owner, owner.encode(), None}
        )

    def _renew(self, client: redis.Redis, held: Sequence[str], owner: str, ending: threading.Event) -> None:
        while not ending.wait(self._seconds / RENEWALS):
            self._each(client, _RENEW, held, owner)

    def _each(self, client: redis.Redis, script: str, held: Sequence[str], owner: str) -> None:
        try:
            with client.pipeline(transaction=False) as pipeline:
                for name in held:
                    pipeline.eval(script, 1, _PREFIX + name, owner, self._seconds)
                pipeline.execute()
        except redis.RedisError as error:
            _log.warning("claims not kept", reason=type(error).__name__)


def claims_for(broker_url: str) -> Claims:
    """The claims of this broker's workers."""
    return Claims(None if broker_url.startswith("memory:") else redis_client(broker_url))
