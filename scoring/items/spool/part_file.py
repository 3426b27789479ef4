"""A part, its items on their way to it (in memory, from a number of them on in a file), and its file.

A part depends only on the bytes of its file, the rubric and the engine. The file's name is added when parts are merged,
so that a copied or renamed file is not scored again. It is stored as chunks of items, then the rest of the part and
where its chunks are, then a checksum. Pieces of a file are stored the same way. Written and read chunk by chunk; chunks
in files are copied as they are.
"""

import hashlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar

import msgspec

from scoring.findings import Finding
from scoring.items.part import ENGINE_VERSION, Item
from scoring.items.spool.items import AnyChunk, Chunk, Items, Listed, SpoolFile
from scoring.problems import Problem, TransientError

FORMAT_VERSION = 5
SPILL_ITEMS = 20_000  # about 30 MB; sets of fewer items touch no file
_MAGIC = b"scorewatch part\0"
_LENGTH_BYTES = 8  # of the tail
_CHECKSUM_BYTES = hashlib.sha256().digest_size
_READ_BYTES = 1 << 20
_T = TypeVar("_T")


class Part(msgspec.Struct, kw_only=True):
    """Everything one input file gives to its set.

    rows = len(items) + duplicates + blank_rows + unusable_rows (data rows; the header is not counted).
    counts: data quality by code ("restored-date", "payload:truncated", "ui-object", "response-without-payload"
    …), zero entries left out. findings: what to look at, without the name of the file. A refused file has `refused`
    True, no items, no findings and the reasons, at most MAX_LISTED_PROBLEMS, in `problems`.
    encoding: "utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "cp949", "xlsx". delimiter: "," "\\t" ";" or "" (xlsx).
    restored_rounds: (room, repeat) pairs that were read back from Excel dates, as "room/repeat" labels, unique.
    score_keys: of a map whose keys are scores.
    beside: SHA-256 of the file that was joined, "" for none.
    """

    sha256: str
    size: int
    rubric_digest: str
    format_version: int = FORMAT_VERSION
    engine_version: int = ENGINE_VERSION
    refused: bool = False
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    rows: int = 0
    duplicates: int = 0
    blank_rows: int = 0
    unusable_rows: int = 0
    items: Items = msgspec.field(default_factory=Items)
    extra_columns: tuple[str, ...] = ()
    counts: dict[str, int] = {}
    restored_rounds: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    score_keys: tuple[str, ...] = ()
    beside: str = ""


class SpoolSpace:
    """Where the items of a set are while it is scored. Its files together have SPILL_ITEMS items in memory at most."""

    def __init__(self, open_file: Callable[[], BinaryIO] | None = None) -> None:
        """open_file: a new, empty file that vanishes when it is closed or its process ends; None: all is in memory."""
        self._open_file = open_file
        self.held = 0

    def file_for(self, n: int) -> SpoolFile | None:
        """A file where `n` items more are too many; None where they are to stay in memory. Raises TransientError."""
        if self._open_file is None or self.held + n <= SPILL_ITEMS:
            return None
        try:
            return SpoolFile(self._open_file())
        except OSError as error:
            raise TransientError(error.strerror or str(error)) from error


class Collector:
    """The items of one file, added batch by batch."""

    def __init__(self, space: SpoolSpace) -> None:
        self._space = space
        self._chunks: list[AnyChunk] = []
        self._file: SpoolFile | None = None
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def add(self, items: list[Item]) -> None:
        """Add a batch. Raises TransientError when the disk is full."""
        if not items:
            return
        self._n += len(items)
        if self._file is not None:
            self._chunks.append(self._file.add(items))
            return
        self._chunks.append(Listed(items))
        self._file = self._space.file_for(self._n)
        if self._file is not None:
            self._chunks = [self._file.add(chunk.items()) for chunk in self._chunks]

    def items(self) -> Items:
        """All items; nothing is added after that."""
        self._space.held += 0 if self._file is not None else self._n
        return Items(self._chunks)


class _Tail(msgspec.Struct, array_like=True):
    """head: all but the items. chunks: (bytes, items, offset of their rows) of each, in order."""

    format_version: int
    chunks: list[tuple[int, int, int]] = []
    head: msgspec.Raw = msgspec.Raw()


def encode_stored(value: object) -> Iterator[bytes]:
    """The bytes of the file of a part, or of anything with items, chunk by chunk.

    The same value gives the same items, whatever their chunks are. Raises TransientError when they cannot be read.
    """
    found: list[Items] = []
    head = msgspec.msgpack.encode(value, order="deterministic", enc_hook=found.append)
    digest = hashlib.sha256(_MAGIC)
    yield _MAGIC
    chunks = []
    for chunk in Items.joined(found).chunks:
        data, row_offset = chunk.stored()
        chunks.append((len(data), chunk.n, row_offset))
        digest.update(data)
        yield data
    tail = msgspec.msgpack.encode(_Tail(FORMAT_VERSION, chunks, msgspec.Raw(head)))
    tail += len(tail).to_bytes(_LENGTH_BYTES, "big")
    digest.update(tail)
    yield tail + digest.digest()


def open_stored(stream: BinaryIO, kind: type[_T], *, most_listed: int | None = None) -> _T:
    """Inverse of `encode_stored`. Few items are read at once; more are read when they are asked for.

    kind: of the value. most_listed: items that are read at once, and then the file is closed; None for SPILL_ITEMS.
    Raises msgspec.DecodeError for a damaged file and one of another format, OSError as the stream does.
    """
    file = SpoolFile(stream)  # which closes it
    size = _checked_size(stream)
    stream.seek(size - _CHECKSUM_BYTES - _LENGTH_BYTES)
    length = int.from_bytes(stream.read(_LENGTH_BYTES), "big")
    stream.seek(size - _CHECKSUM_BYTES - _LENGTH_BYTES - length)
    tail = msgspec.msgpack.decode(stream.read(length), type=_Tail)
    if tail.format_version != FORMAT_VERSION:
        raise msgspec.ValidationError(f"part format {tail.format_version}, this engine reads {FORMAT_VERSION}")
    chunks: list[AnyChunk] = []
    at = len(_MAGIC)
    for length, n, row_offset in tail.chunks:
        chunks.append(Chunk(file, at, length, n, row_offset))
        at += length
    if sum(chunk.n for chunk in chunks) <= (SPILL_ITEMS if most_listed is None else most_listed):
        chunks = _listed(chunks)
    return msgspec.msgpack.decode(tail.head, type=kind, dec_hook=lambda _, __: Items(chunks))


def _listed(chunks: list[AnyChunk]) -> list[AnyChunk]:
    try:
        return [Listed(chunk.items()) for chunk in chunks]
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
