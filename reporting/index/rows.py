"""The rows of the index, kept up to date: their order, and what each shows besides the files of its own set.

Problems are on top, then the sets whose data are the latest.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from reporting.document import leading_metrics
from reporting.store import (
    BaselineFile,
    Groups,
    IndexEntry,
    KnownSets,
    PackedEntry,
    SourceMark,
    SourceState,
    State,
    affected,
)
from reporting.wording import ORDER, numbers_of
from scoring.comparison import OrderKey, name_of
from scoring.judging import JudgeState

MOST_BACK = 9
SAMPLE = "resume_agent_sample"  # docs/test-result/resume_agent_sample.csv
SAMPLE_SHA256 = "7da2d80fa6c4a0eb6419b3224a9878db487bd5ad5190e5078ac1ea615afde099"
OPTIONAL = ("state", "passed", "against", "look-at")  # columns that are there where a set has something in them
_WITH_NOTE = frozenset({JudgeState.PENDING, JudgeState.INCOMPLETE})
GONE = frozenset({SourceState.REMOVED, SourceState.RENAMED})
_Measure = tuple[str, str, str]


class IndexRow(NamedTuple):
    """mark: what happened to the files of the set, None for nothing.

    compared: with the baseline as it is now, None while that is outdated or missing. back: how many runs of the profile
    before this one the baseline is; 0 for more than MOST_BACK, without one, or where rows stand in another order.
    """

    entry: IndexEntry
    mark: SourceMark | None = None
    compared: BaselineFile | None = None
    back: int = 0

    @property
    def is_report(self) -> bool:
        """Has the set a report?"""
        return self.entry.status.state is State.REPORT


class _Columns(NamedTuple):
    """What a set has something for. measures: (name among metrics, title, unit). others: of OPTIONAL."""

    metrics: tuple[str, ...]
    measures: tuple[_Measure, ...]
    others: tuple[str, ...]

    @classmethod
    def of(cls, entry: IndexEntry) -> _Columns:
        """The columns of a set."""
        status, headline = entry.status, entry.status.headline
        others = {
            "state": entry.gate is not None or status.judge in _WITH_NOTE or bool(entry.told.info.said),
            "passed": headline is not None and headline.passed is not None,
            "against": entry.compared is not None,
            "look-at": bool(numbers_of(status.findings).data),
        }
        found = tuple([name for name in OPTIONAL if others[name]])
        if headline is None:
            return cls((), (), found)
        measures = ((name, one.title, one.unit) for name, one in headline.measured.items() if one.mean is not None)
        metrics = (name for name, value in headline.metrics.items() if "." not in name and value is not None)
        return cls(tuple(metrics), tuple(measures), found)


class Rows:
    """The rows of all sets.

    metrics: columns, those that lead first, measures last. measures: title and unit of those among them. columns: what
    else there is of OPTIONAL. profiles: by name. gone: sets whose files are gone.
    """

    def __init__(self, known: KnownSets) -> None:
        self._known = known
        self._changes = known.follow()
        self._order: dict[bool, list[OrderKey]] = {False: [], True: []}  # of reports and problems; the last one on top
        self._metrics: Counter[str] = Counter()
        self._measures: Counter[_Measure] = Counter()
        self._profiles: Counter[str] = Counter()
        self._others: Counter[str] = Counter()
        self._comparing = Groups[str, str]()  # baseline -> sets that name it
        self._sources: Mapping[str, SourceMark] = {}
        self._is_in_order = True  # do the rows stand in the order of their data?
        self.metrics: list[str] = []
        self.columns: frozenset[str] = frozenset()
        self.measures: dict[str, tuple[str, str]] = {}
        self.profiles: list[str] = []
        self.gone: frozenset[str] = frozenset()

    @property
    def is_behind(self) -> bool:
        """Has a set changed since the last update?"""
        return bool(self._changes.names)

    def update(self, sources: Mapping[str, SourceMark]) -> set[str]:
        """Take over what has changed; names of the sets whose rows are others now, those that are gone included."""
        names, spots = self._changes.take()
        before = self.metrics, self.profiles, self.columns, self._is_in_order
        others = set(names)
        for name, was in names.items():
            self._count(was, -1)
            self._count(self._known.entries.get(name), 1)
            others |= self._comparing[name]
        for profile, places in spots.items():
            runs = self._known.runs.get(profile, [])
            others.update(name_of(runs[at]) for at in affected(runs, places, MOST_BACK + 1))
        others |= {name for name, mark in sources.items() if self._sources.get(name) != mark}
        others |= {name for name in self._sources if name not in sources}
        self._sources = sources
        entries = self._known.entries
        self.gone = frozenset(name for name, mark in sources.items() if mark.state in GONE and name in entries)
        # Of a measure that documents call differently, the last of its names.
        self.measures = {name: (title, unit) for name, title, unit in sorted(+self._measures)}
        self.metrics = [*metric_columns(+self._metrics), *self.measures]
        self.profiles = sorted(+self._profiles)
        has_marks = bool(sources or self._known.superseded)
        self.columns = frozenset(+self._others) | ({"state"} if has_marks else set())
        self._is_in_order = not self._known.superseded
        after = self.metrics, self.profiles, self.columns, self._is_in_order
        return others if after == before else {*others, *entries}

    def names(self) -> Iterator[str]:
        """All sets in the order of the index; one that is superseded stands below the one that has its files."""
        names = map(name_of, chain(reversed(self._order[True]), reversed(self._order[False])))
        if not self._known.superseded:
            return names
        below: dict[str, list[str]] = {}
        above: list[str] = []
        for name in names:
            by = self._known.superseded.get(name)
            (above if by is None else below.setdefault(by, [])).append(name)
        return _with_those_below(above, below)

    def counts(self) -> tuple[int, int]:
        """Numbers of sets and of reports among them, without those whose files are gone."""
        reports = [name for name in self.gone if self._known.entries[name].state is State.REPORT]
        total = sum(map(len, self._order.values())) - len(self.gone)
        return total, len(self._order[False]) - len(reports)

    def refused(self) -> Iterator[str]:
        """The sets without a report whose files are there, in the order of the index."""
        return (name for name in map(name_of, reversed(self._order[True])) if name not in self.gone)

    def sample(self) -> str:
        """The set of the sample that comes with Scorewatch, where its profile has other runs; "" for none."""
        packed = self._known.entries.get(SAMPLE)
        if packed is None or SAMPLE in self.gone or len(self._known.runs.get(packed.profile, ())) < 2:
            return ""
        return SAMPLE if SAMPLE_SHA256 in packed.unpack().status.inputs.values() else ""

    def profile_place(self, profile: str) -> int:
        """Place of a profile of a set among `profiles`."""
        return bisect_left(self.profiles, profile)

    def row(self, name: str) -> IndexRow:
        """The row of a set."""
        entry, mark = self._known.entries[name].unpack(), self._sources.get(name)
        if name in self._known.superseded and (mark is None or mark.state is SourceState.REMOVED):
            state = SourceState.REPLACED if self._known.is_replaced(name) else SourceState.SUPERSEDED
            mark = SourceMark(state, self._known.superseded[name])
        if entry.status.state is not State.REPORT:
            return IndexRow(entry, mark)
        runs = self._known.runs[entry.status.profile]
        at = bisect_left(runs, self._known.entries[name].order)
        compared = self._compared(entry)
        return IndexRow(entry, mark, compared, 0 if compared is None else self._back(compared, runs, at))

    def _compared(self, entry: IndexEntry) -> BaselineFile | None:
        """The comparison of the report that is there with the baseline that is there."""
        found = entry.compared
        if found is None or not found.is_about(entry.status):
            return None
        if not found.baseline_key:
            return found
        baseline = self._known.entries.get(found.baseline)
        return None if baseline is None or baseline.run_key != found.baseline_key else found

    def _back(self, compared: BaselineFile, runs: list[OrderKey], at: int) -> int:
        if not self._is_in_order:  # where rows stand says nothing of how many runs are between
            return 0
        near = (back for back in range(1, min(MOST_BACK, at) + 1) if name_of(runs[at - back]) == compared.baseline)
        return next(near, 0)

    def _count(self, packed: PackedEntry | None, by: int) -> None:
        """Count a set as it is (1), or no longer as it was (-1)."""
        if packed is None:
            return
        entry, order = packed.unpack(), self._order[packed.state is State.PROBLEM]
        columns, baseline = _Columns.of(entry), "" if entry.compared is None else sys.intern(entry.compared.baseline)
        if by > 0:
            insort(order, packed.order)
            self._comparing.add(baseline, packed.set_name)
        else:
            del order[bisect_left(order, packed.order)]
            self._comparing.remove(baseline, packed.set_name)
        self._metrics.update(dict.fromkeys(columns.metrics, by))
        self._measures.update(dict.fromkeys(columns.measures, by))
        self._others.update(dict.fromkeys(columns.others, by))
        self._profiles[packed.profile] += by


def _with_those_below(names: Sequence[str], below: Mapping[str, Sequence[str]]) -> Iterator[str]:
    waiting = [*reversed(names)]
    while waiting:
        name = waiting.pop()
        yield name
        waiting += reversed(below.get(name, ()))


def metric_columns(found: Collection[str]) -> list[str]:
    """The metrics that any set has in the order of their columns, those that lead first."""
    leading = leading_metrics(found)
    others = sorted(set(found) - {*ORDER, *leading})
    return [*leading, *(name for name in ORDER if name in found), *others]
