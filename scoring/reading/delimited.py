"""Delimited text, bytes to rows: encoding, delimiter, quoting, and whatever makes a file unreadable.

See docs/scoring.md#1-files. A file is read once; only one that turns out not to be UTF-8 is read a second time.
"""

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import BinaryIO, Self

from scoring.findings import FileLog
from scoring.problems import InputError, Problem, refused
from scoring.reading.columns import OTHER_DELIMITERS, ColumnMap, map_columns, top_rows, unusable_header, wrong_width
from scoring.reading.selection import RowSelection
from scoring.reading.text_source import WHOLE, LineLimit, Span, TextSource, TextTable
from scoring.rubric import Column, Where
from scoring.text import cut

FIELD_LIMIT = 64 * 1024 * 1024  # characters in one cell; cells of several MB are real
_LINE_LIMIT = LineLimit(4 * FIELD_LIMIT, "cell-too-large")
_DELIMITERS = (",", "\t", ";")
_LEAST_WIDTH = 3  # lines of prose have one comma as often as rows of two cells
_SENTINEL = "\x1escorewatch-end\x1e"


class DelimitedTable(TextTable):
    """A text file whose header has been read; `rows` gives the rest.

    first_row: number of the first row after the header. row_unit: what rows are where they are no rows of a table
    ("line", "record"). selection: of rows that the document asks for.

    columns: where the wanted columns are. encoding, delimiter: how the file is read. sha256, size: of the
    whole file, known once `rows` has been read to its end or `drain` was called. log: takes what to look at.
    """

    sheet = ""
    first_row = 2
    row_unit = ""

    def __init__(
        self,
        stream: BinaryIO,
        columns: Sequence[Column],
        *,
        where: Where | None = None,
        encoding: str = "",
        span: Span | None = None,
    ) -> None:
        """Read the header. Raises InputError for a file that is refused, NotThisEncodingError to be opened again.

        span: what `rows` reads, as if it were the whole file under that header; it starts at a record (that at 0 is the
        header), and ends after a line break or with the file.
        """
        self._source = TextSource(stream, line_limit=_LINE_LIMIT, encoding=encoding)
        self.encoding = self._source.encoding
        self._wanted = columns
        self._row = 0
        self._line = 0
        self._width = 0
        self.log = FileLog()
        self._skips_line, self.delimiter = _delimiter(self._source.head_text, columns)
        csv.field_size_limit(FIELD_LIMIT)
        self._open(WHOLE)
        header = next(self._records(), None)
        self.columns: ColumnMap = map_columns(header or (), columns)
        if self.encoding == "cp949" and not self.columns.has_korean_title:
            self._source.refuse_other_encoding()
        if span is not None:
            self._source = TextSource(stream, line_limit=_LINE_LIMIT, encoding=encoding, span=span)
            self._open(span)
            if not span.start:
                self._row = 0
                next(self._records(), None)
        self._width = self.columns.width
        self.selection = RowSelection(where or {}, self.columns.header)

    def _open(self, span: Span) -> None:
        """Read the lines of the source from their first one on."""
        lines = self._source.lines()
        if self._skips_line and not span.start:
            next(lines, None)
        self._end = _End()
        self._reader = csv.reader(chain(lines, self._end), delimiter=self.delimiter, strict=True)

    @property
    def is_cut_after_quote(self) -> bool:
        """Does the file end on a quote with no line break? Then its last cell may have been cut inside `""`."""
        return self._source.meter.tail[-1:] == b'"' or self._source.meter.tail in (b'"\0', b'\0"')

    @property
    def ends_inside_line(self) -> bool:
        """Does the file, read to its end, end without a line break?"""
        return not self._source.meter.tail.rstrip(b"\0").endswith((b"\n", b"\r"))

    @property
    def line_count(self) -> int:
        """Lines read, once all are: those of the header too, but not a `sep=` line."""
        return self._reader.line_num - 1  # the last one is our own

    @property
    def has_lines(self) -> bool:
        """Does every line end with the byte of a line feed, which is nothing else anywhere?"""
        return self._source.has_lines

    @property
    def last_row(self) -> tuple[int, int]:
        """(row, line) of the last record: its number as a spreadsheet shows it and its first line."""
        return self._row, self._line

    def header_faults(self) -> tuple[Problem, ...]:
        """Why the header misses required columns: it is further down, other signs divide it, or they are missing."""
        text = self._source.likely_head()
        for sign in OTHER_DELIMITERS:
            top = top_rows(text, sign, skips_line=self._skips_line)
            if top and not map_columns(top[0].cells, self._wanted).missing:
                return (refused("other-delimiter", row=1, found=sign),)  # with the required columns
        found = [
            unusable_header(top_rows(text, sign, skips_line=self._skips_line), self._wanted)
            for sign in dict.fromkeys((self.delimiter, *_DELIMITERS))
        ]
        moved = [problems for problems in found if problems[0].code == "header-not-first"]
        return min(moved, key=len) if moved else found[0]

    def rows(self) -> Iterator[list[str]]:
        """Every record after the header, in order, blank ones included, also in place of one that is not asked for.

        Raises as the constructor does.
        """
        return self.selection.rows(self._records())

    def misfit(self, number: int, row: Sequence[str]) -> Problem:
        """Why a row of another width than the header makes no item."""
        return wrong_width(number, row, self.columns.width)

    def _records(self) -> Iterator[list[str]]:
        reader, delimiter = self._reader, self.delimiter
        least = self._width - 1 if self._width >= _LEAST_WIDTH else sys.maxsize
        at = 0
        try:
            self._line = reader.line_num + 1
            for record in reader:
                if len(record) == 1 and self._end.has_come and record[0] == _SENTINEL:
                    return
                self._row += 1
                # The cell of several lines is mostly in the same column: if it has all line breaks, no other has one.
                if (breaks := reader.line_num - self._line) and (
                    len(record) <= at or record[at].count("\n") != breaks or record[at].count(delimiter) >= least
                ):
                    at = self._find_rows_in_cells(record, least)
                yield record
                self._line = reader.line_num + 1
        except csv.Error as error:
            raise InputError((self._quoting_problem(str(error)),)) from None
        except UnicodeDecodeError as error:
            self._source.raise_undecodable(error, self._problem_here)
        raise InputError((self._problem_here("open-quote"),))

    def _find_rows_in_cells(self, record: list[str], least: int) -> int:
        """Log the cells that hold whole rows: a quotation mark swallowed them. Returns the last cell of several lines.

        least: delimiters of a row.
        """
        last = 0
        for index, cell in enumerate(record):
            if "\n" not in cell:
                continue
            last = index
            if cell.count(delimiter := self.delimiter) >= least and (rows := _rows_in(cell, delimiter, self._width)):
                title = self.columns.header[index] if index < self._width else ""
                values = {"rows": str(len(rows))}
                place = Problem(code="cell-with-rows", row=self._row, line=self._line, column=title, found=cut(rows[0]))
                self.log.add(replace(place, values=values))
        return last

    def _quoting_problem(self, message: str) -> Problem:
        if "unexpected end of data" in message:
            return self._problem_here("open-quote")
        if "field limit" in message:
            return self._problem_here("cell-too-large", limit=f"{FIELD_LIMIT // 1024 // 1024}")
        if "new-line character" in message:
            return self._problem_here("bad-line-end")
        return self._problem_here("bad-quoting")

    def _problem_here(self, code: str, **values: str) -> Problem:
        line = self._line + (1 if self._skips_line else 0)
        return refused(code, row=self._row + 1, line=line, **values)


