"""Chooses what each run of a profile is compared with: the pinned run, else the nearest earlier one that asks the same.

The order of runs is that of their data, never that of their publication. Correcting or retrying an old run therefore
moves nothing.
"""

import re
import sys
from bisect import bisect_left, insort
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from enum import StrEnum
from itertools import islice
from typing import NamedTuple, NewType

from scoring.comparison.asked import LEAST_SHARE, Asked, forms_of, shares_enough
from scoring.times import read_times

# A year of four digits with or without separators, or six digits that start with a year of two.
_DATE = re.compile(r"(?<![0-9])(?:([0-9]{4})([-_.]?)([0-9]{2})\2([0-9]{2})|([0-9]{2})([0-9]{2})([0-9]{2}))(?![0-9])")
_CENTURY = 2000

_NUMBER = re.compile(r"([0-9]+)")

# One text: tuples of numbers and texts would take three times the memory. Names of folders have neither character.
OrderKey = NewType("OrderKey", str)
_END, _DIGITS = "\0", "\1"  # of a part; what a number begins with, then how many digits it has

_FAR = 20  # runs that are looked back at
_NEAR = 3  # question sets that are tried one by one before those without a common query are left out


def earliest(texts: Iterable[str]) -> str:
    """The earliest of the times as an ISO time, the wall clock as written; "" where none is a time."""
    times = [time for time in read_times(set(texts)).values() if time is not None]
    return min(times).isoformat() if times else ""


def name_date(name: str) -> str:
    """The first valid date in a name as ISO: `260203`, `20260203`, `2026-02-03`; "" without one."""
    for found in _DATE.finditer(name):
        year, _, month, day, short, short_month, short_day = found.groups()
        parts = (year, month, day) if year else (str(_CENTURY + int(short)), short_month, short_day)
        try:
            return date(*map(int, parts)).isoformat()
        except ValueError:
            continue
    return ""


def order_key(executed: str, name: str, *, published: int = 0) -> OrderKey:
    """Sorts runs of a profile: dated ones by date, undated ones after them by first publication, ties by name.

    Names go by their numbers: run2 before run10.

    executed: of the run, "" where none parses. published: place or time of first publication; counts without a date.
    """
    moment = executed or name_date(name)
    place = f"0{moment}" if moment else f"1{published:020}"
    numbers = _NUMBER.sub(lambda found: f"{_DIGITS}{len(number := found[0].lstrip('0')):03}{number}", name)
    return OrderKey(_END.join((place, numbers, name)))


def name_of(place: OrderKey) -> str:
    """The name of the run, one text for all who keep it."""
    return sys.intern(place.rpartition(_END)[2])


def numbered(name: str) -> tuple[tuple[str | int, ...], str]:
    """Sorts names by the numbers in them: run2 before run10.

    Sets that are made together are first published in this order, so that those without a date stand in it.
    """
    parts = _NUMBER.split(name)
    return tuple([int(part) if at % 2 else part for at, part in enumerate(parts)]), name


class Hindrance(StrEnum):
    """Why a run is no baseline of others, unless it is pinned."""

    NONE = ""
    DAMAGED = "damaged"  # too much of its leading figure is lost
    SUPERSEDED = "superseded"  # another set has all its files and more


class RunMark(NamedTuple):
    """What of a run decides on baselines. order: of its data. asked: digest of what it asks, "" for nothing.

    told: digest of what people say of it, which a comparison with it shows. rules: by what it was scored and judged.
    """

    order: OrderKey
    name: str
    key: str
    asked: str
    hindrance: Hindrance = Hindrance.NONE
    told: str = ""
    rules: str = ""

    @property
    def is_candidate(self) -> bool:
        """Can a later run be compared with it?"""
        return self.hindrance is Hindrance.NONE


class Origin(StrEnum):
    """How the baseline of a run was chosen, or why it has none."""

    PINNED = "pinned"
    EARLIER = "earlier"
    FIRST = "first"  # no run of the profile is earlier
    NONE_SHARES = "none-shares"
    DAMAGED = "damaged"  # the earlier runs that share enough are damaged
    PIN_GONE = "pin-gone"  # a pin is never replaced silently
    IS_PIN = "is-pin"  # the pinned run itself


