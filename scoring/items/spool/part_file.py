"""Items on their way to a file: collected in memory, from a number of them on in a file, and a part as a file.

A part is stored as chunks of items, then the rest of the part and where its chunks are, then a checksum. Pieces of a
file are stored the same way. Written and read chunk by chunk; chunks in files are copied as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO, TypeVar

import msgspec

from scoring.items.part import FORMAT_VERSION, Item, Part
from scoring.items.spool.chunks import encode_chunk
from scoring.items.spool.items import Chunk, SpooledItems, SpoolFile, batches_of, chunks_of
from scoring.problems import TransientError

SPILL_ITEMS = 20_000  # about 30 MB; sets of fewer items touch no file
_MAGIC = b"scorewatch part\0"
_LENGTH_BYTES = 8  # of the tail
_CHECKSUM_BYTES = hashlib.sha256().digest_size
_READ_BYTES = 1 << 20
_T = TypeVar("_T")


class SpoolSpace:
    """Where the items of a set are while it is scored. Its files together have SPILL_ITEMS items in memory at most."""

    def __init__(self, open_file: Callable[[], BinaryIO] | None = None) -> None:
        """open_file: a new, empty file that vanishes when it is closed or its process ends; None: all is in memory."""
        self._open_file = open_file
        self.held = 0

    def spilled(self, items: Sequence[Item]) -> Spooling | None:
        """A file with these items where they are too many; None where they are to stay in memory."""
        if self._open_file is None or self.held + len(items) <= SPILL_ITEMS:
            return None
        try:
            spooling = Spooling(self._open_file())
        except OSError as error:
            raise TransientError(error.strerror or str(error)) from error
        for batch in batches_of(items):
            spooling.add(batch)
        return spooling


class Spooling:
    """A file of items that grows."""

    def __init__(self, stream: BinaryIO) -> None:
        self._file = SpoolFile(stream)
        self._chunks: list[Chunk] = []

    def add(self, items: Sequence[Item]) -> None:
        """Add some items as one chunk. Raises TransientError when the disk is full."""
        if items:
            data = encode_chunk(items)
            self._chunks.append(Chunk(self._file, self._file.append(data), len(data), len(items)))

    def items(self) -> SpooledItems:
        """The items so far."""
        return SpooledItems(self._chunks)


class Collector:
    """The items of one file, added batch by batch."""

    def __init__(self, space: SpoolSpace) -> None:
        self._space = space
        self._listed: list[Item] = []
        self._spooling: Spooling | None = None
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def add(self, items: list[Item]) -> None:
        """Add a batch. Raises TransientError when the disk is full."""
        self._n += len(items)
        if self._spooling is not None:
            self._spooling.add(items)
            return
        self._listed += items
        self._spooling = self._space.spilled(self._listed)
        if self._spooling is not None:
            self._listed = []

    def items(self) -> Sequence[Item]:
        """All items; nothing is added after that."""
        self._space.held += len(self._listed)
        return self._listed if self._spooling is None else self._spooling.items()


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
