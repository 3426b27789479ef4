"""The watcher's lease, claims on notifications and on items of a judge, on a real server."""

from itertools import pairwise
from pathlib import Path

import pytest
import redis
import structlog

from tests.faults.harness import wait_for
from workers.broker.condition import MEMORY_URL
from workers.broker.embedded import socket_url
from workers.broker.server import (
    LEASE_NAME,
    JudgingClaims,
    Lease,
    notification_claim,
    shared_client,
    watcher_lease,
)

pytestmark = pytest.mark.service
SECONDS = 60.0


def test_one_of_two_watchers_holds_the_lease_and_the_other_takes_over_when_it_expires(client: redis.Redis) -> None:
    first, second = (Lease(client, holder=name, seconds=SECONDS) for name in ("first", "second"))
    assert first.hold(0.0)
    assert not second.hold(0.0)
    assert 0 < client.pttl(LEASE_NAME) <= SECONDS * 1000
    client.pexpire(LEASE_NAME, 1)
    wait_for(lambda: not client.exists(LEASE_NAME), "the lease to expire")
    assert second.hold(SECONDS)
    assert not first.hold(SECONDS)


def test_lease_is_renewed_three_times_in_its_lifetime(client: redis.Redis) -> None:
    lease = Lease(client, holder="first", seconds=SECONDS)
    for tenth in range(10):
        assert lease.hold(tenth * SECONDS / 3)
        assert client.pttl(LEASE_NAME) > SECONDS * 900
        client.pexpire(LEASE_NAME, round(SECONDS * 500))
    client.delete(LEASE_NAME)
    assert lease.hold(3.05 * SECONDS)
    assert not client.exists(LEASE_NAME)  # the next renewal is not due yet
    assert lease.hold(4 * SECONDS)
    assert client.exists(LEASE_NAME)


def test_released_lease_is_free_at_once_but_only_by_its_holder(client: redis.Redis) -> None:
    first, second = (Lease(client, holder=name, seconds=SECONDS) for name in ("first", "second"))
    assert first.hold(0.0)
    assert not second.hold(0.0)
    second.release()
    assert client.get(LEASE_NAME) == b"first"
    first.release()
    assert second.hold(100.0)
    first.release()
    assert client.get(LEASE_NAME) == b"second"


def test_killed_watcher_continues_under_its_name(client: redis.Redis) -> None:
    assert Lease(client, holder="first", seconds=SECONDS).hold(0.0)
    again = Lease(client, holder="first", seconds=SECONDS)
    assert again.hold(0.0)
    again.release()
    assert not client.exists(LEASE_NAME)


def test_lease_survives_a_server_that_forgot_its_scripts(client: redis.Redis) -> None:
    lease = Lease(client, holder="first", seconds=SECONDS)
    assert lease.hold(0.0)
    client.script_flush()
    client.pexpire(LEASE_NAME, 1000)
    with structlog.testing.capture_logs() as lines:
        assert lease.hold(SECONDS)
    assert client.pttl(LEASE_NAME) > 1000
    assert lines == []


def test_first_machine_to_claim_a_key_notifies(client: redis.Redis, url: str) -> None:
    assert client.dbsize() == 0
    first, second = notification_claim(url), notification_claim(url)
    assert first("key", "a")
    assert first("key", "a")
    assert not second("key", "b")
    assert second("other", "b")
    assert client.ttl("scorewatch:told:key") > 29 * 86_400


def test_item_is_claimed_by_one_worker_and_free_after_it(client: redis.Redis) -> None:
    first, second = JudgingClaims(client), JudgingClaims(client)
    with first.hold(["a", "b"], "task-1") as held:
        assert held == ("a", "b")
        with second.hold(["b", "c"], "task-2") as rest:
            assert rest == ("c",)
        with second.hold(["c"], "task-3") as free:
            assert free == ("c",)
    with second.hold(["a", "b"], "task-2") as held:
        assert held == ("a", "b")
    assert client.keys("scorewatch:judge:*") == []


def test_task_that_is_delivered_again_takes_over_its_claims(client: redis.Redis) -> None:
    with JudgingClaims(client).hold(["a"], "task-1"), JudgingClaims(client).hold(["a"], "task-1") as again:
        assert again == ("a",)


def test_claim_is_renewed_while_its_owner_lives(client: redis.Redis) -> None:
    left: list[int] = []

    def is_renewed_twice() -> bool:
        left.append(client.pttl("scorewatch:judge:a"))
        assert left[-1] > 0, "it expired"
        return sum(later > before for before, later in pairwise(left)) == 2

    with JudgingClaims(client, seconds=1).hold(["a"], "task-1"):
        wait_for(is_renewed_twice, "two renewals")
        assert client.get("scorewatch:judge:a") == b"task-1"


def test_claim_of_a_dead_owner_expires(client: redis.Redis) -> None:
    client.set("scorewatch:judge:a", "dead", ex=1)
    claims = JudgingClaims(client)
    with claims.hold(["a"], "task-1") as held:
        assert held == ()

    def is_free() -> bool:
        with claims.hold(["a"], "task-1") as held:
            return held == ("a",)

    wait_for(is_free, "the claim to expire", 10)


def test_claim_that_another_worker_took_over_is_not_released(client: redis.Redis) -> None:
    with structlog.testing.capture_logs() as lines, JudgingClaims(client).hold(["a", "b"], "task-1"):
        client.set("scorewatch:judge:a", "task-2")
    assert client.get("scorewatch:judge:a") == b"task-2"
    assert not client.exists("scorewatch:judge:b")
    assert lines == []


@pytest.mark.parametrize("is_in_memory", [True, False], ids=["in-memory", "no-server"])
def test_everything_is_owned_without_a_server(tmp_path: Path, is_in_memory: bool) -> None:
    address = MEMORY_URL if is_in_memory else socket_url(tmp_path / "gone.sock")
    with structlog.testing.capture_logs() as lines:
        lease = watcher_lease(address, holder="first", retry_seconds=30.0)
        assert lease.hold(0.0)
        lease.release()
        assert notification_claim(address)("key", "a")
        with JudgingClaims(shared_client(address)).hold(["a", "b"], "task-1") as held:
            assert held == ("a", "b")
    expected = ["lease not renewed", "notification not claimed", "items not claimed"]
    assert [line["event"] for line in lines] == ([] if is_in_memory else expected)
