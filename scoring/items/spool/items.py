"""The items of a part or a set as one sequence, in memory or in files, read column by column or by their indices.

Nothing outside of this module asks where they are. Items made from others (joined, without some, with others in their
place) copy no file. Some hundred items are stored column by column, so that a reader decodes only the columns it needs:
every column of 100,000 items takes 0.5 s, those that figures are made of 0.1 s.
"""

from __future__ import annotations

import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import accumulate
from operator import attrgetter, ne
from typing import Any, BinaryIO, NamedTuple, Protocol, get_type_hints, overload

import msgspec
from msgspec.structs import astuple

from scoring.items.part import Item
from scoring.problems import TransientError
from scoring.reading import read_at

CHUNK_ITEMS = 256  # about 300 KB, which stays in the processor's cache

ITEM_FIELDS = Item.__struct_fields__
_PLACES = {name: place for place, name in enumerate(ITEM_FIELDS)}
# Of fields that may be left blank; "" of texts.
_EMPTY: dict[str, Any] = {"extra": (), "details": None, "noted": None, "review": ()}
_ROW, _RESPONSE, _MESSAGE = (_PLACES[name] for name in ("row", "response", "message"))


def _decoders() -> list[Callable[[bytes | memoryview], list[Any]]]:
    hints: dict[str, Any] = {**get_type_hints(Item), "message": str | None}
    return [msgspec.msgpack.Decoder(list.__class_getitem__(hints[name])).decode for name in ITEM_FIELDS]


_encode = msgspec.msgpack.Encoder().encode
_decode = _decoders()
_views = msgspec.msgpack.Decoder(list[memoryview]).decode


def encode_chunk(items: Sequence[Item]) -> bytes:
    """The items, of which there is at least one."""
    columns: list[Sequence[Any]] = list(zip(*map(astuple, items), strict=True))
    differs = map(ne, columns[_MESSAGE], columns[_RESPONSE])  # most often both are the same text
    columns[_MESSAGE] = [
        message if is_other else None for message, is_other in zip(columns[_MESSAGE], differs, strict=True)
    ]
    return _encode([_encode(_shortened(column)) for column in columns])


def decode_columns(data: bytes, n: int, names: Sequence[str], *, row_offset: int = 0) -> list[Sequence[Any]]:
    """The columns of these names of a chunk of `n` items. row_offset: is added to the numbers of the rows.

    Raises msgspec.DecodeError for anything else.
    """
    views = _views(data)
    return [_column(views, _PLACES[name], n, row_offset) for name in names]


def decode_items(data: bytes, n: int, *, row_offset: int = 0, blank: Sequence[str] = ()) -> list[Item]:
    """The items of a chunk, as `decode_columns` has their fields. blank: fields that are left empty."""
    names = [name for name in ITEM_FIELDS if name not in blank]
    columns = dict(zip(names, decode_columns(data, n, names, row_offset=row_offset), strict=True))
    empty = {name: [_EMPTY.get(name, "")] * n for name in blank}
    return list(map(Item, *[(columns.get(name) or empty[name]) for name in ITEM_FIELDS]))


def _shortened(column: Sequence[Any]) -> Sequence[Any]:
    """One value in place of equal ones. Floats stay, since 0.0 and -0.0 are equal."""
    first = column[0]
    if first == column[-1] and not isinstance(first, float) and column.count(first) == len(column):
        return (first,)
    return column


def _column(views: Sequence[memoryview], place: int, n: int, row_offset: int) -> Sequence[Any]:
    values = _decode[place](views[place])
    if len(values) != n:
        values *= n
    if place == _ROW and row_offset:
        return [row + row_offset for row in values]
    if place == _MESSAGE and None in values:
        responses = _column(views, _RESPONSE, n, 0)
        return [response if message is None else message for message, response in zip(values, responses, strict=True)]
    return values


Edit = Callable[[Item], Item]


class AnyChunk(Protocol):
    """Some hundred items, at least one."""

    @property
    def n(self) -> int:
        """How many there are."""

    def stored(self) -> tuple[bytes, int]:
        """The encoded items, and what is added to the numbers of their rows."""

    def columns(self, names: Sequence[str]) -> list[Sequence[Any]]:
        """The fields of these names, a column each."""

    def items(self, blank: Sequence[str] = ()) -> list[Item]:
        """The items. blank: fields that need not be read, since texts cost most."""

    def chosen(self, places: Sequence[int], edit: Edit | None = None) -> AnyChunk:
        """The items at these places, each as `edit` gives it, which must not change the item itself."""

    def moved(self, rows: int) -> AnyChunk:
        """The same items, further down in a file."""


