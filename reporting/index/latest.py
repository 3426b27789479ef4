"""Caches that hold one value for each place, however often its content changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

MOST_KEPT = 100_000

V = TypeVar("V")


class Latest(Generic[V]):
    """The last value made for each place; it is cleared when it holds `most` of them."""

    def __init__(self, *, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: dict[Hashable, tuple[object, V]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, place: Hashable, made_of: object, make: Callable[[], V]) -> V:
        """The value of `place`, made now unless the last one was made of something equal. Raises what `make` does."""
        kept = self._kept.get(place)
        if kept is not None and kept[0] == made_of:
            return kept[1]
        value = make()
        if kept is None and len(self._kept) >= self._most:
            self._kept.clear()
        self._kept[place] = made_of, value
        return value
