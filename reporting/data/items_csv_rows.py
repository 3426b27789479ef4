"""Reads `items.csv` back: the items of a published report as values to compare.

Columns are found by the place that `items_csv` gives them, whatever they are called: fixed names and titles are read
alike, and a title or an extra column of the input may have any name. A file may have been edited: one with a row that
does not fit the header is refused.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO, TextIOWrapper
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from reporting.data.items_csv import (
    COLUMNS,
    DETAIL_COLUMNS,
    OUTCOME_COLUMNS,
    REVIEW_COLUMNS,
    RUBRIC_COLUMNS,
    SESSION_COLUMNS,
    VERDICT_COLUMNS,
    cell,
    graded_columns,
    snake_case,
)
from scoring import Memo, known_text, number, uncovered
from scoring.comparison import GRADED, GROUNDS, SAID, ByPeople, ItemValues
from scoring.reading import FIELD_LIMIT, open_named
from scoring.rubric import TrackId, is_number

_POINTS = ("intent", "accuracy", "stability", "latency", "rubrics")
_OWN_NAMES = ("file", "row", "status", "why", "intent", "seconds", "reasons")  # that no rubric document gives

_SHARED_TEXTS = 200_000
_END = b"\r\n"  # of a line; cells have none
_MOST_LINES = 2_000  # that are looked at for a query
_BLOCK_BYTES = 1 << 20

_numbers = Memo(number, limit=4096)  # points recur


class ItemsFileError(ValueError):
    """The file is no `items.csv` that this version writes. line: where it is another, from 1."""

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.line = line


def table_rows(lines: Iterable[str]) -> Iterator[list[str]]:
    """The header and the rows of a table. lines: as a text stream without translation of line ends gives them.

    Raises ItemsFileError for a row of another width than the header, and for what is no CSV.
    """
    csv.field_size_limit(FIELD_LIMIT)
    rows = csv.reader(lines)
    try:
        header = next(rows, [])
        yield header
        for row in rows:
            if len(row) != len(header):
                raise ItemsFileError(f"{len(row)} cells, {len(header)} in the header", rows.line_num)
            yield row
    except csv.Error as error:
        raise ItemsFileError(str(error), rows.line_num) from error


class ReadSlice(NamedTuple):
    """A further column whose values are read. name: as headers are compared. values: that are listed.

    place: from the end of a row, -1 is the last.
    """

    name: str
    place: int
    values: tuple[str, ...]

    def reader(self) -> Memo[str, str | None]:
        """The listed value that a cell holds, None for another one."""
        listed = {known_text(uncovered(cell(value).replace('""', '"'))): value for value in self.values}
        return Memo(lambda text: listed.get(known_text(uncovered(text))), limit=4096)


def read_items(
    lines: Iterable[str], measures: tuple[str, ...] = (), slices: Sequence[ReadSlice] = ()
) -> Iterator[ItemValues]:
    """The items of a file, in its order. lines: as of `table_rows`.

    measures: those that it has, by their names among metrics, in their order. Raises ItemsFileError for another file.
    """
    rows = table_rows(lines)
    header = next(rows)
    places = places_of(header, measures)
    sliced = [(one.name, len(header) + one.place, one.reader()) for one in slices]
    pick, has = _picker(places)
    measured = [(name, places[name]) for name in measures if name in places]
    graded = {metric: at for metric in GRADED if (at := places.get(graded_columns(metric)[0])) is not None}
    share = _Shared()
    for row in rows:
        values = _values(pick(row), has, share)
        if measured:
            values = values._replace(measures={name: number(row[at]) for name, at in measured})
        if sliced:
            listed = tuple([(name, values_of[row[at]]) for name, at, values_of in sliced])
            values = values._replace(slices=share.slices[listed])
        yield values._replace(graded=_graded(row, graded)) if graded else values


def decoded_lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """The lines of a file in memory. chunks: whole lines, as `encode_items` gives them."""
    for chunk in chunks:
        yield from StringIO(chunk.decode("utf-8-sig"), newline="")


def item_cells(
    lines: Iterable[str], names: Sequence[str], *, fallback: Mapping[str, str] = MappingProxyType({})
) -> Iterator[list[str]]:
    """Some cells of every item of a file, in its order, by the names that `items_csv` gives them; "" for what it lacks.

    fallback: column -> the one that is taken where it is blank. Raises ItemsFileError for another file.
    """
    rows = table_rows(lines)
    places = places_of(next(rows), ())
    wanted = [places.get(name, -1) for name in names]
    others = [(at, places.get(fallback[name], -1)) for at, name in enumerate(names) if name in fallback]
    for row in rows:
        row.append("")
        cells = [row[place] for place in wanted]
        for at, other in others:
            cells[at] = cells[at] or row[other]
        yield list(map(uncovered, cells)) if "'" in "".join(cells) else cells


def item_places(path: Path) -> list[tuple[str, str, str]]:
    """Query ID, round and text hash of every item, by which people's grades know it. Raises as `items_of` does."""
    with open_named(path) as stream:
        lines = TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
        return [(query, label, said) for query, label, said in item_cells(lines, ("query_id", "round", "text_hash"))]


