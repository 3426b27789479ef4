"""Opening an input file: which reader takes it, refusals of every kind, and the rows around a refused place."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeAlias, TypeVar

from scoring.problems import InputError, NearRow, Problem, refused
from scoring.reading.columns import ColumnMap, wrong_width
from scoring.reading.delimited import DelimitedTable
from scoring.reading.packed import unpacked
from scoring.reading.text_source import NotThisEncodingError, Span
from scoring.rubric import Column, RecordRule
from scoring.text import is_blank

if TYPE_CHECKING:
    from scoring.reading.records import RecordTable
    from scoring.reading.spreadsheet import SpreadsheetTable


TEXT_EXTENSIONS = (".csv", ".tsv")
JSON_EXTENSIONS = (".jsonl", ".ndjson", ".json")
SPREADSHEET_EXTENSIONS = (".xlsx",)
FILE_LIMIT = 4 << 30  # bytes of a text file
EXTENSIONS = (*TEXT_EXTENSIONS, *SPREADSHEET_EXTENSIONS, *JSON_EXTENSIONS)

Table: TypeAlias = "DelimitedTable | SpreadsheetTable | RecordTable"  # a file whose header has been read
_Made = TypeVar("_Made")


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
    """Open `stream` (seekable, at any place) by the extension of `name`; of a packed one what is in it.

    records: which objects of a JSON file are rows, and which rows are asked for. encoding: forces a text codec
    ("cp949") after NotThisEncodingError said so. span: of delimited text, see `DelimitedTable`.
    Raises InputError for a file that can't be read at all; a header without the required columns is left to
    `refuse_unusable_header`.
    """
    stream, name = unpacked(stream, name)
    where = None if records is None else records.where
    if name.lower().endswith(SPREADSHEET_EXTENSIONS):
        from scoring.reading.spreadsheet import SpreadsheetTable

        return SpreadsheetTable(stream, columns, where=where)
    if not is_accepted(name):
        raise InputError((refused("unknown-extension", found=name),))
    if stream.seek(0, io.SEEK_END) > FILE_LIMIT:
        found, limit = (str(-(-size // (1 << 20))) for size in (stream.tell(), FILE_LIMIT))
        raise InputError((refused("text-too-large", size=found, limit=limit),))
    if name.lower().endswith(JSON_EXTENSIONS):
        from scoring.reading.records import RecordTable

        return RecordTable(stream, name, columns, rule=records, encoding=encoding)
    return DelimitedTable(stream, columns, where=where, encoding=encoding, span=span)


class SmallTable(NamedTuple):
    """A table that people keep by hand. rows: number (the header is row 1) and cells by field, of those with any text.

    A cell that a short row lacks is "". problems: of rows with text behind the last column, which are not in `rows`.
    """

    columns: ColumnMap
    rows: list[tuple[int, dict[str, str]]]
    problems: list[Problem]


def read_small_table(stream: BinaryIO, name: str, columns: Sequence[Column], *, most: int) -> SmallTable:
    """A table of few rows, as any spreadsheet has saved it.

    Raises InputError for one that cannot be read, lacks a required column or has more rows.
    """

    def work(encoding: str) -> SmallTable:
        table = open_table(stream, name, columns, encoding=encoding)
        refuse_unusable_header(table)
        at, width = table.columns.at, table.columns.width
        made = SmallTable(table.columns, [], [])
        for number, row in enumerate(islice(table.rows(), most + 1), start=2):
            if any(row[width:]):
                made.problems.append(wrong_width(number, row, width).at(name))
                continue
            cells = {field: row[place] if place < len(row) else "" for field, place in at.items()}
            if not all(map(is_blank, cells.values())):
                made.rows.append((number, cells))
            if number > most + 1:
                raise InputError((refused("table-too-long", limit=str(most)),))
        return made

    try:
        return in_its_encoding(work)
    except ValueError as error:  # of a workbook whose sheets say nothing that can be read
        raise InputError((refused("bad-spreadsheet", reason="content", error=str(error)),)) from error


def in_its_encoding(work: Callable[[str], _Made]) -> _Made:
    """What `work` makes of a file that it opens in the encoding it is given, "" for the usual one, else the next one.

    Raises InputError as `work` does, with the problems of the encoding that got further.
    """
    encoding = ""
    mismatch: NotThisEncodingError | None = None
    while True:
        try:
            return work(encoding)
        except NotThisEncodingError as error:
            encoding, mismatch = error.next_encoding, error
        except InputError as error:
            raise InputError(error.problems if mismatch is None else mismatch.likelier(error.problems)) from error


def refuse_unusable_header(table: Table) -> None:
    """Raise InputError when a required column is missing or a wanted one is there twice."""
    problems = table.columns.problems
    if table.columns.missing:
        problems += table.header_faults()
    if problems:
        raise InputError(problems)


_LAST_LINE = 200_000  # places further down show without their neighbours: looking would take as long as scoring
_MOST_PLACES = 5
_MOST_CELLS = 8
CELL_CHARACTERS = 80
LINE_CHARACTERS = 4_096
HEAD_BYTES = 1 << 16


def with_rows_around(
    problems: Sequence[Problem], stream: BinaryIO, *, encoding: str, delimiter: str
) -> tuple[Problem, ...]:
    """The problems, those of a place with the header, the row itself and the rows before and after it.

    stream: the file, seekable. encoding, delimiter: as it was read; "" where it could not be found out.
    """

    def rows_of(problem: Problem, row: int) -> tuple[NearRow, ...]:
        return _rows(stream, row, problem.line, encoding or "utf-8-sig", delimiter or ",")

    return _with_rows(problems, rows_of)


def with_sheet_rows_around(problems: Sequence[Problem], rows: Sequence[Sequence[str]]) -> tuple[Problem, ...]:
    """The same for a sheet. rows: all of them, the first one included."""

    def rows_of(_: Problem, row: int) -> tuple[NearRow, ...]:
        return near_rows({at: rows[at - 1] for at in {1, *range(max(row - 1, 1), row + 2)} if at <= len(rows)})

    return _with_rows(problems, rows_of)


def _with_rows(
    problems: Sequence[Problem], rows_of: Callable[[Problem, int], tuple[NearRow, ...]]
) -> tuple[Problem, ...]:
    return tuple(
        replace(problem, around=rows_of(problem, problem.row))
        if problem.row is not None and number < _MOST_PLACES and not problem.around
        else problem
        for number, problem in enumerate(problems)
    )


def near_rows(rows: Mapping[int, Sequence[str]]) -> tuple[NearRow, ...]:
    """Rows by number, in order and cut for display."""
    return tuple(NearRow(number, shown_cells(cells)) for number, cells in sorted(rows.items()))


def _rows(stream: BinaryIO, row: int, line: int | None, encoding: str, delimiter: str) -> tuple[NearRow, ...]:
    start = 1 if row == 1 else line
    if start is None or start > _LAST_LINE:
        return ()
    stream.seek(0)
    is_lines = b"\n" in stream.read(HEAD_BYTES) and not encoding.startswith("utf-16")
    stream.seek(0)
    # Lines are counted as the file was read: a lone CR ends none, but where nothing else does.
    text = io.TextIOWrapper(
        stream,
        "utf-8-sig" if encoding == "utf-8" else encoding,
        errors="replace",
        newline="\n" if is_lines else "",
    )
    try:
        lines = _without_separator_line(text)
        header, before = _records(islice(lines, start - 1), delimiter)
        near = [(row - 1, before)] if row > 2 and before else []
        near += [(number, _cells(found, delimiter)) for number, found in enumerate(islice(lines, 2), start=row)]
        near = [(1, header), *near] if row > 1 and header else near
        return tuple(NearRow(number, cells) for number, cells in near)
    except (csv.Error, UnicodeError):
        return ()
    finally:
        text.detach()


def _without_separator_line(text: io.TextIOWrapper) -> Iterator[str]:
    """The lines, Excel's `sep=;` on top of them as an empty one."""
    for number, line in enumerate(text):
        line = line.removeprefix("\ufeff") if number == 0 else line  # noqa: PLW2901
        yield "" if number == 0 and line.lower().startswith("sep=") else line


def _records(lines: Iterator[str], delimiter: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The first and the last record of lines that hold whole ones."""
    reader = csv.reader(lines, delimiter=delimiter)
    first = last = next(reader, [])
    for record in reader:
        last = record
    return shown_cells(first), shown_cells(last)


def _cells(line: str, delimiter: str) -> tuple[str, ...]:
    shown = line[:LINE_CHARACTERS].rstrip("\r\n").replace("\r", "\N{SYMBOL FOR CARRIAGE RETURN}")
    return shown_cells(next(csv.reader([shown], delimiter=delimiter), []))


def shown_cells(cells: Sequence[str]) -> tuple[str, ...]:
    """The first cells of a row, cut for display."""
    kept = [cell[:CELL_CHARACTERS] + ("…" if len(cell) > CELL_CHARACTERS else "") for cell in cells[:_MOST_CELLS]]
    return (*kept, "…") if len(cells) > _MOST_CELLS else tuple(kept)
