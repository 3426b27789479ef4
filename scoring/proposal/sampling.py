"""The first rows of a file whose columns are not known yet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import BinaryIO

from scoring.problems import InputError
from scoring.proposal.model import Sample
from scoring.reading.open_table import NotThisEncodingError, Table, open_table
from scoring.rubric.fields import normalise_header
from scoring.rubric.model import Column

MAX_ROWS = 2_000
MAX_CHARACTERS = 32_000_000  # of all cells together
_FIRST_ROWS = 30  # that tell by which sign cells are divided
_SIGNS = ("\t", ";")  # tried beside the comma


def read_sample(stream: BinaryIO, name: str) -> Sample:
    """Read the header and the first rows of `stream` (seekable), by the extension of `name`.

    Short rows are filled up, as Excel leaves out blank last cells; longer ones are counted and left out. Raises
    InputError for a file that cannot be read, OSError as the stream does.
    """
    encoding = ""
    mismatch: NotThisEncodingError | None = None
    while True:
        try:
            return _sample(_open(stream, name, encoding))
        except NotThisEncodingError as error:
            encoding, mismatch = error.next_encoding, error
        except InputError as error:
            raise InputError(mismatch.likelier(error.problems) if mismatch is not None else error.problems) from None


def _sample(table: Table) -> Sample:
    width = table.columns.width
    rows: list[Sequence[str]] = []
    left_out = characters = 0
    for row in islice(table.rows(), MAX_ROWS):
        if not any(row):
            continue
        if len(row) > width:
            left_out += 1
            continue
        rows.append([*row, *[""] * (width - len(row))])
        characters += sum(map(len, row))
        if characters > MAX_CHARACTERS:
            break
    return Sample(table.columns.header, rows, left_out)


def _open(stream: BinaryIO, name: str, encoding: str) -> Table:
    """The table, its cells divided by the sign under which most of the first rows are as long as the header."""
    table = open_table(stream, name, (), encoding=encoding)
    if not table.delimiter:
        return table
    first_line = table.delimiter.join(table.columns.header)
    best = _fit(table)
    wanted: Sequence[Column] = ()
    for columns in filter(None, (_columns(first_line, sign) for sign in _SIGNS)):
        fit = _fit(open_table(stream, name, columns, encoding=encoding))
        if fit > best:
            best, wanted = fit, columns
    return open_table(stream, name, wanted, encoding=encoding)


def _columns(first_line: str, sign: str) -> tuple[Column, ...]:
    """The columns of a header divided by a sign, all required, so that this sign is taken; () of less than two."""
    try:
        cells = next(csv.reader(io.StringIO(first_line, newline=""), delimiter=sign), [])
    except csv.Error:
        return ()
    named = [cell.strip() for cell in cells if normalise_header(cell)]
    if len(named) < 2:
        return ()
    return tuple(Column(name=str(at), title=title, required=True) for at, title in enumerate(named))


def _fit(table: Table) -> tuple[bool, float, int]:
    """How well a sign divides the first rows: are there columns at all, share of rows of that width, width."""
    width = table.columns.width
    rows = list(_first(table))
    share = sum(len(row) == width for row in rows) / len(rows) if rows else 0.0
    return width > 1, share, width


def _first(table: Table) -> Iterator[list[str]]:
    return islice((row for row in table.rows() if any(row)), _FIRST_ROWS)