def items_of(path: Path, query_ids: Iterable[str], measures: tuple[str, ...] = ()) -> list[ItemValues]:
    """The items of a few queries. Only their lines are decoded: a file of 100,000 items is searched in milliseconds.

    measures: as of `read_items`. Raises ItemsFileError for another file, OSError as the system does.
    """
    wanted = set(query_ids)
    if not wanted:
        return []
    with open_named(path) as stream:
        text = _END.join([*_lines_with(wanted, stream), b""]).decode("utf-8-sig", "replace")
    return [item for item in read_items(StringIO(text, newline=""), measures) if item.query_id in wanted]


def _lines_with(query_ids: Iterable[str], stream: BinaryIO) -> Iterator[bytes]:
    """The header and the lines that may be about one of the queries, in order: those with a cell like its ID."""
    cells = "|".join(re.escape(cell(query_id)) for query_id in query_ids)
    sought = re.compile(f',"(?:{cells})",'.encode(errors="replace"))
    seen: Counter[bytes] = Counter()
    for at, lines in enumerate(_blocks(stream)):
        end = 0
        if not at:
            end = lines.find(_END) % (len(lines) + 1)  # -1 is the end of them
            yield lines[:end]
        for found in sought.finditer(lines):
            seen[found[0]] += 1
            if found.start() >= end and seen[found[0]] <= _MOST_LINES:
                start = lines.rfind(_END, 0, found.start())
                end = lines.find(_END, found.end()) % (len(lines) + 1)
                yield lines[start + len(_END) if start >= 0 else 0 : end]


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """A file in blocks of whole lines, without the end of the last; the first one has the header."""
    rest = b""
    while block := stream.read(_BLOCK_BYTES):
        lines, end, rest = (rest + block).rpartition(_END)
        if end:
            yield lines
    yield rest


def places_of(header: Sequence[str], measures: tuple[str, ...]) -> dict[str, int]:
    """Where each column is. Raises ItemsFileError where the columns of every report are not in their places."""
    places = {name: at for at, name in enumerate(COLUMNS)}
    if any(header[places[name] : places[name] + 1] != [name] for name in _OWN_NAMES) or len(header) < len(COLUMNS):
        raise ItemsFileError("columns")
    at = len(COLUMNS)
    optional = (OUTCOME_COLUMNS, DETAIL_COLUMNS, VERDICT_COLUMNS, RUBRIC_COLUMNS, measures, SESSION_COLUMNS)
    for names in (*optional, REVIEW_COLUMNS, *map(graded_columns, GRADED)):
        found = tuple(header[at : at + len(names)])
        if found in {names, snake_case(names)}:
            places |= {name: at + offset for offset, name in enumerate(names)}
            at += len(names)
    return places