class _End:
    """A record of our own after the last line: it is read whole unless the file ends inside a quoted cell.

    An object by itself: a generator would know the table that reads it, and both would wait for the collector.
    """

    def __init__(self) -> None:
        self.has_come = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        if self.has_come:
            raise StopIteration
        self.has_come = True
        return _SENTINEL


def _delimiter(head: str, columns: Sequence[Column]) -> tuple[bool, str]:
    """Does a `sep=` line come first, and the delimiter under which the header has the required columns."""
    first, _, _ = head.partition("\n")
    directive = first.strip("\r").strip('"')
    if directive[:4].lower() == "sep=" and len(directive) == len("sep=") + 1:
        return True, directive[-1]
    if directive.rstrip(",;\t").lower() == "sep=" and len(directive) > len("sep="):
        return True, directive[4]
    best, best_missing = _DELIMITERS[0], len(columns) + 1
    for delimiter in _DELIMITERS:
        try:
            header = next(csv.reader(io.StringIO(head, newline=""), delimiter=delimiter))
        except (csv.Error, StopIteration):
            continue
        missing = len(map_columns(header, columns).missing)
        if missing < best_missing:
            best, best_missing = delimiter, missing
    return False, best


def _rows_in(cell: str, delimiter: str, width: int) -> list[str]:
    """The lines of a cell that look like rows: as many delimiters, and not each with a space after it, as in prose.

    All lines must look so but the first one and, of more than two, the last one, where quotation marks began and ended.
    """
    _, *lines = cell.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    rows = [line for line in lines if line.count(delimiter) == width - 1 and line.count(f"{delimiter} ") < width - 1]
    return rows if rows and len(rows) >= max(len(lines) - 1, 1) and lines[: len(rows)] == rows else []
