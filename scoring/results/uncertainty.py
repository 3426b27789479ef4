"""How far each figure of a set could move if other queries of the same kind had been asked (docs/statistics.md).

The unit is the query. Queries whose items have the same places and values are alike and are counted together, once per
set: there are few different ones. The queries of a group, a round or a category are sums of these counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import count
from math import fsum
from operator import itemgetter, mul
from typing import Any, NamedTuple, TypeVar

from scoring.items.labels_and_signatures import agreement
from scoring.items.part import Item, details_of, latency_class_of
from scoring.results.passes import agreeing_pairs, passes_in_round, points_to_pass
from scoring.rubric.model import ALL, CONSISTENCY, LATENCY_PREFIX, RUBRICS, Rubric
from scoring.statistics.intervals import Values, query_mean

ANSWERED = "answered"  # share of items that are answered, by their status
PASSED = "passed"  # share of items that pass, by points

K = TypeVar("K", bound=Hashable)
Spread = Counter[Values]  # how many queries have these values
Spreads = dict[tuple[int | str | None, int | None], Spread]  # by track or ALL, and index of the round or None for all


class Place(NamedTuple):
    """Where an item belongs. round: its index. category: as written."""

    round: int
    track: int | None
    category: str


_Shape = tuple[Place, ...]  # places of the items of a query, in the order of rounds
_Marks = tuple[int, ...]  # of these items


class QueryValues:
    """The values of every query, by figure: a metric of the rubric, consistency, ANSWERED or PASSED.

    An item has points, for the two shares 1 or 0. Consistency has one value per query.
    """

    def __init__(
        self, items: Sequence[Item], kinds_of_items: Sequence[int], place: Mapping[str, int], rubric: Rubric
    ) -> None:
        """kinds_of_items: number of its kind, one per item. place: index of each round by its label."""
        self._rubric = rubric
        marks = _marks(items, kinds_of_items, rubric)
        self._samples = dict(zip(marks, items, strict=True))  # items with the same mark are alike
        rounds = [place[item.round] for item in items]
        by_query: defaultdict[str, list[int]] = defaultdict(list)
        for index in sorted(range(len(items)), key=rounds.__getitem__):
            by_query[items[index].query_id].append(marks[index])
        places = {mark: Place(place[item.round], item.track, item.category) for mark, item in self._samples.items()}
        self._queries: defaultdict[_Shape, list[tuple[_Marks, int]]] = defaultdict(list)
        for of_query, times in Counter(map(tuple, by_query.values())).items():
            self._queries[tuple([places[mark] for mark in of_query])].append((of_query, times))
        self._counted: dict[str, list[tuple[_Shape, Counter[tuple[Any, ...]]]]] = {}

    def by(self, figure: str, key: Callable[[Place], K]) -> dict[K, Spread]:
        """How many queries have which values, by a key made from the places of their items.

        A query whose items have several keys counts under each, with its items there. Items without a value and
        queries without any are left out.
        """
        found: defaultdict[K, Spread] = defaultdict(Counter)
        for shape, counted in self._values(figure):
            at: dict[K, list[int]] = {}
            for index, of_item in enumerate(shape):
                at.setdefault(key(of_item), []).append(index)
            for keyed, indices in at.items():
                rounds = [shape[index].round for index in indices]
                spread = found[keyed]
                for values, times in counted.items():
                    of_key = values if len(indices) == len(shape) else tuple([values[index] for index in indices])
                    if of_query := self._of_query(figure, rounds, of_key):
                        spread[of_query] += times
        return dict(found)

    def everywhere(self, figure: str) -> Spread:
        """How many queries have which values, over all items."""
        return self.by(figure, lambda _: ALL).get(ALL, Counter())

    def by_group(self, figure: str) -> Spreads:
        """The same of all items and of each track, by round and for the set; consistency for the set only."""
        spreads: Spreads = {(ALL, None): self.everywhere(figure)}
        spreads |= {(track, None): of for track, of in self.by(figure, itemgetter(1)).items()}
        if figure != CONSISTENCY:
            spreads |= {(ALL, index): of for index, of in self.by(figure, itemgetter(0)).items()}
            spreads |= self.by(figure, itemgetter(1, 0))
        return spreads

    def totals(self, weights: Mapping[str, float]) -> tuple[Spread, int]:
        """The weighted mean of the metrics of each query, and how many queries lack one of them."""
        weighed = fsum(weights.values())
        of_marks = {name: self._of_marks(name) for name in weights}
        found: Spread = Counter()
        left_out = 0
        for shape, queries in self._queries.items():
            rounds = [at.round for at in shape]
            for marks, times in queries:
                parts = [
                    self._of_query(name, rounds, [values[mark] for mark in marks]) for name, values in of_marks.items()
                ]
                if all(parts):
                    found[(fsum(map(mul, weights.values(), map(query_mean, parts))) / weighed,)] += times
                else:
                    left_out += times
        return found, left_out

    def _of_query(self, figure: str, rounds: Sequence[int], values: Sequence[Any]) -> Values:
        """The values of a query; () without any. rounds, values: one per item."""
        if figure != CONSISTENCY:
            return tuple([value for value in values if value is not None]) if None in values else tuple(values)
        scale, rule = self._rubric.scale, self._rubric.agreement
        if rule is not None:
            labels, signatures = zip(*values, strict=True)
            return (agreement(labels, signatures, scale=scale, single=rule.single).score,)
        pairs = agreeing_pairs(zip(rounds, values, strict=True))
        return () if pairs is None else (scale * (pairs.both_pass + pairs.both_fail) / sum(pairs),)

    def _values(self, figure: str) -> list[tuple[_Shape, Counter[tuple[Any, ...]]]]:
        """Of the queries of each shape the values of their items, and how many queries have them."""
        if figure not in self._counted:
            of_marks = self._of_marks(figure)
            tables = []
            for shape, queries in self._queries.items():
                counted: Counter[tuple[Any, ...]] = Counter()
                for marks, times in queries:
                    counted[tuple([of_marks[mark] for mark in marks])] += times
                tables.append((shape, counted))
            self._counted[figure] = tables
        return self._counted[figure]

    def _of_marks(self, figure: str) -> dict[int, Any]:
        """The value of an item by its mark."""
        value = _value_of(figure, self._rubric)
        return {mark: value(item) for mark, item in self._samples.items()}


def _marks(items: Sequence[Item], kinds_of_items: Sequence[int], rubric: Rubric) -> Sequence[int]:
    """A number per item; items with the same number agree in every value that a figure is made of."""
    if not rubric.has_details:
        return kinds_of_items
    compares = rubric.agreement is not None
    numbers: defaultdict[tuple[object, ...], int] = defaultdict(count().__next__)
    marks = []
    for kind, details in zip(kinds_of_items, map(details_of, items), strict=True):
        compared = (details.label, details.signature) if compares else ()
        marks.append(numbers[kind, details.rubrics, details.latency_class, details.accuracy_reason, compared])
    return marks


def _value_of(figure: str, rubric: Rubric) -> Callable[[Item], object]:
    """How an item gets its value; None where it takes no part."""
    rule, passing = rubric.pass_points, frozenset(rubric.pass_statuses)
    if figure == ANSWERED:
        return lambda item: float(item.status in passing)
    if figure == PASSED:
        assert rule is not None
        return lambda item: None if (points := points_to_pass(item, rule)) is None else float(points >= rule.points)
    if figure == CONSISTENCY and rubric.agreement is not None:
        return lambda item: (details_of(item).label, details_of(item).signature)
    if figure == CONSISTENCY:
        return lambda item: passes_in_round(item, rubric.pass_rule, passing)
    if figure == RUBRICS:
        return lambda item: details_of(item).rubrics
    if figure.startswith(LATENCY_PREFIX):
        name = figure.removeprefix(LATENCY_PREFIX)
        return lambda item: item.latency if latency_class_of(item, rubric) == name else None
    return lambda item: getattr(item, figure)
