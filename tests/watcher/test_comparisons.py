"""The watcher's side of comparisons: what it asks for, when it asks again, and what waits for it."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from reporting.runs import BaselineAsk, compare_with_baseline
from reporting.store import BASELINE_JSON, COMPARE_HTML, Destination, KnownSets, StatusFile, status_of_set, write_pin
from reporting.summary import write_summary
from scoring import TransientError
from tests.reporting.comparison.runs import items_of
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_result
from watcher.comparisons_and_gates import (
    AGAIN_SECONDS,
    BUNDLE,
    BUSY_SECONDS,
    HOLD_SECONDS,
    HOPELESS_TRIES,
    QUEUE_SECONDS,
    Comparisons,
)
from workers.broker import Depth

FIRST, SECOND = "run_260301", "run_260302"


LIMIT_SECONDS = 300.0


class Side:
    """A watcher's comparisons, and a queue with workers that work when the test says so.

    asked: what waits. running: tasks of any kind that workers have taken.
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self.asked: list[list[BaselineAsk]] = []
        self.done: list[str] = []
        self.is_down = False
        self.running = 0
        self.comparisons = self.lead()

    def lead(self) -> Comparisons:
        """A watcher that has just started to lead."""
        return Comparisons(
            KnownSets(self.out),
            self,
            language="ko",
            limit_seconds=LIMIT_SECONDS,
            is_settled=lambda name: name in self.done,
            on_done=lambda name, _: self.done.append(name),
        )

    def compare(self, asks: Sequence[BaselineAsk], *, language: str, public_url: str, xlsx: bool) -> None:
        assert (language, public_url, xlsx) == ("ko", "", False)
        if self.is_down:
            raise TransientError("down")
        self.asked.append(list(asks))

    def depth(self) -> Depth | None:
        return None if self.is_down else Depth(0, self.running, comparing=len(self.asked))

    def names(self) -> list[str]:
        return [ask.set_name for bundle in self.asked for ask in bundle]

    def publish(self, name: str, *, key: str = "", broken: int = 0) -> StatusFile:
        result = make_result(*items_of(12, broken=broken))
        publish_report(result, set_name=name, key=key or f"k-{name}", out=self.out)
        status = status_of_set(self.out, name)
        assert status is not None
        return status

    def settle(self, name: str, now: float, **more: object) -> None:
        self.comparisons.settle(name, self.publish(name, **more), now, may_ask=True)  # type: ignore[arg-type]

    def step(self, now: float, *, may_ask: bool = True, is_busy: bool = False) -> bool:
        return self.comparisons.step(now, may_ask=may_ask, is_busy=is_busy)

    def lose(self) -> list[str]:
        """The queue forgets what was asked for; names of the sets."""
        names = self.names()
        self.asked.clear()
        return names

    def work(self) -> list[str]:
        """Do what was asked for; names of the sets."""
        asks = [ask for bundle in self.asked for ask in bundle]
        self.asked.clear()
        for ask in asks:
            destination = Destination(out=self.out, language="ko")
            assert compare_with_baseline(ask, destination) is not None
            assert write_summary(ask.set_name, destination)
        return [ask.set_name for ask in asks]


@pytest.fixture
def side(tmp_path: Path) -> Side:
    return Side(tmp_path)


def test_a_report_found_settled_is_done_with_the_next_look(side: Side) -> None:
    """At a start with nothing to do, no scan is waited for."""
    status = side.publish(FIRST)
    side.step(0.0)
    side.work()
    side.step(BUSY_SECONDS)
    side.comparisons.settle(FIRST, status, BUSY_SECONDS + 1, may_ask=True)
    assert not side.comparisons.is_idle
    side.step(2 * BUSY_SECONDS)
    assert (side.done, side.comparisons.is_idle) == ([FIRST], True)


