"""How far a change could have been another one if other queries of the same kind had been asked (docs/statistics.md).

D. G. Bonett, R. M. Price, "Adjusted Wald confidence interval for a difference of binomial proportions based on paired
data", Journal of Educational and Behavioral Statistics 37 (2012) 479-488, generalised to points; J. L. Hodges, E. L.
Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics 34 (1963) 598-611.

A leaderboard says of more than two runs of the same queries which are better than which, and the rank of each as a
range. Pairs are tested by sign-flip and all of them together by Holm, so that any false pair of a ranking is claimed in
at most 5 % of the cases (docs/statistics.md). Source: arXiv 2606.08679.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from math import erfc, floor, fsum, gcd, isqrt, sqrt
from typing import NamedTuple, Self

from scoring.statistics.distributions import ALPHA, NORMAL, t_quantile
from scoring.statistics.intervals import Interval, query_mean, standard_error

EXACT_BELOW = 200  # changed queries; from here on the normal approximation
EXACT_RANKS_BELOW = 100
DECIMALS = 9  # differences below are floating point, not data

_STEPS = 1_200  # of a scale: means of up to six items differ by whole steps
POWER = 2.8015852181  # normal quantiles of 0.975 and 0.8 together: a test at 5 % with 80 % power
_LEAST_CHANGED = 6  # queries that all change alike: 2 / 2**6 is the first p-value below 5 %


def sign_flip(differences: Iterable[int], *, exact_below: int = EXACT_BELOW) -> float:
    """Two-sided p-value of the sum of the differences; 1 when none differs from 0.

    differences: one per query, in whole steps, see `whole_steps` and `signed_ranks`. exact_below: below this number of
    differences other than 0 all assignments of signs are counted; from it on the normal approximation with continuity
    correction is taken.
    """
    changed = [difference for difference in differences if difference]
    unit = gcd(*changed) or 1
    total = abs(sum(changed)) // unit
    sizes = sorted(abs(difference) // unit for difference in changed)
    if not total:
        return 1.0
    if len(sizes) >= exact_below:
        return erfc((total - 1) / sqrt(2 * sum(size * size for size in sizes)))
    # As far as observed means that the smaller side adds up to `least` or less, in either direction.
    least = (sum(sizes) - total) // 2
    return 2 * _subsets_up_to(least, sizes) / (1 << len(sizes))


def whole_steps(differences: Iterable[float], scale: float) -> list[int]:
    """Differences of means on a scale of this length, in steps of scale / 1200."""
    return [round(difference * _STEPS / scale) if difference else 0 for difference in differences]


def signed_ranks(differences: Iterable[float]) -> list[int]:
    """Twice the rank of each difference by size, with its sign; ties share their mean rank, zeros are left out."""
    rounded = [round(difference, DECIMALS) for difference in differences]
    sizes = Counter(abs(difference) for difference in rounded if difference)
    ranks: dict[float, int] = {}
    below = 0
    for size in sorted(sizes):
        ranks[size] = 2 * below + sizes[size] + 1
        below += sizes[size]
    return [ranks[abs(difference)] * (1 if difference > 0 else -1) for difference in rounded if difference]


def smallest_change(differences: Sequence[float]) -> float | None:
    """Smallest mean difference that this comparison finds with 80 % power (Miller 2024, section 5).

    differences: one per shared query. Never less than six queries that change as much as the changed ones did, because
    fewer never reach 5 %. None where no query changed: nothing says then how much queries vary.
    """
    changed = [abs(difference) for difference in differences if difference and round(difference, DECIMALS)]
    if not changed:
        return None
    n = len(differences)
    least = _LEAST_CHANGED * fsum(changed) / len(changed) / n
    return max(POWER * standard_error(differences), least) if n > 1 else least


def _subsets_up_to(least: int, sizes: Sequence[int]) -> int:
    """Number of subsets of `sizes` that add up to `least` or less.

    The product of all (1 + x**size) as one whole number, a field of bits per power of x. It holds no power above
    `least`, and no sum of fields overflows a field.
    """
    field = len(sizes) + 1
    kept = (1 << (least + 1) * field) - 1
    product = 1
    for size in sizes:
        product += (product << size * field) & kept
    return product % ((1 << field) - 1)  # the sum of the fields, as casting out nines sums digits


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p-value after Holm, in the order given.

    Where those up to 0.05 are reported, the chance that any of them is false is at most 5 %. Empty in, empty out.
    """
    n = len(p_values)
    found = [1.0] * n
    highest = 0.0
    for rank, at in enumerate(sorted(range(n), key=p_values.__getitem__)):
        highest = max(highest, min(p_values[at] * (n - rank), 1.0))
        found[at] = highest
    return found


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Each p-value after Benjamini and Hochberg, in the order given.

    Where those up to 0.05 are reported, at most 5 % of what is reported is chance, on average. Empty in, empty out.
    """
    n = len(p_values)
    found = [1.0] * n
    lowest = 1.0
    ranks = range(n, 0, -1)
    for rank, at in zip(ranks, sorted(range(n), key=p_values.__getitem__, reverse=True), strict=True):
        lowest = min(lowest, p_values[at] * n / rank)
        found[at] = lowest
    return found


_EIGHT_OF_TEN = 0.8416212335729143  # the normal quantile of 0.8
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
    changed = [abs(difference) for difference in differences if difference and round(difference, DECIMALS)]
    if not is_found:
        return Interval(min(low, 0.0), max(high, 0.0))
    near_low, near_high = _with_unseen(differences, fsum(changed) / len(changed), length)
    if fsum(differences) < 0:
        return Interval(low, min(near_high, 0.0))
    return Interval(max(near_low, 0.0), high)


class LeastMargin(NamedTuple):
    """About the smallest margin that an agent which did not change passes in 8 of 10 comparisons.

    is_floor: nothing says how much answers vary, so that it may be more, and is never less.
    """

    margin: float
    is_floor: bool


def least_margin(queries: Iterable[Sequence[float]], *, length: float) -> LeastMargin:
    """The margin that lies beyond the bad end of `change_interval` in 8 of 10 comparisons with another such run.

    Each query differs by as much as its values vary: the end is half the width of that interval below the change, and
    the change by chance below 0. queries: of each the values that it had, one per round; one query or more. length: of
    the scale.
    """
    repeats = list(queries)
    variances = [2 * standard_error(values) ** 2 for values in repeats if len(values) > 1]  # of a difference
    variance = fsum(variances) / len(variances) if variances else 0.0
    n = len(repeats) + 2  # with the two that were not seen
    squares = len(repeats) * variance + 2 * length * length
    half = t_quantile(n - 1) * sqrt(squares / (n - 1) / n)
    margin = half + _EIGHT_OF_TEN * sqrt(variance / len(repeats))
    return LeastMargin(min(margin, length), not variances)


def shift(differences: Sequence[float]) -> Shift:
    """By how much values moved that have no scale: the median of the averages of any two differences.

    The interval holds the shifts that the signed-rank test of the differences does not exclude. One difference or more.
    """
    whole = [round(difference * _WHOLE) for difference in differences]
    step = gcd(*whole) or 1  # seconds that have three decimals are few whole numbers
    sums = _PairSums(sorted(one // step for one in whole))
    middle = (sums.at((sums.size - 1) // 2) + sums.at(sums.size // 2)) * step / (4 * _WHOLE)
    outside = _rank_sums_outside(len(differences))
    if not outside:
        return Shift(middle, None)
    ends = sums.at(outside - 1), sums.at(sums.size - outside)
    return Shift(middle, Interval(*[end * step / (2 * _WHOLE) for end in ends]))


def _with_unseen(differences: Sequence[float], unseen: float, length: float) -> Interval:
    """Student's t over the differences and two queries that were not seen, cut at the ends of the scale."""
    together = [*differences, unseen, -unseen]
    mean, half = query_mean(together), t_quantile(len(together) - 1) * standard_error(together)
    return Interval(max(mean - half, -length), min(mean + half, length))


