"""Delimited text, bytes to rows: encoding, delimiter, quoting, and whatever makes a file unreadable.

See docs/scoring.md#1-files. A file is read once; only one that turns out not to be UTF-8 is read a second time.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, Never, Self

from scoring.findings import FindingLog
from scoring.problems import InputError, Problem, refused
from scoring.reading.byte_signs import ByteSigns
from scoring.reading.columns import ColumnMap, map_columns
from scoring.reading.file_type import is_binary, refuse_foreign
from scoring.reading.header import OTHER_DELIMITERS, other_delimiter, top_rows, unusable_header
from scoring.reading.korean import other_encoding
from scoring.rubric.model import Column
from scoring.text import cut

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

FIELD_LIMIT = 64 * 1024 * 1024  # characters in one cell; cells of several MB are real
_LINE_LIMIT = 4 * FIELD_LIMIT  # bytes without a line break
_BLOCK = 1 << 20
_HEAD = 1 << 16
_DELIMITERS = (",", "\t", ";")
_LEAST_WIDTH = 3  # lines of prose have one comma as often as rows of two cells
_END_MARKS = 512  # bytes: CP/M filled its last block of 128 characters with them
_SENTINEL = "\x1escorewatch-end\x1e"
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class NotThisEncodingError(Exception):
    """The file is not in the encoding it was opened with; open it again with `next_encoding`.

    problem: where this encoding failed, for the case that the next one fails as well. offset: of that byte.
    """

    def __init__(self, next_encoding: str, problem: Problem, offset: int) -> None:
        super().__init__(next_encoding, problem, offset)
        self.next_encoding = next_encoding
        self.problem = problem
        self.offset = offset

    def likelier(self, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        """Of the two failures the one that tells more: the encoding that got further is the one that was meant."""
        then = problems[0]
        if then.code == "not-decodable":
            return problems if int(then.values["offset"]) > self.offset else (self.problem,)
        is_garbled = then.code == "missing-columns" and self.problem.row != 1
        return (self.problem,) if is_garbled else problems


class DelimitedTable:
    """A text file whose header has been read; `rows` gives the rest.

    columns: where the wanted columns are. encoding, delimiter: how the file is read. sha256, size: of the
    whole file, known once `rows` has been read to its end or `drain` was called. log: takes what to look at.
    """

    sheet = ""

    def __init__(self, stream: BinaryIO, columns: Sequence[Column], *, encoding: str = "") -> None:
        """Read the header. Raises InputError for a file that is refused, NotThisEncodingError to be opened again."""
        stream.seek(0)
        head = stream.read(_HEAD)
        stream.seek(0)
        refuse_foreign(head)
        self._head = head
        self._wanted = columns
        self._bom, self.encoding = _encoding(head, encoding)
        self._stream = stream
        end = _end_of_text(stream, self.encoding.removesuffix("-sig"))
        self._raw = _Meter(stream, allows_nul=self.encoding.startswith("utf-16"), end=end)
        self._file = io.BufferedReader(self._raw, buffer_size=_BLOCK)
        self._file.read(len(self._bom))
        self._row = 0
        self._line = 0
        self._width = 0
        self.log = FindingLog()
        head_text = head[len(self._bom) :].decode(self.encoding.removesuffix("-sig"), errors="replace")
        self._skips_line, self.delimiter = _delimiter(head_text, columns)
        # Binary lines decoded one by one cost a fifth less than a text file object.
        self._text = ("\n" not in head_text and "\r" in head_text) or self.encoding.startswith("utf-16")
        csv.field_size_limit(FIELD_LIMIT)
        self._end = _End()
        self._reader = csv.reader(chain(self._lines(), self._end), delimiter=self.delimiter, strict=True)
        header = next(self._records(), None)
        self.columns: ColumnMap = map_columns(header or (), columns)
        self._width = self.columns.width
        if self.encoding == "cp949" and not self.columns.has_korean_title:
            self._refuse_other_encoding()

    @property
    def sha256(self) -> str:
        """Hex digest of all bytes read so far."""
        return self._raw.hash.hexdigest()

    @property
    def size(self) -> int:
        """Bytes read so far."""
        return self._raw.size

    @property
    def is_cut_after_quote(self) -> bool:
        """Does the file end on a quote with no line break? Then its last cell may have been cut inside `""`."""
        return self._raw.tail[-1:] == b'"' or self._raw.tail in (b'"\0', b'\0"')

    @property
    def signs(self) -> ByteSigns:
        """What the bytes read so far give a reason to look for."""
        return self._raw.signs

    @property
    def ends_inside_line(self) -> bool:
        """Does the file, read to its end, end without a line break?"""
        return not self._raw.tail.rstrip(b"\0").endswith((b"\n", b"\r"))

    @property
    def last_row(self) -> tuple[int, int]:
        """(row, line) of the last record: its number as a spreadsheet shows it and its first line."""
        return self._row, self._line

    @property
    def has_end_mark(self) -> bool:
        """Does a DOS end-of-file sign follow the last line? It is withheld from the rows."""
        return self._raw.has_withheld

    def header_faults(self) -> tuple[Problem, ...]:
        """Why the header misses required columns: it is further down, other signs divide it, or they are missing."""
        text = self._head_text()
        for sign in OTHER_DELIMITERS:
            top = top_rows(text, sign, skips_line=self._skips_line)
            if top and not map_columns(top[0].cells, self._wanted).missing:
                return (other_delimiter(sign),)
        found = [
            unusable_header(top_rows(text, sign, skips_line=self._skips_line), self._wanted)
            for sign in dict.fromkeys((self.delimiter, *_DELIMITERS))
        ]
        moved = [problems for problems in found if problems[0].code == "header-not-first"]
        return min(moved, key=len) if moved else found[0]

    def rows(self) -> Iterator[list[str]]:
        """Every record after the header, in order, blank ones included. Raises as the constructor does."""
        return self._records()

    def drain(self) -> None:
        """Read on to the end of the file, so that hash and size are those of the whole."""
        self._raw.allows_nul = True
        self._raw.drain()

    def _head_text(self) -> str:
        """The first bytes as text, by the encoding that a look further down would have ended at."""
        body, codec = self._head[len(self._bom) :], self.encoding.removesuffix("-sig")
        if codec == "utf-8" and not self._bom:
            try:
                return codecs.getincrementaldecoder(codec)().decode(body)
            except UnicodeDecodeError:
                codec = "cp949"
        return body.decode(codec, errors="replace")

    def _lines(self) -> Iterator[str]:
        lines: Iterable[str]
        if self._text:
            lines = io.TextIOWrapper(self._file, self.encoding.removesuffix("-sig"), newline="")
        elif self.encoding == "cp949":
            lines = (line.decode("cp949") for line in self._file)
        else:
            lines = map(bytes.decode, self._file)
        iterator = iter(lines)
        if self._skips_line:
            next(iterator, None)
        return iterator

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
            self._raise_undecodable(error)
        raise InputError((self._place("open-quote"),))

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

    def _refuse_other_encoding(self) -> None:
        """Text of another encoding that happens to be valid CP949."""
        at = self._stream.tell()
        encoding = other_encoding(self._stream)
        self._stream.seek(at)
        if encoding:
            raise InputError((refused("encoding-not-read", encoding=encoding),))

    def _quoting_problem(self, message: str) -> Problem:
        if "unexpected end of data" in message:
            return self._place("open-quote")
        if "field limit" in message:
            return self._place("cell-too-large", limit=f"{FIELD_LIMIT // 1024 // 1024}")
        if "new-line character" in message:
            return self._place("bad-line-end")
        return self._place("bad-quoting")

    def _place(self, code: str, **values: str) -> Problem:
        line = self._line + (1 if self._skips_line else 0)
        return refused(code, row=self._row + 1, line=line, **values)

    def _raise_undecodable(self, error: UnicodeDecodeError) -> Never:
        self.drain()
        codec = self.encoding.removesuffix("-sig")
        offset, at_end = _first_undecodable(self._stream, len(self._bom), codec)
        problem = self._place("cut-character" if at_end else "not-decodable", offset=str(offset), encoding=codec)
        if codec == "utf-8" and not at_end and not self._bom:
            raise NotThisEncodingError("cp949", problem, offset) from error
        raise InputError((problem,)) from None


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


class _Meter(io.RawIOBase):
    """The file's bytes on their way through: hashed, counted, and watched for what no text file holds.

    end: offset from which on bytes are hashed and counted, but not handed on; None: all are handed on.
    """

    def __init__(self, stream: BinaryIO, *, allows_nul: bool, end: int | None = None) -> None:
        super().__init__()
        self._stream = stream
        self._end = end
        self.has_withheld = False
        self.allows_nul = allows_nul
        self.hash = hashlib.sha256()
        self.signs = ByteSigns(error_values=allows_nul, damage=allows_nul)  # UTF-16 has other bytes
        self.size = 0
        self.tail = b""
        self._since_line_break = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        block = self._stream.read(len(view))
        if not block:
            return 0
        view[: len(block)] = block
        start = self.size
        self.size += len(block)
        self.hash.update(block)
        self.signs.look_at(block)
        if self._end is not None and self.size > self._end:
            handed_on = max(self._end - start, 0)
            if not block[handed_on:].strip(b"\x1a\0"):  # else it has grown since
                self.has_withheld = True
                block = block[:handed_on]
        self.tail = (self.tail + block[-2:])[-2:]
        if not self.allows_nul:
            if (at := block.find(b"\0")) >= 0:
                if is_binary(block):
                    raise InputError((refused("binary-file"),))
                raise InputError((refused("nul-byte", offset=str(start + at)),))
            line_break = block.rfind(b"\n")
            self._since_line_break = self._since_line_break + len(block) if line_break < 0 else len(block) - line_break
            if self._since_line_break > _LINE_LIMIT:
                raise InputError((refused("cell-too-large", limit=f"{_LINE_LIMIT // 1024 // 1024}"),))
        return len(block)

    def drain(self) -> None:
        buffer = bytearray(_BLOCK)
        while self.readinto(buffer):
            pass


def _encoding(head: bytes, wanted: str) -> tuple[bytes, str]:
    """The byte-order mark, as often as programs that each put one in front have left it, and the encoding."""
    for bom, encoding in _BOMS:
        if head.startswith(bom):
            times = 1
            while head.startswith(bom, times * len(bom)):
                times += 1
            return bom * times, encoding
    return b"", wanted or "utf-8"


def _end_of_text(stream: BinaryIO, codec: str) -> int | None:
    """Offset of the DOS end-of-file signs after the last line break; None where there are none."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(size - _END_MARKS, 0))
    tail = stream.read(_END_MARKS)
    stream.seek(0)
    mark = "\x1a".encode(codec)
    end = size
    while tail.endswith(mark):
        tail = tail.removesuffix(mark)
        end -= len(mark)
    return end if end < size and tail.endswith(("\n".encode(codec), "\r".encode(codec))) else None


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


def _first_undecodable(stream: BinaryIO, start: int, codec: str) -> tuple[int, bool]:
    """Offset of the first byte that is no `codec` text, and whether the file just ends inside a character."""
    decoder = codecs.getincrementaldecoder(codec)()
    stream.seek(start)
    fed = start
    while True:
        block = stream.read(_BLOCK)
        fed += len(block)
        try:
            decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            at_end = not block and error.end >= len(error.object)
            return fed - len(error.object) + error.start, at_end
        if not block:
            return fed, False
