"""Claims on items and the counts of a judge, on a real server."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import redis

from tests.faults.harness import wait_for
from workers.broker.embedded import MEMORY_URL, socket_url
from workers.broker.judge_claims import Claims, claims_for
from workers.judge.usage import JudgeCounter, JudgeCounts, judge_counter

pytestmark = pytest.mark.service


def test_an_item_is_held_by_one_worker_and_free_after_it(client: redis.Redis) -> None:
    first, second = Claims(client), Claims(client)
    with first.hold(["a", "b"], "task-1") as held:
        assert held == ("a", "b")
        with second.hold(["b", "c"], "task-2") as rest:
            assert rest == ("c",)
        with second.hold(["c"], "task-3") as free:
            assert free == ("c",)
    with second.hold(["a", "b"], "task-2") as held:
        assert held == ("a", "b")
    assert client.keys("scorewatch:judge:*") == []


def test_a_task_that_is_given_out_again_takes_over_what_it_held(client: redis.Redis) -> None:
    with Claims(client).hold(["a"], "task-1"), Claims(client).hold(["a"], "task-1") as again:
        assert again == ("a",)


def test_a_claim_is_renewed_while_its_holder_lives(client: redis.Redis) -> None:
    left: list[int] = []

    def is_renewed_twice() -> bool:
        left.append(client.pttl("scorewatch:judge:a"))
        assert left[-1] > 0, "it ran out"
        return sum(later > before for before, later in pairwise(left)) == 2

    with Claims(client, seconds=1).hold(["a"], "task-1"):
        wait_for(is_renewed_twice, "two renewals")
        assert client.get("scorewatch:judge:a") == b"task-1"


def test_the_claim_of_a_dead_holder_runs_out(client: redis.Redis) -> None:
    client.set("scorewatch:judge:a", "dead", ex=1)
    claims = Claims(client)
    with claims.hold(["a"], "task-1") as held:
        assert held == ()

    def is_free() -> bool:
        with claims.hold(["a"], "task-1") as held:
            return held == ("a",)

    wait_for(is_free, "the claim to run out", 10)


def test_nobody_else_is_there_without_a_server_and_a_silent_one_stands_in_no_way(tmp_path: Path) -> None:
    for address in (MEMORY_URL, socket_url(tmp_path / "nothing.sock")):
        with claims_for(address).hold(["a", "b"], "task-1") as held:
            assert held == ("a", "b")
        judge_counter(address).add(JudgeCounts(requests=1))
        assert judge_counter(address).read() is None


def test_counts_add_up_over_workers(client: redis.Redis) -> None:
    assert JudgeCounter(client).read() == JudgeCounts()
    JudgeCounter(client).add(JudgeCounts(requests=3, verdicts=2, failures=1, prompt_tokens=900))
    JudgeCounter(client).add(JudgeCounts(requests=1, known=5, completion_tokens=40))
    assert JudgeCounter(client).read() == JudgeCounts(
        requests=4, verdicts=2, failures=1, known=5, prompt_tokens=900, completion_tokens=40
    )
