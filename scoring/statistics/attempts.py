"""What the repeats of a query say: does it always pass, and how likely are k passes in k attempts, or one.

Unbiased estimators: pass^k of S. Yao et al., "tau-bench", arXiv 2406.12045 (2024); pass@k of M. Chen et al., arXiv
2107.03374 (2021). See docs/statistics.md.
"""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from math import comb, fsum
from typing import NamedTuple

from scoring.statistics.intervals import Interval, in_one_round, mean_interval


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
