"""What judges were asked and what it cost, counted in the broker: workers come and go, the figures stay.

Kept for metrics alone. What a report says of tokens comes from its verdicts.
"""

from __future__ import annotations

from typing import NamedTuple

import redis
import structlog

from workers.jobs.attempts import redis_client

_NAME = "scorewatch:judge-counts"

_log = structlog.get_logger()


class JudgeCounts(NamedTuple):
    """Since the broker began to count.

    requests: sent. verdicts: levels stored. failures: tries at an item without a level. known: items that had a verdict
    already, so that none was asked for. The tokens are of the verdicts stored.
    """

    requests: int = 0
    verdicts: int = 0
    failures: int = 0
    known: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class JudgeCounter:
    """client: None where nobody reads the figures."""

    def __init__(self, client: redis.Redis | None) -> None:
        self._client = client

    def add(self, counts: JudgeCounts) -> None:
        """Count more; lost when the broker does not answer."""
        added = {name: number for name, number in counts._asdict().items() if number}
        if self._client is None or not added:
            return
        try:
            with self._client.pipeline(transaction=False) as pipeline:
                for name, number in added.items():
                    pipeline.hincrby(_NAME, name, number)
                pipeline.execute()
        except redis.RedisError as error:
            _log.warning("judge not counted", reason=type(error).__name__)

    def read(self) -> JudgeCounts | None:
        """The figures; None when the broker does not say."""
        if self._client is None:
            return None
        try:
            found = self._client.hmget(_NAME, list(JudgeCounts._fields))
        except redis.RedisError:
            return None
        return JudgeCounts(*(int(number or 0) for number in found))


def judge_counter(broker_url: str) -> JudgeCounter:
    """The counter of this broker's judges."""
    return JudgeCounter(None if broker_url.startswith("memory:") else redis_client(broker_url))