class Listed(NamedTuple):
    """Items in memory."""

    listed: list[Item]

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.listed)

    def stored(self) -> tuple[bytes, int]:
        """As `AnyChunk`."""
        return encode_chunk(self.listed), 0

    def columns(self, names: Sequence[str]) -> list[Sequence[Any]]:
        """As `AnyChunk`."""
        found = map(attrgetter(*names), self.listed)
        return list(zip(*found, strict=True)) if len(names) > 1 else [list(found)]

    def items(self, blank: Sequence[str] = ()) -> list[Item]:  # noqa: ARG002 -- they are there
        """The items with all their fields."""
        return self.listed

    def chosen(self, places: Sequence[int], edit: Edit | None = None) -> AnyChunk:
        """As `AnyChunk`; made at once."""
        chosen = [self.listed[at] for at in places]
        return Listed(chosen if edit is None else list(map(edit, chosen)))

    def moved(self, rows: int) -> AnyChunk:
        """The same items, which are changed."""
        for item in self.listed:
            item.row += rows
        return self


class SpoolFile:
    """Chunks in a file that this process alone writes; it is closed with its last reader.

    Raises TransientError when the file system refuses.
    """

    def __init__(self, stream: BinaryIO) -> None:
        """stream: open for reading; an empty file, open for writing too, if chunks are to be added."""
        self._stream = stream
        self._size = 0  # of what was added
        weakref.finalize(self, _close, stream)  # not `__del__`: of objects in a circle the stream might go first

    def add(self, items: Sequence[Item]) -> Chunk:
        """Add some items, at least one."""
        data = encode_chunk(items)
        return Chunk(self, self.append(data), len(data), len(items))

    def append(self, data: bytes) -> int:
        """Add the bytes of a chunk; returns where it begins."""
        at = self._size
        try:
            self._stream.seek(at)
            self._stream.write(data)
            self._stream.flush()  # `read` goes past the buffer
        except OSError as error:
            raise TransientError(error.strerror or str(error)) from error
        self._size += len(data)
        return at

    def read(self, at: int, size: int) -> bytes:
        """The bytes of a chunk."""
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


class Chunk(NamedTuple):
    """Where `n` items are in a file; they are read when they are asked for.

    row_offset: is added to the numbers of their rows.
    """

    file: SpoolFile
    at: int
    size: int
    n: int
    row_offset: int = 0

    def stored(self) -> tuple[bytes, int]:
        """As `AnyChunk`; nothing is decoded."""
        return self.file.read(self.at, self.size), self.row_offset

    def columns(self, names: Sequence[str]) -> list[Sequence[Any]]:
        """As `AnyChunk`."""
        with _Whole():
            return decode_columns(self.file.read(self.at, self.size), self.n, names, row_offset=self.row_offset)

    def items(self, blank: Sequence[str] = ()) -> list[Item]:
        """As `AnyChunk`; fields that are blank are left empty."""
        with _Whole():
            data = self.file.read(self.at, self.size)
            return decode_items(data, self.n, row_offset=self.row_offset, blank=blank)

    def chosen(self, places: Sequence[int], edit: Edit | None = None) -> AnyChunk:
        """As `AnyChunk`; made whenever they are read."""
        return _Chosen(self, places, edit)

    def moved(self, rows: int) -> AnyChunk:
        """As `AnyChunk`."""
        return self._replace(row_offset=self.row_offset + rows)


class _Chosen(NamedTuple):
    """The items at some places of a chunk in a file, each changed by `edit`; None leaves them as they are."""

    base: AnyChunk
    places: Sequence[int]
    edit: Edit | None

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.places)

    def stored(self) -> tuple[bytes, int]:
        """As `AnyChunk`; the base adds its own rows."""
        return encode_chunk(self.items()), 0

    def columns(self, names: Sequence[str]) -> list[Sequence[Any]]:
        """As `AnyChunk`."""
        if self.edit is not None:
            return Listed(self.items()).columns(names)
        return [[column[at] for at in self.places] for column in self.base.columns(names)]

    def items(self, blank: Sequence[str] = ()) -> list[Item]:
        """As `AnyChunk`."""
        items = self.base.items(blank if self.edit is None else ())
        chosen = items if len(self.places) == len(items) else [items[at] for at in self.places]
        return chosen if self.edit is None else list(map(self.edit, chosen))

    def chosen(self, places: Sequence[int], edit: Edit | None = None) -> AnyChunk:
        """As `AnyChunk`."""
        return _Chosen(self, places, edit)

    def moved(self, rows: int) -> AnyChunk:
        """As `AnyChunk`."""
        return self._replace(base=self.base.moved(rows))


