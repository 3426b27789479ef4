"""The counts of a judge, on a real server."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis

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


def test_counts_are_unknown_without_a_server(tmp_path: Path) -> None:
    for address in (MEMORY_URL, socket_url(tmp_path / "gone.sock")):
        JudgeCounter(shared_client(address)).add(JudgeCounts(requests=1))
        assert JudgeCounter(shared_client(address)).read() is None
