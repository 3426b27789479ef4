"""Small readings of one cell, header or label of a rubric document: points, statuses, words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from scoring.rubric.document.band_cells import BandCell, BandError, plain_symbols, read_band
from scoring.rubric.model import Vocabulary
from scoring.rubric.points import STATUSES, Status

_POINTS = re.compile(r"([-+]?[0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(.*)")
_BETWEEN_STATUSES = re.compile(r"[/,·+|]|\s+")
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")


class CellReader:
    """Reads cells by the words of a document."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        self._units = {fold(word) for word in words.points}
        self._phrases: dict[str, tuple[Status, ...]] = {status.value: (status,) for status in Status}
        self._phrases |= {fold(phrase): statuses for phrase, statuses in words.statuses.items()}

    def points(self, cell: str) -> float | None:
        """`5`, `4.5` or `5점` as a number; None for anything else."""
        match = _POINTS.fullmatch(plain_symbols(cell).strip())
        if match is None or (match[2] and fold(match[2]) not in self._units):
            return None
        return float(match[1])

    def is_points(self, cell: str) -> bool:
        """Is it a number of points?"""
        return self.points(cell) is not None

    def band(self, cell: str) -> BandCell | None:
        """The band in a cell; None when it is none."""
        try:
            return read_band(cell, self._words)
        except BandError:
            return None

    def condition(self, cell: str) -> tuple[Status, ...] | None:
        """Statuses that a condition means: any of those between `/`, all of those between `+`; None when unknown.

        A remark in brackets at the end is left out.
        """
        either: list[Status] = []
        for alternative in re.split(r"[/,]", without_remark(cell)):
            sets = [self._phrases.get(fold(part)) for part in alternative.split("+")]
            meant = [statuses for statuses in sets if statuses is not None]
            if len(meant) < len(sets):
                return None
            either += [status for status in Status if all(status in statuses for statuses in meant)]
        return tuple(dict.fromkeys(either)) or None

    def statuses(self, cell: str) -> Sequence[Status]:
        """Statuses named in a cell, one named twice listed twice; none when any word is unknown."""
        names = _status_names(cell)
        if names and all(name in STATUSES for name in names):
            return [STATUSES[name] for name in names]
        return self.condition(cell) or ()

    def names_a_status(self, cell: str) -> bool:
        """Does the cell name at least one status?"""
        return any(name in STATUSES for name in _status_names(cell)) or self.condition(cell) is not None


def mentions(text: str, words: Iterable[str]) -> bool:
    """Does a heading or header hold one of the words?"""
    folded = fold(text)
    return any(_pattern(fold(word)).search(folded) for word in words)


@lru_cache(maxsize=256)
def _pattern(word: str) -> re.Pattern[str]:
    """A Latin word is delimited ("multi", not "multiple"); a Korean one may carry a particle."""
    before = r"(?<![0-9a-z])" if word[:1].isascii() else ""
    after = r"(?![0-9a-z])" if word[-1:].isascii() else ""
    return re.compile(before + re.escape(word) + after)


def fold(text: str) -> str:
    """The form in which words of a document are compared."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def without_remark(cell: str) -> str:
    """The cell without a remark in brackets at its end."""
    return _REMARK.sub("", cell)


def _status_names(cell: str) -> list[str]:
    return [name for name in _BETWEEN_STATUSES.split(cell.casefold()) if name]