def test_a_settled_report_is_done_once_its_comparison_is_there(side: Side) -> None:
    side.settle(FIRST, 0.0)
    assert (side.done, side.comparisons.is_idle) == ([], False)
    assert not side.step(0.0)
    assert side.work() == [FIRST]
    assert side.step(1.0)
    assert (side.done, side.comparisons.is_idle) == ([FIRST], True)
    assert not side.step(2.0)
    assert side.asked == []


def test_what_is_compared_already_is_done_after_a_look(side: Side) -> None:
    side.settle(FIRST, 0.0)
    side.step(0.0)
    side.work()
    again = Side(side.out)
    again.settle(FIRST, 0.0)
    again.step(0.0)
    assert (again.done, again.asked, again.comparisons.is_idle) == ([FIRST], [], True)


def test_a_comparison_that_is_lost_is_asked_for_again_and_later_not_waited_for(side: Side) -> None:
    side.settle(FIRST, 0.0)
    side.step(0.0)
    assert side.lose() == [FIRST]
    side.step(AGAIN_SECONDS / 2)
    side.step(AGAIN_SECONDS / 2 + QUEUE_SECONDS)
    assert side.asked == []
    side.step(AGAIN_SECONDS)
    assert side.lose() == [FIRST]
    side.step(HOLD_SECONDS + 1)
    assert side.done == [FIRST]  # a notification waits no longer
    now, tries = HOLD_SECONDS + 1, 2
    while tries < HOPELESS_TRIES:
        now += AGAIN_SECONDS
        side.step(now)
        tries += len(side.lose())
    assert side.comparisons.is_idle


def test_what_waits_in_the_queue_is_not_asked_for_again(side: Side) -> None:
    """However long it takes; nor what a worker may be comparing, within the limit of a task."""
    side.settle(FIRST, 0.0)
    for second in range(0, 3600, 2):
        side.step(float(second))
    assert side.names() == [FIRST]
    side.lose()
    side.running = 1
    for second in range(3600, 3600 + int(LIMIT_SECONDS), 2):
        side.step(float(second))
    assert side.asked == []
    side.step(3602.0 + LIMIT_SECONDS)
    assert side.names() == [FIRST]


def test_another_comparison_of_a_set_follows_once_none_waits(side: Side) -> None:
    for name in (FIRST, SECOND):
        side.settle(name, 0.0)
    side.step(0.0)
    assert side.names() == [FIRST, SECOND]
    side.settle(SECOND, 1.0, key="other")
    for second in range(2, 60):
        side.step(float(second))
    assert side.names() == [FIRST, SECOND]  # the one before still waits
    side.lose()
    side.running = 1
    side.step(60.0)
    side.step(60.0 + QUEUE_SECONDS)
    assert [(ask.set_name, ask.key) for bundle in side.asked for ask in bundle] == [(SECOND, "other")]


def test_who_takes_over_asks_once_what_waits_is_taken(side: Side) -> None:
    side.settle(FIRST, 0.0)
    side.step(0.0)
    side.comparisons = side.lead()
    for second in range(100):
        side.step(float(second))
    assert side.work() == [FIRST]
    side.comparisons.check(100.0)
    side.step(100.0)
    assert side.asked == []
    side.settle(SECOND, 101.0)
    side.step(110.0)
    assert side.names() == [SECOND]


def test_what_may_have_ended_a_worker_is_asked_for_alone(side: Side) -> None:
    names = [f"run_2603{number + 1:02}" for number in range(3)]
    for name in names:
        side.settle(name, 0.0)
    side.step(0.0)
    assert [len(bundle) for bundle in side.asked] == [3]
    side.lose()
    side.step(AGAIN_SECONDS)
    side.step(AGAIN_SECONDS + QUEUE_SECONDS)
    assert side.asked == [[ask] for bundle in side.asked for ask in bundle]
    assert side.names() == names


