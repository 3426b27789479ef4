"""A table of display-ready texts, which templates escape and draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reporting.wording.display import count

RIGHT = ">"  # in front of a title: the column is aligned right


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """titles and right-aligned flags: one per column; rows: as many cells each. total: rows there would be."""

    titles: tuple[str, ...]
    right: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int

    @property
    def more(self) -> int:
        """Rows left out."""
        return self.total - len(self.rows)

    @property
    def more_text(self) -> str:
        """The number of rows left out, with thousands separators."""
        return count(self.more)


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], *, total: int | None = None) -> Table:
    """A table; a title that starts with `>` aligns its column right. total: when rows were left out."""
    kept = tuple(map(tuple, rows))
    return Table(
        titles=tuple([title.removeprefix(RIGHT) for title in titles]),
        right=tuple([title.startswith(RIGHT) for title in titles]),
        rows=kept,
        total=len(kept) if total is None else total,
    )
