"""Reads `items.csv` back: the items of a published report as values to compare.

Columns are found by the place that `items_csv` gives them, since a title or an extra column of the input may have any
name. A file may have been edited: a row that does not fit the header is left out.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from reporting.data.items_csv import COLUMNS, DETAIL_COLUMNS, FORMULA, RUBRIC_COLUMNS, VERDICT_COLUMNS
from scoring.comparison.reduce import ItemValues
from scoring.memo import Memo
from scoring.reading.delimited import FIELD_LIMIT
from scoring.text import number

_POINTS = ("intent", "accuracy", "stability", "latency", "rubrics")
_OWN_NAMES = ("file", "row", "status", "why", "intent", "seconds", "reasons")  # that no rubric document gives

_numbers = Memo(number, limit=4096)  # points recur


class ItemsFileError(ValueError):
    """The file is no `items.csv` that this version writes."""


def read_items(lines: Iterable[str]) -> Iterator[ItemValues]:
    """The items of a file, in its order. lines: as a text stream without translation of line ends gives them.

    Raises ItemsFileError for another file.
    """
    csv.field_size_limit(FIELD_LIMIT)
    rows = csv.reader(lines)
    try:
        header = next(rows, [])
        places = _places(header)
        for row in rows:
            if len(row) == len(header):
                yield _values(row, places)
    except csv.Error as error:
        raise ItemsFileError(str(error)) from error


def decoded_lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """The lines of a file in memory. chunks: whole lines, as `encode_items` gives them."""
    for chunk in chunks:
        yield from StringIO(chunk.decode("utf-8-sig"), newline="")


def _places(header: Sequence[str]) -> dict[str, int]:
    """Where each column is. Raises ItemsFileError where the columns of every report are not in their places."""
    places = {name: at for at, name in enumerate(COLUMNS)}
    if any(header[places[name] : places[name] + 1] != [name] for name in _OWN_NAMES) or len(header) < len(COLUMNS):
        raise ItemsFileError("columns")
    at = len(COLUMNS)
    for names in (DETAIL_COLUMNS, VERDICT_COLUMNS, RUBRIC_COLUMNS):
        if tuple(header[at : at + len(names)]) == names:
            places |= {name: at + offset for offset, name in enumerate(names)}
            at += len(names)
    return places


def _values(row: Sequence[str], places: dict[str, int]) -> ItemValues:
    def text(name: str) -> str:
        return _uncovered(row[places[name]]) if name in places else ""

    track = text("track")
    return ItemValues(
        query_id=text("query_id"),
        round=text("round"),
        track=int(track) if track.isdecimal() else None,
        category=text("category"),
        question=text("question"),
        expected=text("expected"),
        answer=text("response") or text("message") or text("error"),
        status=text("status"),
        executed_at=text("executed_at"),
        seconds=number(row[places["seconds"]]),
        latency_class=text("latency_class"),
        points={name: _numbers[row[places[name]]] for name in _POINTS if name in places},
        accuracy_reason=text("accuracy_reason"),
        label=text("label"),
        signature=text("signature"),
    )


def _uncovered(cell: str) -> str:
    """A text without the apostrophe that keeps a spreadsheet from running it."""
    return cell[1:] if cell[:1] == "'" and cell[1:].lstrip(" ")[:1] in FORMULA else cell
