"""Small readings of one cell, header or label of a rubric document: points, statuses, words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from scoring.rubric.document.band_cells import plain_symbols
from scoring.rubric.document.tables import RawTable, TableRow
from scoring.rubric.model import Status, Vocabulary

STATUSES = {status.value: status for status in Status}

_POINTS = re.compile(r"([-+]?[0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(.*)")
_BETWEEN_STATUSES = re.compile(r"[/,·+|]|\s+")


def columns_with(rows: Sequence[TableRow], holds: Callable[[str], bool]) -> list[int]:
    """Columns of which at least half of the rows hold such a cell, the fullest first."""
    counts = {
        at: sum(holds(cell_at(row, at)) for row in rows)
        for at in range(max((len(row.cells) for row in rows), default=0))
    }
    wanted = [at for at, count in counts.items() if count and count * 2 >= len(rows)]
    return sorted(wanted, key=lambda at: (-counts[at], at))


def names_a_status(cell: str) -> bool:
    """Does the cell name at least one status?"""
    return any(name in STATUSES for name in status_names(cell))


def status_names(cell: str) -> list[str]:
    """`error / empty` -> ["error", "empty"], case-folded; what is no status is in the list as well."""
    return [name for name in _BETWEEN_STATUSES.split(cell.casefold()) if name]


def read_points(cell: str, words: Vocabulary) -> float | None:
    """`5`, `4.5` or `5점` as a number; None for anything else."""
    match = _POINTS.fullmatch(plain_symbols(cell).strip())
    if match is None or (match[2] and fold(match[2]) not in {fold(word) for word in words.points}):
        return None
    return float(match[1])


def cell_at(row: TableRow, column: int) -> str:
    """Cell of a row; "" where the row is shorter."""
    return row.cells[column] if column < len(row.cells) else ""


def header_at(table: RawTable, column: int) -> str:
    """Header of a column; "" in a list."""
    return table.header[column] if column < len(table.header) else ""


def mentions(text: str, words: Iterable[str]) -> bool:
    """Does a heading or header hold one of the words?"""
    folded = fold(text)
    return any(_pattern(fold(word)).search(folded) for word in words)


@lru_cache(maxsize=256)
def _pattern(word: str) -> re.Pattern[str]:
    """A Latin word stands alone ("multi", not "multiple"); a Korean one may carry a particle."""
    before = r"(?<![0-9a-z])" if word[:1].isascii() else ""
    after = r"(?![0-9a-z])" if word[-1:].isascii() else ""
    return re.compile(before + re.escape(word) + after)


def fold(text: str) -> str:
    """The form in which words of a document are compared."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
