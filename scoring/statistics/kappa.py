"""Measures how well two series of levels agree: weighted kappa with an interval, exact agreement, repeatability.

Over a confusion matrix of items; the interval is over queries. Sources: J. Cohen, "Weighted kappa", Psychological
Bulletin 70 (1968) 213-220; M. H. Quenouille, "Notes on bias in estimation", Biometrika 43 (1956) 353-360 (jackknife).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from math import fsum, sqrt
from operator import add, sub
from typing import NamedTuple

from scoring.statistics.distributions import t_quantile
from scoring.statistics.intervals import Interval

Matrix = Sequence[Sequence[float]]  # a row per level of the first series, a column per level of the second

LEAST_DISAGREEING = 5  # queries, with two levels
_LEAST_QUERIES = 10
_LEAST_QUERIES_OF_TWO_LEVELS = 40


class Repeatability(NamedTuple):
    """n: items with two votes or more. The shares are None without any."""

    n: int
    unanimous: float | None
    pairwise: float | None


def quadratic(row: int, column: int) -> int:
    """The disagreement of two levels that are so many steps apart: the square of the steps."""
    return (row - column) ** 2


def exact_agreement(matrix: Matrix) -> float | None:
    """Share of items with the same level twice; None without items."""
    n = sum(map(sum, matrix))
    return sum(matrix[at][at] for at in range(len(matrix))) / n if n else None


def weighted_kappa(matrix: Matrix, weight: Callable[[int, int], int] = quadratic) -> float | None:
    """1 for equal series, 0 for what chance alone would give, below 0 for less.

    matrix: square. weight: disagreement of a cell, 0 on the diagonal. None when chance alone would agree always: no
    items, or one level throughout.
    """
    size = range(len(matrix))
    rows = [sum(row) for row in matrix]
    columns = [sum(matrix[row][column] for row in size) for column in size]
    observed = sum(weight(row, column) * matrix[row][column] for row in size for column in size)
    expected = sum(weight(row, column) * rows[row] * columns[column] for row in size for column in size)
    return 1 - sum(rows) * observed / expected if expected else None


def kappa_interval(queries: Sequence[Sequence[tuple[int, int]]], levels: int) -> Interval | None:
    """Jackknife interval, over queries, of the quadratic-weighted kappa.

    queries: of each the pairs of levels of its items, from 0. One more query is added that agrees as chance would have
    it, so that series without a disagreement have an interval too. None for too few queries; with two levels also where
    too few of them disagree.
    """
    disagreeing = sum(any(one != other for one, other in query) for query in queries)
    if len(queries) < least_queries(levels) or (levels <= 2 and disagreeing < LEAST_DISAGREEING):
        return None
    counted = Counter(tuple(sorted(query)) for query in queries)
    observed = matrix_of(chain.from_iterable(queries), levels)
    unseen = _by_chance(observed, len(queries))
    together = [list(map(add, *rows)) for rows in zip(observed, unseen, strict=True)]
    whole = weighted_kappa(together)
    without = [(weighted_kappa(_less(together, matrix_of(query, levels))), n) for query, n in counted.items()]
    without.append((weighted_kappa(observed), 1))
    known = [(kappa, n) for kappa, n in without if kappa is not None]
    if whole is None or len(known) < len(without):
        return None
    units = len(queries) + 1
    mean = fsum([kappa * n for kappa, n in known]) / units
    variance = fsum([(kappa - mean) ** 2 * n for kappa, n in known]) * (units - 1) / units
    half = t_quantile(len(queries)) * sqrt(variance)
    return Interval(max(whole - half, -1.0), min(whole + half, 1.0))


def least_queries(levels: int) -> int:
    """Fewer queries give no interval."""
    return _LEAST_QUERIES if levels > 2 else _LEAST_QUERIES_OF_TWO_LEVELS


def matrix_of(pairs: Iterable[tuple[int, int]], levels: int) -> list[list[float]]:
    """How often each pair of levels occurs."""
    matrix = [[0.0] * levels for _ in range(levels)]
    for row, column in pairs:
        matrix[row][column] += 1
    return matrix


def repeatability(votes: Sequence[Sequence[str]]) -> Repeatability:
    """How often the votes on one item are equal. votes: of each item; those with fewer than two do not count."""
    several = [of_item for of_item in votes if len(of_item) > 1]
    if not several:
        return Repeatability(0, None, None)
    unanimous = sum(len(set(of_item)) == 1 for of_item in several)
    return Repeatability(len(several), unanimous / len(several), fsum(map(_equal_pairs, several)) / len(several))


def _equal_pairs(votes: Sequence[str]) -> float:
    """Share of the pairs of votes that are equal."""
    counts = [votes.count(level) for level in set(votes)]
    return sum(n * (n - 1) for n in counts) / (len(votes) * (len(votes) - 1))


def _by_chance(matrix: Matrix, queries: int) -> list[list[float]]:
    """A query of usual size with the levels of both series, paired by chance."""
    n = fsum(map(fsum, matrix))
    columns = [fsum(column) for column in zip(*matrix, strict=True)]
    return [[fsum(row) * column / n / queries for column in columns] for row in matrix]


def _less(matrix: Matrix, taken: Matrix) -> list[list[float]]:
    return [list(map(sub, *rows)) for rows in zip(matrix, taken, strict=True)]
