"""Strikes: attempts at a content that ended without a result, counted where they outlive the worker.

Scoring takes a strike beforehand and clears it after a result and after every fault that has a name. A death, a time
limit and an unexpected exception leave it. Publishing takes one only after an unexpected exception.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence

import redis
import structlog

EXPIRY_SECONDS = 7 * 86_400
LIMIT = 3  # this attempt and all later ones run in a limited process of their own

_log = structlog.get_logger()


class Strikes:
    """Counts per (set, content), or (set, key) for a whole set.

    client: None for the in-memory transport: the counts live in this process, which survives no death to count.
    """

    def __init__(self, client: redis.Redis | None) -> None:
        self._client = client
        self._counts: Counter[str] = Counter()
        self._cleared: list[str] = []  # deleted with the next request, to save a round trip

    def take(self, set_name: str, sha256: str) -> int:
        """Count this attempt; returns the strikes with this one, and 1 when the server does not answer."""
        name = _strike_key(set_name, sha256)
        cleared, self._cleared = self._cleared, []
        if self._client is None:
            self._forget(cleared)
            self._counts[name] += 1
            return self._counts[name]
        try:
            with self._client.pipeline(transaction=False) as pipeline:
                if cleared:
                    pipeline.delete(*cleared)
                pipeline.incr(name)
                pipeline.expire(name, EXPIRY_SECONDS)
                return int(pipeline.execute()[-2])
        except redis.RedisError as error:
            _log.warning("strikes not counted", set=set_name, reason=str(error))
            return 1

    def known(self, set_name: str, contents: Sequence[str]) -> list[int]:
        """The strikes of each content so far; 0 when the server does not answer."""
        names = [_strike_key(set_name, sha256) for sha256 in contents]
        cleared = set(self._cleared)
        if self._client is None or not names:
            return [0 if name in cleared else self._counts[name] for name in names]
        try:
            counts = self._client.mget(names)
        except redis.RedisError as error:
            _log.warning("strikes not read", set=set_name, reason=str(error))
            return [0] * len(names)
        return [0 if name in cleared else int(count or 0) for name, count in zip(names, counts, strict=True)]

    def clear(self, set_name: str, sha256: str) -> None:
        """Forget the strikes, at the latest after the next `take` or `flush`."""
        self._cleared.append(_strike_key(set_name, sha256))

    def flush(self) -> None:
        """Delete what was cleared; the task has ended."""
        cleared, self._cleared = self._cleared, []
        try:
            self._forget(cleared)
        except redis.RedisError as error:
            _log.warning("strikes not cleared", reason=str(error))

    def forget(self, set_name: str, contents: Sequence[str]) -> bool:
        """Forget the strikes of all contents at once; False when the server does not answer within seconds."""
        try:
            self._forget([_strike_key(set_name, sha256) for sha256 in contents])
        except redis.RedisError:
            return False
        return True

    def _forget(self, names: Sequence[str]) -> None:
        for name in names:
            self._counts.pop(name, None)
        if names and self._client is not None:
            self._client.delete(*names)


def _strike_key(set_name: str, sha256: str) -> str:
    return f"scorewatch:strike:{hashlib.sha256(set_name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}:{sha256}"
