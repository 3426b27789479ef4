"""What the repeats of a query say: does it always pass, and how likely are k passes in k attempts, or one.

Unbiased estimators: pass^k of S. Yao et al., "tau-bench", arXiv 2406.12045 (2024); pass@k of M. Chen et al., arXiv
2107.03374 (2021). See docs/statistics.md.

A variance split says what more rounds or more questions would show: how much of the spread lies within queries, how
much between them.

One-way random effects by the method of moments, with unequal numbers of items: S. R. Searle, "Linear Models" (1971),
chapter 10; see docs/statistics.md.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from math import ceil, comb, floor, fsum, sqrt
from typing import NamedTuple

from scoring.statistics.change_intervals import POWER
from scoring.statistics.distributions import NORMAL
from scoring.statistics.intervals import Interval, in_one_round, mean_interval, query_mean


class Attempts(NamedTuple):
    """Of the items of one query, how many passed. Attempts of a round count each."""

    passed: int
    n: int


class Repeats(StrEnum):
    """How a query ends over its attempts."""

    ALWAYS = "always"
    SOMETIMES = "sometimes"
    NEVER = "never"


class Share(NamedTuple):
    """A share of queries with its interval; both None without queries."""

    value: float | None
    interval: Interval | None


class Reliability(NamedTuple):
    """pass^k and pass@k over the queries that have k attempts; those with fewer are `left_out`."""

    k: int
    queries: int
    left_out: int
    all_pass: Share
    any_passes: Share


def repeats(attempts: Attempts) -> Repeats | None:
    """Always, sometimes or never; None without an attempt."""
    if not attempts.n:
        return None
    if not attempts.passed:
        return Repeats.NEVER
    return Repeats.ALWAYS if attempts.passed == attempts.n else Repeats.SOMETIMES


def reliability(queries: Iterable[Attempts], k: int) -> Reliability:
    """How likely all of k attempts at a query pass (pass^k), and at least one of them (pass@k).

    Over the k attempts that can be chosen from those made. queries: one each, in any order; a `Counter` of them does as
    well. k: 1 or more.
    """
    counted = Counter(queries)
    enough = {attempts: times for attempts, times in counted.items() if attempts.n >= k}
    all_pass: Counter[float] = Counter()
    any_passes: Counter[float] = Counter()
    for (passed, n), times in enough.items():
        ways = comb(n, k)
        all_pass[comb(passed, k) / ways] += times
        any_passes[(ways - comb(n - passed, k)) / ways] += times
    size = sum(enough.values())
    every = _mean(all_pass)
    some = every if any_passes == all_pass else _mean(any_passes)  # for k = 1
    return Reliability(k, size, counted.total() - size, every, some)


def _mean(shares: Counter[float]) -> Share:
    """Mean over queries that have one value each."""
    if not shares:
        return Share(None, None)
    value = fsum(share * times for share, times in shares.items()) / shares.total()
    return Share(value, mean_interval(value, in_one_round({(share,): n for share, n in shares.items()}), top=1.0))


_ROUNDING = 1e-9  # of a whole number of rounds or queries


class VarianceSplit(NamedTuple):
    """The variance of the items of one run. within: of the items of a query; between: of the levels of the queries.

    queries: how many there are. rounds: items that a query has on average, as a whole number. n0: the same, as the
    moments weigh them where queries differ in it.
    """

    queries: int
    rounds: int
    within: float
    between: float
    n0: float

    @property
    def icc(self) -> float | None:
        """The share of the variance that lies between queries; None where nothing varies."""
        whole = self.within + self.between
        return self.between / whole if whole else None

    def half_width(self, *, queries: float | None = None, rounds: int | None = None) -> float:
        """About how far the mean is off either way, at a level of 95 %.

        queries, rounds: of another run; None for those of this one.
        """
        variance = self.between + self.within / (rounds or self.rounds)
        return NORMAL * sqrt(variance / (queries or self.queries))

    @property
    def queries_for_a_round(self) -> float:
        """How many queries this run would have if the items of one more round were those of new queries."""
        return self.queries + self.queries / self.rounds

    def smallest_change(self, *, queries: int | None = None, rounds: int | None = None) -> float:
        """The change of the mean that 8 of 10 comparisons of two such runs find, if queries keep their level else."""
        items = (rounds or self.rounds) * (queries or self.queries)
        return POWER * sqrt(2 * self.within / items)

    def rounds_for(self, change: float) -> int | None:
        """The rounds of these queries that find a change, above 0; None where rounds do not differ."""
        return _needed(self.smallest_change(rounds=1), change)

    def queries_for(self, change: float) -> int | None:
        """The queries with these rounds that find a change, above 0; None where rounds do not differ."""
        return _needed(self.smallest_change(queries=1), change)


def split_variance(queries: Iterable[Sequence[float]]) -> VarianceSplit | None:
    """The split of one run. queries: the values of the items of each; those without any are left out.

    None for fewer than two queries, and where each has one item.
    """
    groups = sorted(map(sorted, filter(None, queries)))  # no order of rows changes a digit
    sizes = [len(values) for values in groups]
    n, g = sum(sizes), len(groups)
    if g < 2 or n == g:
        return None
    means = list(map(query_mean, groups))
    mean = fsum([size * one for size, one in zip(sizes, means, strict=True)]) / n
    within = fsum([(value - one) ** 2 for values, one in zip(groups, means, strict=True) for value in values]) / (n - g)
    among = fsum([size * (one - mean) ** 2 for size, one in zip(sizes, means, strict=True)]) / (g - 1)
    n0 = (n - fsum([size * size for size in sizes]) / n) / (g - 1)
    return VarianceSplit(g, floor(n / g + 0.5), within, max(0.0, (among - within) / n0), n0)


def _needed(of_one: float, change: float) -> int | None:
    """How many halve, third … what one finds until it is a change of this size."""
    return ceil((of_one / change) ** 2 - _ROUNDING) if of_one else None
