"""Sequences of items made from others: joined, without some items, with others in their place; files are not copied."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Sequence
from io import BytesIO
from operator import attrgetter
from typing import Any, NamedTuple

from scoring.items.part import Item
from scoring.items.spool.chunks import encode_chunk
from scoring.items.spool.items import AnyChunk, Chunk, SpooledItems, SpoolFile, batches_of

Edit = Callable[[Item], Item]


class _ChangedChunk(NamedTuple):
    """The items at some places of a chunk, each changed by `edit`; None leaves them as they are."""

    base: AnyChunk
    places: Sequence[int]
    edit: Edit | None

    @property
    def row_offset(self) -> int:
        """0: the base adds its own."""
        return 0

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.places)

    @property
    def data(self) -> bytes:
        """The items, encoded."""
        return encode_chunk(self.items())

    def columns(self, names: Sequence[str]) -> list[Sequence[Any]]:
        """The columns of these names."""
        if self.edit is None:
            return [[column[at] for at in self.places] for column in self.base.columns(names)]
        items = self.items()
        return [list(map(attrgetter(name), items)) for name in names]

    def moved(self, rows: int) -> AnyChunk:
        """The same items, further down in a file."""
        return self._replace(base=self.base.moved(rows))

    def items(self, blank: Sequence[str] = ()) -> list[Item]:
        """The items. blank: as of any chunk."""
        items = self.base.items(blank if self.edit is None else ())
        chosen = items if len(self.places) == len(items) else [items[at] for at in self.places]
        return chosen if self.edit is None else list(map(self.edit, chosen))


def joined(files: Sequence[Sequence[Item]]) -> Sequence[Item]:
    """All items, those of the first sequence first. A list if all of them are lists."""
    filled = [items for items in files if items]
    if len(filled) == 1:
        return filled[0]
    if any(isinstance(items, SpooledItems) for items in filled):
        return SpooledItems(chunk for items in filled for chunk in _spooled(items).chunks)
    return [item for items in filled for item in items]


def without(items: Sequence[Item], dropped: Container[int]) -> Sequence[Item]:
    """The items but those at these indices."""
    if not isinstance(items, SpooledItems):
        return [item for at, item in enumerate(items) if at not in dropped]
    chunks: list[AnyChunk] = []
    start = 0
    for chunk in items.chunks:
        places = [at for at in range(chunk.n) if start + at not in dropped]
        start += chunk.n
        if places:
            chunks.append(chunk if len(places) == chunk.n else _ChangedChunk(chunk, places, None))
    return SpooledItems(chunks)


def edited(items: Sequence[Item], edit: Edit) -> Sequence[Item]:
    """Each item as `edit` gives it, whenever it is read. edit: must not change the item itself."""
    if isinstance(items, SpooledItems):
        return SpooledItems(_ChangedChunk(chunk, range(chunk.n), edit) for chunk in items.chunks)
    return list(map(edit, items))


def changed(items: Sequence[Item], places: Collection[int], edit: Edit) -> Sequence[Item]:
    """The items, those at these indices as `edit` gives them. edit: must not change the item itself."""
    if not places:
        return items
    if not isinstance(items, SpooledItems):
        return [edit(item) if at in places else item for at, item in enumerate(items)]
    chunks: list[AnyChunk] = []
    start = 0
    for chunk in items.chunks:
        if any(start + at in places for at in range(chunk.n)):
            again = [edit(item) if start + at in places else item for at, item in enumerate(chunk.items())]
            chunks += _spooled_list(again).chunks
        else:
            chunks.append(chunk)
        start += chunk.n
    return SpooledItems(chunks)


def moved(items: Sequence[Item], rows: int) -> Sequence[Item]:
    """The items with `rows` added to the numbers of their rows; those in memory are changed."""
    if isinstance(items, SpooledItems):
        return SpooledItems(chunk.moved(rows) for chunk in items.chunks)
    for item in items:
        item.row += rows
    return items


def _spooled(items: Sequence[Item]) -> SpooledItems:
    """The same items with chunks. A list is encoded, in memory: it is short."""
    return items if isinstance(items, SpooledItems) else _spooled_list(items)


def _spooled_list(items: Sequence[Item]) -> SpooledItems:
    file = SpoolFile(BytesIO())
    chunks = []
    for batch in batches_of(items):
        data = encode_chunk(batch)
        chunks.append(Chunk(file, file.append(data), len(data), len(batch)))
    return SpooledItems(chunks)
