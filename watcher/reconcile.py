"""What to ask the workers for, and when again. Pure: wants, statuses and a monotonic `now` in, asks out.

The watcher wants a key for every set; a set is settled when its status.json has that key and no judge still works on
it. The queue is only a hint: an ask may be lost anywhere, so it is repeated when nothing moves any more, and repeated
asks are harmless.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

RETRY_SECONDS = 30.0  # nothing completed for so long: ask again


class Ask(NamedTuple):
    """One request to the workers.

    again: asked before without an answer, or reported and not judged to the end; the worker should do itself what is
    missing.
    """

    set_name: str
    key: str
    again: bool


class Phase(StrEnum):
    """Where a wanted set stands."""

    WAITING = "waiting"  # for room in the window, or for its back-off to pass
    ASKED = "asked"
    JUDGING = "judging"  # reported, and the judge was asked for
    SETTLED = "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPolicy:
    """window: sets asked for at a time. stalled_seconds: nothing completed for so long, ask again.

    empty_seconds: the queue has been empty for an ask this old, ask again. judging_seconds: a set that a judge works on
    for so long is asked for again whatever the queue holds, and at twice the distance each time after that. Back-off
    doubles from `backoff_seconds` up to `backoff_limit_seconds`.
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
    fresh: bool
    phase: Phase = Phase.WAITING
    asked_at: float = 0.0
    not_before: float = 0.0
    attempts: int = 0  # asks sent
    failures: int = 0  # asks that came back as a transient failure
    rounds: int = 0  # asks after which a judge was at work
    is_reported: bool = False  # with a judge's verdicts still to come
    trouble: str = ""


