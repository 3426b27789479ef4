"""Settling: every edge of the table, and a state machine over random writers."""

import math

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.examples import examples
from watcher.settle import Hint, Looked, SettlePolicy, Settling, Stat

POLICY = SettlePolicy()
DATA = Stat.of(100, 1, 1, 7, 9)


@pytest.mark.parametrize(
    ("hint", "policy", "size", "seconds"),
    [
        pytest.param(Hint.SEEN, POLICY, 100, 1.0, id="seen"),
        pytest.param(Hint.CLOSED, POLICY, 100, 0.2, id="closed"),
        pytest.param(Hint.MODIFIED, POLICY, 100, 10.0, id="still-open"),
        pytest.param(Hint.SEEN, SettlePolicy(polling=True), 100, 5.0, id="polling"),
        pytest.param(Hint.CLOSED, SettlePolicy(polling=True), 100, 5.0, id="polling-rename"),
        pytest.param(Hint.CLOSED, POLICY, 0, 60.0, id="empty"),
        pytest.param(Hint.CLOSED, SettlePolicy(settle_seconds=0.1), 100, 0.1, id="closed-is-never-slower"),
    ],
)
def test_ready_exactly_after_the_quiet_seconds(hint: Hint, policy: SettlePolicy, size: int, seconds: float) -> None:
    settling = Settling(policy)
    stat = Stat.of(size, 1, 1, 7, 9)
    settling.hint("a.csv", hint, 100.0)
    assert settling.due(100.0) == ["a.csv"]
    assert settling.look("a.csv", stat, 100.0) is Looked.WAIT
    assert settling.due(100.0 + seconds - 0.01) == []
    assert settling.look("a.csv", stat, 100.0 + seconds - 0.01) is Looked.WAIT
    assert settling.due(100.0 + seconds) == ["a.csv"]
    assert settling.look("a.csv", stat, 100.0 + seconds) is Looked.READY
    assert len(settling) == 0


def test_one_look_is_never_enough() -> None:
    settling = Settling(POLICY)
    assert settling.look("a.csv", DATA, 1000.0) is Looked.WAIT


def test_a_change_starts_the_quiet_time_again() -> None:
    settling = Settling(POLICY)
    settling.look("a.csv", DATA, 0.0)
    grown = Stat.of(200, 1, 1, 7, 9)
    assert settling.look("a.csv", grown, 1.0) is Looked.WAIT
    assert settling.look("a.csv", grown, 1.9) is Looked.WAIT
    assert settling.look("a.csv", grown, 2.0) is Looked.READY


def test_a_file_that_changes_after_closed_is_no_longer_taken_as_closed() -> None:
    settling = Settling(POLICY)
    settling.hint("a.csv", Hint.CLOSED, 0.0)
    settling.look("a.csv", DATA, 0.0)
    grown = Stat.of(200, 1, 1, 7, 9)
    assert settling.look("a.csv", grown, 0.2) is Looked.WAIT
    assert settling.look("a.csv", grown, 0.5) is Looked.WAIT
    assert settling.look("a.csv", grown, 1.2) is Looked.READY


def test_closed_ends_the_long_wait_of_an_open_file() -> None:
    settling = Settling(POLICY)
    settling.hint("a.csv", Hint.MODIFIED, 0.0)
    settling.look("a.csv", DATA, 0.0)
    settling.hint("a.csv", Hint.CLOSED, 3.0)
    settling.look("a.csv", DATA, 3.0)
    assert settling.look("a.csv", DATA, 3.2) is Looked.READY


def test_a_late_created_event_does_not_shorten_the_wait_of_an_open_file() -> None:
    settling = Settling(POLICY)
    settling.hint("a.csv", Hint.MODIFIED, 0.0)
    settling.hint("a.csv", Hint.SEEN, 0.1)
    settling.look("a.csv", DATA, 0.1)
    assert settling.look("a.csv", DATA, 5.0) is Looked.WAIT
    assert settling.look("a.csv", DATA, 10.1) is Looked.READY


