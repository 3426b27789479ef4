"""Which column of a file is which field: header names, aliases, refusals (docs/scoring.md#columns)."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scoring.problems import Problem, refused
from scoring.rubric.fields import DETAIL_FIELDS, FIELDS, normalise_header
from scoring.rubric.model import Column
from scoring.text import cut, has_invisible, visible

BYTE_ORDER_MARK = "\ufeff"
MAX_COLUMNS = 16_384  # as many as a sheet of Excel has
_FOUND_CELLS = 4  # cells of a row of the wrong width that its problem shows
_FOUND_CHARACTERS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMap:
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
