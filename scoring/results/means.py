"""Means of points, from how often each value occurs; exact, so that no order of items or files changes a digit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum

from scoring.results.model import Mean, Metric

Counted = Counter[float | None]  # values of a metric; None is an item that nobody judged


def added_up(counts: Iterable[Counted]) -> Counted:
    """All of them together."""
    total: Counted = Counter()
    for counted in counts:
        total.update(counted)
    return total


def metric_of(rounds: Sequence[Counted]) -> Metric:
    """Means over the values that are there. rounds: one per round; the mean of the set is that of the rounds."""
    means = tuple(map(_mean_of_counted, rounds))
    return Metric(
        rounds=means,
        set=Mean(mean_of([mean.value for mean in means]), sum(mean.n for mean in means)),
    )


def mean_of(values: Iterable[float | None]) -> float | None:
    """Plain mean of the values that are there; None when there is none."""
    present = [value for value in values if value is not None]
    return fsum(present) / len(present) if present else None


def _mean_of_counted(counted: Counted) -> Mean:
    """The mean that `math.fsum` over all values gives, from the few that differ.

    In whole numbers, and so exact; their quotient is rounded once, as fsum rounds. Counts are made once and added up
    for every group (groups of 100,000 items: 0.12 s; 0.21 s with lists of all values).
    """
    present = [(value.as_integer_ratio(), n) for value, n in counted.items() if value is not None]
    if not present:
        return Mean(None, 0)
    unit = max(denominator for (_, denominator), _ in present)  # powers of two: the largest is a multiple of each
    total = sum(numerator * (unit // denominator) * n for (numerator, denominator), n in present)
    size = sum(n for _, n in present)
    return Mean(total / unit / size, size)