class Items(Sequence[Item]):
    """Items in the order of their chunks."""

    def __init__(self, chunks: Iterable[AnyChunk] = ()) -> None:
        self.chunks = list(chunks)
        self._ends = list(accumulate(chunk.n for chunk in self.chunks))
        self._kept: dict[int, Item] = {}
        self._wanted: frozenset[int] = frozenset()

    @classmethod
    def of(cls, items: Sequence[Item]) -> Items:
        """These items, in memory."""
        return cls(Listed([*items[start : start + CHUNK_ITEMS]]) for start in range(0, len(items), CHUNK_ITEMS))

    @classmethod
    def joined(cls, files: Iterable[Items]) -> Items:
        """All items, those of the first file first."""
        return cls(chunk for items in files for chunk in items.chunks)

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
        number = bisect_right(self._ends, at)
        return self._kept.get(at) or self.chunks[number].items()[at - self._ends[number]]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def columns(self, *names: str) -> Iterator[Sequence[Sequence[Any]]]:
        """Chunk by chunk a column for each name of a field; nothing for no items."""
        return (chunk.columns(names) for chunk in self.chunks)

    def column(self, name: str) -> Iterator[Any]:
        """A field of every item."""
        return (value for (column,) in self.columns(name) for value in column)

    def fields(self) -> Iterator[Sequence[Sequence[Any]]]:
        """Every column of each chunk. Items that are to be kept stay in memory on the way."""
        for start, chunk in self._numbered():
            columns = chunk.columns(ITEM_FIELDS)
            for at in self._wanted.intersection(range(start, start + chunk.n)) if self._wanted else ():
                self._kept[at] = Item(*[column[at - start] for column in columns])
            yield columns
        self._wanted = frozenset()

    def pick(self, indices: Sequence[int], *, blank: Sequence[str] = ()) -> list[Item]:
        """The items at these indices. Each chunk that has some is read once. blank: fields that need not be read."""
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

    def keep(self, indices: Iterable[int]) -> None:
        """Keep these items in memory once `fields` or `pick` comes by them: `pick` then reads no file again."""
        is_in_files = not all(isinstance(chunk, Listed) for chunk in self.chunks)
        self._wanted = frozenset(indices if is_in_files else ())
        self._kept = {}

    def without(self, dropped: Container[int]) -> Items:
        """The items but those at these indices."""
        chunks: list[AnyChunk] = []
        for start, chunk in self._numbered():
            places = [at for at in range(chunk.n) if start + at not in dropped]
            if places:
                chunks.append(chunk if len(places) == chunk.n else chunk.chosen(places))
        return Items(chunks)

    def edited(self, edit: Edit) -> Items:
        """Each item as `edit` gives it, which must not change the item itself."""
        return Items(chunk.chosen(range(chunk.n), edit) for chunk in self.chunks)

    def changed(self, indices: Collection[int], edit: Edit) -> Items:
        """The items, those at these indices as `edit` gives them; chunks that have some are encoded in memory."""
        if not indices:
            return self
        file = SpoolFile(BytesIO())
        return Items(
            file.add([edit(item) if at in indices else item for at, item in enumerate(chunk.items(), start)])
            if any(at in indices for at in range(start, start + chunk.n))
            else chunk
            for start, chunk in self._numbered()
        )

    def replaced(self, items: Mapping[int, Item]) -> Items:
        """The items with others in place of those at these indices."""
        file = SpoolFile(BytesIO())
        return Items(
            file.add([items.get(at, item) for at, item in enumerate(chunk.items(), start)])
            if any(at in items for at in range(start, start + chunk.n))
            else chunk
            for start, chunk in self._numbered()
        )

    def moved(self, rows: int) -> Items:
        """The items with `rows` added to the numbers of their rows; those in memory are changed."""
        return Items(chunk.moved(rows) for chunk in self.chunks)

    def _numbered(self) -> Iterator[tuple[int, AnyChunk]]:
        """Each chunk with the index of its first item."""
        return zip([0, *self._ends], self.chunks, strict=False)

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


class _Whole:
    """Raise TransientError for a chunk that cannot be decoded: the file was changed by someone else."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if isinstance(error, msgspec.DecodeError):
            raise TransientError("a file of items was changed") from error
