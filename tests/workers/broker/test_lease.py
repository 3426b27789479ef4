"""The lease of the watcher, on a real server."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis

from tests.faults.harness import wait_for
from workers.broker.embedded import MEMORY_URL, socket_url
from workers.broker.lease import NAME, Lease, watcher_lease

pytestmark = pytest.mark.service
SECONDS = 60.0


def test_one_of_two_holds_it_and_the_other_takes_over_when_it_runs_out(client: redis.Redis) -> None:
    first, second = (Lease(client, holder=name, seconds=SECONDS) for name in ("first", "second"))
    assert first.hold(0.0)
    assert not second.hold(0.0)
    assert 0 < client.pttl(NAME) <= SECONDS * 1000
    client.pexpire(NAME, 1)
    wait_for(lambda: not client.exists(NAME), "the lease to run out")
    assert second.hold(SECONDS)
    assert not first.hold(SECONDS)


def test_it_is_asked_for_three_times_in_its_time_and_renewed(client: redis.Redis) -> None:
    lease = Lease(client, holder="first", seconds=SECONDS)
    for tenth in range(10):
        assert lease.hold(tenth * SECONDS / 3)
        assert client.pttl(NAME) > SECONDS * 900
        client.pexpire(NAME, round(SECONDS * 500))
    client.delete(NAME)
    assert lease.hold(3.05 * SECONDS)
    assert not client.exists(NAME)  # not yet time to look
    assert lease.hold(4 * SECONDS)
    assert client.exists(NAME)


def test_released_it_is_free_at_once_but_only_by_its_holder(client: redis.Redis) -> None:
    first, second = (Lease(client, holder=name, seconds=60.0) for name in ("first", "second"))
    assert first.hold(0.0)
    assert not second.hold(0.0)
    second.release()
    assert client.get(NAME) == b"first"
    first.release()
    assert second.hold(100.0)
    first.release()
    assert client.get(NAME) == b"second"


def test_one_that_was_killed_goes_on_under_its_name(client: redis.Redis) -> None:
    assert Lease(client, holder="first", seconds=60.0).hold(0.0)
    assert Lease(client, holder="first", seconds=60.0).hold(0.0)


def test_a_server_that_does_not_answer_stands_in_nobodys_way(tmp_path: Path) -> None:
    gone = socket_url(tmp_path / "gone.sock")
    assert watcher_lease(gone, holder="first", retry_seconds=30.0).hold(0.0)
    assert watcher_lease(MEMORY_URL, holder="first", retry_seconds=30.0).hold(0.0)
