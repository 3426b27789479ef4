"""When the watcher is healthy: the folder is there, scans happen, sets settle."""

from dataclasses import replace

import pytest

from reporting.data import Health
from watcher.health import Figures, HealthPolicy, Snapshot, Waiting, judge

POLICY = HealthPolicy(rescan_seconds=30.0, stalled_seconds=360.0)
FINE = Figures(at=1000.0, scanned_at=1000.0, moved_at=900.0)


def _judge(figures: Figures, now: float = 1000.0, *, has_broker: bool = True) -> Health:
    return judge(figures, POLICY, now, has_broker=has_broker)


def test_idle_watcher_is_healthy() -> None:
    assert _judge(FINE) == Health()
    assert _judge(replace(FINE, moved_at=0.0)) == Health()


@pytest.mark.parametrize(
    ("figures", "now", "reason"),
    [
        (replace(FINE, scanned_at=1061.0), 1061.0, "loop: silent for 61 s"),
        (replace(FINE, is_observing=False), 1000.0, "observer: not running"),
        (replace(FINE, snapshot=Snapshot(degraded="watch:gone")), 1000.0, "folder: watch:gone"),
        (replace(FINE, snapshot=Snapshot(degraded="watch:gone"), is_observing=False), 1000.0, "folder: watch:gone"),
        (replace(FINE, snapshot=Snapshot(unwritable="full: /out")), 1000.0, "reports: full: /out"),
        (replace(FINE, scanned_at=909.0), 1000.0, "scan: none for 91 s"),
        (replace(FINE, scanned_at=None, moved_at=909.0), 1000.0, "scan: none for 91 s"),
        (
            replace(FINE, moved_at=600.0, oldest_untroubled_seconds=361.0),
            1000.0,
            "sets: nothing settled for 361 s",
        ),
        (
            replace(FINE, moved_at=639.0, oldest_untroubled_seconds=500.0),
            1000.0,
            "sets: nothing settled for 361 s",
        ),
    ],
)
def test_red_says_why(figures: Figures, now: float, reason: str) -> None:
    assert _judge(figures, now).failing == (reason,)


@pytest.mark.parametrize(
    ("figures", "now"),
    [
        (replace(FINE, scanned_at=1060.0), 1060.0),
        (replace(FINE, scanned_at=910.0), 1000.0),
        (replace(FINE, moved_at=640.0, oldest_untroubled_seconds=500.0), 1000.0),
        (replace(FINE, moved_at=600.0, oldest_untroubled_seconds=360.0, oldest_waiting_seconds=9000.0), 1000.0),
    ],
)
def test_on_the_edge_is_green(figures: Figures, now: float) -> None:
    assert _judge(figures, now) == Health()


def test_broker_that_does_not_answer_is_red() -> None:
    assert _judge(FINE, has_broker=False).failing == ("broker: no answer",)


def test_passing_faults_degrade_and_fail_nothing() -> None:
    found = _judge(replace(FINE, snapshot=Snapshot(troubles={"a": "storage: full", "b": "unreadable"})))
    assert found == Health((), ("sets: 2 tried again",))
    assert found.is_ok


def test_what_cannot_be_read_is_named() -> None:
    unread = {f"{name}.csv": "Permission denied" for name in "abcde"}
    found = _judge(replace(FINE, snapshot=Snapshot(troubles=unread, unread=unread)))
    named = ", ".join(f"{name}.csv (Permission denied)" for name in "abc")
    assert found == Health((), (f"unread: {named}, 2 more",))


def test_waiting_counts_from_the_first_look_until_it_ends() -> None:
    waiting = Waiting()
    assert waiting.oldest_seconds(5.0) == 0.0
    waiting.update({"a"}, 10.0)
    waiting.update({"a", "b"}, 20.0)
    assert waiting.oldest_seconds(25.0) == 15.0
    assert waiting.oldest_seconds(25.0, without={"a"}) == 5.0
    waiting.update({"b"}, 30.0)
    assert waiting.oldest_seconds(30.0) == 10.0
    waiting.update({"a", "b"}, 40.0)
    assert waiting.oldest_seconds(40.0, without={"b"}) == 0.0


def test_a_full_disk_of_reports_is_a_failure_whatever_else_is_known() -> None:
    assert _judge(replace(FINE, is_disk_full=True)).failing == ("reports: the disk of the folder is full",)