class _PairSums:
    """The sums of any two of some numbers, one with itself included, which are found without listing them.

    ordered: the numbers, ascending. size: how many sums there are.
    """

    def __init__(self, ordered: Sequence[int]) -> None:
        self._ordered = ordered
        self._numbers = len(ordered)
        self.size = self._numbers * (self._numbers + 1) // 2
        self._found = {2 * ordered[0] - 1: 0, 2 * ordered[-1]: self.size}  # how many sums are up to a limit
        few = isqrt(self.size) + 1  # numbers that have more than half of the sums by themselves, large or small ones
        if few < self._numbers:
            self._count(2 * ordered[few - 1])
            self._count(2 * ordered[-few] - 1)

    def at(self, place: int) -> int:
        """The sum at this place from 0, ascending.

        Narrows the range in which it lies by counting the sums up to a limit within, until few are left. The limit is
        where the place would be if sums lay evenly, and every other time the middle, which needs no such luck.
        """
        is_even = True
        while True:
            low, up_to_low = max(one for one in self._found.items() if one[1] <= place)
            high, up_to_high = min(one for one in self._found.items() if one[1] > place)
            if high - low == 1:
                return high
            if up_to_high - up_to_low <= self._numbers:
                return self._between(low, high)[place - up_to_low]
            part = (high - low) * (place - up_to_low) // (up_to_high - up_to_low) if is_even else (high - low) // 2
            self._count(low + min(max(part, 1), high - low - 1))
            is_even = not is_even

    def _count(self, limit: int) -> None:
        """Note how many sums are up to a limit: those of each number with one that is not below it."""
        ordered, end, found = self._ordered, self._numbers, 0  # from `end` on all are too large
        for at, one in enumerate(ordered):
            most = limit - one
            while end > at and ordered[end - 1] > most:
                end -= 1
            if end <= at:
                break
            found += end - at
        self._found[limit] = found

    def _between(self, low: int, high: int) -> list[int]:
        """The sums above `low` and up to `high`, ascending."""
        ordered = self._ordered
        return sorted(
            one + other
            for at, one in enumerate(ordered)
            for other in ordered[bisect_right(ordered, low - one, lo=at) : bisect_right(ordered, high - one, lo=at)]
        )


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


