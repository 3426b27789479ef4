"""Decides for one metric in one group of queries whether it changed (methods: docs/statistics.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from statistics import median

import msgspec
from msgspec import UNSET, UnsetType

from scoring.comparison.run import has_no_scale, usual_better
from scoring.rubric import Better, is_measure
from scoring.statistics import (
    ALPHA,
    EXACT_RANKS_BELOW,
    Interval,
    adjusted,
    agreeing_interval,
    median_interval,
    sign_flip,
    signed_ranks,
    smallest_change,
    whole_steps,
)

_DECIMALS = 9  # differences below are floating point, not data


class Verdict(StrEnum):
    """What a comparison says of a metric. SAME: no query changed."""

    WORSE = "worse"
    BETTER = "better"
    CHANGED = "changed"  # of a measure whose document does not say which values are good
    SAME = "same"
    NOT_DISTINGUISHABLE = "not-distinguishable"
    TOO_FEW = "too-few"  # a track or category of fewer than 10 shared queries
    NO_VALUE = "no-value"  # no query has a value on both sides


class MarginVerdict(StrEnum):
    """What the interval shows about a margin: inside it, not beyond its bad end, or neither."""

    SAME = "same"
    NOT_WORSE = "not-worse"
    NOT_SHOWN = "not-shown"


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One metric in one group of queries, before and after, as `compare.json` has it.

    queries: shared ones with a value on both sides; changed: of those. before, after: means over them. difference: mean
    of the differences of the queries; of seconds and measures their median. low, high: its interval, null for fewer
    than two queries, of seconds and measures for fewer than six. p: two-sided; of tracks and categories adjusted for
    all of the metric, null where they are too few. smallest: change that would have been found in 80 % of such
    comparisons; null where no query changed, where the scale is too short for it, and for seconds and measures. margin:
    null without one, or without an interval. better: of a measure alone, its good values.
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
        return self.verdict in {Verdict.WORSE, Verdict.BETTER, Verdict.CHANGED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """Queries whose every item passed on one side only. p: the exact McNemar test."""

    to_fail: int
    to_pass: int
    p: float


def change_of(
    metric: str,
    values: Sequence[tuple[float, float]],
    interval: Interval | None,
    *,
    length: float,
    is_small: bool = False,
    margin: float | None = None,
    better: Better | None = None,
) -> Change:
    """The change of a metric over the queries of a group.

    values: before and after of each query. interval: of the mean difference; of seconds and measures it is found here.
    length: of the scale, which is that of the test. is_small: too few queries for a verdict. margin: in the unit of the
    metric. better: its good values; None for those of a metric that is no measure.
    """
    better = usual_better(metric) if better is None else better
    if not values:
        return _nothing(metric, better)
    differences = [new - old for old, new in values]
    changed = sum(1 for difference in differences if round(difference, _DECIMALS))
    if has_no_scale(metric):
        steps, exact = signed_ranks(differences), EXACT_RANKS_BELOW
        p = sign_flip(steps, exact_below=exact)
        difference, interval, smallest = float(median(differences)), median_interval(differences), None
    else:
        steps = whole_steps(differences, length)
        p = sign_flip(steps)
        difference, smallest = fsum(differences) / len(differences), smallest_change(differences)
        smallest = None if smallest is None or smallest > length else smallest
    interval = None if interval is None or is_small else agreeing_interval(interval, p)
    return Change(
        metric=metric,
        queries=len(values),
        changed=changed,
        before=fsum(old for old, _ in values) / len(values),
        after=fsum(new for _, new in values) / len(values),
        difference=difference,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        p=None if is_small else p,
        verdict=Verdict.TOO_FEW if is_small else _verdict(p, changed, sum(steps), better),
        smallest=smallest,
        margin=None if margin is None or interval is None else margin_verdict(interval, margin, better),
        better=better if is_measure(metric) else UNSET,
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


def adjusted_family(changes: Sequence[Change]) -> list[Change]:
    """The changes of one metric in its tracks and categories, with p-values that hold for all of them together."""
    members = [change for change in changes if change.p is not None]
    p_values = iter(adjusted([change.p for change in members if change.p is not None]))
    return [change if change.p is None else _with_p(change, next(p_values)) for change in changes]


def flips_of(outcomes: Sequence[tuple[bool, bool]]) -> Flips:
    """outcomes: of each query whether all its items passed, before and after."""
    steps = [int(new) - int(old) for old, new in outcomes]
    return Flips(to_fail=steps.count(-1), to_pass=steps.count(1), p=sign_flip(steps))


def _with_p(change: Change, p: float) -> Change:
    """The change with an adjusted p-value, which is never below its own: it can only take a verdict away."""
    verdict = Verdict.NOT_DISTINGUISHABLE if change.is_found and p > ALPHA else change.verdict
    changed = msgspec.structs.replace(change, p=p, verdict=verdict)
    if change.interval is None:
        return changed
    low, high = agreeing_interval(change.interval, p)
    return msgspec.structs.replace(changed, low=low, high=high)


def _verdict(p: float, changed: int, direction: int, better: Better) -> Verdict:
    if not changed:
        return Verdict.SAME
    if p > ALPHA:
        return Verdict.NOT_DISTINGUISHABLE
    if better is Better.NONE:
        return Verdict.CHANGED
    return Verdict.BETTER if (direction > 0) is (better is Better.HIGHER) else Verdict.WORSE


def _nothing(metric: str, better: Better) -> Change:
    return Change(
        metric=metric,
        queries=0,
        changed=0,
        before=None,
        after=None,
        difference=None,
        low=None,
        high=None,
        p=None,
        verdict=Verdict.NO_VALUE,
        smallest=None,
        margin=None,
        better=better if is_measure(metric) else UNSET,
    )
