"""`queries.csv`: one line per query over all rounds, for spreadsheets and scripts.

In the form of `items.csv`: UTF-8 with BOM and CRLF, text cells quoted, on one line, and no formula. Lines are encoded
in chunks. Points repeat, so each combination of them is computed and encoded once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from math import fsum, isnan, sqrt
from operator import attrgetter
from typing import NamedTuple

from reporting.data.items_csv import (
    cell,
    column,
    measure_columns,
    number,
    numbers,
    title_row,
    titled,
    track_cell,
    truth,
)
from scoring import Memo
from scoring.items import details_of
from scoring.results import QueryRounds, SetResult, Traits
from scoring.rubric import METRICS, RUBRICS, Rubric, Status, TrackId
from scoring.sets import CsvTitles
from scoring.statistics import Attempts, repeats

CHUNK_QUERIES = 512

COLUMNS = ("query_id", "question", "track", "category", "n", "passes", "class", "passed")
_SECONDS = "seconds"
_SPREAD = "{metric}_sd"
_ROUND = {  # number: of the round, from 1; a label alone, such as 1/1, would be a date to a spreadsheet
    CsvTitles.FIELDS: "status_{number}",
    CsvTitles.REPORT: "status {label}",
}

_Points = tuple[float | None, ...]  # of an item: one per metric


class MeanAndSpread(NamedTuple):
    """mean: None without values. spread: the standard deviation (n - 1), None for fewer than two values."""

    mean: float | None
    spread: float | None


def encode_queries(result: SetResult, *, titles: CsvTitles = CsvTitles.FIELDS) -> Iterator[bytes]:
    """The whole file in chunks; the first one is the byte-order mark and the header. In the order of the queries."""
    yield title_row(header(result, titles))
    make = _chunk_maker(result)
    for start in range(0, len(result.queries), CHUNK_QUERIES):
        yield make(start, result.queries[start : start + CHUNK_QUERIES])


def header(result: SetResult, titles: CsvTitles = CsvTitles.FIELDS) -> list[str]:
    """Names of the columns."""
    names = titled(COLUMNS, {"query_id", "question"}, result.rubric, titles)
    for metric in _metrics(result.rubric):
        names += [metric, _SPREAD.format(metric=metric)]
    measures = measure_columns(result.rubric.measures, titles)
    rounds = (_ROUND[titles].format(number=entry.number, label=entry.label) for entry in result.rounds)
    return [*names, _SECONDS, *measures, *rounds]


def mean_of_items(values: Sequence[float]) -> float | None:
    """The mean of the items of one query, None without any. Equal values have exactly their mean."""
    n = len(values)
    if n < 2:
        return values[0] if n else None
    return values[0] if values.count(values[0]) == n else fsum(values) / n


def mean_and_spread(values: Sequence[float]) -> MeanAndSpread:
    """Of the items of one query. The order of the values changes nothing; equal values have exactly their mean."""
    n, mean = len(values), mean_of_items(values)
    if mean is None:
        return MeanAndSpread(None, None)
    return MeanAndSpread(mean, sqrt(fsum([(value - mean) ** 2 for value in values]) / (n - 1)) if n > 1 else None)


def _metrics(rubric: Rubric) -> list[str]:
    """The metrics of which each item can have points."""
    return [name for name in (*METRICS, RUBRICS) if rubric.has_metric(name)]


def _points_of(rubric: Rubric) -> Callable[[Traits], _Points]:
    """The points of an item by `_metrics`."""
    names = [name for name in _metrics(rubric) if name != RUBRICS]
    if len(names) > 1 and rubric.rubrics is None:
        return attrgetter(*names)
    return lambda traits: (
        *[getattr(traits, name) for name in names],
        *([details_of(traits).rubrics] if rubric.has_metric(RUBRICS) else []),
    )


def _chunk_maker(result: SetResult) -> Callable[[int, Sequence[QueryRounds]], bytes]:
    """A function from some queries, and the number of the first, to their lines."""
    seconds_of = result.table.by_query(result.table.seconds)
    marks = result.query_values.marks
    points = list(map(_points_of(result.rubric), result.query_values.samples))
    attempts = result.repeatability.attempts
    measured = [_means(result, values) for values in result.table.measures]
    placed, of_points = Memo(_track_and_category), Memo(_scores)
    scored: Memo[tuple[int, ...], bytes] = Memo(lambda of_query: of_points[tuple([points[mark] for mark in of_query])])

    def make(start: int, queries: Sequence[QueryRounds]) -> bytes:
        places = range(start, start + len(queries))
        ids = [query.query_id for query in queries]
        pieces = zip(
            column(ids, '","'),
            column([query.question for query in queries], '",'),
            [placed[query.track, query.category] for query in queries],
            [_ended[attempts[query_id]] for query_id in ids],
            [scored[marks[place]] for place in places],
            numbers([fsum(of_query) / len(of_query) if of_query else None for of_query in map(seconds_of, places)]),
            *[_after_comma(means(places)) for means in measured],
            [_ended_in_rounds[query.statuses] for query in queries],
            strict=True,
        )
        return b'"' + b'\r\n"'.join(map(b"".join, pieces)) + b"\r\n"

    return make


def _means(result: SetResult, values: array[float]) -> Callable[[range], list[float | None]]:
    """A function from the numbers of some queries to the mean of the items of each. values: NaN for none."""
    table = result.table
    if len(table.queries) == len(table.query_ids):  # an item each
        return lambda places: [None if isnan(value) else value for value in values[places.start : places.stop]]
    amounts = table.by_query(values)
    return lambda places: [mean_of_items(amounts(place)) for place in places]


def _after_comma(values: Sequence[float | None]) -> list[bytes]:
    """Each as a number with a comma before it."""
    return [b"," + text for text in numbers(values)]


def _track_and_category(key: tuple[TrackId | None, str]) -> bytes:
    track, category = key
    return f'{track_cell(track)},"{cell(category)}",'.encode("utf-8", "replace")


def _ends(attempts: Attempts) -> bytes:
    passed = truth(attempts.passed == attempts.n if attempts.n else None)
    return f"{attempts.n},{attempts.passed},{repeats(attempts) or ''},{passed},".encode()


def _scores(items: tuple[_Points, ...]) -> bytes:
    """Mean and spread of each metric. items: the points of each item of a query."""
    return b"".join([_figures[of_metric] for of_metric in zip(*items, strict=True)])


def _mean_and_spread_cells(points: _Points) -> bytes:
    """Both of one metric, each followed by a comma; items without points are left out."""
    mean, spread = mean_and_spread([value for value in points if value is not None])
    return f"{number(mean)},{number(spread)},".encode()


def _statuses(of_rounds: tuple[Status | None, ...]) -> bytes:
    return "".join([f",{status or ''}" for status in of_rounds]).encode()


# For all sets of a process: there are few different ones.
_figures = Memo(_mean_and_spread_cells)
_ended = Memo(_ends)
_ended_in_rounds = Memo(_statuses)
