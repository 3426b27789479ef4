"""Asking: rules one by one, and a state machine in which asks and answers get lost."""

from itertools import pairwise
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.examples import examples
from watcher.reconcile import Ask, AskPolicy, Reconciler

POLICY = AskPolicy(window=3)


def test_fresh_sets_are_asked_before_the_backlog() -> None:
    reconciler = Reconciler(POLICY)
    for name in ("old-1", "old-2", "old-3"):
        reconciler.want(name, "k", fresh=False)
    reconciler.want("new", "k", fresh=True)
    asked = [ask.set_name for ask in reconciler.asks(0.0, queue_empty=True)]
    assert asked == ["new", "old-1", "old-2"]


def test_the_window_bounds_what_is_outstanding() -> None:
    reconciler = Reconciler(POLICY)
    for number in range(5):
        reconciler.want(f"s{number}", "k", fresh=False)
    assert len(reconciler.asks(0.0, queue_empty=False)) == 3
    assert reconciler.asks(0.1, queue_empty=False) == []
    assert reconciler.settle("s0", "k", 0.2)
    assert [ask.set_name for ask in reconciler.asks(0.2, queue_empty=False)] == ["s3"]


def test_an_ask_is_repeated_when_nothing_completed_for_the_stalled_seconds() -> None:
    reconciler = Reconciler(POLICY)
    reconciler.want("a", "k", fresh=True)
    assert reconciler.asks(0.0, queue_empty=False) == [Ask("a", "k", False)]
    assert reconciler.asks(29.9, queue_empty=False) == []
    assert reconciler.asks(30.0, queue_empty=False) == [Ask("a", "k", True)]


def test_a_set_that_nobody_answers_for_is_asked_for_at_growing_distances() -> None:
    reconciler = Reconciler(POLICY)
    reconciler.want("a", "k", fresh=True)
    asked_at = [second for second in range(2000) if reconciler.asks(float(second), queue_empty=False)]
    distances = [later - earlier for earlier, later in pairwise(asked_at)]
    assert distances[0] == POLICY.stalled_seconds
    assert distances == sorted(distances)
    assert distances[-1] == POLICY.backoff_limit_seconds


def test_completions_elsewhere_put_the_repetition_off() -> None:
    reconciler = Reconciler(POLICY)
    reconciler.want("a", "k", fresh=True)
    reconciler.want("b", "k", fresh=True)
    reconciler.asks(0.0, queue_empty=False)
    reconciler.settle("b", "k", 20.0)
    assert reconciler.asks(30.0, queue_empty=False) == []
    assert reconciler.asks(50.0, queue_empty=False) == [Ask("a", "k", True)]


def test_an_empty_queue_means_that_the_ask_was_lost() -> None:
    reconciler = Reconciler(POLICY)
    reconciler.want("a", "k", fresh=True)
    reconciler.asks(0.0, queue_empty=True)
    assert reconciler.asks(1.9, queue_empty=True) == []
    assert reconciler.asks(2.0, queue_empty=True) == [Ask("a", "k", True)]


def test_unanswered_repetitions_come_at_growing_distances() -> None:
    reconciler = Reconciler(POLICY)
    reconciler.want("a", "k", fresh=True)
    times = [tick / 10 for tick in range(600) if reconciler.asks(tick / 10, queue_empty=True)]
    assert times == [0.0, 2.0, 4.0, 8.0, 16.0, 32.0]


def test_a_passing_failure_rests_and_backs_off_to_the_limit() -> None:
    reconciler = Reconciler(POLICY)
    reconciler.want("a", "k", fresh=True)
    now, rests = 0.0, []
    for _ in range(10):
        assert len(reconciler.asks(now, queue_empty=False)) == 1
        assert reconciler.fail("a", "k", "disk full", now)
        failed_at = now
        while not reconciler.unsettled() or not _would_ask(reconciler, now):
            now += 1.0
        rests.append(now - failed_at)
        assert reconciler.troubles() == {"a": ("disk full", len(rests))}
    assert rests == [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 300.0, 300.0]


def _would_ask(reconciler: Reconciler, now: float) -> bool:
    """Is a rest over? Asking moves it to asked; that is undone by failing it in the caller's next round."""
    asks = reconciler.asks(now, queue_empty=False)
    if asks:
        reconciler.lose(now)
    return bool(asks)


def test_a_new_key_replaces_the_old_one_and_late_answers_to_that_are_nothing() -> None:
    reconciler = Reconciler(POLICY)
    reconciler.want("a", "old", fresh=True)
    reconciler.asks(0.0, queue_empty=False)
    reconciler.want("a", "new", fresh=True)
    assert not reconciler.settle("a", "old", 1.0)
    assert not reconciler.fail("a", "old", "changed", 1.0)
    assert reconciler.asks(1.0, queue_empty=False) == [Ask("a", "new", False)]
    assert reconciler.settle("a", "new", 2.0)
    assert reconciler.unsettled() == ()


