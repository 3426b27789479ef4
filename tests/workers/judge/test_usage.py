"""The counts of a judge, on a real server."""

from pathlib import Path

import pytest
import redis

from scoring.judging import JudgePrice, Tokens
from tests.inner import socket_url
from workers.broker import MEMORY_URL, shared_client
from workers.judge.usage import JudgeCounter, JudgeCounts

pytestmark = pytest.mark.service


def test_counts_add_up_over_workers(client: redis.Redis) -> None:
    assert JudgeCounter(client).read() == JudgeCounts()
    JudgeCounter(client).add(JudgeCounts(requests=3, verdicts=2, failures=1, prompt_tokens=900))
    JudgeCounter(client).add(JudgeCounts(requests=1, known=5, completion_tokens=40))
    assert JudgeCounter(client).read() == JudgeCounts(
        requests=4, verdicts=2, failures=1, known=5, prompt_tokens=900, completion_tokens=40
    )


def test_money_adds_up_by_currency_and_without_a_price_there_is_none(client: redis.Redis) -> None:
    dollars, won = JudgePrice(1.0, 2.0, "USD"), JudgePrice(200.0, 800.0, "KRW")
    for price in (dollars, dollars, won, None):
        JudgeCounter(client).spend(price, Tokens(1_000_000, 500_000))
    assert JudgeCounter(client).spent() == {"USD": 4.0, "KRW": 600.0}
    assert JudgeCounter(None).spent() == {}


def test_counts_are_unknown_without_a_server(tmp_path: Path) -> None:
    for address in (MEMORY_URL, socket_url(tmp_path / "gone.sock")):
        JudgeCounter(shared_client(address)).add(JudgeCounts(requests=1))
        assert JudgeCounter(shared_client(address)).read() is None
