"""How far a mean or a rate could move if other queries of the same kind had been asked.

The unit is the query; its items are repeats. The methods are explained in docs/statistics.md. Sources: E. B. Wilson,
"Probable inference", JASA 22 (1927) 209-212; E. L. Korn, B. I. Graubard, Survey Methodology 24 (1998) 193-201;
E. Miller, "Adding Error Bars to Evals", arXiv 2411.00640 (2024).

Percentiles interpolate between neighbours as `numpy.percentile` and Excel's PERCENTILE.INC do: definition 7 of R. J.
Hyndman and Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50 (1996) 361-365
(docs/scoring.md#mean-seconds).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from scoring.statistics.distributions import NORMAL, t_quantile

FEW_QUERIES = 10  # a group with fewer is named as too small wherever it is named

_LEAST_QUERIES = 2
_ROUNDING = 1e-12  # of the scale; differences below come from floating point, not from data
_NO_VARIANCE = 1e-15  # of a scale from 0 to 1

Values = tuple[float, ...]  # the values of the items of one query
Rounds = tuple[int, ...]  # the round of each of these items
Queries = Mapping[Rounds, Mapping[Values, int]]  # how many queries have these values in these rounds
_PERCENT = 100


class Interval(NamedTuple):
    """Both ends belong to it."""

    low: float
    high: float


class Spread(NamedTuple):
    """What the interval of a mean follows from, on a scale from 0 to 1.

    queries: how many have a value. variance: of the mean. kish: how many queries of equal weight theirs are worth.
    cap: how many observations the items are worth at most.
    """

    queries: int
    variance: float
    kish: float
    cap: float

    def worth(self, share: float) -> float:
        """How many independent observations the items are worth where the mean is `share`."""
        if self.variance <= _NO_VARIANCE or self.queries < _LEAST_QUERIES:
            return self.cap
        unlike_normal = NORMAL / t_quantile(self.queries - 1)
        return min(share * (1 - share) / self.variance * unlike_normal**2, self.cap)


def wilson(share: float, n: float) -> Interval:
    """Wilson score interval of a share in [0, 1] over n observations; n need not be whole, 0 gives (0, 1)."""
    centre = n * share + NORMAL * NORMAL / 2
    half = NORMAL * sqrt(n * share * (1 - share) + NORMAL * NORMAL / 4)
    whole = n + NORMAL * NORMAL
    return Interval(max((centre - half) / whole, 0.0), min((centre + half) / whole, 1.0))


def mean_interval(value: float, queries: Queries, *, floor: float = 0.0, top: float) -> Interval | None:
    """Wilson interval of a mean or rate with an effective number of observations.

    value: the figure as it is shown, the mean of the means of the rounds. floor, top: ends of the scale. The interval
    holds the value and lies on the scale. None for fewer than two queries: one says nothing about others. Raises
    ValueError where the value is not on the scale.
    """
    return interval_of_spread(value, spread_of(value, queries, floor=floor, top=top), floor=floor, top=top)


def interval_of_spread(value: float, spread: Spread, *, floor: float = 0.0, top: float) -> Interval | None:
    """The interval of a mean whose spread is known; as of `mean_interval`."""
    slack = (top - floor) * _ROUNDING
    if not floor - slack <= value <= top + slack:
        raise ValueError(f"{value!r} is not on the scale from {floor!r} to {top!r}")
    if spread.queries < _LEAST_QUERIES:
        return None
    value = min(max(value, floor), top)
    span = top - floor
    share = (value - floor) / span
    low, high = wilson(share, spread.worth(share))
    return Interval(max(min(floor + span * low, value), floor), min(max(floor + span * high, value), top))


def spread_of(value: float, queries: Queries, *, floor: float = 0.0, top: float) -> Spread:
    """How the items of these queries spread around the shown value. Arguments as of `mean_interval`."""
    weights = weights_of(queries)
    span = top - floor
    share = (value - floor) / span
    deviations: defaultdict[float, int] = defaultdict(int)  # equal ones together: no order of rows changes a digit
    of_query: defaultdict[float, int] = defaultdict(int)
    worths: defaultdict[float, int] = defaultdict(int)
    for rounds, counted in queries.items():
        of_items = [weights[at] for at in rounds]
        of_query[fsum(of_items)] += sum(counted.values())
        columns = [[(one - floor) / span for one in column] for column in zip(*counted, strict=True)]
        moves = [[weight * (one - share) for one in column] for weight, column in zip(of_items, columns, strict=True)]
        for *moved, times in zip(*moves, counted.values(), strict=True):
            deviations[fsum(moved)] += times
        for *shares, times in zip(*columns, counted.values(), strict=True):
            worths[_worth(shares)] += times
    size = sum(of_query.values())
    if not size:
        return Spread(0, 0.0, 0.0, 0.0)
    kish = 1 / fsum([times * weight * weight for weight, times in of_query.items()])
    return Spread(
        queries=size,
        variance=fsum([times * one * one for one, times in deviations.items()]),
        kish=kish,
        cap=fsum([times * worth for worth, times in worths.items()]) * kish / size,
    )


def weights_of(queries: Queries) -> dict[int, float]:
    """Weight of an item by its round: every round weighs the same in the mean, and so does every item of it."""
    items: Counter[int] = Counter()
    for rounds, counted in queries.items():
        times = sum(counted.values())
        for at in rounds:
            items[at] += times
    return {at: 1 / (len(items) * n) for at, n in items.items()}


def deviation(shares: Iterable[float], weights: Iterable[float], share: float) -> float:
    """By how much a query moves the mean away from `share`."""
    return fsum([weight * (one - share) for one, weight in zip(shares, weights, strict=True)])


def in_one_round(queries: Iterable[Values] | Mapping[Values, int]) -> dict[Rounds, dict[Values, int]]:
    """Queries as `mean_interval` takes them, where every item weighs the same; those without items are left out.

    queries: the values of each, or how many have which.
    """
    found: defaultdict[Rounds, dict[Values, int]] = defaultdict(dict)
    for values, times in (queries if isinstance(queries, Mapping) else Counter(queries)).items():
        if values:
            found[(0,) * len(values)][values] = times
    return dict(found)


def once(values: Iterable[float]) -> dict[Rounds, dict[Values, int]]:
    """Queries that have one value each, as `mean_interval` takes them."""
    return in_one_round((value,) for value in values)


def mean_interval_of_queries(value: float, means: Sequence[float], *, is_above_0: bool = False) -> Interval | None:
    """Interval of a mean that has no scale, by Student's t over queries.

    value: the mean as it is shown. means: of each query, in any order. is_above_0: no value is negative, so that the
    low end is not below 0. None for fewer than two queries.
    """
    if len(means) < _LEAST_QUERIES:
        return None
    half = t_quantile(len(means) - 1) * standard_error(means)
    low = value - half
    return Interval(max(low, 0.0) if is_above_0 else low, value + half)


def query_mean(values: Sequence[float]) -> float:
    """The value of a query: the mean of its items, whatever their order. Raises ZeroDivisionError without any."""
    return fsum(values) / len(values)


def standard_error(values: Sequence[float]) -> float:
    """Of the mean of two values or more: their standard deviation, with n - 1, by the root of n."""
    n = len(values)
    mean = fsum(values) / n
    return sqrt(fsum([(value - mean) ** 2 for value in values]) / (n - 1) / n)


def percentile(ordered: Sequence[float], percent: int) -> float | None:
    """The value below which `percent` of the numbers lie, in their unit. ordered: ascending. None for no numbers.

    Its place is counted in whole numbers, and the value between two neighbours is computed as numpy computes it, from
    the nearer one: it is never beside them, and equal neighbours give exactly their value. Raises ValueError for a
    percent outside 0 to 100.
    """
    if not 0 <= percent <= _PERCENT:
        raise ValueError(f"{percent} is not a percent")
    if not ordered:
        return None
    at, rest = divmod((len(ordered) - 1) * percent, _PERCENT)
    low = ordered[at]
    if not rest:
        return low
    high, part = ordered[at + 1], rest / _PERCENT
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


def _worth(shares: Sequence[float]) -> float:
    """How many observations the items of one query are worth at most: one where they are equal."""
    n = len(shares)
    if shares.count(shares[0]) == n:
        return 1.0
    mean = query_mean(shares)
    most = mean * (1 - mean)  # the variance of shares that are 0 or 1; 0 where the mean is too near an end for a float
    variance = fsum([(share - mean) ** 2 for share in shares]) / n
    return 1 + (n - 1) * variance / most if most else 1.0
