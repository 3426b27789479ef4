"""Caches values derived from short, repeated cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from scoring.text import CELL_CHARACTERS

_LIMIT = 50_000

K = TypeVar("K")
V = TypeVar("V")


class Memo(dict[K, V]):
    """`memo[key]` is `work(key)`, computed once; the cache is cleared when it holds `limit` keys."""

    def __init__(self, work: Callable[[K], V], *, limit: int = _LIMIT) -> None:
        super().__init__()
        self._work = work
        self._limit = limit

    def __missing__(self, key: K) -> V:
        if len(self) >= self._limit:
            self.clear()
        value = self[key] = self._work(key)
        return value


class CellMemo(Memo[str, V]):
    """The same for cells; long ones are computed each time, because a file's worth would fill the memory."""

    def __missing__(self, key: str) -> V:
        return super().__missing__(key) if len(key) <= CELL_CHARACTERS else self._work(key)