def test_a_settled_set_is_not_asked_again_until_its_outputs_are_lost() -> None:
    reconciler = Reconciler(POLICY)
    reconciler.want("a", "k", fresh=True)
    reconciler.settle("a", "k", 0.0)
    reconciler.want("a", "k", fresh=True)
    assert reconciler.asks(100.0, queue_empty=True) == []
    reconciler.unsettle("a")
    assert reconciler.asks(100.0, queue_empty=True) == [Ask("a", "k", False)]


def test_lost_workers_make_everything_outstanding_asked_again() -> None:
    reconciler = Reconciler(POLICY)
    reconciler.want("a", "k", fresh=True)
    reconciler.asks(0.0, queue_empty=False)
    reconciler.lose(0.5)
    assert reconciler.asks(0.5, queue_empty=False) == [Ask("a", "k", True)]


def test_an_unsent_ask_does_not_count() -> None:
    reconciler = Reconciler(POLICY)
    reconciler.want("a", "k", fresh=True)
    reconciler.asks(0.0, queue_empty=False)
    reconciler.withdraw("a", 0.0)
    assert reconciler.asks(1.9, queue_empty=False) == []
    assert reconciler.asks(2.0, queue_empty=False) == [Ask("a", "k", False)]
    assert reconciler.troubles() == {}


def judged() -> Reconciler:
    """A set that was asked for at 0 and whose judge began at 1."""
    reconciler = Reconciler(POLICY)
    reconciler.want("a", "k", fresh=True)
    reconciler.asks(0.0, queue_empty=True)
    assert reconciler.judge("a", "k", 1.0)
    return reconciler


def test_a_set_that_is_judged_makes_room_in_the_window_and_is_not_settled() -> None:
    reconciler = judged()
    assert reconciler.asked() == 0
    assert reconciler.judging() == reconciler.unsettled() == ("a",)
    assert reconciler.outstanding() == (("a", "k"),)
    assert not reconciler.judge("a", "k", 1.3)
    assert not reconciler.judge("a", "other", 1.3)
    assert reconciler.settle("a", "k", 2.0)
    assert reconciler.judging() == reconciler.unsettled() == ()
    assert not reconciler.judge("a", "k", 3.0)


def test_a_judge_is_left_alone_while_the_queue_holds_anything() -> None:
    reconciler = judged()
    assert [tick for tick in range(599) if reconciler.asks(float(tick), queue_empty=False)] == []
    assert reconciler.asks(600.0, queue_empty=False) == [Ask("a", "k", True)]


def test_a_judge_that_the_queue_knows_nothing_of_is_asked_again_at_growing_distances() -> None:
    reconciler = judged()
    times = []
    for tick in range(10, 700):
        if reconciler.asks(tick / 10, queue_empty=True):
            times.append(tick / 10)
            reconciler.judge("a", "k", tick / 10)
    assert times == [3.0, 7.0, 15.0, 31.0, 63.0]


def test_a_judge_that_takes_its_time_is_asked_again_at_twice_the_distance() -> None:
    reconciler = judged()
    times = []
    for now in range(5000):
        if reconciler.asks(float(now), queue_empty=False):
            times.append(now)
            reconciler.judge("a", "k", float(now))
    assert times == [600, 1800, 4200]


def test_a_judge_that_is_out_of_reach_rests_and_is_asked_again() -> None:
    reconciler = judged()
    assert reconciler.fail("a", "k", "judge: refused", 2.0)
    assert not reconciler.judge("a", "k", 2.5)  # its report still stands there
    assert reconciler.asks(3.9, queue_empty=True) == []
    assert reconciler.asks(4.0, queue_empty=True) == [Ask("a", "k", True)]
    assert reconciler.troubles() == {"a": ("judge: refused", 1)}


def test_lost_workers_make_the_judge_asked_again() -> None:
    reconciler = judged()
    reconciler.lose(2.0)
    assert reconciler.asks(2.0, queue_empty=False) == [Ask("a", "k", True)]


def test_a_report_found_without_its_verdicts_is_asked_for_once() -> None:
    reconciler = Reconciler(POLICY)
    reconciler.want("a", "k", fresh=False)
    assert reconciler.judge("a", "k", 0.0)
    assert reconciler.judging() == ("a",)
    assert reconciler.asks(0.0, queue_empty=False) == [Ask("a", "k", True)]
    assert not reconciler.judge("a", "k", 0.3)
    assert reconciler.asks(0.3, queue_empty=False) == []


def test_a_report_that_is_lost_while_its_judge_works_is_asked_for_anew() -> None:
    reconciler = judged()
    reconciler.unsettle("a")
    assert reconciler.judging() == ()
    assert reconciler.asks(2.0, queue_empty=False) == [Ask("a", "k", False)]


