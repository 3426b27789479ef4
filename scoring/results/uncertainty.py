"""How far each figure of a set could move if other queries of the same kind had been asked (docs/statistics.md).

The unit is the query. Queries whose items have the same places and values are alike and are counted together, once per
set: there are few different ones. The queries of a group, a round or a category are sums of these counts.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from enum import Enum
from itertools import compress, count
from math import fsum
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from scoring.items import agreement, details_of, latency_class_of
from scoring.results.item_table import ItemTable, Traits, kind_of
from scoring.results.passes import agreeing_pairs, passes_by_points, passes_in_round
from scoring.rubric import ALL, CONSISTENCY, LATENCY_PREFIX, RUBRICS, Rubric, group_key
from scoring.statistics import Queries, Rounds, Spread, Values, deviation, query_mean, spread_of, weights_of

ANSWERED = "answered"  # share of items that are answered, by their status
PASSED = "passed"  # share of items that pass, by points

K = TypeVar("K", bound=Hashable)
Counted = dict[Rounds, dict[Values, int]]  # how many queries have these values in these rounds
OfGroups = dict[tuple[str, int | None], Counted]  # by key of the group, and index of the round or None for the set
Means = Counter[float]  # how many queries have which mean


class Axis(Enum):
    """What items are told apart by, beside their round."""

    GROUP = "group"
    CATEGORY = "category"


class Place(NamedTuple):
    """Where an item belongs. round: its index. name: key of the group of its track, or its category as written."""

    round: int
    name: str


_ONE_VALUE: Rounds = (0,)
_Shape = tuple[Place, ...]  # places of the items of a query, in the order of rounds


class _Shaped(NamedTuple):
    """Queries of the same shape. columns: the marks of their first items, of their second …; times: one per query."""

    columns: tuple[Sequence[int], ...]
    times: Sequence[int]


_Ends = list[tuple[tuple[Any, ...], int]]  # values of the items of a query, and how many queries have them


class QueryValues:
    """The values of every query, by figure: a metric of the rubric, consistency, ANSWERED or PASSED.

    An item has points, for the two shares 1 or 0. Consistency has one value per query.
    samples: the traits of items with each mark. query_ids, marks: of each query, and those of its items in their order;
    items with the same mark are alike. alike: how many queries have which marks.
    """

    def __init__(self, table: ItemTable, place: Mapping[str, int], rubric: Rubric) -> None:
        """place: index of each round by its label."""
        self._rubric = rubric
        self._place = place
        marks, self.samples = _marks(table.distinct, rubric)
        by_query: list[list[int]] = [[] for _ in table.query_ids]
        add = [of_query.append for of_query in by_query]
        for query, number in zip(table.queries, table.numbers, strict=True):
            add[query](marks[number])
        known: dict[tuple[int, ...], tuple[int, ...]] = {}  # 50,000 queries have 9,000 different marks
        self.query_ids = table.query_ids
        self.marks = [known.setdefault(alike, alike) for alike in map(tuple, by_query)]
        self.alike = Counter(self.marks)
        self._shapes: dict[Axis, dict[_Shape, _Shaped]] = {}
        self._values: dict[str, list[Any]] = {}
        self._counts: dict[tuple[str, Axis], list[tuple[_Shape, _Ends]]] = {}

    def by(self, figure: str, axis: Axis, keys: Callable[[Place], Sequence[K]]) -> dict[K, Counted]:
        """How many queries have which values, by keys made from the place of an item.

        A query counts under each key of its items, with the items that have this key. Items without a value and
        queries without any are left out.
        """
        found: defaultdict[K, Counted] = defaultdict(dict)
        is_complete = figure != CONSISTENCY and None not in self._values_of(figure)
        for shape, counted in self._counted(figure, axis):
            at: dict[K, list[int]] = {}
            for index, of_item in enumerate(shape):
                for key in keys(of_item):
                    at.setdefault(key, []).append(index)
            for key, indices in at.items():
                of_key = counted if len(indices) == len(shape) else _chosen(counted, indices)
                rounds = tuple([shape[index].round for index in indices])
                if is_complete:
                    _add(found[key].setdefault(rounds, {}), of_key)
                    continue
                for values, times in of_key:
                    having, present = self._of_query(figure, rounds, values)
                    if present:
                        _add(found[key].setdefault(having, {}), [(present, times)])
        return {key: of_key for key, of_key in found.items() if of_key}

    def everywhere(self, figure: str) -> Counted:
        """How many queries have which values, over all items."""
        return self.by(figure, Axis.GROUP, lambda _: (ALL,)).get(ALL, {})

    def by_group(self, figure: str) -> OfGroups:
        """The same of all items and of each track, by round and for the set; consistency for the set only."""
        if figure == CONSISTENCY:
            return self.by(figure, Axis.GROUP, lambda at: ((ALL, None), (at.name, None)))
        return self.by(
            figure, Axis.GROUP, lambda at: ((ALL, None), (at.name, None), (ALL, at.round), (at.name, at.round))
        )

    def by_round(self, figure: str) -> Counter[tuple[float | None, ...]]:
        """How many queries have which mean in every round, None where they have none."""
        found: Counter[tuple[float | None, ...]] = Counter()
        for shape, counted in self._counted(figure, Axis.GROUP):
            at: defaultdict[int, list[int]] = defaultdict(list)
            for index, of_item in enumerate(shape):
                at[of_item.round].append(index)
            for values, times in counted:
                of_rounds = [_mean([values[index] for index in at.get(each, ())]) for each in self._place.values()]
                found[tuple(of_rounds)] += times
        return found

    def of_queries(self, figure: str) -> list[float | None]:
        """The mean of each query, in their order; None without a value."""
        values, rounds = self._values_of(figure), [self._place[item.round] for item in self.samples]
        means = {
            marks: _mean(
                self._of_query(figure, tuple(map(rounds.__getitem__, marks)), tuple(map(values.__getitem__, marks)))[1]
            )
            for marks in self.alike
        }
        return list(map(means.__getitem__, self.marks))

    def contrasts(self, figure: str, axis: Axis, key_of: Callable[[str], str]) -> dict[str, tuple[Means, Means]]:
        """Of each group the means of its queries, and of all others over the items that are not in the group.

        key_of: of a name of a place.
        """
        everywhere, own, whole, rest = Counter[float](), _Counters(), _Counters(), _Counters()
        for shape, counted in self._counted(figure, axis):
            names = [key_of(of_item.name) for of_item in shape]
            for values, times in counted:
                mean = self._mean_of(figure, shape, values)
                if mean is not None:
                    everywhere[mean] += times
                for name in dict.fromkeys(names):
                    inside = [one == name for one in names]
                    of_name = mean if all(inside) else self._mean_of(figure, shape, values, inside)
                    others = None if all(inside) else self._mean_of(figure, shape, values, [not one for one in inside])
                    for counter, found in ((own, of_name), (whole, mean), (rest, others)):
                        if found is not None:
                            counter[name][found] += times
        return {name: (means, everywhere - whole[name] + rest[name]) for name, means in own.items()}

    def totals(self, weights: Mapping[str, float], shown: Mapping[str, float]) -> tuple[Spread, int]:
        """How the queries spread around the weighted mean of metrics, and how many lack one of them.

        shown: the mean of each metric.
        """
        weighed, scale = fsum(weights.values()), self._rubric.points
        items = {name: self.everywhere(name) for name in weights}
        spreads = [
            spread_of(shown[name], of_name, floor=scale.lowest, top=scale.highest) for name, of_name in items.items()
        ]
        of_round = {name: weights_of(of_name) for name, of_name in items.items()}
        deviations: defaultdict[float, int] = defaultdict(int)
        left_out = 0
        for shape, (columns, times_of) in self._shaped(Axis.GROUP).items():
            rounds = tuple([at.round for at in shape])
            of_figures = [
                zip(*[map(self._values_of(name).__getitem__, column) for column in columns], strict=True)
                for name in weights
            ]
            for values, times in _count(zip(*of_figures, strict=True), times_of).items():
                parts = []
                for name, of_items in zip(weights, values, strict=True):
                    having, present = self._of_query(name, rounds, of_items)
                    if present:
                        shares = [(one - scale.lowest) / scale.length for one in present]
                        of_items_weights = [of_round[name][at] for at in having]
                        share = (shown[name] - scale.lowest) / scale.length
                        parts.append(weights[name] * deviation(shares, of_items_weights, share) / weighed)
                if len(parts) < len(weights):
                    left_out += times
                else:
                    deviations[fsum(parts)] += times
        kish = min(spreads, key=lambda spread: (spread.queries, spread.kish)).kish
        variance = fsum([times * one * one for one, times in deviations.items()])
        return Spread(sum(deviations.values()), variance, kish, kish), left_out

    def twin(self, figure: str, figures: Iterable[str]) -> str:
        """The first of the metrics `figures` whose points are those of `figure` for every item, or itself."""
        if figure == CONSISTENCY:
            return figure
        scale, values = self._rubric.scale_of(figure), self._values_of(figure)
        alike = (
            name
            for name in figures
            if name != CONSISTENCY and self._values_of(name) == values and self._rubric.scale_of(name) == scale
        )
        return next(alike, figure)

    def forget(self) -> None:
        """Free what was kept to find the next figure sooner."""
        self._shapes.clear()
        self._values.clear()
        self._counts.clear()

    def _of_query(self, figure: str, rounds: Rounds, values: tuple[Any, ...]) -> tuple[Rounds, Values]:
        """The values of a query and their rounds; () without any. rounds, values: one per item."""
        if figure != CONSISTENCY:
            if None not in values:
                return rounds, values
            present = [(at, value) for at, value in zip(rounds, values, strict=True) if value is not None]
            return tuple([at for at, _ in present]), tuple([value for _, value in present])
        scale, rule = self._rubric.points, self._rubric.agreement
        if rule is not None:
            labels, signatures = zip(*values, strict=True)
            score = agreement(labels, signatures, scale=scale, single=rule.single, parts=rule.parts).score
            return _ONE_VALUE, (score,)
        pairs = agreeing_pairs({*zip(rounds, values, strict=True)})
        if pairs is None:
            return (), ()
        return _ONE_VALUE, (scale.at(pairs.both_pass + pairs.both_fail, sum(pairs)),)

    def _mean_of(
        self, figure: str, shape: _Shape, values: tuple[Any, ...], chosen: Sequence[bool] | None = None
    ) -> float | None:
        """The mean of a query over its chosen items; None without a value."""
        rounds = tuple([at.round for at in shape])
        if chosen is not None:
            rounds, values = tuple(compress(rounds, chosen)), tuple(compress(values, chosen))
        return _mean(self._of_query(figure, rounds, values)[1]) if values else None

    def _counted(self, figure: str, axis: Axis) -> list[tuple[_Shape, _Ends]]:
        """Of the queries of each shape the values of their items, and how many queries have these."""
        if (figure, axis) not in self._counts:
            value_of = self._values_of(figure).__getitem__
            self._counts[figure, axis] = [
                (shape, list(_count(zip(*[map(value_of, column) for column in columns], strict=True), times).items()))
                for shape, (columns, times) in self._shaped(axis).items()
            ]
        return self._counts[figure, axis]

    def _shaped(self, axis: Axis) -> dict[_Shape, _Shaped]:
        """The queries of each shape. Most have the same few shapes; their values are then counted column by column."""
        if axis not in self._shapes:
            names = [group_key(item.track) if axis is Axis.GROUP else item.category for item in self.samples]
            numbers: defaultdict[tuple[int, str], int] = defaultdict(count().__next__)
            rounds = [self._place[item.round] for item in self.samples]
            number_of = list(map(numbers.__getitem__, zip(rounds, names, strict=True))).__getitem__
            found: defaultdict[tuple[int, ...], list[Sequence[int]]] = defaultdict(list)
            times: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
            for unordered, n in self.alike.items():
                marks = sorted(unordered, key=rounds.__getitem__)
                shape = tuple(map(number_of, marks))
                found[shape].append(marks)
                times[shape].append(n)
            named = list(map(Place._make, numbers))
            self._shapes[axis] = {
                tuple([named[number] for number in shape]): _Shaped(tuple(zip(*queries, strict=True)), times[shape])
                for shape, queries in found.items()
            }
        return self._shapes[axis]

    def _values_of(self, figure: str) -> list[Any]:
        """The value of an item by its mark."""
        if figure not in self._values:
            self._values[figure] = list(map(value_of(figure, self._rubric), self.samples))
        return self._values[figure]


class _Counters(defaultdict[str, Means]):
    """Means of queries by group."""

    def __init__(self) -> None:
        super().__init__(Counter)


def pooled(counted: Queries) -> Counted:
    """The same queries with all their items in one round, so that every item weighs the same."""
    found: Counted = {}
    for rounds, of_rounds in counted.items():
        _add(found.setdefault((0,) * len(rounds), {}), of_rounds.items())
    return found


def _add(found: dict[Values, int], more: Iterable[tuple[Values, int]]) -> None:
    for values, times in more:
        found[values] = found.get(values, 0) + times


def _mean(values: Sequence[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return query_mean(present) if present else None


def _count(found: Iterable[K], times: Iterable[int]) -> dict[K, int]:
    """How often each occurs. times: how often each that is found counts."""
    counted: defaultdict[K, int] = defaultdict(int)
    for one, n in zip(found, times, strict=True):
        counted[one] += n
    return counted


def _chosen(counted: _Ends, indices: Sequence[int]) -> _Ends:
    """The values of some items of each query."""
    if len(indices) == 1:
        (index,) = indices
        return [((values[index],), times) for values, times in counted]
    return [(tuple([values[index] for index in indices]), times) for values, times in counted]


def _marks(distinct: Sequence[Traits], rubric: Rubric) -> tuple[list[int], list[Traits]]:
    """The mark of each of these traits, a number from 0, and traits of each mark.

    Items with the same mark agree in every value that a figure is made of.
    """
    numbers: dict[tuple[object, ...], int] = {}
    samples: list[Traits] = []
    marks = []
    compares = rubric.agreement is not None
    for traits in distinct:
        details = details_of(traits)
        compared = (details.label, details.signature) if compares else ()
        key = kind_of(traits), details.rubrics, details.latency_class, details.accuracy_reason, details.passed, compared
        if key not in numbers:
            numbers[key] = len(numbers)
            samples.append(traits)
        marks.append(numbers[key])
    return marks, samples


def value_of(figure: str, rubric: Rubric) -> Callable[[Traits], Any]:
    """How an item gets its value; None where it takes no part."""
    rule, passing = rubric.pass_points, frozenset(rubric.pass_statuses)
    if figure == ANSWERED:
        return lambda item: float(item.status in passing)
    if figure == PASSED:
        assert rule is not None
        return lambda item: None if (passed := passes_by_points(item, rule)) is None else float(passed)
    if figure == CONSISTENCY and rubric.agreement is not None:
        return lambda item: (details_of(item).label, details_of(item).signature)
    if figure == CONSISTENCY:
        return lambda item: passes_in_round(item, rubric.pass_rule, passing)
    if figure == RUBRICS:
        return lambda item: details_of(item).rubrics
    if figure.startswith(LATENCY_PREFIX):
        name = figure.removeprefix(LATENCY_PREFIX)
        return lambda item: item.latency if latency_class_of(item, rubric) == name else None
    return attrgetter(figure)
