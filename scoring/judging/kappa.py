"""Measures how well two series of levels agree: weighted kappa with an interval, exact agreement, repeatability.

Over a confusion matrix in whole numbers, so that every machine gives the same digits. Sources: J. Cohen, "Weighted
kappa", Psychological Bulletin 70 (1968) 213-220; B. Efron and R. Tibshirani, "An Introduction to the Bootstrap" (1993),
chapter 13 (percentile intervals).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from math import ceil, fsum, isqrt
from typing import NamedTuple

Matrix = Sequence[Sequence[int]]  # a row per level of the first series, a column per level of the second

RESAMPLES = 1_000
_SEED = b"scorewatch-bootstrap-1"
_TAIL_PERMILLE = 25  # on either side: 95 % lie between
_PERMILLE = 1_000
_LEAST_ITEMS = 2
_BLOCK_BYTES = 1_024
_WIDE = 100  # variance; from here on a binomial number is as good as normal, and that costs the same for any n
_NORMAL_BITS = 1_024  # a normal number is the number of ones among so many bits


class Interval(NamedTuple):
    """Between which values 95 % of the resamples lie."""

    low: float
    high: float


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


def kappa_interval(matrix: Matrix, resamples: int = RESAMPLES) -> Interval | None:
    """Percentile bootstrap interval of the quadratic-weighted kappa.

    Each resample draws as many items as there are, by cells of the matrix, so that many items cost little more than
    few. Draws depend only on the matrix. None when half of the resamples or more have no kappa.
    """
    n = sum(map(sum, matrix))
    if n < _LEAST_ITEMS:
        return None
    bits = _Bits(_SEED + repr([list(row) for row in matrix]).encode("ascii"))
    found = sorted(
        kappa for kappa in (weighted_kappa(_resampled(matrix, n, bits)) for _ in range(resamples)) if kappa is not None
    )
    if len(found) * 2 <= resamples:
        return None
    tail = ceil(len(found) * _TAIL_PERMILLE / _PERMILLE)
    return Interval(found[max(tail - 1, 0)], found[len(found) - max(tail, 1)])


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


def _resampled(matrix: Matrix, n: int, bits: _Bits) -> list[list[int]]:
    """Counts of n draws from the cells: each cell takes its binomial share of what the cells before it left."""
    left, weight = n, n
    drawn = [[0] * len(row) for row in matrix]
    cells = sorted((-count, row, column) for row, counts in enumerate(matrix) for column, count in enumerate(counts))
    for negative, row, column in cells:  # the fullest first: they leave few draws to the others
        drawn[row][column] = taken = bits.binomial(left, -negative, weight)
        left -= taken
        weight += negative
    return drawn


class _Bits:
    """Random bits that follow from a seed, and binomial numbers made from them in whole numbers."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._block = 0
        self._data = b""
        self._at = 0

    def binomial(self, n: int, part: int, whole: int) -> int:
        """How many of n draws fall into `part` of `whole`.

        A draw is compared with part / whole one binary digit after the other, all undecided draws at once: half of
        them are decided by each digit. Where n is so large that this is slow, the number is normal, and within a
        tenth of a standard deviation of the binomial one.
        """
        if part == whole:
            return n
        if n * part * (whole - part) >= _WIDE * whole * whole:
            return self._normal(n, part, whole)
        taken, undecided, rest = 0, n, part
        while undecided and rest:
            rest *= 2
            ones = self._ones(undecided)
            if rest >= whole:  # the digit is 1: draws with a 0 lie below
                rest -= whole
                taken += undecided - ones
                undecided = ones
            else:
                undecided -= ones
        return taken

    def _normal(self, n: int, part: int, whole: int) -> int:
        deviations = 2 * self._ones(_NORMAL_BITS) - _NORMAL_BITS  # in units of 1 / isqrt(_NORMAL_BITS)
        spread = deviations * isqrt(n * part * (whole - part)) // isqrt(_NORMAL_BITS)
        return min(max((2 * (n * part + spread) + whole) // (2 * whole), 0), n)

    def _ones(self, n: int) -> int:
        """Number of ones among n bits."""
        size = (n + 7) // 8
        if self._at + size > len(self._data):
            seed = self._seed + b"%d" % self._block
            self._data = hashlib.shake_256(seed).digest(max(size, _BLOCK_BYTES))
            self._block += 1
            self._at = 0
        value = int.from_bytes(self._data[self._at : self._at + size], "big")
        self._at += size
        return (value >> (size * 8 - n)).bit_count()
