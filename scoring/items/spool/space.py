"""Collects the items of files in memory, and from a number of them on in a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import BinaryIO

from scoring.items.part import Item
from scoring.items.spool.chunks import encode_chunk
from scoring.items.spool.items import Chunk, SpooledItems, SpoolFile, batches_of
from scoring.problems import TransientError

SPILL_ITEMS = 20_000  # about 30 MB; sets of fewer items touch no file


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
