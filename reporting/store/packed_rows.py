"""Rows of which few change at a time: the others are packed together, which takes a third of the memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import msgspec

_BLOCK = 256  # rows that are packed together
_LOOSE = 1_024  # that are kept as they are until the next time
_LEVEL = 1  # of the fastest; rows are alike
_rows = msgspec.msgpack.Decoder(list[bytes])


class PackedRows:
    """Rows by name."""

    def __init__(self) -> None:
        self._loose: dict[str, bytes] = {}
        self._places: dict[str, int] = {}  # of the others: block, and place in it
        self._blocks: list[bytes] = []

    def __setitem__(self, name: str, row: bytes) -> None:
        self._places.pop(name, None)
        self._loose[name] = row

    def discard(self, name: str) -> None:
        """Forget a row, if it is there."""
        self._places.pop(name, None)
        self._loose.pop(name, None)

    def of(self, names: Iterable[str]) -> list[bytes]:
        """The rows of these names, each of which is there."""
        blocks = [_rows.decode(zlib.decompress(block)) for block in self._blocks]
        loose, places = self._loose, self._places
        found = []
        for name in names:
            row = loose.get(name)
            if row is None:
                block, at = divmod(places[name], _BLOCK)
                row = blocks[block][at]
            found.append(row)
        return found

    def pack(self) -> None:
        """Pack what is loose, if that is much. Where most packed rows are others by now, all are packed anew."""
        if len(self._loose) < _LOOSE:
            return
        if len(self._places) < _BLOCK * len(self._blocks) // 2:
            names = list(self._places)
            self._loose |= zip(names, self.of(names), strict=True)
            self._places.clear()
            self._blocks.clear()
        names = list(self._loose)
        for start in range(0, len(names), _BLOCK):
            together = names[start : start + _BLOCK]
            first = _BLOCK * len(self._blocks)
            self._blocks.append(zlib.compress(msgspec.msgpack.encode([self._loose[name] for name in together]), _LEVEL))
            self._places |= {name: first + at for at, name in enumerate(together)}
        self._loose = {}