class _Cells(NamedTuple):
    """The cells that a comparison needs; "" for columns that are not there."""

    query_id: str
    round: str
    track: str
    category: str
    question: str
    expected: str
    response: str
    message: str
    error: str
    status: str
    executed_at: str
    seconds: str
    latency_class: str
    accuracy_reason: str
    label: str
    signature: str
    intent: str
    accuracy: str
    stability: str
    latency: str
    rubrics: str
    intent_source: str
    rubrics_source: str
    llm_model: str
    text_hash: str
    why: str
    failure_word: str
    file: str
    row: str
    llm_comment: str
    verdict_reason: str
    rubrics_reason: str
    failed_checks: str
    llm_score: str
    reasons: str
    verdict: str
    checks: str
    ratio: str
    rubrics_level: str
    rubrics_why: str


def _picker(places: Mapping[str, int]) -> tuple[Callable[[list[str]], _Cells], tuple[str, ...]]:
    """A function from a row to its cells, and the names of the points that the file has."""
    pick = itemgetter(*(places.get(name, -1) for name in _Cells._fields))  # -1: the cell that is added to the row

    def cells(row: list[str]) -> _Cells:
        row.append("")
        found = pick(row)
        return _Cells._make(map(uncovered, found) if "'" in "".join(found) else found)

    return cells, tuple(name for name in _POINTS if name in places)


class _Shared:
    """What items have in common is held once: a query has items in every round, and few different points."""

    def __init__(self) -> None:
        self.text: Memo[str, str] = Memo(lambda text: text, limit=_SHARED_TEXTS)
        self.said: Memo[tuple[str, ...], tuple[str, ...]] = Memo(lambda cells: cells, limit=_SHARED_TEXTS)
        self.slices: Memo[tuple[tuple[str, str | None], ...], Mapping[str, str | None]] = Memo(dict)
        self.points: Memo[tuple[tuple[str, float | None], ...], Mapping[str, float | None]] = Memo(dict)


def _values(cells: _Cells, points: Iterable[str], shared: _Shared) -> ItemValues:
    text = shared.text
    return ItemValues(
        query_id=text[cells.query_id],
        round=text[cells.round],
        track=_track(cells.track),
        category=text[cells.category],
        question=text[cells.question],
        expected=text[cells.expected],
        answer=cells.response or cells.message or cells.error,
        status=text[cells.status],
        executed_at=cells.executed_at,
        seconds=number(cells.seconds),
        latency_class=text[cells.latency_class],
        points=shared.points[tuple([(name, _numbers[getattr(cells, name)]) for name in points])],
        accuracy_reason=text[cells.accuracy_reason],
        label=text[cells.label],
        signature=text[cells.signature],
        intent_source=text[cells.intent_source],
        rubrics_source=text[cells.rubrics_source],
        model=text[known_text(cells.llm_model)],
        text_hash=cells.text_hash,
        error=text[cells.error],
        why=text[cells.why],
        grounds=shared.said[tuple([getattr(cells, name) for name in GROUNDS])],
        said=shared.said[tuple([getattr(cells, name) for name in SAID])],
        is_message=not cells.response and bool(cells.message),
        admits_failure=bool(cells.failure_word),
        file=text[cells.file],
        row=int(cells.row) if is_number(cells.row) else None,
    )


def _graded(row: Sequence[str], graded: Mapping[str, int]) -> dict[str, ByPeople]:
    """What people graded of an item. graded: metric -> where its columns begin."""
    cells = {metric: map(uncovered, row[at : at + len(ByPeople._fields)]) for metric, at in graded.items()}
    return {metric: ByPeople(_numbers[before], *texts) for metric, (before, *texts) in cells.items() if texts[0]}


def _track(cell: str) -> TrackId | None:
    """The track that `track_cell` wrote."""
    return int(cell) if is_number(cell) else cell or None
