"""How far a mean, a rate or a median could move if other queries of the same kind had been asked; and percentiles.

The unit is the query; its items are repeats. The methods are explained in docs/statistics.md. Sources: E. B. Wilson,
"Probable inference", JASA 22 (1927) 209-212; E. Miller, "Adding Error Bars to Evals", arXiv 2411.00640 (2024);
S. Bowyer et al., "Don't use the CLT in LLM evals", arXiv 2503.01747 (2025).

Percentiles interpolate between neighbours as `numpy.percentile` and Excel's PERCENTILE.INC do: definition 7 of R. J.
Hyndman and Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50 (1996) 361-365
(docs/scoring.md#mean-seconds).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import comb, fsum, sqrt
from typing import NamedTuple

ALPHA = 0.05  # intervals have a level of 1 - ALPHA
FEW_QUERIES = 10  # a group with fewer is named as too small wherever it is named
_Z = 1.959963984540054  # the normal quantile of 1 - ALPHA / 2
_LEAST_FOR_MEDIAN = 6  # 2 / 2**5 is above ALPHA, 2 / 2**6 is not
_ROUNDING = 1e-12  # of the scale; differences below come from floating point, not from data
Values = tuple[float, ...]  # the values of the items of one query, in any order
Queries = Iterable[Values] | Mapping[Values, int]  # a mapping: how many queries have these values
_PERCENT = 100


class Interval(NamedTuple):
    """Both ends belong to it."""

    low: float
    high: float


def wilson(share: float, n: float) -> Interval:
    """Wilson score interval of a share in [0, 1] over n observations; n need not be whole, 0 gives (0, 1)."""
    centre = n * share + _Z * _Z / 2
    half = _Z * sqrt(n * share * (1 - share) + _Z * _Z / 4)
    whole = n + _Z * _Z
    return Interval(max((centre - half) / whole, 0.0), min((centre + half) / whole, 1.0))


def effective_n(value: float, queries: Queries, *, floor: float = 0.0, top: float) -> float:
    """How many independent observations the items are worth, judged by the spread between queries.

    At most the number of items, where a query whose items are all equal counts as one. Arguments as for
    `mean_interval`; 0 without queries.
    """
    counted = queries if isinstance(queries, Mapping) else Counter(queries)
    means: dict[float, int] = {}  # equal means together: no order of rows or files changes a digit
    cap = size = 0
    for values, times in counted.items():
        if values:
            is_one = values.count(values[0]) == len(values)
            mean = values[0] if is_one else query_mean(values)
            means[mean] = means.get(mean, 0) + times
            size += times
            cap += times if is_one else times * len(values)
    if not means:
        return 0.0
    centre = fsum([times * mean for mean, times in means.items()]) / size
    variance = fsum([times * (mean - centre) ** 2 for mean, times in means.items()]) / size
    if variance <= ((top - floor) * _ROUNDING) ** 2:
        return float(cap)
    return min((value - floor) * (top - value) * size / variance, float(cap))


def mean_interval(value: float, queries: Queries, *, floor: float = 0.0, top: float) -> Interval | None:
    """Wilson interval of a mean or rate with an effective number of observations.

    value: the figure as it is shown. queries: of each query the values of its items, or one value where the query
    itself has the value; or how many queries have which values. Empty ones do not count. floor, top: ends of the
    scale. The interval holds the value and lies on the scale. None without queries. Raises ValueError where the value
    is not on the scale.
    """
    counted = queries if isinstance(queries, Mapping) else Counter(queries)
    if not any(counted):
        return None
    slack = (top - floor) * _ROUNDING
    if not floor - slack <= value <= top + slack:
        raise ValueError(f"{value!r} is not on the scale from {floor!r} to {top!r}")
    value = min(max(value, floor), top)
    low, high = wilson((value - floor) / (top - floor), effective_n(value, counted, floor=floor, top=top))
    span = top - floor
    return Interval(max(min(floor + span * low, value), floor), min(max(floor + span * high, value), top))


def median_interval(values: Sequence[float]) -> Interval | None:
    """Order-statistic interval of the median: the r-th value from either end, for the largest r that keeps the level.

    None for fewer than six values: the smallest and the largest of five miss the median more often than ALPHA.
    """
    n = len(values)
    if n < _LEAST_FOR_MEDIAN:
        return None
    # `below` is P(X <= r) for X binomial (n, 1/2), from the middle down; at the middle it follows from symmetry.
    r = (n - 1) // 2
    at = comb(n, r) / (1 << n)
    below = 0.5 if n % 2 else 0.5 - comb(n, n // 2) / (1 << n) / 2
    while below > ALPHA / 2:
        below -= at
        at *= r / (n - r + 1)
        r -= 1
    ordered = sorted(values)
    return Interval(ordered[r], ordered[n - 1 - r])


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
