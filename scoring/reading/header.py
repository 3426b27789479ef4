"""Why a first row is no usable header (docs/scoring.md#refused-files). Nothing is guessed, all is refused."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple

from scoring.problems import Problem, refused
from scoring.reading.columns import ColumnMap, map_columns
from scoring.rubric.fields import normalise_header
from scoring.rubric.model import Column

LOOKED_AT_ROWS = 30  # a header further down is none that a title or a few notes pushed there
OTHER_DELIMITERS = ("|", "^", "~", ":", "\uff0c")
_LEAST_LIKENESS = 0.75  # of two titles, by difflib
_LEAST_SHARE = 0.5  # of the required columns: what makes a lower row the likelier header


class TopRow(NamedTuple):
    """One of the first rows. row: as a spreadsheet shows it; line: where it starts in a text file, else None."""

    row: int
    line: int | None
    cells: Sequence[str]


def top_rows(text: str, delimiter: str, *, skips_line: bool) -> list[TopRow]:
    """The first rows of a delimited text, as far as they can be read. skips_line: the first line is no row."""
    lines = io.StringIO(text, newline="")
    before = 1
    if skips_line:
        lines.readline()
        before = 2
    reader = csv.reader(lines, delimiter=delimiter)
    rows: list[TopRow] = []
    try:
        for cells in islice(reader, LOOKED_AT_ROWS):
            rows.append(TopRow(len(rows) + 1, before, cells))
            before = reader.line_num + (2 if skips_line else 1)
    except csv.Error:
        pass
    return rows


def unusable_header(top: Sequence[TopRow], columns: Sequence[Column]) -> tuple[Problem, ...]:
    """The problems of a first row without all required columns.

    top: the first rows, the first one included. A header further down is named.
    """
    first = map_columns(top[0].cells if top else (), columns)
    place, best = None, first
    for entry in top[1:LOOKED_AT_ROWS]:
        found = map_columns(entry.cells, columns)
        if len(found.missing) < len(best.missing):
            place, best = entry, found
    required = sum(column.required for column in columns)
    if place is None or len(best.missing) > required * _LEAST_SHARE:
        return (_missing(first.missing, first.header, row=1, line=None), *nearly(first, columns))
    moved = refused("header-not-first", row=place.row, line=place.line, above=str(place.row - 1))
    if not best.missing:
        return (moved,)
    return (moved, _missing(best.missing, best.header, row=place.row, line=place.line))


def nearly(found: ColumnMap, columns: Sequence[Column]) -> Iterator[Problem]:
    """What explains a missing column: a title that is nearly the wanted one, or characters that cannot be seen."""
    titles = {normalise_header(title): title for _, title in found.extra}
    for column in columns:
        if column.title in found.missing:
            spellings = map(normalise_header, (column.title, *column.aliases))
            near = [
                match for spelling in spellings for match in get_close_matches(spelling, titles, 1, _LEAST_LIKENESS)
            ]
            if near:
                yield replace(refused("misspelt-column", row=1, found=titles[near[0]]), column=column.title)
    if found.invisible:
        yield refused("invisible-in-header", row=1, found=found.header[found.invisible[0]])


def other_delimiter(sign: str) -> Problem:
    """The header has the required columns, but between signs that are not read as delimiters."""
    return refused("other-delimiter", row=1, found=sign)


def _missing(missing: Sequence[str], header: Sequence[str], *, row: int, line: int | None) -> Problem:
    values = {"missing": ", ".join(missing), "found": ", ".join(filter(None, header))}
    return Problem(code="missing-columns", row=row, line=line, values=values)
