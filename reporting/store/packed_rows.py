"""Rows of which few change at a time: the others are packed together, which takes a third of the memory.

They are read in one order again and again, and packed in it: so few blocks are open at a time.

`Groups` save memory alike: nearly all have one member, and a set for each would take more than what is grouped.
"""

import zlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Generic, TypeVar

import msgspec

_BLOCK = 256  # rows that are packed together
_LOOSE, _MOST_LOOSE = 1_024, 8_192  # that are kept as they are until the next time, and until then
_OPEN = 32  # blocks at a time
_OFTEN = 8  # times that each block is opened until all are packed anew
_LEVEL = 1  # of the fastest; rows are alike
_ESCAPED = "surrogateescape"  # in names of folders that are no text
_rows = msgspec.msgpack.Decoder(dict[bytes, bytes])  # by name

Chunks = Callable[[], Iterator[bytes]]  # of a file, from its start


class PackedRows:
    """Rows by name."""

    def __init__(self) -> None:
        self._loose: dict[str, bytes] = {}
        self._packed: dict[str, bytes] = {}  # the block of each of the others, one object for all in it
        self._blocks = 0
        self._opened = 0  # since they were packed

    def __setitem__(self, name: str, row: bytes) -> None:
        self._packed.pop(name, None)
        self._loose[name] = row
        if len(self._loose) >= _MOST_LOOSE:
            self._put_away(self._loose)

    def discard(self, name: str) -> None:
        """Forget a row, if it is there."""
        self._packed.pop(name, None)
        self._loose.pop(name, None)

    def of(self, names: Iterable[str]) -> Iterator[bytes]:
        """The rows of these names, each of which is there."""
        rows_of, loose, packed = lru_cache(maxsize=_OPEN)(self._open), self._loose, self._packed
        for name in names:
            row = loose.get(name)
            yield rows_of(packed[name])[name.encode(errors=_ESCAPED)] if row is None else row

    def _open(self, block: bytes) -> dict[bytes, bytes]:
        self._opened += 1
        return _rows.decode(zlib.decompress(block))

    def pack(self, names: Sequence[str]) -> None:
        """Pack what is loose, if that is much. names: of all rows, in the order in which they are read.

        Where most packed rows are others by now, or in another order, all are packed anew.
        """
        is_scattered = self._opened > _OFTEN * (self._blocks + _OPEN)
        if len(self._loose) < _LOOSE and not is_scattered:
            return
        if is_scattered or len(self._packed) < _BLOCK * self._blocks // 2:
            self._loose = dict(zip(names, self.of(names), strict=True))
            self._packed, self._blocks = {}, 0
        self._opened = 0
        self._put_away(name for name in names if name in self._loose)

    def _put_away(self, names: Iterable[str]) -> None:
        """Pack all that is loose, in this order."""
        ordered = iter(names)
        while together := list(islice(ordered, _BLOCK)):
            rows = {name.encode(errors=_ESCAPED): self._loose[name] for name in together}
            block = zlib.compress(msgspec.msgpack.encode(rows), _LEVEL)
            self._packed |= dict.fromkeys(together, block)
            self._blocks += 1
        self._loose = {}


def joined(rows: Iterable[bytes], between: bytes = b"") -> Iterator[bytes]:
    """The rows with this between them, some hundred at a time."""
    ordered, before = iter(rows), b""
    while together := list(islice(ordered, _BLOCK)):
        yield before + between.join(together)
        before = between


Key = TypeVar("Key", bound=Hashable)
Member = TypeVar("Member", bound=Hashable)


class Groups(Generic[Key, Member]):
    """Key -> its members, which are no sets."""

    def __init__(self) -> None:
        self._groups: dict[Key, Member | set[Member]] = {}

    def __getitem__(self, key: Key) -> set[Member]:
        """The members; none for a key without any."""
        if key not in self._groups:
            return set()
        found = self._groups[key]
        return found if isinstance(found, set) else {found}

    def of_several(self) -> Iterator[set[Member]]:
        """The members of each group that has more than one."""
        return (found for found in self._groups.values() if isinstance(found, set))

    def add(self, key: Key, member: Member) -> None:
        """One more."""
        known = self._groups.setdefault(key, member)
        if isinstance(known, set):
            known.add(member)
        elif known != member:
            self._groups[key] = {known, member}

    def remove(self, key: Key, member: Member) -> None:
        """One less, if it is there."""
        known = self._groups.get(key)
        if isinstance(known, set):
            known.discard(member)
            if len(known) == 1:
                (self._groups[key],) = known
        elif known == member:
            self._groups.pop(key, None)