class Reconciler:
    """Wanted sets and the asks outstanding for them."""

    def __init__(self, policy: AskPolicy) -> None:
        self._policy = policy
        self._wants: dict[str, _Want] = {}
        self._fresh: OrderedDict[str, None] = OrderedDict()
        self._backlog: OrderedDict[str, None] = OrderedDict()
        self._resting: set[str] = set()
        self._asked: OrderedDict[str, None] = OrderedDict()
        self._judging: dict[str, None] = {}
        self._moved_at = 0.0  # last time anything completed

    def want(self, set_name: str, key: str, *, fresh: bool) -> None:
        """The set should have a report for `key`. fresh: it was dropped now, ahead of the backlog."""
        current = self._wants.get(set_name)
        if current is not None and current.key == key:
            return
        self.drop(set_name)
        self._wants[set_name] = _Want(key, fresh)
        self._line(fresh)[set_name] = None

    def drop(self, set_name: str) -> None:
        """The set is no longer wanted (its inputs are gone or changing)."""
        if self._wants.pop(set_name, None) is not None:
            self._forget(set_name)

    def settle(self, set_name: str, key: str, now: float) -> bool:
        """status.json of the set has `key`. True when that ends the work on it."""
        want = self._wants.get(set_name)
        if want is None or want.key != key or want.phase is Phase.SETTLED:
            return False
        self._forget(set_name)
        want.phase = Phase.SETTLED
        want.trouble = ""
        self._moved_at = now
        return True

    def judge(self, set_name: str, key: str, now: float) -> bool:
        """status.json of the set has `key`, but a judge has not finished. True when that is news.

        A set that was asked for leaves the window: judges take their time. One that was not is yet to be asked for.
        """
        want = self._wants.get(set_name)
        if want is None or want.key != key or want.phase is Phase.SETTLED:
            return False
        if want.phase is Phase.ASKED:
            self._asked.pop(set_name, None)
            self._judging[set_name] = None
            want.phase = Phase.JUDGING
            want.rounds += 1
            # Repeats come at growing distances, however fast the queue is empty again.
            want.not_before = now + self._policy.backoff(want.rounds)
        is_news = not want.is_reported
        if is_news:
            want.is_reported = True
            self._moved_at = now
        return is_news

    def unsettle(self, set_name: str) -> None:
        """Its outputs were lost or damaged: ask again."""
        want = self._wants.get(set_name)
        if want is not None and (want.phase is Phase.SETTLED or want.is_reported):
            self._forget(set_name)
            self._wants[set_name] = _Want(want.key, want.fresh)
            self._line(want.fresh)[set_name] = None

    def fail(self, set_name: str, key: str, reason: str, now: float) -> bool:
        """A worker gave the ask up for a passing reason: rest, then ask again. False when it was not asked for."""
        want = self._wants.get(set_name)
        if want is None or want.key != key or want.phase not in {Phase.ASKED, Phase.JUDGING}:
            return False
        want.failures += 1
        want.trouble = reason
        self._rest(set_name, want, now + self._policy.backoff(want.failures))
        self._moved_at = now
        return True

    def withdraw(self, set_name: str, now: float) -> None:
        """The ask could not be sent (no broker): it does not count, and waits its turn again."""
        want = self._wants.get(set_name)
        if want is not None and want.phase is Phase.ASKED:
            want.attempts -= 1
            self._rest(set_name, want, now + self._policy.backoff_seconds)

    def lose(self, now: float) -> None:
        """Workers or the broker died: whatever they held may be lost, so all that is outstanding is asked again."""
        for set_name in (*self._asked, *self._judging):
            self._rest(set_name, self._wants[set_name], now)

    def asks(self, now: float, *, queue_empty: bool) -> list[Ask]:
        """What to send now. queue_empty: nothing is queued or running, as far as the broker knows."""
        self._revive(now, queue_empty=queue_empty)
        asks = []
        for line in (self._fresh, self._backlog):
            while line and len(self._asked) < self._policy.window:
                set_name, _ = line.popitem(last=False)
                want = self._wants[set_name]
                asks.append(Ask(set_name, want.key, want.attempts > 0 or want.is_reported))
                want.phase, want.asked_at = Phase.ASKED, now
                want.attempts += 1
                self._asked[set_name] = None
        return asks

    def pending(self) -> tuple[tuple[str, str], ...]:
        """(set name, key) of everything that is wanted and not settled."""
        return tuple((set_name, self._wants[set_name].key) for set_name in self.unsettled())

    def outstanding(self) -> tuple[tuple[str, str], ...]:
        """(set name, key) of everything that may be answered any moment: asked now, or earlier and not settled since.

        An ask that was given up may have a twin in the queue that is not.
        """
        return tuple(
            (set_name, want.key)
            for set_name in self.unsettled()
            if (want := self._wants[set_name]).phase in {Phase.ASKED, Phase.JUDGING} or want.attempts > 0
        )

    def asked(self) -> int:
        """Number of sets that wait for an answer."""
        return len(self._asked)

    def judging(self) -> tuple[str, ...]:
        """Sets that have their report, where only a judge's verdicts are still to come."""
        return tuple(name for name in self.unsettled() if self._wants[name].is_reported)

    def unsettled(self) -> tuple[str, ...]:
        """Sets that are wanted and not settled."""
        return (*self._asked, *self._judging, *self._fresh, *self._backlog, *self._resting)

    def is_reported(self, set_name: str) -> bool:
        """Does it have at least the report, if not yet all verdicts of a judge?"""
        want = self._wants.get(set_name)
        return want is not None and (want.phase is Phase.SETTLED or want.is_reported)

    def was_asked(self, set_name: str) -> bool:
        """Did it take an ask to settle what is wanted of the set? False: it was found settled."""
        want = self._wants.get(set_name)
        return want is not None and want.attempts > 0

    def troubles(self) -> dict[str, tuple[str, int]]:
        """Set name -> (last reason, number of failures) of sets that failed for a passing reason and rest."""
        return {name: (want.trouble, want.failures) for name, want in self._wants.items() if want.trouble}

    def wanted(self) -> int:
        """Number of sets wanted, settled ones included."""
        return len(self._wants)

    def _revive(self, now: float, *, queue_empty: bool) -> None:
        for set_name in [name for name in self._resting if self._wants[name].not_before <= now]:
            self._resting.discard(set_name)
            self._line(self._wants[set_name].fresh)[set_name] = None
        for set_name in tuple(self._asked):
            want = self._wants[set_name]
            stalled = now - max(self._moved_at, want.asked_at) >= self._policy.stalled_seconds
            empty = queue_empty and now - want.asked_at >= self._policy.empty_seconds
            if (empty or stalled) and now >= want.not_before:
                # Repeats without any answer come at growing distances too.
                want.not_before = now + self._policy.backoff(want.attempts)
                del self._asked[set_name]
                want.phase = Phase.WAITING
                self._line(want.fresh)[set_name] = None
        for set_name in tuple(self._judging):
            want = self._wants[set_name]
            quiet = queue_empty and now - want.asked_at >= self._policy.empty_seconds and now >= want.not_before
            if quiet or now - want.asked_at >= self._policy.judging(want.rounds):
                del self._judging[set_name]
                want.phase = Phase.WAITING
                self._line(want.fresh)[set_name] = None

    def _rest(self, set_name: str, want: _Want, until: float) -> None:
        self._asked.pop(set_name, None)
        self._judging.pop(set_name, None)
        want.phase, want.not_before = Phase.WAITING, until
        self._resting.add(set_name)

    def _line(self, fresh: bool) -> OrderedDict[str, None]:
        return self._fresh if fresh else self._backlog

    def _forget(self, set_name: str) -> None:
        for line in (self._fresh, self._backlog, self._asked):
            line.pop(set_name, None)
        self._judging.pop(set_name, None)
        self._resting.discard(set_name)
