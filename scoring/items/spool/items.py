"""The items of a part or a set as one sequence, in memory or in files, read column by column or by their indices.

A list is a sequence in memory. `SpooledItems` reads its items from files. Use these functions to read few fields of all
items, or all fields of few.
"""

from __future__ import annotations

import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate
from operator import attrgetter
from typing import Any, BinaryIO, NamedTuple, Protocol, overload

import msgspec
from msgspec.structs import astuple

from scoring.items.part import Item
from scoring.items.spool.chunks import CHUNK_ITEMS, ITEM_FIELDS, decode_columns, decode_items, encode_chunk
from scoring.problems import TransientError
from scoring.reading import read_at

_LISTED_AT_ONCE = 2_048  # items of a list that become columns together


class SpoolFile:
    """Chunks in a file that this process alone writes; it is closed with its last reader.

    Raises TransientError when the file system refuses.
    """

    def __init__(self, stream: BinaryIO) -> None:
        """stream: open for reading; an empty file, open for writing too, if chunks are to be added."""
        self._stream = stream
        self._size = 0  # of what was added
        weakref.finalize(self, _close, stream)  # not `__del__`: of objects in a circle the stream might go first

    def append(self, data: bytes) -> int:
        """Add a chunk; returns where it begins."""
        at = self._size
        try:
            self._stream.seek(at)
            self._stream.write(data)
            self._stream.flush()  # a fork must not write it once more
        except OSError as error:
            raise TransientError(error.strerror or str(error)) from error
        self._size += len(data)
        return at

    def read(self, at: int, size: int) -> bytes:
        """A chunk."""
        try:
            data = read_at(self._stream, at, size)
        except OSError as error:
            raise TransientError(error.strerror or str(error)) from error
        if len(data) != size:
            raise TransientError("a file of items was cut")
        return data


def _close(stream: BinaryIO) -> None:
    with suppress(OSError):
        stream.close()


class AnyChunk(Protocol):
    """Some items that are read when they are asked for. data: encoded, without the offset of their rows."""

    @property
    def n(self) -> int: ...  # noqa: D102
    @property
    def data(self) -> bytes: ...  # noqa: D102
    @property
    def row_offset(self) -> int: ...  # noqa: D102
    def columns(self, names: Sequence[str]) -> list[Sequence[Any]]: ...  # noqa: D102
    def items(self, blank: Sequence[str] = ()) -> list[Item]: ...  # noqa: D102
    def moved(self, rows: int) -> AnyChunk: ...  # noqa: D102


class Chunk(NamedTuple):
    """Where `n` items are. row_offset: is added to the numbers of their rows."""

    file: SpoolFile
    at: int
    size: int
    n: int
    row_offset: int = 0

    @property
    def data(self) -> bytes:
        """The encoded items, without the offset."""
        return self.file.read(self.at, self.size)

    def columns(self, names: Sequence[str]) -> list[Sequence[Any]]:
        """The columns of these names."""
        with _Whole():
            return decode_columns(self.data, self.n, names, row_offset=self.row_offset)

    def moved(self, rows: int) -> AnyChunk:
        """The same items, further down in a file."""
        return self._replace(row_offset=self.row_offset + rows)

    def items(self, blank: Sequence[str] = ()) -> list[Item]:
        """The items. blank: fields that are not read, since texts cost most."""
        with _Whole():
            return decode_items(self.data, self.n, row_offset=self.row_offset, blank=blank)


