"""Interval of a mean change: how far it could move if other queries of the same kind had been asked.

Percentile bootstrap over queries: B. Efron, "Bootstrap methods", Annals of Statistics 7 (1979) 1-26. See
docs/statistics.md.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, repeat
from math import fsum, gcd
from operator import sub

from scoring.statistics.intervals import ALPHA, Interval, standard_error

RESAMPLES = 2_000
NORMAL_FROM = 500  # queries; from here on the mean is as good as normal

_SEED = b"scorewatch-bootstrap-2 "
_NORMAL = 1.96
_STEPS = 1_200_000  # of 1: sums of whole steps are exact in any order and on every Python
_WORDS = 1 << 16
_TAIL_PERMILLE = 25  # on either side: 1 - ALPHA lies between
_PERMILLE = 1_000
_LEAST_QUERIES = 2


def change_intervals(metrics: Sequence[Sequence[float]], *, seed: str) -> list[Interval | None]:
    """Interval of the mean of each metric's differences.

    metrics: of each metric the differences of the same queries, one per query; their order changes nothing. One draw
    of queries serves all metrics. seed: the keys of the two runs. None for fewer than two queries. Raises ValueError
    where the metrics do not have the same number of queries.
    """
    queries = list(zip(*metrics, strict=True))
    if len(queries) < _LEAST_QUERIES:
        return [None] * len(metrics)
    if len(queries) >= NORMAL_FROM:
        return [_normal_interval(differences) for differences in metrics]
    return [_percentiles(sums, len(queries) * _STEPS) for sums in _resampled_sums(queries, seed)]


def agreeing_interval(interval: Interval, p: float) -> Interval:
    """The interval, extended to 0 where the test finds no change: near the edge the two methods can disagree."""
    if p <= ALPHA:
        return interval
    return Interval(min(interval.low, 0.0), max(interval.high, 0.0))


def _normal_interval(differences: Sequence[float]) -> Interval:
    mean = fsum(differences) / len(differences)
    half = _NORMAL * standard_error(differences)
    return Interval(mean - half, mean + half)


def _percentiles(sums: list[int], unit: int) -> Interval:
    """Between which 95 % of the sums lie, by linear interpolation as numpy does it. unit: what a sum is divided by."""
    sums.sort()
    return Interval(_percentile(sums, _TAIL_PERMILLE) / unit, _percentile(sums, _PERMILLE - _TAIL_PERMILLE) / unit)


def _percentile(ordered: Sequence[int], permille: int) -> float:
    at, rest = divmod(permille * (len(ordered) - 1), _PERMILLE)
    return (ordered[at] * (_PERMILLE - rest) + ordered[at + 1] * rest) / _PERMILLE


def _resampled_sums(queries: Sequence[tuple[float, ...]], seed: str) -> Iterator[list[int]]:
    """Of each metric the sums of all resamples, in steps.

    The differences of a query are packed into one whole number, a field of bits per metric, so that one sum over a
    resample adds up all metrics (six metrics take a third of the time that they take one by one).
    """
    n = len(queries)
    steps_of = [[round(difference * _STEPS) for difference in column] for column in zip(*queries, strict=True)]
    units = [gcd(*column) or 1 for column in steps_of]  # most often all fields then fit a machine word: a third faster
    columns = [[step // unit for step in column] for column, unit in zip(steps_of, units, strict=True)]
    lowest = [min(column) for column in columns]
    widths = [(n * (max(column) - low)).bit_length() for column, low in zip(columns, lowest, strict=True)]
    shifts = [0, *accumulate(widths)]
    packed = [
        sum((step - low) << shift for step, low, shift in zip(steps, lowest, shifts, strict=False))
        for steps in zip(*columns, strict=True)
    ]
    sums = _sums_of_draws(sorted(packed), seed)  # sorted: the order of the queries changes nothing
    for low, shift, width, unit in zip(lowest, shifts, widths, units, strict=False):
        field = (1 << width) - 1
        yield [(((added >> shift) & field) + n * low) * unit for added in sums]


def _sums_of_draws(values: Sequence[int], seed: str) -> list[int]:
    """Sums of as many values as there are, drawn with replacement, once per resample.

    A draw is 16 bits that name a place in a table; the table holds every value equally often, give or take one time
    in 131 or more. The bits are those of SHAKE-256: Python promises the same sequence only for `random.random`, not
    for the whole numbers made from it.
    """
    n = len(values)
    places = [at * _WORDS // n for at in range(n + 1)]
    table = list(chain.from_iterable(map(repeat, values, map(sub, places[1:], places))))
    data = hashlib.shake_256(_SEED + seed.encode()).digest(2 * n * RESAMPLES)
    return [sum(map(table.__getitem__, words)) for words in struct.iter_unpack(f"<{n}H", data)]
