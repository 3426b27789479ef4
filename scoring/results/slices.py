"""Figures by the values of further columns of the files, and where the figure that leads is worse than by chance.

A column is declared by the document (`slices`), or found because it has a few values that recur.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import fsum, isnan
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

import msgspec

from scoring.results.damage import ANSWERED, PASS, copies_of, leading_of
from scoring.results.means import mean_of, mean_of_values
from scoring.results.model import Mean, SetResult
from scoring.results.passes import passes_of
from scoring.results.uncertainty import PASSED, Counted, value_of
from scoring.rubric import CONSISTENCY, MOST_SLICES, SHARE, TOTAL, Better, Rubric, Scale, is_score, normalise_header
from scoring.statistics import WeakCells, weak_cells
from scoring.text import Memo, known_text
from texts import words

MOST_VALUES = 20  # of a column; of more, those of most items
MOST_NAMED = 5
_LEAST_VALUES = 2
_LEAST_ITEMS = 2  # of a value by which a column is found
_MOST_LOOKED_AT = 200  # values of a column that no document declares


class SliceValue(msgspec.Struct, frozen=True, kw_only=True):
    """The items with one value of a column, "" for a blank one.

    answered: share of those that are; passed: of those that pass, None where no points say what does. metrics: means by
    metric and named score, copies left out. lost: points of each.
    """

    value: str
    queries: int
    n: int
    answered: Mean
    passed: Mean | None
    metrics: dict[str, Mean]
    lost: dict[str, float]

    @property
    def share(self) -> Mean:
        """Of those that pass, where that is known, else that are answered."""
        return self.answered if self.passed is None else self.passed


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """A column and its values, those that lost most first. left_out: how many values are not listed."""

    column: str
    values: tuple[SliceValue, ...]
    left_out: int


class WeakSlice(msgspec.Struct, frozen=True, kw_only=True):
    """Items with one value, or with two of different columns, whose figure is worse than chance makes it.

    value: the figure of these items; others: of all others, None without any. failed: items that do not pass, or are
    not answered, of `all_failed` in the set.
    """

    columns: tuple[str, ...]
    values: tuple[str, ...]
    queries: int
    n: int
    value: float
    others: float | None
    failed: int
    all_failed: int


class Slices(msgspec.Struct, frozen=True, kw_only=True):
    """figure: that leads, which weak slices are found by. share: "pass" or "answered". weak: the clearest first."""

    figure: str
    share: str
    columns: tuple[Slice, ...]
    weak: tuple[WeakSlice, ...]


class _Column(NamedTuple):
    """names: the values that are listed. codes: of each item the place of its value, -1 for one that is not listed."""

    title: str
    names: Sequence[str]
    codes: Sequence[int]
    left_out: int


class _Figure(NamedTuple):
    """A figure of items. best: nothing is lost there. of_kinds: its value by the number of an item's traits.

    of_items: in place of these, of every item, NaN for none.
    """

    name: str
    scale: Scale
    best: float
    of_kinds: Sequence[float | None] = ()
    of_items: Sequence[float] = ()

    def lost(self, items: Iterable[int], numbers: Sequence[int]) -> float:
        """Points that these items lost. numbers: of the traits of every item."""
        if self.of_kinds:
            values: Iterable[float | None] = [self.of_kinds[numbers[at]] for at in items]
        else:
            values = [None if isnan(self.of_items[at]) else self.of_items[at] for at in items]
        return fsum([abs(self.best - value) for value in values if value is not None])


N = TypeVar("N", int, float)
_Parts = Mapping[tuple[int, int], Sequence[int]]  # code and query -> items


def find_slices(result: SetResult) -> Slices | None:
    """The slices of a set; None where no column is one."""
    columns = [column for column in _columns(result) if not _says_what_passes(column, result)]
    if not columns:
        return None
    share = ANSWERED if result.passed is None else PASS
    figure, outcomes = _leading(result)
    figures = [*_shares(result), *metric_figures(result)]
    return Slices(
        figure=figure,
        share=share,
        columns=tuple([_slice(column, figures, result) for column in columns]),
        weak=tuple(_weak(result, columns, figure, outcomes)),
    )


def _columns(result: SetResult) -> Iterator[_Column]:
    """Those that the document declares, else the first that look like slices."""
    known = Memo(known_text)
    chosen = _values(result, known)
    places = {at: {name: place for place, name in enumerate(names[:MOST_VALUES])} for at, names in chosen.items()}
    codes = {at: array("i") for at in chosen}
    for (rows,) in result.items.columns("extra") if chosen else ():
        for at, of_column in codes.items():
            of_column.extend([places[at].get(known[row[at]], -1) for row in rows])
    for at, names in chosen.items():
        left_out = max(len(names) - MOST_VALUES, 0)
        yield _Column(result.extra_columns[at], names[:MOST_VALUES], codes[at], left_out)


def _values(result: SetResult, known: Memo[str, str]) -> dict[int, list[str]]:
    """The values of these columns by place among the further ones, those of most items first."""
    declared, queries = set(map(normalise_header, result.rubric.slices)), len(result.table.query_ids)
    cells = {
        at: Counter[str]()
        for at, title in enumerate(result.extra_columns)
        if not declared or normalise_header(title) in declared
    }
    for (rows,) in result.items.columns("extra") if cells else ():
        for at, of_column in list(cells.items()):
            of_column.update(map(itemgetter(at), rows))
            if not declared and len(of_column) > _MOST_LOOKED_AT:
                del cells[at]
    found: dict[int, list[str]] = {}
    for at, of_column in cells.items():
        values: Counter[str] = Counter()
        for cell, n in of_column.items():
            values[known[cell]] += n
        if declared or _is_slice(values, queries):
            found[at] = [value for value, _ in sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))]
        if len(found) == MOST_SLICES:
            break
    return found


def slices_missing(rubric: Rubric, titles: Iterable[str]) -> list[str]:
    """The declared slices that are no further column of the files. titles: of these columns."""
    there = set(map(normalise_header, titles))
    return [title for title in rubric.slices if normalise_header(title) not in there]


def _is_slice(values: Counter[str], queries: int) -> bool:
    """Do a few values recur, each in more than one query on average, and not only words of verdicts?"""
    if _are_all(values, "words"):
        return False
    recurring = sum(n >= _LEAST_ITEMS for value, n in values.items() if value)
    return _LEAST_VALUES <= recurring <= MOST_VALUES and 2 * len(values) <= queries


def _says_what_passes(column: _Column, result: SetResult) -> bool:
    """Is it a column of yes and no that nobody declared, one of them for all that pass, the other for the rest?"""
    if result.rubric.slices or not _are_all(column.names, "truths"):
        return False
    by_kind = passes_of(result.table.distinct, result.rubric)
    ends = {
        (code, by_kind[number])
        for code, number in zip(column.codes, result.table.numbers, strict=True)
        if column.names[code] and by_kind[number] is not None
    }
    return len(ends) == len(dict(ends)) == len({passed for _, passed in ends}) == _LEAST_VALUES


def _are_all(values: Iterable[str], kind: str) -> bool:
    """Is every filled one of them in a list of words?"""
    listed = words("verdicts")[kind]
    return all(value.casefold() in listed for value in values if value)


def _shares(result: SetResult) -> Iterator[_Figure]:
    """Answered, and where points say so passed."""
    for share in (ANSWERED,) if result.passed is None else (ANSWERED, PASSED):
        values = list(map(value_of(share, result.rubric), result.table.distinct))
        yield _Figure(share, SHARE, SHARE.highest, values)


def metric_figures(result: SetResult) -> Iterator[_Figure]:
    """The metrics without copies of others, and named scores."""
    rubric, distinct = result.rubric, result.table.distinct
    names = [metric.name for metric in rubric.metrics if metric.name != CONSISTENCY]
    copies = copies_of(rubric)
    for name in names:
        if copies.get(name) not in names:
            scale = rubric.scale_of(name)
            yield _Figure(name, scale, scale.highest, list(map(value_of(name, rubric), distinct)))
    for measure, amounts in zip(rubric.measures, result.table.measures, strict=True):
        if is_score(measure.name):
            scale = rubric.scale_of(measure.name)
            best = scale.lowest if measure.better is Better.LOWER else scale.highest
            yield _Figure(measure.name, scale, best, of_items=amounts)


def _slice(column: _Column, figures: Sequence[_Figure], result: SetResult) -> Slice:
    parts: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for at, key in enumerate(zip(column.codes, result.table.queries, strict=True)):
        parts[key].append(at)
    kinds = _kinds(result.table.numbers, parts, column)
    found = {
        one.name: _by_value(one, kinds if one.of_kinds else _kinds(one.of_items, parts, column)) for one in figures
    }
    values = []
    for code, name in enumerate(column.names):
        means = {one.name: mean_of_values(found[one.name][code], scale=one.scale) for one in figures}
        values.append(
            SliceValue(
                value=name,
                queries=kinds[code].total(),
                n=sum([len(numbers) * times for numbers, times in kinds[code].items()]),
                answered=means.pop(ANSWERED),
                passed=means.pop(PASSED, None),
                metrics=means,
                lost={one.name: _lost(one, found[one.name][code]) for one in figures if one.name in means},
            )
        )
    values.sort(key=lambda one: (-fsum(one.lost.values()), one.share.value or 0.0, -one.n, one.value))
    return Slice(column=column.title, values=tuple(values), left_out=column.left_out)


def _kinds(of_items: Sequence[N], parts: _Parts, column: _Column) -> Sequence[Counter[tuple[N, ...]]]:
    """By code how many queries have items with which of these numbers."""
    kinds: list[Counter[tuple[N, ...]]] = [Counter() for _ in column.names]
    for (code, _), items in parts.items():
        if code >= 0:
            kinds[code][tuple([of_items[at] for at in items])] += 1
    return kinds


def _by_value(figure: _Figure, kinds: Sequence[Counter[tuple[Any, ...]]]) -> Sequence[Counted]:
    """By code how many queries have which values. kinds: of traits where the figure is by these, else of values."""
    found: list[Counted] = [{} for _ in kinds]
    for of_code, counted in zip(kinds, found, strict=True):
        for numbers, times in of_code.items():
            values = map(figure.of_kinds.__getitem__, numbers) if figure.of_kinds else numbers
            having = tuple([value for value in values if value is not None and not isnan(value)])
            if having:
                alike = counted.setdefault((0,) * len(having), {})
                alike[having] = alike.get(having, 0) + times
    return found


def _lost(figure: _Figure, queries: Counted) -> float:
    counted = chain.from_iterable(of_rounds.items() for of_rounds in queries.values())
    return fsum([abs(figure.best - value) * times for values, times in counted for value in values])


def _leading(result: SetResult) -> tuple[str, Sequence[float | None]]:
    """The figure that leads, of every item; where all have the same, the share that is answered."""
    figure = leading_of(result.rubric, result.kinds)
    outcomes = list(_outcomes(result, figure))
    if len({*outcomes} - {None}) > 1:
        return figure, outcomes
    return ANSWERED, list(_outcomes(result, ANSWERED))


def _weak(
    result: SetResult, columns: Sequence[_Column], figure: str, outcomes: Sequence[float | None]
) -> Iterator[WeakSlice]:
    """The slices that are worse than chance makes them, with the figure of their items and of the others."""
    table = result.table
    ranks = array("i", bytes(4 * len(table.query_ids)))
    for rank, query in enumerate(sorted(range(len(table.query_ids)), key=table.query_ids.__getitem__)):
        ranks[query] = rank
    known = {at: outcome for at, outcome in enumerate(outcomes) if outcome is not None}
    items = sorted(known, key=lambda at: ranks[table.queries[at]])
    numbered = {query: at for at, query in enumerate(dict.fromkeys([table.queries[at] for at in items]))}
    scale = SHARE if figure in {PASS, ANSWERED} else result.rubric.points
    found = weak_cells(
        [numbered[table.queries[at]] for at in items],
        [(known[at] - scale.lowest) / scale.length for at in items],
        [[column.codes[at] for at in items] for column in columns],
    )
    passing = passes_of(table.distinct, result.rubric)
    failed = [passing[number] is False for number in table.numbers]
    for one in found[:MOST_NAMED]:
        yield _weak_slice(one, columns, outcomes, failed, table.queries)


def _outcomes(result: SetResult, figure: str) -> Iterator[float | None]:
    """A figure that may lead, of every item; of a total with the consistency of its query."""
    rubric, table = result.rubric, result.table
    if figure != TOTAL:
        by_kind = list(map(value_of(PASSED if figure == PASS else figure, rubric), table.distinct))
        yield from map(by_kind.__getitem__, table.numbers)
        return
    whole = fsum(rubric.weights.values())
    weighed = [(one, amounts) for one, amounts in zip(rubric.measures, table.measures, strict=True)]
    scores = [(one, amounts) for one, amounts in weighed if one.key in rubric.weights]
    parts = {name: weight for name, weight in rubric.weights.items() if not is_score(name) and name != CONSISTENCY}
    of_kinds = [[value_of(name, rubric)(one) for name in parts] for one in table.distinct]
    has_rounds = CONSISTENCY in rubric.weights
    consistency = result.query_values.of_queries(CONSISTENCY) if has_rounds else ()
    for at, (number, query) in enumerate(zip(table.numbers, table.queries, strict=True)):
        products = [
            None if value is None else weight * value
            for value, weight in zip(of_kinds[number], parts.values(), strict=True)
        ]
        products += [
            None if isnan(amounts[at]) else rubric.weights[one.key] * one.on(rubric.points, amounts[at])
            for one, amounts in scores
        ]
        if has_rounds:
            of_query = consistency[query]
            products.append(None if of_query is None else rubric.weights[CONSISTENCY] * of_query)
        found = [product for product in products if product is not None]
        yield fsum(found) / whole if len(found) == len(products) else None


def _weak_slice(
    weak: WeakCells,
    columns: Sequence[_Column],
    outcomes: Sequence[float | None],
    failed: Sequence[bool],
    queries: Sequence[int],
) -> WeakSlice:
    codes = zip(*[columns[at].codes for at, _ in weak.cells], strict=True)
    wanted = tuple([code for _, code in weak.cells])
    inside = [of_item == wanted for of_item in codes]
    items = [at for at, is_inside in enumerate(inside) if is_inside]
    return WeakSlice(
        columns=tuple([columns[at].title for at, _ in weak.cells]),
        values=tuple([columns[at].names[code] for at, code in weak.cells]),
        queries=len({queries[at] for at in items}),
        n=len(items),
        value=mean_of(map(outcomes.__getitem__, items)) or 0.0,
        others=mean_of([outcome for outcome, is_inside in zip(outcomes, inside, strict=True) if not is_inside]),
        failed=sum(map(failed.__getitem__, items)),
        all_failed=sum(failed),
    )
