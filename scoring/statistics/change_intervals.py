"""How far a change could have been another one if other queries of the same kind had been asked (docs/statistics.md).

D. G. Bonett, R. M. Price, "Adjusted Wald confidence interval for a difference of binomial proportions based on paired
data", Journal of Educational and Behavioral Statistics 37 (2012) 479-488, generalised to points; J. L. Hodges,
E. L. Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics 34 (1963) 598-611.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import floor, fsum, sqrt
from typing import NamedTuple

from scoring.statistics.chance import DECIMALS, EXACT_RANKS_BELOW
from scoring.statistics.distributions import ALPHA, NORMAL, t_quantile
from scoring.statistics.intervals import Interval, query_mean, standard_error

_WHOLE = 10**DECIMALS  # of a unit: sums of whole numbers are exact


class Shift(NamedTuple):
    """Hodges-Lehmann estimate of a change, and its interval; None for fewer than six queries."""

    estimate: float
    interval: Interval | None


def change_interval(differences: Sequence[float], *, length: float, is_found: bool) -> Interval:
    """Interval of the mean of the differences of queries.

    Two queries not yet seen are added: one gets as much better as the scale of this length allows, one as much worse.
    is_found: the verdict is that there is a change; then 0 is not inside, and else it is.
    """
    low, high = _with_unseen(differences, length, length)
    changed = [abs(difference) for difference in differences if round(difference, DECIMALS)]
    if not is_found:
        return Interval(min(low, 0.0), max(high, 0.0))
    near_low, near_high = _with_unseen(differences, fsum(changed) / len(changed), length)
    if fsum(differences) < 0:
        return Interval(low, min(near_high, 0.0))
    return Interval(max(near_low, 0.0), high)


def shift(differences: Sequence[float]) -> Shift:
    """By how much values moved that have no scale: the median of the averages of any two differences.

    The interval holds the shifts that the signed-rank test of the differences does not exclude. One difference or more.
    """
    ordered = sorted(round(difference * _WHOLE) for difference in differences)
    pairs = len(ordered) * (len(ordered) + 1) // 2
    middle = (_sum_at((pairs - 1) // 2, ordered) + _sum_at(pairs // 2, ordered)) / (4 * _WHOLE)
    outside = _rank_sums_outside(len(ordered))
    if not outside:
        return Shift(middle, None)
    ends = _sum_at(outside - 1, ordered), _sum_at(pairs - outside, ordered)
    return Shift(middle, Interval(*[end / (2 * _WHOLE) for end in ends]))


def _with_unseen(differences: Sequence[float], unseen: float, length: float) -> Interval:
    """Student's t over the differences and two queries that were not seen, cut at the ends of the scale."""
    together = [*differences, unseen, -unseen]
    mean, half = query_mean(together), t_quantile(len(together) - 1) * standard_error(together)
    return Interval(max(mean - half, -length), min(mean + half, length))


def _sum_at(place: int, ordered: Sequence[int]) -> int:
    """Of the sums of any two of these numbers, one with itself included, the one at this place from 0, ascending.

    Narrows the range in which it lies by counting the sums below the middle of it, until few are left.
    """
    low, high = 2 * ordered[0] - 1, 2 * ordered[-1]  # no sum is up to low, all are up to high
    up_to_low, up_to_high = 0, len(ordered) * (len(ordered) + 1) // 2
    while up_to_high - up_to_low > len(ordered) and high - low > 1:
        middle = (low + high) // 2
        found = sum(bisect_right(ordered, middle - one, lo=at) - at for at, one in enumerate(ordered))
        if found > place:
            high, up_to_high = middle, found
        else:
            low, up_to_low = middle, found
    if high - low == 1:
        return high
    left = [
        one + other
        for at, one in enumerate(ordered)
        for other in ordered[bisect_right(ordered, low - one, lo=at) : bisect_right(ordered, high - one, lo=at)]
    ]
    return sorted(left)[place - up_to_low]


@lru_cache(maxsize=1_024)
def _rank_sums_outside(n: int) -> int:
    """How many of the smallest sums of the ranks 1 to n have a two-sided p-value of ALPHA or less."""
    mean, deviation = n * (n + 1) / 4, sqrt(n * (n + 1) * (2 * n + 1) / 24)
    if n >= EXACT_RANKS_BELOW:
        return floor(mean - NORMAL * deviation - 0.5) + 1
    ways = [1] + [0] * int(mean)  # to get each sum
    for rank in range(1, n + 1):
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    return bisect_right(list(accumulate(ways)), ALPHA / 2 * (1 << n))