class Baseline(NamedTuple):
    """The baseline of a run. name: "" without one; that of a pin that is gone, or of a damaged run. key: "" without."""

    origin: Origin
    name: str = ""
    key: str = ""

    @property
    def exists(self) -> bool:
        """Is there a run to compare with?"""
        return bool(self.key)


class Overlaps:
    """Which question sets share enough queries. It remembers, and may serve many looks at the same runs.

    asked: what a run asks, by its digest; empty when that is not known, which is remembered until `look_again`.
    """

    def __init__(self, asked: Callable[[str], Asked]) -> None:
        self._read = asked
        self._unknown: set[str] = set()
        self._shares: dict[tuple[str, str], bool] = {}
        self._having: defaultdict[str, set[str]] = defaultdict(set)  # form of an ID -> digests of question sets
        self._entered: set[str] = set()
        self._waiting: list[str] = []  # digests that are not entered yet

    def nearest(self, own: str, latest: dict[str, int]) -> str | None:
        """Digest with the highest place of those that share enough of `own`. latest: place by digest, ascending."""
        if not own:
            return None
        for digest in islice(reversed(latest), _NEAR):
            if self.share(own, digest):
                return digest
        if len(latest) <= _NEAR:
            return None
        return max((digest for digest in self._possible(own) if digest in latest), key=latest.__getitem__, default=None)

    def note(self, digest: str) -> None:
        """Know a question set, so that it can be found among many."""
        if digest not in self._entered:
            self._entered.add(digest)
            self._waiting.append(digest)

    def look_again(self, digest: str) -> None:
        """Ask again for what was not known: there is another report that tells."""
        if digest and digest in self._unknown:
            self._unknown.remove(digest)
            self._shares = {pair: shares for pair, shares in self._shares.items() if digest not in pair}
            self._waiting.append(digest)

    def share(self, own: str, other: str) -> bool:
        """Does `other` share enough queries of `own`?"""
        if own == other:
            return bool(own)
        pair = own, other
        if pair not in self._shares:
            self._shares[pair] = shares_enough(self._asked(own), self._asked(other))
        return self._shares[pair]

    def _asked(self, digest: str) -> Asked:
        asked = {} if digest in self._unknown else self._read(digest)
        if not asked:
            self._unknown.add(digest)
        return asked

    def _possible(self, own: str) -> set[str]:
        """All that share enough: each has one of any 10 % of the queries and one more."""
        for digest in self._waiting:
            for form in forms_of(self._asked(digest)):
                self._having[form].add(digest)
        self._waiting.clear()
        forms = forms_of(self._asked(own))
        least, whole = LEAST_SHARE
        enough = len(forms) * (whole - least) // whole + 1
        found: set[str] = set().union(*(self._having[form] for form in forms[:enough]))
        return {digest for digest in found if self.share(own, digest)}


