"""Decides which sets the workers are asked for, and when an ask is repeated. Pure: no clock, disk or queue.

Every set has a wanted key. It is settled when its status.json has that key and no judge works on it. The queue may
lose an ask, so an ask is repeated when nothing moves any more; a repeated ask is harmless.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import chain, islice
from typing import NamedTuple

RETRY_SECONDS = 30.0  # nothing completed for so long: ask again


class Ask(NamedTuple):
    """A set to submit. again: asked before, or reported without all verdicts; one task does all that is missing."""

    set_name: str
    key: str
    again: bool


class Phase(Enum):
    """What a wanted set waits for, in the order of `Reconciler.unsettled`."""

    ASKED = auto()  # for the workers
    JUDGING = auto()  # for the judge; the report is published
    FRESH = auto()  # for room in the window
    BACKLOG = auto()  # for room in the window, after all that is fresh
    RESTING = auto()  # for the end of its back-off


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPolicy:
    """When to ask. window: sets asked for at a time.

    An ask is repeated when nothing has completed for `stalled_seconds`, or when it is older than `empty_seconds` and
    the queue is empty. A set whose judge takes longer than `judging_seconds` is asked for again whatever the queue
    holds; that time doubles with each round. Back-off doubles from `backoff_seconds` up to `backoff_limit_seconds`.
    """

    window: int = 500
    stalled_seconds: float = RETRY_SECONDS
    empty_seconds: float = 2.0
    judging_seconds: float = 600.0
    backoff_seconds: float = 2.0
    backoff_limit_seconds: float = 300.0

    def backoff(self, attempts: int) -> float:
        """Seconds to rest after `attempts` unanswered or failed asks (at least one)."""
        return float(min(self.backoff_seconds * 2 ** min(attempts - 1, 16), self.backoff_limit_seconds))

    def judging(self, rounds: int) -> float:
        """Seconds that a judge may take after `rounds` asks (at least one)."""
        return float(self.judging_seconds * 2 ** min(rounds - 1, 16))


@dataclass(slots=True)
class _Want:
    key: str
    line: Phase  # FRESH or BACKLOG
    phase: Phase
    asked_at: float = 0.0
    not_before: float = 0.0
    attempts: int = 0  # asks sent
    failures: int = 0  # asks given up by a worker
    rounds: int = 0  # asks after which a judge was at work
    is_reported: bool = False  # published, with verdicts still to come
    was_lost: bool = False  # the outputs were; a repeated ask of before may still bring them back
    trouble: str = ""


class Reconciler:
    """Wanted sets and the asks outstanding for them."""

    def __init__(self, policy: AskPolicy) -> None:
        self._policy = policy
        self._wants: dict[str, _Want] = {}  # that are not settled
        self._settled: dict[str, str] = {}  # key of each; nearly all sets
        self._were_asked: set[str] = set()  # of the settled ones
        self._lines: dict[Phase, OrderedDict[str, None]] = {phase: OrderedDict() for phase in Phase}
        self._moved_at = 0.0  # last time anything completed

    def want(self, set_name: str, key: str, *, fresh: bool) -> None:
        """The set should have a report for `key`. fresh: dropped now, so it is asked for before the backlog."""
        if self.key(set_name) != key:
            self._add(set_name, key, Phase.FRESH if fresh else Phase.BACKLOG)

    def key(self, set_name: str) -> str | None:
        """The wanted key; None for a set that is not wanted."""
        want = self._wants.get(set_name)
        return self._settled.get(set_name) if want is None else want.key

    def drop(self, set_name: str) -> None:
        """The set is no longer wanted: its inputs are gone."""
        want = self._wants.pop(set_name, None)
        if want is not None:
            del self._lines[want.phase][set_name]
        self._settled.pop(set_name, None)
        self._were_asked.discard(set_name)

    def settle(self, set_name: str, key: str, now: float) -> bool:
        """status.json of the set has `key`. True when that settles the set."""
        want = self._find(set_name, key)
        if want is None:
            return False
        self.drop(set_name)
        self._settled[set_name] = want.key
        if want.attempts:
            self._were_asked.add(set_name)
        self._moved_at = now
        return True

    def judge(self, set_name: str, key: str, now: float) -> bool:
        """status.json of the set has `key`, and verdicts are still to come. True when that is new.

        A set that was asked for makes room in the window: judges take their time.
        """
        want = self._find(set_name, key)
        if want is None:
            return False
        if want.phase is Phase.ASKED:
            self._move(set_name, Phase.JUDGING)
            want.rounds += 1
            # Repeats come at growing distances, however soon the queue is empty again.
            want.not_before = now + self._policy.backoff(want.rounds)
        is_new = not want.is_reported
        if is_new:
            want.is_reported = True
            self._moved_at = now
        return is_new

    def unsettle(self, set_name: str) -> None:
        """The outputs of a reported set are missing or damaged: ask again."""
        key, want = self.key(set_name), self._wants.get(set_name)
        if key is not None and self.is_reported(set_name):
            self._add(set_name, key, Phase.BACKLOG if want is None else want.line)
            self._wants[set_name].was_lost = True

    def fail(self, set_name: str, key: str, reason: str, now: float) -> bool:
        """A worker gave the ask up for a passing reason: rest, then ask again. False when it was not asked for."""
        want = self._find(set_name, key)
        if want is None or want.phase not in {Phase.ASKED, Phase.JUDGING}:
            return False
        want.failures += 1
        want.trouble = reason
        self._rest(set_name, now + self._policy.backoff(want.failures))
        self._moved_at = now
        return True

    def withdraw(self, set_name: str, now: float) -> None:
        """The ask could not be sent: it does not count, and the set rests."""
        want = self._wants.get(set_name)
        if want is not None and want.phase is Phase.ASKED:
            want.attempts -= 1
            self._rest(set_name, now + self._policy.backoff_seconds)

    def lose(self, now: float) -> None:
        """Workers or the broker died: ask again for everything outstanding."""
        for set_name in (*self._lines[Phase.ASKED], *self._lines[Phase.JUDGING]):
            self._rest(set_name, now)

    def asks(self, now: float, *, queue_empty: bool) -> list[Ask]:
        """What to submit now. queue_empty: the broker has no task, neither queued nor running."""
        self._revive(now, queue_empty=queue_empty)
        asks = []
        for line in (self._lines[Phase.FRESH], self._lines[Phase.BACKLOG]):
            while line and self.asked() < self._policy.window:
                set_name = next(iter(line))
                want = self._wants[set_name]
                asks.append(Ask(set_name, want.key, want.attempts > 0 or want.is_reported))
                self._move(set_name, Phase.ASKED)
                want.asked_at = now
                want.attempts += 1
        return asks

    def pending(self) -> tuple[tuple[str, str], ...]:
        """(set name, key) of everything that is wanted and not settled."""
        return tuple((set_name, self._wants[set_name].key) for set_name in self.unsettled())

    def outstanding(self) -> tuple[tuple[str, str], ...]:
        """(set name, key) of every unsettled set that was ever asked for, or whose outputs were lost.

        A task that was given up, or done before the loss, may have a duplicate in the queue that succeeds.
        """
        wants = self._wants
        return tuple((name, key) for name, key in self.pending() if wants[name].attempts > 0 or wants[name].was_lost)

    def asked(self) -> int:
        """Number of sets that wait for an answer."""
        return len(self._lines[Phase.ASKED])

    def first_asked(self, most: int) -> tuple[str, ...]:
        """The sets that were asked for first, of those that wait for an answer."""
        return tuple(islice(self._lines[Phase.ASKED], most))

    def first_in_line(self, most: int) -> tuple[str, ...]:
        """The sets that are asked for next."""
        lines = (self._lines[phase] for phase in (Phase.FRESH, Phase.BACKLOG, Phase.RESTING))
        return tuple(islice(chain.from_iterable(lines), most))

    def judging(self) -> tuple[str, ...]:
        """Unsettled sets that have their report, with verdicts still to come."""
        return tuple(name for name in self.unsettled() if self._wants[name].is_reported)

    def unsettled(self) -> tuple[str, ...]:
        """Sets that are wanted and not settled."""
        return tuple(chain.from_iterable(self._lines.values()))

    def is_reported(self, set_name: str) -> bool:
        """Is its report published, with or without all verdicts?"""
        want = self._wants.get(set_name)
        return set_name in self._settled or (want is not None and want.is_reported)

    def was_asked(self, set_name: str) -> bool:
        """Was the wanted key asked for? False: it was found settled."""
        want = self._wants.get(set_name)
        return set_name in self._were_asked or (want is not None and want.attempts > 0)

    def troubles(self) -> dict[str, tuple[str, int]]:
        """Set name -> (last reason, number of failures) of unsettled sets that a worker gave up."""
        return {name: (want.trouble, want.failures) for name, want in self._wants.items() if want.trouble}

    def wanted(self) -> int:
        """Number of sets wanted, settled ones included."""
        return len(self._wants) + len(self._settled)

    def _revive(self, now: float, *, queue_empty: bool) -> None:
        """Put sets whose rest is over, or whose ask seems lost, back in line."""
        policy = self._policy
        for set_name, want in self._in_phase(Phase.RESTING):
            if want.not_before <= now:
                self._move(set_name, want.line)
        for set_name, want in self._in_phase(Phase.ASKED):
            is_stalled = now - max(self._moved_at, want.asked_at) >= policy.stalled_seconds
            is_lost = queue_empty and now - want.asked_at >= policy.empty_seconds
            if (is_lost or is_stalled) and now >= want.not_before:
                want.not_before = now + policy.backoff(want.attempts)  # repeats come at growing distances
                self._move(set_name, want.line)
        for set_name, want in self._in_phase(Phase.JUDGING):
            age = now - want.asked_at
            is_lost = queue_empty and age >= policy.empty_seconds and now >= want.not_before
            if is_lost or age >= policy.judging(want.rounds):
                self._move(set_name, want.line)

    def _in_phase(self, phase: Phase) -> Sequence[tuple[str, _Want]]:
        return [(set_name, self._wants[set_name]) for set_name in self._lines[phase]]

    def _find(self, set_name: str, key: str) -> _Want | None:
        """The want of an unsettled set, if it is for this key."""
        want = self._wants.get(set_name)
        return None if want is None or want.key != key else want

    def _rest(self, set_name: str, until: float) -> None:
        self._wants[set_name].not_before = until
        self._move(set_name, Phase.RESTING)

    def _add(self, set_name: str, key: str, line: Phase) -> None:
        self.drop(set_name)
        self._wants[set_name] = _Want(key, line, phase=line)
        self._lines[line][set_name] = None

    def _move(self, set_name: str, phase: Phase) -> None:
        want = self._wants[set_name]
        del self._lines[want.phase][set_name]
        want.phase = phase
        self._lines[phase][set_name] = None
