"""What the cells of a column hold: numbers, times, JSON objects, a few words, text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from scoring.items.payload import Opened, open_payload
from scoring.items.quantities import read_number, read_seconds
from scoring.text import is_blank, normalise

FEW_VALUES = 12  # different texts of a column that sorts answers into kinds
_MOST = 0.9  # share of the filled cells that makes a column one of numbers, times or objects
_KEPT_CHARACTERS = 200  # of a cell, where only its words count
_HANGUL = re.compile("[가-힣]")
_LATIN = re.compile("[A-Za-z]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The filled cells of one column.

    filled: their number; rows: of the sample. values: texts with how often each occurs, cut at 200 characters.
    numbers: the cells that are numbers. seconds: those that are an amount of time, in seconds if they are bare.
    objects: cells that hold a JSON object. mean_length: in characters.
    """

    at: int
    header: str
    rows: int
    filled: int
    values: Counter[str]
    numbers: tuple[float, ...]
    seconds: tuple[float, ...]
    objects: int
    mean_length: float

    @property
    def share(self) -> float:
        """Share of the rows that are filled."""
        return self.filled / self.rows if self.rows else 0.0

    @property
    def is_full(self) -> bool:
        """Is every cell filled?"""
        return bool(self.rows) and self.filled == self.rows

    @property
    def has_numbers(self) -> bool:
        """Are nearly all cells numbers?"""
        return self.filled > 0 and len(self.numbers) >= _MOST * self.filled

    @property
    def has_times(self) -> bool:
        """Are nearly all cells amounts of time?"""
        return self.filled > 0 and len(self.seconds) >= _MOST * self.filled

    @property
    def has_objects(self) -> bool:
        """Are nearly all cells JSON objects?"""
        return self.filled > 0 and self.objects >= _MOST * self.filled

    @property
    def is_unique(self) -> bool:
        """Does no value occur twice?"""
        return self.filled == len(self.values)

    @property
    def are_whole(self) -> bool:
        """Are all numbers whole?"""
        return all(value == int(value) for value in self.numbers)

    @property
    def middle(self) -> float:
        """The median of the times; 0 without any."""
        return median(self.seconds) if self.seconds else 0.0


def facts_of(at: int, header: str, cells: Sequence[str]) -> Facts:
    """Look at the cells of a column."""
    filled = [cell for cell in cells if not is_blank(cell)]
    texts = [normalise(cell[:_KEPT_CHARACTERS]) for cell in filled]
    numbers = [value for text in texts if (value := read_number(text, has_decimal_comma=False)) is not None]
    seconds = [amount for text in texts if isinstance(amount := read_seconds(text), float)]
    objects = [cell for cell in filled if cell.lstrip()[:1] in {"{", '"'} and isinstance(open_payload(cell), Opened)]
    return Facts(
        at=at,
        header=header,
        rows=len(cells),
        filled=len(filled),
        values=Counter(texts),
        numbers=tuple(numbers),
        seconds=tuple(seconds),
        objects=len(objects),
        mean_length=sum(map(len, filled)) / len(filled) if filled else 0.0,
    )


def share_of_hangul(texts: Sequence[str]) -> float:
    """Share of Hangul among the letters of the texts, of Hangul and the Latin alphabet; 0 without any."""
    joined = " ".join(texts)
    hangul, latin = len(_HANGUL.findall(joined)), len(_LATIN.findall(joined))
    return hangul / (hangul + latin) if hangul + latin else 0.0
