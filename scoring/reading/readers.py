"""Opening an input file: which reader takes it, and the refusals that hold for every kind."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from scoring.problems import InputError, refused
from scoring.reading.delimited import DelimitedTable
from scoring.reading.text_source import Span
from scoring.rubric import Column, RecordRule

if TYPE_CHECKING:
    from scoring.reading.records import RecordTable
    from scoring.reading.spreadsheet import SpreadsheetTable

TEXT_EXTENSIONS = (".csv", ".tsv")
JSON_EXTENSIONS = (".jsonl", ".ndjson", ".json")
SPREADSHEET_EXTENSIONS = (".xlsx",)
FILE_LIMIT = 4 << 30  # bytes of a text file
EXTENSIONS = (*TEXT_EXTENSIONS, *SPREADSHEET_EXTENSIONS, *JSON_EXTENSIONS)

Table: TypeAlias = "DelimitedTable | SpreadsheetTable | RecordTable"  # a file whose header has been read


def is_accepted(name: str) -> bool:
    """Is this a kind of file that Scorewatch reads (by extension, in any case)?"""
    return name.lower().endswith(EXTENSIONS)


def open_table(
    stream: BinaryIO,
    name: str,
    columns: Sequence[Column],
    *,
    records: RecordRule | None = None,
    encoding: str = "",
    span: Span | None = None,
) -> Table:
    """Open `stream` (seekable, at any place) by the extension of `name`.

    records: which objects of a JSON file are rows. encoding: forces a text codec ("cp949") after NotThisEncodingError
    said so. span: of delimited text, see `DelimitedTable`.
    Raises InputError for a file that can't be read at all; a header without the required columns is left to
    `refuse_unusable_header`.
    """
    if name.lower().endswith(SPREADSHEET_EXTENSIONS):
        from scoring.reading.spreadsheet import SpreadsheetTable

        return SpreadsheetTable(stream, columns)
    if not is_accepted(name):
        raise InputError((refused("unknown-extension", found=name),))
    if stream.seek(0, io.SEEK_END) > FILE_LIMIT:
        found, limit = (str(-(-size // (1 << 20))) for size in (stream.tell(), FILE_LIMIT))
        raise InputError((refused("text-too-large", size=found, limit=limit),))
    if name.lower().endswith(JSON_EXTENSIONS):
        from scoring.reading.records import RecordTable

        return RecordTable(stream, name, columns, rule=records, encoding=encoding)
    return DelimitedTable(stream, columns, encoding=encoding, span=span)


def refuse_unusable_header(table: Table) -> None:
    """Raise InputError when a required column is missing or a wanted one is there twice."""
    problems = table.columns.problems
    if table.columns.missing:
        problems += table.header_faults()
    if problems:
        raise InputError(problems)