def test_a_repeated_ask_that_brings_lost_outputs_back_settles_the_set() -> None:
    workers = LossyWorkers()
    workers.drop_file(name="a", fresh=True)
    workers.round(0.1)
    workers.round(35.0)
    assert [task.key for task in workers.queue] == ["k1", "k1"]
    workers.work()
    workers.round(1.0)
    workers.lose_outputs(name="a")
    workers.work()
    workers.round(1.0)
    assert workers.queue == []
    assert workers.reconciler.unsettled() == ()


NAMES = st.sampled_from("abcdef")
JUDGED = frozenset("def")


class Verdicts(NamedTuple):
    """A task that judges what is left of a set."""

    set_name: str
    key: str


class LossyWorkers(RuleBasedStateMachine):
    """Sets come, change and go; asks vanish, fail or are done; the reconciler only sees statuses.

    published: key and whether a judge has still to say something about it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.reconciler = Reconciler(POLICY)
        self.now = 0.0
        self.version = 0
        self.wanted: dict[str, str] = {}
        self.published: dict[str, tuple[str, bool]] = {}
        self.queue: list[Ask | Verdicts] = []

    @rule(name=NAMES, fresh=st.booleans())
    def drop_file(self, name: str, fresh: bool) -> None:
        self.version += 1
        self.wanted[name] = f"k{self.version}"
        self.reconciler.want(name, self.wanted[name], fresh=fresh)

    @rule(name=NAMES)
    def remove(self, name: str) -> None:
        self.wanted.pop(name, None)
        self.reconciler.drop(name)

    @rule(seconds=st.floats(0.1, 40.0))
    def round(self, seconds: float) -> None:
        self.now += seconds
        self.poll()
        asks = self.reconciler.asks(self.now, queue_empty=not self.queue)
        assert len({ask.set_name for ask in asks}) == len(asks)
        for ask in asks:
            assert self.wanted[ask.set_name] == ask.key
            assert self.published.get(ask.set_name) != (ask.key, False)
            assert ask.again or self.published.get(ask.set_name) != (ask.key, True)
        self.queue += asks

    @rule()
    def work(self) -> None:
        if not self.queue:
            return
        task = self.queue.pop(0)
        if isinstance(task, Verdicts):
            if self.published.get(task.set_name) == (task.key, True):
                self.published[task.set_name] = (task.key, False)
        elif task.set_name not in JUDGED:
            self.published[task.set_name] = (task.key, False)
        elif self.published.get(task.set_name) != (task.key, False):
            self.published[task.set_name] = (task.key, True)
            self.queue.append(Verdicts(task.set_name, task.key))

    @rule()
    def lose_everything(self) -> None:
        self.queue.clear()

    @rule()
    def fail(self) -> None:
        if self.queue:
            task = self.queue.pop(0)
            self.reconciler.fail(task.set_name, task.key, "unreadable", self.now)

    @rule()
    def workers_die(self) -> None:
        self.reconciler.lose(self.now)

    @rule(name=NAMES)
    def lose_outputs(self, name: str) -> None:
        if self.published.pop(name, None) is not None:
            self.reconciler.unsettle(name)

    @rule()
    def find_at_the_start(self) -> None:
        """A watcher that begins looks at every status once, whether it asked or not."""
        for name, key in self.wanted.items():
            self.look(name, key)

    def poll(self) -> None:
        for name, key in self.reconciler.outstanding():
            self.look(name, key)

    def look(self, name: str, key: str) -> None:
        if self.published.get(name) == (key, True):
            self.reconciler.judge(name, key, self.now)
        elif self.published.get(name) == (key, False):
            self.reconciler.settle(name, key, self.now)

    @invariant()
    def the_window_holds(self) -> None:
        assert self.reconciler.asked() <= POLICY.window

    @invariant()
    def every_wanted_set_is_settled_or_on_its_way(self) -> None:
        unsettled = self.reconciler.unsettled()
        assert len(set(unsettled)) == len(unsettled)
        assert set(self.reconciler.judging()) <= set(unsettled)
        assert set(unsettled) <= set(self.wanted)
        settled = set(self.wanted).difference(unsettled)
        assert all(self.published[name] == (self.wanted[name], False) for name in settled)

    def teardown(self) -> None:
        """When losses stop, everything that is wanted gets done."""
        for _ in range(60):
            self.round(310.0)
            while self.queue:
                self.work()
        self.poll()
        assert self.reconciler.unsettled() == ()
        assert all(self.published[name] == (key, False) for name, key in self.wanted.items())


TestLossyWorkers = LossyWorkers.TestCase
TestLossyWorkers.settings = settings(max_examples=examples(100), stateful_step_count=40, deadline=None)