class SpooledItems(Sequence[Item]):
    """Items in files, in the order of their chunks. Each item is created when it is read."""

    def __init__(self, chunks: Iterable[AnyChunk]) -> None:
        self.chunks = list(chunks)
        self._ends = list(accumulate(chunk.n for chunk in self.chunks))
        self._kept: dict[int, Item] = {}
        self._wanted: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[Item]:
        for chunk in self.chunks:
            yield from chunk.items()

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return self.pick(range(*index.indices(len(self))))
        at = index if index >= 0 else index + len(self)
        if not 0 <= at < len(self):
            raise IndexError(index)
        return self.pick((at,))[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def fields(self) -> Iterator[list[Sequence[Any]]]:
        """Every column of each chunk. Items that are to be kept stay in memory on the way."""
        start = 0
        for chunk in self.chunks:
            columns = chunk.columns(ITEM_FIELDS)
            for at in self._wanted.intersection(range(start, start + chunk.n)) if self._wanted else ():
                self._kept[at] = Item(*[column[at - start] for column in columns])
            start += chunk.n
            yield columns
        self._wanted = frozenset()

    def columns(self, names: Sequence[str]) -> Iterator[list[Sequence[Any]]]:
        """The columns of these names of each chunk."""
        return (chunk.columns(names) for chunk in self.chunks)

    def pick(self, indices: Sequence[int], *, blank: Sequence[str] = ()) -> list[Item]:
        """The items at these indices. Each chunk that has some is read once. blank: fields that are not read."""
        if not self._wanted.isdisjoint(indices):
            wanted, self._wanted = sorted(self._wanted), frozenset()
            self._kept = dict(zip(wanted, self.pick(wanted), strict=True))
        found = {at: self._kept[at] for at in indices if at in self._kept} if self._kept else {}
        for chunk, places, start in self._chunks_with({*indices}.difference(found)):
            items = chunk.items(blank)
            found.update((start + at, items[at]) for at in places)
        return [found[at] for at in indices]

    def cells_at(self, indices: Iterable[int], name: str) -> Iterator[tuple[int, Any]]:
        """Index and field of the items at these indices, in their order."""
        for chunk, places, start in self._chunks_with(indices):
            (column,) = chunk.columns((name,))
            yield from ((start + at, column[at]) for at in places)

    def _chunks_with(self, indices: Iterable[int]) -> Iterator[tuple[AnyChunk, list[int], int]]:
        """The chunks that have some of these items, the places of these in the chunk, and the index of its first."""
        ordered = sorted(indices)
        done = 0
        while done < len(ordered):
            number = bisect_right(self._ends, ordered[done])
            chunk, end = self.chunks[number], self._ends[number]
            until = bisect_left(ordered, end, lo=done)
            yield chunk, [at - end + chunk.n for at in ordered[done:until]], end - chunk.n
            done = until

    def keep(self, indices: Iterable[int]) -> None:
        """Keep these items in memory once `fields` or `pick` comes by them: `pick` then reads no chunk again."""
        self._wanted = frozenset(indices)
        self._kept = {}


def batches_of(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """All items, in batches of at most CHUNK_ITEMS as a rule."""
    if isinstance(items, SpooledItems):
        yield from (chunk.items() for chunk in items.chunks)
    else:
        for start in range(0, len(items), CHUNK_ITEMS):
            yield items[start : start + CHUNK_ITEMS]


def fields_of(items: Sequence[Item]) -> Iterator[Sequence[Sequence[Any]]]:
    """Batch by batch a column for each field of `Item`, in their order; nothing for no items."""
    if isinstance(items, SpooledItems):
        yield from items.fields()
    else:
        yield from (list(zip(*map(astuple, batch), strict=True)) for batch in batches_of(items))


def columns_of(items: Sequence[Item], *names: str) -> Iterator[Sequence[Sequence[Any]]]:
    """Batch by batch a column for each name of a field of `Item`; nothing for no items."""
    if isinstance(items, SpooledItems):
        yield from items.columns(names)
        return
    pick_fields = attrgetter(*names)
    for start in range(0, len(items), _LISTED_AT_ONCE):
        batch = items if len(items) <= _LISTED_AT_ONCE else items[start : start + _LISTED_AT_ONCE]
        found = map(pick_fields, batch)
        yield list(zip(*found, strict=True)) if len(names) > 1 else [list(found)]


def column_of(items: Sequence[Item], name: str) -> Iterator[Any]:
    """A field of every item."""
    return (value for (column,) in columns_of(items, name) for value in column)


def pick(items: Sequence[Item], indices: Sequence[int], *, blank: Sequence[str] = ()) -> list[Item]:
    """The items at these indices. blank: fields that are not needed, and not read from files."""
    return items.pick(indices, blank=blank) if isinstance(items, SpooledItems) else [items[at] for at in indices]


def cells_at(items: Sequence[Item], indices: Iterable[int], name: str) -> Iterator[tuple[int, Any]]:
    """Index and field of the items at these indices, in their order."""
    if isinstance(items, SpooledItems):
        return items.cells_at(indices, name)
    return ((at, getattr(items[at], name)) for at in sorted(indices))


def keep(items: Sequence[Item], indices: Iterable[int]) -> None:
    """Say which items `pick` will be asked for, again and again or after a pass over `fields_of`."""
    if isinstance(items, SpooledItems):
        items.keep(indices)


def chunks_of(items: Sequence[Item]) -> Iterator[tuple[bytes, int, int]]:
    """(encoded items, how many, offset of their rows): chunks in files as they are, others encoded."""
    if isinstance(items, SpooledItems):
        for chunk in items.chunks:
            yield chunk.data, chunk.n, chunk.row_offset
    else:
        for batch in batches_of(items):
            yield encode_chunk(batch), len(batch), 0


class _Whole:
    """Raise TransientError for a chunk that cannot be decoded: the file was changed by someone else."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if isinstance(error, msgspec.DecodeError):
            raise TransientError("a file of items was changed") from error