def test_unchanged_content_is_handed_over_once() -> None:
    settling = Settling(POLICY)
    settling.look("a.csv", DATA, 0.0)
    assert settling.look("a.csv", DATA, 1.0) is Looked.READY
    assert settling.look("a.csv", DATA, 31.0) is Looked.KNOWN


def test_reopen_after_a_change_during_reading_hands_it_over_again() -> None:
    settling = Settling(POLICY)
    settling.look("a.csv", DATA, 0.0)
    settling.look("a.csv", DATA, 1.0)
    settling.reopen("a.csv", 1.1)
    assert settling.due(1.1) == ["a.csv"]
    assert settling.look("a.csv", DATA, 1.1) is Looked.WAIT
    assert settling.look("a.csv", DATA, 2.1) is Looked.READY


def test_a_vanished_file_is_forgotten_and_may_come_back() -> None:
    settling = Settling(POLICY)
    settling.look("a.csv", DATA, 0.0)
    assert settling.look("a.csv", None, 0.5) is Looked.GONE
    assert settling.due(10.0) == []
    assert settling.look("a.csv", DATA, 10.0) is Looked.WAIT


def test_a_switch_to_polling_holds_for_files_already_waiting() -> None:
    settling = Settling(POLICY)
    settling.look("a.csv", DATA, 0.0)
    settling.set_policy(SettlePolicy(polling=True))
    assert settling.due(1.0) == ["a.csv"]
    assert settling.look("a.csv", DATA, 1.0) is Looked.WAIT
    assert settling.due(4.9) == []
    assert settling.due(5.0) == ["a.csv"]
    assert settling.look("a.csv", DATA, 5.0) is Looked.READY


class Writers(RuleBasedStateMachine):
    """Random writers, events that may be missing, scans and due looks. The model knows the real change times."""

    def __init__(self) -> None:
        super().__init__()
        self.settling = Settling(POLICY)
        self.now = 0.0
        self.size: int | None = None
        self.changed_at = 0.0
        self.version = 0
        self.handed: list[int] = []

    def _stat(self) -> Stat | None:
        return None if self.size is None else Stat.of(self.size, self.version, self.version, 7, 9)

    def _look(self) -> None:
        outcome = self.settling.look("a.csv", self._stat(), self.now)
        if outcome is Looked.READY:
            assert self.size is not None
            least = 60.0 if self.size == 0 else 0.2
            assert self.now - self.changed_at >= least - 1e-9
            self.handed.append(self.version)

    @rule(seconds=st.floats(0.01, 20.0))
    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        while (due := self.settling.next_due()) <= end:
            self.now = max(self.now, due)
            if self.settling.due(self.now):
                self._look()
        self.now = end

    @rule(size=st.integers(0, 3), announced=st.booleans())
    def write(self, size: int, announced: bool) -> None:
        self.size, self.changed_at = size, self.now
        self.version += 1
        if announced:
            self.settling.hint("a.csv", Hint.MODIFIED, self.now)

    @precondition(lambda self: self.size is not None)
    @rule()
    def close(self) -> None:
        self.settling.hint("a.csv", Hint.CLOSED, self.now)

    @rule()
    def remove(self) -> None:
        self.size = None
        self._look()

    @rule()
    def scan(self) -> None:
        self._look()

    @invariant()
    def pending_files_have_a_look_ahead(self) -> None:
        if len(self.settling):
            assert self.settling.next_due() < math.inf

    def teardown(self) -> None:
        """Whatever happened: after a scan and enough quiet, the last content has been handed over."""
        self.scan()
        self.wait(200.0)
        if self.size is not None:
            assert self.handed
            assert self.handed[-1] == self.version
        assert len(self.settling) == 0


TestWriters = Writers.TestCase
TestWriters.settings = settings(max_examples=examples(150), stateful_step_count=30, deadline=None)