def test_large_runs_share_no_task(side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report waits for a worker no longer than one task takes."""
    monkeypatch.setattr("watcher.comparisons_and_gates.BUNDLE_ITEMS", 30)
    for number in range(4):
        side.settle(f"run_2603{number + 1:02}", 0.0)  # 12 items each
    side.step(0.0)
    assert [len(bundle) for bundle in side.asked] == [2, 2]


def test_what_was_just_made_is_compared_before_what_is_outdated(side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("watcher.comparisons_and_gates.MOST_ASKED", 1)
    for name in (FIRST, SECOND):
        side.comparisons.settle(name, side.publish(name), 0.0, may_ask=True, is_fresh=False)
    side.settle("run_260303", 0.0)
    side.step(0.0)
    assert side.names() == ["run_260303"]


def test_a_queue_that_is_down_is_tried_again(side: Side) -> None:
    side.is_down = True
    side.settle(FIRST, 0.0)
    side.step(0.0)
    side.is_down = False
    side.step(0.5)
    assert side.asked == []
    side.step(5.0)
    assert side.work() == [FIRST]


def test_while_reports_are_being_made_nothing_is_compared_twice(side: Side) -> None:
    side.step(0.0)
    side.settle(SECOND, 0.1)
    side.step(0.2, is_busy=True)
    assert side.asked == []
    side.settle(FIRST, 1.0)
    side.step(BUSY_SECONDS + 1, is_busy=True)
    assert side.work() == [FIRST, SECOND]
    side.step(BUSY_SECONDS + 2)
    assert sorted(side.done) == [FIRST, SECOND]


def test_asks_are_bundled(side: Side) -> None:
    for number in range(BUNDLE + 2):
        side.settle(f"run_2603{number + 1:02}", 0.0)
    side.step(0.0)
    assert [len(bundle) for bundle in side.asked] == [BUNDLE, 2]


def test_few_wait_in_the_queue_however_many_are_outdated(side: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports of new files come behind these few; more are asked for as they are done."""
    monkeypatch.setattr("watcher.comparisons_and_gates.MOST_ASKED", BUNDLE)
    for number in range(2 * BUNDLE + 2):
        side.publish(f"run_2603{number + 1:02}")
    asked = []
    for number in range(8):
        side.step(BUSY_SECONDS * number)
        assert sum(map(len, side.asked)) <= BUNDLE
        asked += side.work()
    assert len(asked) == len(set(asked)) == 2 * BUNDLE + 2


def test_only_the_leader_asks(side: Side) -> None:
    side.comparisons.settle(FIRST, side.publish(FIRST), 0.0, may_ask=False)
    assert side.done == [FIRST]
    side.settle(SECOND, 0.0)
    side.step(0.0, may_ask=False)
    assert (side.asked, side.done) == ([], [FIRST, SECOND])
    side.step(1.0)
    assert side.work() == [FIRST, SECOND]  # it leads now


@pytest.mark.parametrize("what", ["report", "page", "mark", "pin"])
def test_a_scan_finds_what_somebody_else_changed(side: Side, what: str) -> None:
    for name in (FIRST, SECOND):
        side.settle(name, 0.0)
    side.step(0.0)
    side.work()
    side.step(1.0)
    side.comparisons.check(2.0)
    side.step(2.0)
    assert side.asked == []
    if what == "report":
        shutil.rmtree(side.out / FIRST)
    elif what == "pin":
        write_pin(side.out, "resume-agent", FIRST)
    else:
        (side.out / SECOND / (COMPARE_HTML if what == "page" else BASELINE_JSON)).unlink()
    side.comparisons.check(3.0)
    side.step(3.0)
    assert SECOND in side.work()


def test_reports_that_others_wrote_are_found_from_time_to_time(side: Side) -> None:
    side.step(0.0)
    side.publish(FIRST)
    side.comparisons.check(1.0)
    side.step(1.0)
    assert side.asked == []
    side.comparisons.check(100.0)
    side.step(100.0)
    assert side.work() == [FIRST]
