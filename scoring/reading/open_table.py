"""Opening an input file: which reader takes it, and the refusals that hold for every kind (spec §0)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO, Protocol

from scoring.problems import InputError, Problem, Severity
from scoring.reading.columns import ColumnMap
from scoring.reading.delimited import DelimitedTable, NotThisEncodingError
from scoring.reading.spreadsheet import SpreadsheetTable
from scoring.rubric.model import Column

TEXT_EXTENSIONS = (".csv", ".tsv")
SPREADSHEET_EXTENSIONS = (".xlsx",)
EXTENSIONS = (*TEXT_EXTENSIONS, *SPREADSHEET_EXTENSIONS)

__all__ = ["EXTENSIONS", "NotThisEncodingError", "Table", "is_accepted", "open_table", "refuse_unusable_header"]


class Table(Protocol):
    """A file whose header has been read. See `DelimitedTable` for the members."""

    encoding: str
    delimiter: str
    sheet: str
    columns: ColumnMap
    notes: tuple[Problem, ...]

    @property
    def sha256(self) -> str:
        """Hex digest of the bytes read so far."""

    @property
    def size(self) -> int:
        """Number of bytes read so far."""

    @property
    def last_row(self) -> tuple[int, int]:
        """Number and first line of the last record."""

    @property
    def is_cut_after_quote(self) -> bool:
        """Does the file end on a quote with no line break behind it?"""

    @property
    def has_end_mark(self) -> bool:
        """Does a DOS end-of-file sign stand behind the last line?"""

    def header_faults(self) -> tuple[Problem, ...]:
        """Why the header misses required columns."""

    def rows(self) -> Iterator[list[str]]:
        """The records behind the header."""

    def drain(self) -> None:
        """Read on to the end of the file."""


def is_accepted(name: str) -> bool:
    """Is this a kind of file that Scorewatch reads (by extension, in any case)?"""
    return name.lower().endswith(EXTENSIONS)


def open_table(stream: BinaryIO, name: str, columns: Sequence[Column], *, encoding: str = "") -> Table:
    """Open `stream` (seekable, at any place) by the extension of `name`.

    encoding: forces a text codec ("cp949") after NotThisEncodingError said so.
    Raises InputError for a file that can't be read at all; a header without the required columns is left to
    `refuse_unusable_header`.
    """
    if name.lower().endswith(SPREADSHEET_EXTENSIONS):
        return SpreadsheetTable(stream, columns)
    if not is_accepted(name):
        raise InputError((Problem(code="unknown-extension", severity=Severity.REFUSED, found=name),))
    return DelimitedTable(stream, columns, encoding=encoding)


def refuse_unusable_header(table: Table) -> None:
    """Raise InputError when a required column is missing or a wanted one stands there twice."""
    problems = table.columns.problems
    if table.columns.missing:
        problems += table.header_faults()
    if problems:
        raise InputError(problems)
