"""A large file of delimited text in pieces: where it may be cut, and how they become the part of the whole file.

A cut is a guess: a line start after which whole records follow. Reading proves it. A piece that is read from a record
start to its end without an open quote ends where a record ends, so that the next piece starts at a record as well, and
so on from the first piece to the last (docs/performance.md#one-huge-file). Whatever cannot be joined exactly gives no
piece or no part, and the file is scored in one piece.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import BinaryIO, NamedTuple

import msgspec

from scoring import reading
from scoring.items import ENGINE_VERSION, FileScorer, RowsRead, score_keys
from scoring.items.spool import Part, SpoolSpace, open_stored
from scoring.problems import InputError
from scoring.rubric import Rubric, with_keys

LEAST_BYTES = 50_000_000  # of a file that is cut
PIECE_BYTES = 25_000_000  # of a piece: about a second of work
_WINDOW = 1 << 20  # bytes that are looked at for a cut
_LOOKED_AT = 8  # records after a cut that have to look like some
_LEAST_RECORDS = 2
_MOST_LINES = 5_000  # that are read to find one cut, again from each that may be the first
_BLOCK = 1 << 20


def can_be_cut(table: reading.DelimitedTable) -> bool:
    """Does a line feed in the bytes always end a line, and is the encoding known without a look at the whole file?"""
    return table.has_lines and (table.encoding != "cp949" or table.columns.has_korean_title)


def find_spans(
    stream: BinaryIO, table: reading.DelimitedTable, *, piece_bytes: int = PIECE_BYTES
) -> list[reading.Span]:
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
    return [reading.Span(start, end) for start, end in zip(cuts, [*cuts[1:], None], strict=True)]


def _record_start(stream: BinaryIO, table: reading.DelimitedTable, at: int) -> int | None:
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


def _has_records(lines: _Lines, table: reading.DelimitedTable, *, is_end: bool) -> bool:
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


class PiecePlan(msgspec.Struct, frozen=True, kw_only=True):
    """How a file is cut. encoding: that it is opened with, "" for the usual one. spans: in order, at least two."""

    encoding: str
    spans: tuple[reading.Span, ...]


class Piece(msgspec.Struct, kw_only=True):
    """The rows of a span of a file.

    sha256: of the bytes that were read. head: what of the file's start decides how they are read. read: None when they
    cannot be joined with others: the cut is none, or there is something that refuses the file.
    """

    sha256: str
    head: Head
    read: RowsRead | None
    engine_version: int = ENGINE_VERSION


class Head(msgspec.Struct, frozen=True, array_like=True):
    """How a file is read, by its first bytes."""

    encoding: str
    delimiter: str
    header: tuple[str, ...]


class SpanHashes(NamedTuple):
    """whole: of the file. spans: SHA-256 of each span."""

    whole: reading.ContentHash
    spans: tuple[str, ...]


_NO_HEAD = Head("", "", ())


def plan_pieces(
    stream: BinaryIO, *, name: str, rubric: Rubric, least_bytes: int = LEAST_BYTES, piece_bytes: int = PIECE_BYTES
) -> PiecePlan | None:
    """How the file in `stream` (seekable) is cut; None when it is to be scored in one piece.

    name: as for `score_file`. least_bytes: of a file that is cut. Raises OSError as the stream does.
    """
    if stream.seek(0, 2) < least_bytes or not name.lower().endswith(
        reading.TEXT_EXTENSIONS
    ):  # others are opened as a whole
        return None
    encoding = ""
    try:
        try:
            table = reading.open_table(stream, name, rubric.wanted_columns, records=rubric.records)
        except reading.NotThisEncodingError as error:
            encoding = error.next_encoding
            table = reading.open_table(stream, name, rubric.wanted_columns, records=rubric.records, encoding=encoding)
        reading.refuse_unusable_header(table)
    except (reading.NotThisEncodingError, InputError):
        return None
    assert isinstance(table, reading.DelimitedTable)
    if not can_be_cut(table):
        return None
    spans = find_spans(stream, table, piece_bytes=piece_bytes)
    return PiecePlan(encoding=encoding, spans=tuple(spans)) if len(spans) > 1 else None


def score_piece(
    stream: BinaryIO,
    *,
    name: str,
    rubric: Rubric,
    plan: PiecePlan,
    number: int,
    progress: Callable[[int], None] | None = None,
    space: SpoolSpace | None = None,
) -> Piece:
    """Score one span of a plan. progress: called now and then with the number of its bytes that are read.

    space: as for `score_file`. Raises OSError as the stream does, TransientError when the space is full.
    """
    span = plan.spans[number]
    opened = partial(reading.open_table, stream, name, records=rubric.records, encoding=plan.encoding)
    try:
        keys = score_keys(rubric, opened)
        open_again = partial(opened, with_keys(rubric, keys).wanted_columns)
        table = open_again(span=span)
        assert isinstance(table, reading.DelimitedTable)
        scorer = FileScorer(table, rubric, open_again, follows_header=not span.start, keys=keys, space=space)
        scorer.read(None if progress is None else lambda size: progress(size - span.start))
    except (reading.NotThisEncodingError, InputError):
        return Piece(sha256="", head=_NO_HEAD, read=None)
    return Piece(sha256=table.sha256, head=_head_of(table), read=scorer.rows_read())


def join_pieces(
    stream: BinaryIO, pieces: Sequence[Piece], *, name: str, rubric: Rubric, plan: PiecePlan, hashes: SpanHashes
) -> Part | None:
    """The part of a file from all its pieces; None when it is to be scored in one piece.

    pieces: in the order of the plan; their items are taken over. hashes: of the file as it is to be; pieces of other
    bytes are not joined. Raises OSError as the stream does.
    """
    if len(pieces) != len(plan.spans) or tuple(piece.sha256 for piece in pieces) != hashes.spans:
        return None
    opened = partial(reading.open_table, stream, name, records=rubric.records, encoding=plan.encoding)
    try:
        keys = score_keys(rubric, opened)
        open_again = partial(opened, with_keys(rubric, keys).wanted_columns)
        table = open_again()
        assert isinstance(table, reading.DelimitedTable)
        reads = [piece.read for piece in pieces if piece.head == _head_of(table) and piece.read is not None]
        if len(reads) < len(pieces) or any(read.header_may_go_on for read in reads[:-1]):
            return None
        scorer = FileScorer(table, rubric, open_again, keys=keys)
        for read, following in pairwise([*reads, None]):
            assert read is not None
            scorer.absorb(read, following=None if following is None else following.first)
        return scorer.part(hashes.whole)
    except (reading.NotThisEncodingError, InputError):
        return None


def hash_spans(stream: BinaryIO, plan: PiecePlan) -> SpanHashes:
    """The hashes of a file, read once from its first byte to its last. Raises OSError as the stream does."""
    whole = hashlib.sha256()
    spans = []
    size = 0
    stream.seek(0)
    for span in plan.spans:
        digest = hashlib.sha256()
        for block in _blocks(stream, None if span.end is None else span.end - span.start):
            whole.update(block)
            digest.update(block)
            size += len(block)
        spans.append(digest.hexdigest())
    return SpanHashes(reading.ContentHash(whole.hexdigest(), size), tuple(spans))


def open_piece(stream: BinaryIO) -> Piece:
    """The piece in a file, whose items are read when they are asked for.

    Raises msgspec.DecodeError for a damaged file and one of another engine, OSError as the stream does.
    """
    piece = open_stored(stream, Piece, most_listed=0)
    if piece.engine_version != ENGINE_VERSION:
        raise msgspec.ValidationError(f"piece of engine {piece.engine_version}, this is engine {ENGINE_VERSION}")
    return piece


def _blocks(stream: BinaryIO, size: int | None) -> Iterator[bytes]:
    left = size
    while block := stream.read(_BLOCK if left is None else min(_BLOCK, left)):
        left = None if left is None else left - len(block)
        yield block


def _head_of(table: reading.DelimitedTable) -> Head:
    return Head(table.encoding, table.delimiter, table.columns.header)