class RankedPair(NamedTuple):
    """Run b against run a, by their places. difference: of the means, b minus a.

    p: of the pair alone, p_holm: of all pairs together. interval: of the difference. win, tie, loss: queries in which b
    is above a, equal, or below.
    """

    a: int
    b: int
    difference: float
    p: float
    p_holm: float
    interval: Interval
    win: int
    tie: int
    loss: int

    @property
    def is_found(self) -> bool:
        """Is one of the two better, by all tests together?"""
        return self.p_holm <= ALPHA

    @property
    def mirrored(self) -> Self:
        """The same pair as a against b."""
        ends = Interval(-self.interval.high, -self.interval.low)
        turned = self._replace(a=self.b, b=self.a, difference=-self.difference, interval=ends)
        return turned._replace(win=self.loss, loss=self.win)


class Board(NamedTuple):
    """pairs: of places, the first ones first. ranks: of each run from and to, 1 is the best."""

    pairs: tuple[RankedPair, ...]
    ranks: tuple[tuple[int, int], ...]


def leaderboard(differences: Mapping[tuple[int, int], Sequence[float]], runs: int, *, length: float) -> Board:
    """The pairs and ranks of so many runs.

    differences: of every pair of places (a, b) with a < b the difference of each query, b minus a; one query or more.
    length: of the scale.
    """
    alone = [sign_flip(whole_steps(of_pair, length)) for of_pair in differences.values()]
    pairs = []
    for ((a, b), of_pair), p, p_holm in zip(differences.items(), alone, holm(alone), strict=True):
        signs = [round(one, DECIMALS) for one in of_pair]
        win, loss = sum(one > 0 for one in signs), sum(one < 0 for one in signs)
        interval = change_interval(of_pair, length=length, is_found=p_holm <= ALPHA)
        mean = fsum(of_pair) / len(of_pair)
        pairs.append(RankedPair(a, b, mean, p, p_holm, interval, win, len(signs) - win - loss, loss))
    above, below = [0] * runs, [0] * runs  # of each run how many are better, and worse
    for pair in pairs:
        if pair.is_found:
            better, worse = (pair.b, pair.a) if pair.difference > 0 else (pair.a, pair.b)
            above[worse] += 1
            below[better] += 1
    return Board(tuple(pairs), tuple((1 + up, runs - down) for up, down in zip(above, below, strict=True)))
