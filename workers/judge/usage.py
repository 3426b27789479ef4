"""Requests, verdicts and tokens of all judges, counted in the broker's server, for metrics only."""

from typing import NamedTuple

import redis
import structlog

from scoring.judging import JudgePrice, Tokens

_NAME = "scorewatch:judge-counts"
_COSTS = "scorewatch:judge-costs"

_log = structlog.get_logger()


class JudgeCounts(NamedTuple):
    """requests: sent. verdicts: levels stored. failures: tries without a level. known: items with a stored verdict.

    The tokens are those of the stored verdicts.
    """

    requests: int = 0
    verdicts: int = 0
    failures: int = 0
    known: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class JudgeCounter:
    """client: None for the in-memory transport, where nothing is counted."""

    def __init__(self, client: redis.Redis | None) -> None:
        self._client = client

    def add(self, counts: JudgeCounts) -> None:
        """Add counts; they are lost when the broker does not answer."""
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

    def spend(self, price: JudgePrice | None, tokens: Tokens) -> None:
        """Add what tokens cost at this price; nothing without one."""
        amount = 0.0 if price is None else price.of(tokens)
        if self._client is None or price is None or not amount:
            return
        try:
            self._client.hincrbyfloat(_COSTS, price.currency, amount)
        except redis.RedisError as error:
            _log.warning("judge not counted", reason=type(error).__name__)

    def spent(self) -> dict[str, float]:
        """The money by currency; none when the broker does not answer."""
        if self._client is None:
            return {}
        try:
            found = self._client.hgetall(_COSTS)
        except redis.RedisError:
            return {}
        return {_text(currency): float(amount) for currency, amount in found.items()}

    def read(self) -> JudgeCounts | None:
        """The totals; None when the broker does not answer."""
        if self._client is None:
            return None
        try:
            found = self._client.hmget(_NAME, list(JudgeCounts._fields))
        except redis.RedisError:
            return None
        return JudgeCounts(*(int(number or 0) for number in found))


def _text(name: bytes | str) -> str:
    return name.decode() if isinstance(name, bytes) else name
