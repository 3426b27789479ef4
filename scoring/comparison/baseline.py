"""Chooses what each run of a profile is compared with: the pinned run, else the nearest earlier one that asks the same.

Runs are in the order of their data, see `scoring.comparison.order`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from scoring.comparison.asked import LEAST_SHARE, Asked, shares_enough
from scoring.comparison.order import OrderKey

_NEAR = 3  # question sets that are tried one by one before those without a common query are left out


class RunMark(NamedTuple):
    """What of a run decides on baselines. order: of its data. asked: digest of what it asks, "" for nothing."""

    order: OrderKey
    name: str
    key: str
    asked: str


class Origin(StrEnum):
    """How the baseline of a run was chosen, or why it has none."""

    PINNED = "pinned"
    EARLIER = "earlier"
    FIRST = "first"  # no run of the profile is earlier
    NONE_SHARES = "none-shares"
    PIN_GONE = "pin-gone"  # a pin is never replaced silently
    IS_PIN = "is-pin"  # the pinned run itself


class Baseline(NamedTuple):
    """The baseline of a run. name: "" without one; of a pin that is gone its name. key: "" without one."""

    origin: Origin
    name: str = ""
    key: str = ""

    @property
    def exists(self) -> bool:
        """Is there a run to compare with?"""
        return bool(self.key)


class Overlaps:
    """Which question sets share enough queries. It remembers, and may serve many looks at the same runs.

    asked: what a run asks, by its digest; empty when that is not known.
    """

    def __init__(self, asked: Callable[[str], Asked]) -> None:
        self._asked = asked
        self._shares: dict[tuple[str, str], bool] = {}
        self._having: defaultdict[str, set[str]] = defaultdict(set)  # query -> digests of question sets with it
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

    def share(self, own: str, other: str) -> bool:
        """Does `other` share enough queries of `own`?"""
        if own == other:
            return bool(own)
        pair = own, other
        if pair not in self._shares:
            self._shares[pair] = shares_enough(self._asked(own), self._asked(other))
        return self._shares[pair]

    def _possible(self, own: str) -> set[str]:
        """All that share enough: each has one of any 10 % of the queries and one more."""
        for digest in self._waiting:
            for query in self._asked(digest):
                self._having[query].add(digest)
        self._waiting.clear()
        queries = list(self._asked(own))
        least, whole = LEAST_SHARE
        enough = len(queries) * (whole - least) // whole + 1
        found: set[str] = set().union(*(self._having[query] for query in queries[:enough]))
        return {digest for digest in found if self.share(own, digest)}


def choose_baselines(
    runs: Sequence[RunMark], pin: str | None, overlaps: Overlaps
) -> Iterator[tuple[RunMark, Baseline]]:
    """The runs of one profile in the order of their data, each with its baseline. pin: name of the pinned run."""
    ordered = sorted(runs)
    if pin is not None:
        yield from _pinned(ordered, pin)
        return
    latest: dict[str, int] = {}  # place of the last run by what it asks, ascending
    for place, run in enumerate(ordered):
        asks_the_same = place > 0 and run.asked == ordered[place - 1].asked != ""
        digest = run.asked if asks_the_same else overlaps.nearest(run.asked, latest)
        if digest is not None:
            found = ordered[latest[digest]]
            yield run, Baseline(Origin.EARLIER, found.name, found.key)
        else:
            yield run, Baseline(Origin.NONE_SHARES if place else Origin.FIRST)
        if asks_the_same:
            latest[run.asked] = place
            continue
        latest.pop(run.asked, None)
        latest[run.asked] = place
        overlaps.note(run.asked)


def _pinned(runs: Sequence[RunMark], pin: str) -> Iterator[tuple[RunMark, Baseline]]:
    pinned = next((run for run in runs if run.name == pin), None)
    for run in runs:
        if pinned is None:
            yield run, Baseline(Origin.PIN_GONE, pin)
        elif run is pinned:
            yield run, Baseline(Origin.IS_PIN)
        else:
            yield run, Baseline(Origin.PINNED, pinned.name, pinned.key)
