"""Decides for one metric in one group of queries by how much it changed (methods: docs/statistics.md).

Whether that is a change is decided over all figures of a comparison together, see `scoring.comparison.changes`.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from math import fsum
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from scoring.comparison.like_with_like import Why
from scoring.comparison.run import has_no_scale, usual_better
from scoring.rubric import Better, is_measure
from scoring.statistics import (
    ALPHA,
    DECIMALS,
    EXACT_RANKS_BELOW,
    Interval,
    Shift,
    benjamini_hochberg,
    change_interval,
    holm,
    shift,
    sign_flip,
    signed_ranks,
    smallest_change,
    whole_steps,
)


class Verdict(StrEnum):
    """What a comparison says of a metric. SAME: no query changed."""

    WORSE = "worse"
    BETTER = "better"
    CHANGED = "changed"  # of a measure whose document does not say which values are good
    SAME = "same"
    NOT_DISTINGUISHABLE = "not-distinguishable"
    TOO_FEW = "too-few"  # a group of fewer than 10 shared queries
    NO_VALUE = "no-value"  # no query has a value on both sides
    NOT_COMPARABLE = "not-comparable"  # the two runs did not make the figure in the same way


FOUND = frozenset({Verdict.WORSE, Verdict.BETTER, Verdict.CHANGED})


class MarginVerdict(StrEnum):
    """What the interval shows about a margin: inside it, not beyond its bad end, or neither."""

    SAME = "same"
    NOT_WORSE = "not-worse"
    NOT_SHOWN = "not-shown"


class Values(NamedTuple):
    """A query before and after, and by how much it changed, which leaves out what was only graded anew."""

    before: float
    after: float
    difference: float


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One metric in one group of queries, before and after, as `compare.json` has it.

    queries: shared ones with a value on both sides; changed: of those. before, after: means over them. difference: mean
    of the differences of the queries; of seconds and measures their Hodges-Lehmann estimate, of the changed queries
    alone where a change was found, as by their test. low, high: its interval, null for a small group, and of seconds
    and measures for fewer than six queries. p: two-sided, of all figures that
    are tested with it; null where nothing is tested. smallest: change that would have been found in 80 % of such
    comparisons; null where no query changed, where the scale is too short for it, and for seconds and measures.
    margin: null without one, or without an interval. copy_of: the metric that has the same change, "" for none.
    comparable: did both runs make the figure in the same way; why: what differs, if not. better: of a measure alone,
    its good values.
    """

    metric: str
    queries: int
    changed: int
    before: float | None
    after: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    verdict: Verdict
    smallest: float | None
    margin: MarginVerdict | None
    copy_of: str = ""
    comparable: bool = True
    why: Why | None = None
    better: Better | UnsetType = UNSET

    @property
    def interval(self) -> Interval | None:
        """The interval of the difference."""
        return None if self.low is None or self.high is None else Interval(self.low, self.high)

    @property
    def good(self) -> Better:
        """Which values of the metric are the good ones."""
        return usual_better(self.metric) if self.better is UNSET else self.better

    @property
    def is_found(self) -> bool:
        """Was a change found, for worse or better?"""
        return self.verdict in FOUND

    @property
    def tells_all(self) -> bool:
        """Are difference and interval those of all its queries? Else of the changed ones alone."""
        return not (self.is_found and has_no_scale(self.metric)) or self.changed == self.queries

    @property
    def leaves_out(self) -> bool:
        """Do before and after tell more than the difference, as grades that were only given anew?"""
        if self.before is None or self.after is None or self.difference is None or has_no_scale(self.metric):
            return False
        return round(self.after - self.before - self.difference, DECIMALS) != 0

    @property
    def smallest_margin(self) -> float | None:
        """About the smallest margin within which such a comparison can show that nothing got worse."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


class Flips(msgspec.Struct, frozen=True, kw_only=True):
    """Queries whose every item passed on one side only. p: the exact McNemar test.

    unequal: queries with another number of assessed items on each side. Passing all of them is then not equally hard,
    so there is no p.
    """

    to_fail: int
    to_pass: int
    p: float | None
    unequal: int = 0


class Measured:
    """One metric in one group of queries, tested by itself."""

    def __init__(
        self, metric: str, values: Sequence[Values], *, length: float, is_small: bool, better: Better | None = None
    ) -> None:
        """length: of the scale, which is that of the test. is_small: too few queries for a verdict."""
        self.metric = metric
        self.better = usual_better(metric) if better is None else better
        self.is_small = is_small
        self._values = values
        self._length = length
        self._differences = [value.difference for value in values]
        self._moved = [difference for difference in self._differences if difference and round(difference, DECIMALS)]
        self.changed = len(self._moved)
        self._steps: list[int] = []
        self.p = 1.0
        if values and has_no_scale(metric):
            self._steps = signed_ranks(self._differences)
            self.p = sign_flip(self._steps, exact_below=EXACT_RANKS_BELOW)
        elif values:
            self._steps = whole_steps(self._differences, length)
            self.p = sign_flip(self._steps)

    @property
    def is_tested(self) -> bool:
        """Does it take part in the tests of its family?"""
        return not self.is_small and self.changed > 0

    def verdict(self, *, is_found: bool) -> Verdict:
        """What is said of it. is_found: the tests of its family find a change."""
        if not self._values:
            return Verdict.NO_VALUE
        if self.is_small:
            return Verdict.TOO_FEW
        if not self.changed:
            return Verdict.SAME
        if not is_found:
            return Verdict.NOT_DISTINGUISHABLE
        if self.better is Better.NONE:
            return Verdict.CHANGED
        return Verdict.BETTER if (sum(self._steps) > 0) is (self.better is Better.HIGHER) else Verdict.WORSE

    def change(
        self, *, p: float, is_found: bool, margin: float | None = None, copy_of: str = "", why: Why | None = None
    ) -> Change:
        """The change. p: of its family. margin: in the unit of the metric. why: it is not comparable."""
        verdict = self.verdict(is_found=is_found) if why is None or not self._values else Verdict.NOT_COMPARABLE
        is_compared = bool(self._values) and verdict is not Verdict.NOT_COMPARABLE
        interval: Interval | None = None
        difference: float | None = None
        smallest: float | None = None
        if is_compared and has_no_scale(self.metric):
            found = shift(self._moved if verdict in FOUND else self._differences)
            difference, interval = found.estimate, None if self.is_small else _agreeing(found, verdict in FOUND)
        elif is_compared:
            difference = fsum(self._differences) / len(self._differences)
            smallest = smallest_change(self._differences)
            smallest = None if smallest is None or smallest > self._length else smallest
            if not self.is_small:
                interval = change_interval(self._differences, length=self._length, is_found=verdict in FOUND)
        return Change(
            metric=self.metric,
            queries=len(self._values),
            changed=self.changed,
            before=_mean([value.before for value in self._values]),
            after=_mean([value.after for value in self._values]),
            difference=difference,
            low=None if interval is None else interval.low,
            high=None if interval is None else interval.high,
            p=p if is_compared and not self.is_small else None,
            verdict=verdict,
            smallest=smallest,
            margin=None if margin is None or interval is None else margin_verdict(interval, margin, self.better),
            copy_of=copy_of,
            comparable=why is None,
            why=why,
            better=self.better if is_measure(self.metric) else UNSET,
        )


def margin_verdict(interval: Interval, margin: float, better: Better) -> MarginVerdict:
    """What an interval of a change shows about a margin, 0 or more, in the unit of the metric.

    better: the good values of the metric; not NONE. Absence of a difference is never called sameness: only an interval
    inside the margin is.
    """
    bad, good = (-interval.high, -interval.low) if better is Better.LOWER else interval
    if bad < -margin:
        return MarginVerdict.NOT_SHOWN
    return MarginVerdict.SAME if good <= margin else MarginVerdict.NOT_WORSE


def flips_of(outcomes: Sequence[tuple[bool, bool]], *, unequal: int) -> Flips:
    """outcomes: of each query whether all its items passed, before and after. unequal: queries of unequal numbers."""
    steps = [int(new) - int(old) for old, new in outcomes]
    p = None if unequal else sign_flip(steps)
    return Flips(to_fail=steps.count(-1), to_pass=steps.count(1), p=p, unequal=unequal)


def _agreeing(found: Shift, is_found: bool) -> Interval | None:
    """The interval of a shift: it holds 0 exactly where no change was found, as ties can make the two differ."""
    if found.interval is None:
        return None
    low, high = found.interval
    if not is_found:
        return Interval(min(low, 0.0), max(high, 0.0))
    return Interval(low, min(high, 0.0)) if found.estimate < 0 else Interval(max(low, 0.0), high)


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None


MetricChanges = Mapping[str, Measured]  # of one group, by metric


def changes_of_all(
    measured: MetricChanges,
    copies: Mapping[str, str],
    *,
    leading: str,
    unlike: Mapping[str, Why],
    margin_of: Callable[[str], float | None],
) -> tuple[Change, ...]:
    """The changes over all queries. copies: the metric that stands for each. leading: tested by itself."""
    tested = [name for name in _tested(measured, copies, unlike) if name != copies[leading]]
    p_values = dict(zip(tested, holm([measured[name].p for name in tested]), strict=True))
    return _changes(measured, copies, p_values, unlike, margin_of)


def changes_of_groups(
    groups: Sequence[MetricChanges],
    copies: Mapping[str, str],
    *,
    unlike: Mapping[str, Why],
    margin_of: Callable[[str], float | None],
) -> list[tuple[Change, ...]]:
    """The changes of tracks and categories, or of slices: one family over all of them."""
    tested = [(at, name) for at, group in enumerate(groups) for name in _tested(group, copies, unlike)]
    p_values = benjamini_hochberg([groups[at][name].p for at, name in tested])
    found: list[dict[str, float]] = [{} for _ in groups]
    for (at, name), p in zip(tested, p_values, strict=True):
        found[at][name] = p
    return [_changes(group, copies, of_group, unlike, margin_of) for group, of_group in zip(groups, found, strict=True)]


def _tested(measured: MetricChanges, copies: Mapping[str, str], unlike: Mapping[str, Why]) -> list[str]:
    return [name for name, one in measured.items() if copies[name] == name and name not in unlike and one.is_tested]


def _changes(
    measured: MetricChanges,
    copies: Mapping[str, str],
    p_values: Mapping[str, float],
    unlike: Mapping[str, Why],
    margin_of: Callable[[str], float | None],
) -> tuple[Change, ...]:
    changes = []
    for name, one in measured.items():
        p = p_values.get(copies[name], one.p)
        copy_of = "" if copies[name] == name else copies[name]
        change = one.change(p=p, is_found=p <= ALPHA, margin=margin_of(name), copy_of=copy_of, why=unlike.get(name))
        changes.append(change)
    return tuple(changes)
