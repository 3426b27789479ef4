"""Which values of columns, and pairs of values, have worse outcomes than chance gives (docs/statistics.md#slices).

All of them are tested together. The largest z of every shuffle says how large chance alone makes it: P. H. Westfall and
S. S. Young, "Resampling-Based Multiple Testing" (1993). Of many queries that takes long, and Welch's t is as good.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import shake_128
from itertools import combinations
from math import fsum, sqrt
from operator import mul
from typing import NamedTuple

from scoring.statistics.change_intervals import holm
from scoring.statistics.distributions import ALPHA
from scoring.statistics.group_tests import Sample, lower_by_chance
from scoring.statistics.intervals import FEW_QUERIES

SHUFFLES = 199
MOST_SHUFFLED = 2_000  # queries
_MOST_SHUFFLED_ITEMS = 20_000
_SEED = b"slices"
_FIELD, _KEY = 4, 8  # bytes of a sum, as the sums of all shuffles are one integer; and of a random number
_MOST_UNITS = 1 << 20  # outcomes are whole numbers up to this one, so that sums are exact

Cell = tuple[int, int]  # a column and one of its values
Cells = tuple[Cell, ...]  # one, or two of different columns


class WeakCells(NamedTuple):
    """Cells whose items are worse than the others. z: the difference in standard deviations of the shuffles."""

    cells: Cells
    z: float


class _Queries:
    """Items by query. of: the query of each item. values: of each item in units. sizes, means: of each query."""

    def __init__(self, of: Sequence[int], outcomes: Sequence[float]) -> None:
        self.of = of
        self.units = min(_MOST_UNITS, (1 << 8 * _FIELD) // len(of) - 1)
        self.values = [round(outcome * self.units) for outcome in outcomes]
        self.items: list[list[int]] = [[] for _ in range(max(of) + 1)]
        for query, value in zip(of, self.values, strict=True):
            self.items[query].append(value)
        n = len(self.items)
        self.sizes = list(map(len, self.items))
        self.means = list(map(_mean, self.items))
        self.mean = fsum(self.means) / n
        self.between = fsum([(mean - self.mean) ** 2 for mean in self.means]) / max(n - 1, 1)
        self.within = fsum(map(_spread, self.items, self.means)) / n


def weak_cells(of: Sequence[int], outcomes: Sequence[float], columns: Sequence[Sequence[int]]) -> list[WeakCells]:
    """The cells and pairs of cells whose items are worse than chance makes them, the largest z first.

    of: the query of each item, all numbers from 0 on; items of a query stand together. outcomes: 0 to 1, more is
    better. columns: of each the value of every item, -1 for none. Cells of fewer than FEW_QUERIES queries take no
    part. A pair is there where it is worse than both of its cells.
    """
    if not of:
        return []
    queries = _Queries(of, outcomes)
    is_shuffled = len(queries.items) <= MOST_SHUFFLED and len(of) <= _MOST_SHUFFLED_ITEMS
    chance = _Shuffles(queries) if is_shuffled else _Welch(queries)
    z_of: dict[Cells, float] = {}
    for cells, indices in _members(columns):
        counted = Counter(map(of.__getitem__, indices))
        if len(counted) < FEW_QUERIES:
            continue
        sd = _sd(counted, queries)
        if sd > 0:
            expected = len(indices) * queries.mean
            z_of[cells] = (expected - sum(map(queries.values.__getitem__, indices))) / sd
            chance.add(cells, indices, counted, (expected, sd))
    found = [
        WeakCells(cells, z_of[cells])
        for cells in chance.worse(z_of)
        if len(cells) == 1 or all(z_of[cells] > z_of.get((cell,), 0.0) for cell in cells)
    ]
    return sorted(found, key=lambda one: (-one.z, len(one.cells), one.cells))


def _members(columns: Sequence[Sequence[int]]) -> Iterator[tuple[Cells, list[int]]]:
    """The items of every cell, and of every pair."""
    for column, codes in enumerate(columns):
        of_cell: defaultdict[int, list[int]] = defaultdict(list)
        for at, code in enumerate(codes):
            of_cell[code].append(at)
        yield from ((((column, code),), indices) for code, indices in of_cell.items() if code >= 0)
    for first, second in combinations(range(len(columns)), 2):
        of_pair: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for at, pair in enumerate(zip(columns[first], columns[second], strict=True)):
            of_pair[pair].append(at)
        for (one, other), indices in of_pair.items():
            if one >= 0 and other >= 0:
                yield ((first, one), (second, other)), indices


def _sd(counted: Mapping[int, int], queries: _Queries) -> float:
    """How far chance moves the sum of the outcomes of these items. counted: how many each query has of them."""
    times, sizes = list(counted.values()), [queries.sizes[query] for query in counted]
    total = sum(times)
    spread = sum(map(mul, times, times)) - total * total / len(queries.items)
    mixed = fsum([n * (size - n) / (size - 1) for n, size in zip(times, sizes, strict=True) if n < size])
    variance = spread * queries.between + mixed * queries.within
    return sqrt(variance) if variance >= 1 else 0.0  # a unit: what rounding leaves of nothing


def _mean(values: Sequence[int]) -> int:
    return sum(values) // len(values)


def _spread(values: Sequence[int], mean: int) -> float:
    return sum([(value - mean) ** 2 for value in values]) / len(values)


class _Shuffles:
    """What the largest z of all cells is by chance.

    A shuffle gives every query the outcomes of another one, turned by a random number of places. Of each item the
    outcomes in all shuffles are the fields of one integer, so that one addition adds them all.
    """

    def __init__(self, queries: _Queries) -> None:
        shuffled = array("I")
        n, longest = len(queries.items), max(queries.sizes)
        turned = [values * (longest // len(values) + 2) for values in queries.items]
        for number in range(SHUFFLES):
            keys = array("Q", shake_128(_SEED + bytes([number])).digest(_KEY * n))
            order = sorted(range(n), key=keys.__getitem__)
            if longest == 1:
                shuffled.extend(map(queries.values.__getitem__, order))
                continue
            for source, size in zip(order, queries.sizes, strict=True):
                at = keys[source] % queries.sizes[source]  # the order is that of the leading digits
                shuffled.extend(turned[source][at : at + size])
        items = len(queries.of)
        self._packed = [int.from_bytes(shuffled[at::items].tobytes(), "little") for at in range(items)]
        self._lowest: dict[tuple[float, float], Sequence[int]] = {}  # by what they are expected to be, and their sd

    def add(self, _: Cells, indices: Sequence[int], __: Mapping[int, int], key: tuple[float, float]) -> None:
        packed = sum(map(self._packed.__getitem__, indices))
        sums = array("I", packed.to_bytes(SHUFFLES * _FIELD, "little"))
        self._lowest[key] = list(map(min, self._lowest[key], sums)) if key in self._lowest else sums

    def worse(self, z_of: Mapping[Cells, float]) -> list[Cells]:
        """Those whose z the largest of a shuffle exceeds in less than 5 % of the shuffles."""
        largest = [0.0] * SHUFFLES
        for (expected, sd), sums in self._lowest.items():
            largest = list(map(max, largest, [(expected - one) / sd for one in sums]))
        limit = sorted(largest)[round((1 - ALPHA) * (SHUFFLES + 1)) - 1]
        return [cells for cells, z in z_of.items() if z > limit]


class _Welch:
    """Are the queries of cells lower than the others? A query with items in both has a mean in both."""

    def __init__(self, queries: _Queries) -> None:
        self._queries = queries
        self._everywhere = _moments(queries.means)
        self._p_values: dict[Cells, float] = {}

    def add(self, cells: Cells, indices: Sequence[int], counted: Mapping[int, int], _: tuple[float, float]) -> None:
        queries = self._queries
        whole = own = _moments(list(map(queries.means.__getitem__, counted)))
        rest: list[int] = []
        if mixed := [query for query, n in counted.items() if n < queries.sizes[query]]:
            sums = dict.fromkeys(counted, 0)
            for at in indices:
                sums[queries.of[at]] += queries.values[at]
            own = _moments([sums[query] // n for query, n in counted.items()])
            rest = [
                (sum(queries.items[query]) - sums[query]) // (queries.sizes[query] - counted[query]) for query in mixed
            ]
        others = [a - b + c for a, b, c in zip(self._everywhere, whole, _moments(rest), strict=True)]
        p = lower_by_chance(_sample(own, queries.units), _sample(others, queries.units))
        if p is not None:
            self._p_values[cells] = p

    def worse(self, _: Mapping[Cells, float]) -> list[Cells]:
        """Those that Holm leaves of all."""
        p_values = holm(list(self._p_values.values()))
        return [cells for cells, p in zip(self._p_values, p_values, strict=True) if p <= ALPHA]


def _moments(means: Sequence[int]) -> tuple[int, int, int]:
    """Their number, their sum and that of their squares."""
    return len(means), sum(means), sum(map(mul, means, means))


def _sample(moments: Sequence[int], units: int) -> Sample:
    n, total, squares = moments
    variance = (squares * n - total * total) / (n * (n - 1)) if n > 1 else 0.0
    return Sample(n, total / n / units if n else 0.0, variance / units**2)
