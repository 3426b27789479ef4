"""Which column of a file is which field, and why a first row is no usable header.

Headers are found by name and alias (docs/scoring.md#columns). Nothing is guessed: what is unclear is refused
(docs/scoring.md#refused-files).
"""

import csv
import io
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple

import msgspec

from scoring.problems import Problem, refused
from scoring.rubric import DETAIL_FIELDS, FIELDS, Column, normalise_header
from scoring.text import cut, has_invisible, visible

BYTE_ORDER_MARK = "\ufeff"
MAX_COLUMNS = 16_384  # as many as a sheet of Excel has
_FOUND_CELLS = 4  # cells of a row of the wrong width that its problem shows
_FOUND_CHARACTERS = 40
LOOKED_AT_ROWS = 30  # a header further down is none that a title or a few notes pushed there
OTHER_DELIMITERS = ("|", "^", "~", ":", "\uff0c")
_LEAST_LIKENESS = 0.75  # of two titles, by difflib
_LEAST_SHARE = 0.5  # of the required columns: what makes a lower row the likelier header


class ColumnMap(msgspec.Struct, frozen=True, kw_only=True):
    """Where the wanted columns are in a header.

    header: cells as written, stripped and without invisible characters. invisible: indexes of those that had some,
    other than byte-order marks, which programs put in front of text that has one.
    at: field name -> index. extra: (index, header as written) of the unclaimed columns, blank
    headers left out. missing: titles of required columns that are not there. problems: wanted columns that
    are there twice, or more columns than MAX_COLUMNS; the rest is not looked at.
    """

    header: tuple[str, ...]
    at: dict[str, int]
    extra: tuple[tuple[int, str], ...]
    missing: tuple[str, ...]
    invisible: tuple[int, ...]
    problems: tuple[Problem, ...]

    @property
    def width(self) -> int:
        """Number of cells that a row of this file must have."""
        return len(self.header)

    @property
    def has_korean_title(self) -> bool:
        """Is a wanted column named in Korean?"""
        return any(not self.header[index].isascii() for index in self.at.values())


def column_titles(columns: ColumnMap, declared: Sequence[Column]) -> dict[str, str]:
    """Field name -> its header as written in the file; the title of the document for an absent one.

    A field that the document does not want is called by its name.
    """
    return {field: field for field in (*FIELDS, *DETAIL_FIELDS)} | {
        column.name: columns.header[columns.at[column.name]] if column.name in columns.at else column.title
        for column in declared
    }


def map_columns(header: Sequence[str], columns: Sequence[Column]) -> ColumnMap:
    """Match a header row against the columns of a rubric. Never raises; the reader decides what to refuse."""
    header = tuple(cell.replace(BYTE_ORDER_MARK, "") for cell in header)
    invisible = tuple(index for index, cell in enumerate(header) if has_invisible(cell))
    header = tuple(visible(cell).strip() for cell in header)
    wanted = {normalise_header(spelling): column for column in columns for spelling in (column.title, *column.aliases)}
    at: dict[str, int] = {}
    extra: list[tuple[int, str]] = []
    titles = _Titles()
    problems = []
    if len(header) > MAX_COLUMNS:
        limit = str(MAX_COLUMNS)
        problems.append(refused("too-many-columns", row=1, columns=str(len(header)), limit=limit))
    for index, cell in enumerate(header[:MAX_COLUMNS]):
        column = wanted.get(normalise_header(cell))
        if column is None:
            if cell:
                extra.append((index, titles.unused(unicodedata.normalize("NFC", cell).strip())))
        elif column.name in at:
            twice = refused("duplicate-column", row=1, first=header[at[column.name]], second=cell)
            problems.append(replace(twice, column=column.title))
        else:
            at[column.name] = index
    missing = tuple(column.title for column in columns if column.required and column.name not in at)
    return ColumnMap(
        header=header, at=at, extra=tuple(extra), missing=missing, invisible=invisible, problems=tuple(problems)
    )


def wrong_width(number: int, row: Sequence[str], width: int) -> Problem:
    """Why a row with more or fewer cells than columns makes no item."""
    found = " | ".join(cell[:_FOUND_CHARACTERS] for cell in row[:_FOUND_CELLS])
    values = {"expected": str(width), "found": str(len(row))}
    return Problem(code="cell-count", row=number, found=cut(found), values=values)


class _Titles:
    """Titles of the extra columns so far."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: Counter[str] = Counter()

    def unused(self, title: str) -> str:
        """The title, from now on taken; with a number appended when another column already has it."""
        candidate = title
        while candidate in self._taken:
            self._numbers[title] += 1
            candidate = f"{title} ({self._numbers[title] + 1})"
        self._taken.add(candidate)
        return candidate


def columns_of(rows: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """The columns of rows of one width; none of no row."""
    return list(zip(*rows, strict=True))


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
    """What explains missing columns: titles that are nearly theirs or mean the same, invisible characters."""
    titles = {normalise_header(title): title for _, title in found.extra}
    missing = [column for column in columns if column.title in found.missing]
    misspelt = {column.title: near for column in missing if (near := _misspelt(column, titles))}
    for title in misspelt.values():
        titles.pop(normalise_header(title), None)
    for column in missing:
        if column.title in misspelt:
            yield _likely("misspelt-column", column, misspelt[column.title])
        elif other := _same_meaning(column, titles.values()):
            titles.pop(normalise_header(other))
            yield _likely("renamed-column", column, other)
    if found.invisible:
        yield refused("invisible-in-header", row=1, found=found.header[found.invisible[0]])


def _misspelt(column: Column, titles: Mapping[str, str]) -> str:
    """The title that is nearly one of the column, "" for none."""
    spellings = map(normalise_header, (column.title, *column.aliases))
    near = [match for spelling in spellings for match in get_close_matches(spelling, titles, 1, _LEAST_LIKENESS)]
    return titles[near[0]] if near else ""


def _same_meaning(column: Column, titles: Iterable[str]) -> str:
    """The title by which files of other tools call the field of the column, "" for none."""
    from scoring.rubric import meanings  # its lists are long, and most headers have every title

    ranks = {
        title: spelling.rank
        for title in titles
        for spelling in meanings(title)
        if spelling.field == column.name and spelling.is_whole
    }
    return min(ranks, key=lambda title: ranks[title], default="")


def _likely(code: str, column: Column, title: str) -> Problem:
    return replace(refused(code, row=1, found=title), column=column.title)


def _missing(missing: Sequence[str], header: Sequence[str], *, row: int, line: int | None) -> Problem:
    values = {"missing": ", ".join(missing), "found": ", ".join(filter(None, header))}
    return Problem(code="missing-columns", row=row, line=line, values=values)
