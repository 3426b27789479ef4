"""Where a large file of delimited text may be cut into pieces that are read side by side.

A cut is a guess: a line start after which whole records follow. Reading proves it. A piece that is read from a record
start to its end without an open quote ends where a record ends, so that the next piece starts at a record as well, and
so on from the first piece to the last (docs/performance.md#one-huge-file).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import BinaryIO

from scoring.reading.delimited import DelimitedTable
from scoring.reading.text_source import Span

LEAST_BYTES = 50_000_000  # of a file that is cut
PIECE_BYTES = 25_000_000  # of a piece: about a second of work
_WINDOW = 1 << 20  # bytes that are looked at for a cut
_LOOKED_AT = 8  # records after a cut that have to look like some
_LEAST_RECORDS = 2
_MOST_LINES = 5_000  # that are read to find one cut, again from each that may be the first


def can_be_cut(table: DelimitedTable) -> bool:
    """Does a line feed in the bytes always end a line, and is the encoding known without a look at the whole file?"""
    return table.has_lines and (table.encoding != "cp949" or table.columns.has_korean_title)


def find_spans(stream: BinaryIO, table: DelimitedTable, *, piece_bytes: int = PIECE_BYTES) -> list[Span]:
    """The pieces of a file, in order, all of about one size; a single one where no place for a cut is found.

    The same bytes give the same pieces. table: the file, opened. stream: the same file, at any place.
    """
    size = stream.seek(0, io.SEEK_END)
    count = -(-size // piece_bytes)
    cuts = [0]
    for number in range(1, count):
        at = max(size * number // count, cuts[-1])
        cut = _record_start(stream, table, at)
        if cut is not None and cuts[-1] < cut < size:
            cuts.append(cut)
    return [Span(start, end) for start, end in zip(cuts, [*cuts[1:], None], strict=True)]


def _record_start(stream: BinaryIO, table: DelimitedTable, at: int) -> int | None:
    """Offset of the first line start after `at` that looks like that of a record; None without one nearby."""
    stream.seek(at)
    window = stream.read(_WINDOW)
    is_end = len(window) < _WINDOW
    lines = _Lines(window, table.encoding.removesuffix("-sig"))
    after = 0
    while lines.count < _MOST_LINES:
        after = window.find(b"\n", after) + 1
        if not 0 < after < len(window):
            return None
        lines.start(after)
        if _has_records(lines, table, is_end=is_end):
            return at + after
    return None


def _has_records(lines: _Lines, table: DelimitedTable, *, is_end: bool) -> bool:
    """Do whole records come next, as many cells as the header has, and each with all quotes in pairs?

    A line inside a quoted cell is followed by the quote that ends the cell, which has no partner then. is_end: does the
    file end with the lines?
    """
    records = csv.reader(lines, delimiter=table.delimiter, strict=True)
    found = 0
    try:
        for record in records:
            if lines.is_over and not is_end:
                break  # the last record may go on after them
            if record and len(record) != table.columns.width:
                return False
            if lines.quotes % 2:
                return False
            lines.quotes = 0
            found += bool(record)
            if found == _LOOKED_AT:
                break
    except UnicodeDecodeError:
        return False
    except csv.Error:
        if not lines.is_over:
            return False
    return found >= (1 if is_end else _LEAST_RECORDS)


class _Lines:
    """The lines of some data from a start on, decoded.

    count: of all that were given, from whatever start. quotes: in those since it was 0. is_over: is there no other?
    """

    def __init__(self, data: bytes, codec: str) -> None:
        self._lines = io.BytesIO(data)
        self._codec = codec
        self.count = 0
        self.quotes = 0
        self.is_over = False

    def start(self, offset: int) -> None:
        """Give the lines from this offset on."""
        self._lines.seek(offset)
        self.quotes = 0
        self.is_over = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._lines.readline() if self.count < _MOST_LINES else b""
        self.count += 1
        if not line.endswith(b"\n"):
            self.is_over = True
        if not line:
            raise StopIteration
        self.quotes += line.count(b'"')
        return line.decode(self._codec)
