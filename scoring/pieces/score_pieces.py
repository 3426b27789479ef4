"""Scores a large file in pieces, and joins them to the part that the file gives in one piece.

Whatever cannot be joined exactly gives no piece or no part, and the file is scored in one piece.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import BinaryIO, NamedTuple

import msgspec
from msgspec.structs import replace

from scoring.items.part import ENGINE_VERSION, Part
from scoring.items.rows_read import RowsRead
from scoring.items.score_file import FileScorer
from scoring.items.spool.part_file import encode_with_items, open_with_items
from scoring.items.spool.space import SpoolSpace
from scoring.pieces.cuts import LEAST_BYTES, PIECE_BYTES, can_be_cut, find_spans
from scoring.problems import InputError
from scoring.reading.content_hash import ContentHash
from scoring.reading.delimited import DelimitedTable
from scoring.reading.open_table import TEXT_EXTENSIONS, NotThisEncodingError, open_table, refuse_unusable_header
from scoring.reading.text_source import Span
from scoring.rubric.model import Rubric

_BLOCK = 1 << 20


class PiecePlan(msgspec.Struct, frozen=True, kw_only=True):
    """How a file is cut. encoding: that it is opened with, "" for the usual one. spans: in order, at least two."""

    encoding: str
    spans: tuple[Span, ...]


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

    whole: ContentHash
    spans: tuple[str, ...]


_NO_HEAD = Head("", "", ())


def plan_pieces(
    stream: BinaryIO, *, name: str, rubric: Rubric, least_bytes: int = LEAST_BYTES, piece_bytes: int = PIECE_BYTES
) -> PiecePlan | None:
    """How the file in `stream` (seekable) is cut; None when it is to be scored in one piece.

    name: as for `score_file`. least_bytes: of a file that is cut. Raises OSError as the stream does.
    """
    if stream.seek(0, 2) < least_bytes or not name.lower().endswith(TEXT_EXTENSIONS):  # others are opened as a whole
        return None
    encoding = ""
    try:
        try:
            table = open_table(stream, name, rubric.wanted_columns)
        except NotThisEncodingError as error:
            encoding = error.next_encoding
            table = open_table(stream, name, rubric.wanted_columns, encoding=encoding)
        refuse_unusable_header(table)
    except (NotThisEncodingError, InputError):
        return None
    assert isinstance(table, DelimitedTable)
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
    open_again = partial(open_table, stream, name, rubric.wanted_columns, encoding=plan.encoding)
    try:
        table = open_again(span=span)
        assert isinstance(table, DelimitedTable)
        scorer = FileScorer(table, rubric, open_again, follows_header=not span.start, space=space)
        scorer.read(None if progress is None else lambda size: progress(size - span.start))
    except (NotThisEncodingError, InputError):
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
    open_again = partial(open_table, stream, name, rubric.wanted_columns, encoding=plan.encoding)
    try:
        table = open_again()
        assert isinstance(table, DelimitedTable)
        reads = [piece.read for piece in pieces if piece.head == _head_of(table) and piece.read is not None]
        if len(reads) < len(pieces) or any(read.header_may_go_on for read in reads[:-1]):
            return None
        scorer = FileScorer(table, rubric, open_again)
        for read, following in pairwise([*reads, None]):
            assert read is not None
            scorer.absorb(read, following=None if following is None else following.first)
        return scorer.part(hashes.whole)
    except (NotThisEncodingError, InputError):
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
    return SpanHashes(ContentHash(whole.hexdigest(), size), tuple(spans))


def encode_piece(piece: Piece) -> Iterator[bytes]:
    """The bytes of the file of a piece, chunk by chunk; the same piece gives the same bytes.

    Raises TransientError when its items cannot be read.
    """
    read = piece.read
    head = piece if read is None else replace(piece, read=replace(read, items=[]))
    return encode_with_items(head, [] if read is None else read.items)


def open_piece(stream: BinaryIO) -> Piece:
    """The piece in a file, whose items are read when they are asked for.

    Raises msgspec.DecodeError for a damaged file and one of another engine, OSError as the stream does.
    """
    piece, items = open_with_items(stream, Piece, most_listed=0)
    if piece.engine_version != ENGINE_VERSION:
        raise msgspec.ValidationError(f"piece of engine {piece.engine_version}, this is engine {ENGINE_VERSION}")
    return piece if piece.read is None else replace(piece, read=replace(piece.read, items=items))


def _blocks(stream: BinaryIO, size: int | None) -> Iterator[bytes]:
    left = size
    while block := stream.read(_BLOCK if left is None else min(_BLOCK, left)):
        left = None if left is None else left - len(block)
        yield block


def _head_of(table: DelimitedTable) -> Head:
    return Head(table.encoding, table.delimiter, table.columns.header)
