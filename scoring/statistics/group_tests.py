"""Is a group of queries worse than the others, and do the rounds of a run agree (docs/statistics.md).

B. L. Welch, "The generalization of Student's problem", Biometrika 34 (1947) 28-35; W. G. Cochran, "The comparison of
percentages in matched samples", Biometrika 37 (1950) 256-266.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from scoring.statistics.distributions import chi_square_above, f_above, t_below
from scoring.statistics.intervals import FEW_QUERIES, query_mean

_NO_VARIANCE = 1e-12  # of the square of the scale
_NO_DIFFERENCE = 1e-9  # of the scale
_LEAST_ROUNDS = 2
_TWO_VALUES = 2


class Sample(NamedTuple):
    """Some queries. variance: of their means, with n - 1."""

    n: int
    mean: float
    variance: float


class RoundsTest(NamedTuple):
    """p: how often chance makes rounds differ that much. rounds: places of the rounds that were compared.

    means: of these rounds, over the queries that have all of them. queries: how many these are.
    """

    p: float
    rounds: tuple[int, ...]
    means: tuple[float, ...]
    queries: int


def sample_of(means: Mapping[float, int]) -> Sample:
    """means: how many queries have which mean."""
    n = sum(means.values())
    mean = fsum([times * one for one, times in means.items()]) / n if n else 0.0
    squares = fsum([times * (one - mean) ** 2 for one, times in means.items()])
    return Sample(n, mean, squares / (n - 1) if n > 1 else 0.0)


def lower_by_chance(group: Sample, others: Sample, *, length: float = 1.0) -> float | None:
    """One-sided p-value of Welch's t: how often chance makes a group that much lower than the others.

    length: of the scale. None where either has fewer than ten queries.
    """
    if min(group.n, others.n) < FEW_QUERIES:
        return None
    difference = group.mean - others.mean
    if abs(difference) < _NO_DIFFERENCE * length:
        difference = 0.0
    least = _NO_VARIANCE * length**2
    parts = [sample.variance / sample.n if sample.variance >= least else 0.0 for sample in (group, others)]
    if not any(parts):
        return 0.0 if difference < 0 else 1.0
    freedom = sum(parts) ** 2 / sum(
        part * part / (sample.n - 1) for part, sample in zip(parts, (group, others), strict=True)
    )
    return t_below(difference / sqrt(sum(parts)), freedom)


def rounds_alike(queries: Mapping[tuple[float | None, ...], int]) -> RoundsTest | None:
    """Do the rounds of a run differ by more than chance?

    queries: how many have which values in the rounds, None where they have none. Rounds that fewer than half of the
    queries have are left out, and queries that lack one of the others. None for fewer than two rounds or ten queries,
    and where no value of a query differs from another.
    """
    rounds = _common_rounds(queries)
    rows: Counter[tuple[float, ...]] = Counter()
    for query, times in queries.items():
        row = tuple([value for at in rounds if (value := query[at]) is not None])
        if len(row) == len(rounds):
            rows[row] += times
    if len(rounds) < _LEAST_ROUNDS or rows.total() < FEW_QUERIES or all(min(row) == max(row) for row in rows):
        return None
    means = tuple([_mean_over(rows, [row[at] for row in rows]) for at in range(len(rounds))])
    return RoundsTest(_p_of_rounds(rows, means), rounds, means, rows.total())


def _common_rounds(queries: Mapping[tuple[float | None, ...], int]) -> tuple[int, ...]:
    half = sum(queries.values()) / 2
    having: Counter[int] = Counter()
    for query, times in queries.items():
        for at, value in enumerate(query):
            having[at] += times if value is not None else 0
    return tuple([at for at, n in sorted(having.items()) if n >= half])


def _mean_over(rows: Counter[tuple[float, ...]], values: Sequence[float]) -> float:
    """The mean of one value per row, where rows that are alike count as often as there are queries."""
    return fsum([times * value for times, value in zip(rows.values(), values, strict=True)]) / rows.total()


def _p_of_rounds(rows: Counter[tuple[float, ...]], means: Sequence[float]) -> float:
    """By Cochran's Q where there are two values, else by the F of repeated measures. means: of the rounds."""
    n, k = rows.total(), len(means)
    mean = query_mean(means)
    between = n * fsum([(of_round - mean) ** 2 for of_round in means])
    within = fsum(
        [
            times * (value - query_mean(row) - of_round + mean) ** 2
            for row, times in rows.items()
            for value, of_round in zip(row, means, strict=True)
        ]
    )
    if within <= _NO_VARIANCE * (between + within):
        return 0.0
    if len({value for row in rows for value in row}) == _TWO_VALUES:
        # Q from the sums of squares of the same layout: the part of the rounds by the mean square within queries.
        return chi_square_above(between * n * (k - 1) / (between + within), k - 1)
    return f_above(between / within * (n - 1), k - 1, (k - 1) * (n - 1))