class Chain:
    """The runs of one profile in the order of their data; what a change reaches is chosen again.

    A run is the baseline of those after it up to the next one that asks the same, which is always nearer. So a change
    reaches the run itself, the one after it, and those up to there.
    """

    def __init__(self, overlaps: Overlaps) -> None:
        self._overlaps = overlaps
        self._order: list[OrderKey] = []
        self._marks: dict[OrderKey, RunMark] = {}
        self._asking: dict[str, list[OrderKey]] = {}  # by what is asked, each in order
        self._pin: str | None = None
        self._pinned: RunMark | None = None

    def change(
        self, come: Iterable[RunMark], gone: Iterable[OrderKey] = (), *, pin: str | None = None
    ) -> Iterator[tuple[RunMark, Baseline]]:
        """The runs whose baseline may be another now, with it, in order.

        come: runs that are new, or another in their place. gone: places of runs that are there no more. pin: name of
        the pinned run, None without one.
        """
        spots = [(key, mark.asked) for key in gone if (mark := self._leave(key)) is not None]
        for run in come:
            before = self._leave(run.order)
            if before is not None and (before.asked, before.is_candidate) != (run.asked, run.is_candidate):
                spots.append((run.order, before.asked))
            self._enter(run)
            spots.append((run.order, run.asked))
        if pin is None:
            yield from self._earlier(spots if self._pin is None else [(key, "") for key in self._order])
        else:
            yield from self._with_pin(pin, [key for key, _ in spots])
        self._pin = pin

    def comparable(self, key: OrderKey, most: int) -> list[RunMark]:
        """The runs before one that were made as it was and ask the same, the nearest first."""
        own, at = self._marks[key], bisect_left(self._order, key)
        before = (self._marks[place] for place in reversed(self._order[max(at - _FAR, 0) : at]))
        found = (
            mark
            for mark in before
            if mark.is_candidate and mark.rules == own.rules and self._overlaps.share(own.asked, mark.asked)
        )
        return list(islice(found, most))

    def _leave(self, key: OrderKey) -> RunMark | None:
        mark = self._marks.pop(key, None)
        if mark is not None:
            del self._order[bisect_left(self._order, key)]
            alike = self._asking[mark.asked]
            del alike[bisect_left(alike, key)]
            if not alike:
                del self._asking[mark.asked]
        return mark

    def _enter(self, run: RunMark) -> None:
        self._overlaps.look_again(run.asked)
        self._marks[run.order] = run
        insort(self._order, run.order)
        insort(self._asking.setdefault(run.asked, []), run.order)

    def _with_pin(self, pin: str, changed: Iterable[OrderKey]) -> Iterator[tuple[RunMark, Baseline]]:
        before = self._pinned if pin == self._pin else None
        self._pinned = next((self._marks[key] for key in self._order if name_of(key) == pin), None)
        everything = pin != self._pin or self._pinned != before
        for key in self._order if everything else sorted({key for key in changed if key in self._marks}):
            run = self._marks[key]
            if self._pinned is None:
                yield run, Baseline(Origin.PIN_GONE, pin)
            elif run == self._pinned:
                yield run, Baseline(Origin.IS_PIN)
            else:
                yield run, Baseline(Origin.PINNED, self._pinned.name, self._pinned.key)

    def _earlier(self, spots: Iterable[tuple[OrderKey, str]]) -> Iterator[tuple[RunMark, Baseline]]:
        """The runs that changes at these places reach. spots: (place, what the run there asked or asks)."""
        order, overlaps = self._order, self._overlaps
        starts = deque(sorted((bisect_left(order, key), key, asked) for key, asked in spots))
        open_until: set[str] = set()  # the change ends at the next run that asks one of these
        at, until = 0, -1
        latest: dict[str, int] = {}  # place of the last run before `at` by what it asks, ascending
        while starts or open_until or at <= until:
            if not open_until and at > until and starts[0][0] > at:
                at = starts[0][0]
                latest = self._latest(at)
            elif at == 0:
                latest = {}
            if at >= len(order):
                return
            begun = []
            while starts and starts[0][0] <= at:
                begun.append(starts.popleft())
                until = at + 1
            key = order[at]
            run = self._marks[key]
            open_until |= {asked for _, spot, asked in begun if spot != key and asked}
            if run.is_candidate:
                open_until.discard(run.asked)
            open_until |= {asked for _, spot, asked in begun if spot == key and asked}
            last = self._marks[order[at - 1]] if at else None
            asks_the_same = last is not None and last.is_candidate and run.asked == last.asked != ""
            digest = run.asked if asks_the_same else overlaps.nearest(run.asked, latest)
            if digest is not None:
                found = self._marks[order[latest[digest]]]
                yield run, Baseline(Origin.EARLIER, found.name, found.key)
            else:
                yield run, self._without(run, at)
            if run.is_candidate:
                if not asks_the_same:
                    latest.pop(run.asked, None)
                    overlaps.note(run.asked)
                latest[run.asked] = at
            at += 1

    def _without(self, run: RunMark, at: int) -> Baseline:
        """Why the run at this place has no baseline."""
        for key in reversed(self._order[max(at - _NEAR, 0) : at]):
            mark = self._marks[key]
            if mark.hindrance is Hindrance.DAMAGED and self._overlaps.share(run.asked, mark.asked):
                return Baseline(Origin.DAMAGED, mark.name)
        before = (self._marks[key].hindrance for key in self._order[:at])
        return Baseline(Origin.NONE_SHARES if any(one is not Hindrance.SUPERSEDED for one in before) else Origin.FIRST)

    def _latest(self, at: int) -> dict[str, int]:
        if at == len(self._order):
            return {}
        key = self._order[at]
        found = []
        for asked, alike in self._asking.items():
            before = bisect_left(alike, key)
            while before and not self._marks[alike[before - 1]].is_candidate:
                before -= 1
            if before:
                found.append((bisect_left(self._order, alike[before - 1]), asked))
        return {asked: place for place, asked in sorted(found)}
