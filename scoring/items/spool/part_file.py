"""A part as a file: chunks of items, then the rest of the part and where its chunks are, then a checksum.

Pieces of a file are stored the same way. Written and read chunk by chunk; chunks in files are copied as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import BinaryIO, TypeVar

import msgspec

from scoring.items.part import FORMAT_VERSION, Item, Part
from scoring.items.spool.items import Chunk, SpooledItems, SpoolFile, chunks_of
from scoring.items.spool.space import SPILL_ITEMS
from scoring.problems import TransientError

_MAGIC = b"scorewatch part\0"
_LENGTH_BYTES = 8  # of the tail
_CHECKSUM_BYTES = hashlib.sha256().digest_size
_READ_BYTES = 1 << 20
_T = TypeVar("_T")


class _Tail(msgspec.Struct, array_like=True):
    """head: all but the items. chunks: (bytes, items, offset of their rows) of each, in order."""

    format_version: int
    chunks: list[tuple[int, int, int]] = []
    head: msgspec.Raw = msgspec.Raw()


def encode_part(part: Part) -> Iterator[bytes]:
    """The bytes of the file, piece by piece; the same part gives the same items, whatever their chunks are.

    Raises TransientError when its items cannot be read.
    """
    return encode_with_items(msgspec.structs.replace(part, items=[]), part.items)


def open_part(stream: BinaryIO) -> Part:
    """The part in a file. Few items are read at once, and the file is closed; more are read when they are asked for.

    Raises msgspec.DecodeError for a damaged file and one of another format, OSError as the stream does.
    """
    part, items = open_with_items(stream, Part)
    part.items = items
    return part


def encode_with_items(head: object, items: Sequence[Item]) -> Iterator[bytes]:
    """`encode_part` of anything with items. head: all but these."""
    digest = hashlib.sha256(_MAGIC)
    yield _MAGIC
    chunks = []
    for data, n, row_offset in chunks_of(items):
        chunks.append((len(data), n, row_offset))
        digest.update(data)
        yield data
    encoded = msgspec.msgpack.encode(head, order="deterministic")
    tail = msgspec.msgpack.encode(_Tail(FORMAT_VERSION, chunks, msgspec.Raw(encoded)))
    tail += len(tail).to_bytes(_LENGTH_BYTES, "big")
    digest.update(tail)
    yield tail + digest.digest()


def open_with_items(stream: BinaryIO, kind: type[_T], *, most_listed: int | None = None) -> tuple[_T, Sequence[Item]]:
    """Inverse of `encode_with_items`; raises as `open_part`.

    kind: of the head. most_listed: items that are read at once; None for SPILL_ITEMS.
    """
    file = SpoolFile(stream)  # which closes it
    size = _checked_size(stream)
    stream.seek(size - _CHECKSUM_BYTES - _LENGTH_BYTES)
    length = int.from_bytes(stream.read(_LENGTH_BYTES), "big")
    stream.seek(size - _CHECKSUM_BYTES - _LENGTH_BYTES - length)
    tail = msgspec.msgpack.decode(stream.read(length), type=_Tail)
    if tail.format_version != FORMAT_VERSION:
        raise msgspec.ValidationError(f"part format {tail.format_version}, this engine reads {FORMAT_VERSION}")
    head = msgspec.msgpack.decode(tail.head, type=kind)
    chunks = []
    at = len(_MAGIC)
    for length, n, row_offset in tail.chunks:
        chunks.append(Chunk(file, at, length, n, row_offset))
        at += length
    if sum(chunk.n for chunk in chunks) > (SPILL_ITEMS if most_listed is None else most_listed):
        return head, SpooledItems(chunks)
    return head, _listed(chunks)


def _listed(chunks: list[Chunk]) -> list[Item]:
    try:
        return [item for chunk in chunks for item in chunk.items()]
    except TransientError as error:
        raise msgspec.DecodeError(str(error)) from error


def _checked_size(stream: BinaryIO) -> int:
    """The size of a whole file. Raises msgspec.DecodeError."""
    size = stream.seek(0, 2)
    left = size - _CHECKSUM_BYTES
    stream.seek(0)
    digest = hashlib.sha256()
    while left > 0 and (data := stream.read(min(left, _READ_BYTES))):
        digest.update(data)
        left -= len(data)
    if left or stream.read(_CHECKSUM_BYTES) != digest.digest():
        raise msgspec.DecodeError("no part, or a damaged one")
    return size
