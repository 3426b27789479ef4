"""Reads `방/반복` and `Track` cells: rounds, restored Excel dates, tracks (docs/scoring.md#round-labels)."""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from scoring.rubric import DateOrder, Rubric, TrackId
from scoring.text import is_blank, normalise, visible

_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, start=1)}
_ROOM_REPEAT = re.compile(r"([0-9]{1,9})\s*/\s*([0-9]{1,9})")
_DAY_MONTH_NAME = re.compile(r"([0-9]{1,2})-([A-Za-z]{3})")
_MONTH_NAME_DAY = re.compile(r"([A-Za-z]{3})-([0-9]{1,2})")
_KOREAN = re.compile(r"([0-9]{1,2})\s*월\s*([0-9]{1,2})\s*일")
_YEAR_FIRST = re.compile(
    r"[0-9]{4}([-/])([0-9]{1,2})\1([0-9]{1,2})(?:[ T]+[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.0+)?)?)?"
)
_YEAR_LAST = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/[0-9]{4}")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_NATURAL = re.compile(r"([0-9]+)")
_MONTH_LIMIT = 12
_DAY_LIMIT = 31
_COMMON_YEAR = 2026
_LONGEST_TRACK = 9
_LONGEST_NAME = 80


class RoundLabel(NamedTuple):
    """label: "room/repeat" or the text as written (NFC, stripped); restored: was it read back from a date?"""

    label: str
    restored: bool


def read_round(text: str, date_order: DateOrder) -> RoundLabel:
    """The round that a non-blank cell names.

    Excel turns `1/1` into a date; its Korean, English and ISO spellings are read back as room/repeat.
    Anything else is a label of its own.
    """
    label = normalise(text)
    text = _plain(label)
    if match := _ROOM_REPEAT.fullmatch(text):
        return RoundLabel(f"{int(match[1])}/{int(match[2])}", False)
    # A date shown as numbers only keeps the order that was typed: the first number is the room.
    if match := _YEAR_LAST.fullmatch(text):
        first, second = int(match[1]), int(match[2])
        month, day = (first, second) if date_order is DateOrder.MONTH_FIRST else (second, first)
    elif match := _KOREAN.fullmatch(text):
        month, day = int(match[1]), int(match[2])
    elif match := _YEAR_FIRST.fullmatch(text):
        month, day = int(match[2]), int(match[3])
    elif match := _DAY_MONTH_NAME.fullmatch(text):
        month, day = _MONTHS.get(match[2].lower(), 0), int(match[1])
    elif match := _MONTH_NAME_DAY.fullmatch(text):
        month, day = _MONTHS.get(match[1].lower(), 0), int(match[2])
        if month and not is_day(month, day):  # Excel took the second number for a year, whatever its order of dates
            return RoundLabel(f"{month}/{day}", True)
    else:
        return RoundLabel(label, False)
    if not (1 <= month <= _MONTH_LIMIT and 1 <= day <= _DAY_LIMIT):
        return RoundLabel(label, False)
    room, repeat = (month, day) if date_order is DateOrder.MONTH_FIRST else (day, month)
    return RoundLabel(f"{room}/{repeat}", True)


def is_day(month: int, day: int) -> bool:
    """Has the month such a day in a common year?"""
    return 1 <= day <= monthrange(_COMMON_YEAR, month)[1]


def round_sort_key(label: str) -> tuple[int, int, int, tuple[tuple[int, int, str], ...], str]:
    """Rounds sort by (room, repeat) as numbers; other labels come after them, digits in them as numbers."""
    if match := _ROOM_REPEAT.fullmatch(label):
        return (0, int(match[1]), int(match[2]), (), label)
    pieces = tuple(
        (0, int(piece[:_LONGEST_TRACK]), piece) if _NATURAL.fullmatch(piece) else (1, 0, piece)
        for piece in _NATURAL.split(label)
        if piece
    )
    return (1, 0, 0, pieces, label)


def read_track(text: str) -> int | None:
    """The whole number in a track cell (`Track 1`, `트랙 1`, `1.0`, `01`); None for a blank or no single number."""
    numbers = set()
    for token in _NUMBER.findall(_plain(text)):
        whole, _, fraction = token.partition(".")
        if fraction.strip("0") or len(whole.lstrip("0")) > _LONGEST_TRACK:
            return None
        numbers.add(int(whole))
    return numbers.pop() if len(numbers) == 1 else None


class TrackNames(NamedTuple):
    """Tracks that are texts. known: by the form in which they are compared. words: what a track is called."""

    known: dict[str, str]
    words: tuple[str, ...]


def track_names(rubric: Rubric) -> TrackNames | None:
    """The names by which `read_named_track` reads; None where tracks are numbers, which `read_track` reads."""
    names = rubric.text_tracks
    if not names:
        return None
    words = tuple(sorted((_folded(word) for word in rubric.track_words), key=len, reverse=True))
    return TrackNames({_folded(name): name for name in names}, words)


def track_reader(rubric: Rubric) -> Callable[[str], TrackId | None]:
    """A function from a cell to its track, as the document has tracks."""
    names = track_names(rubric)
    return read_track if names is None else partial(read_named_track, names=names)


def read_named_track(text: str, *, names: TrackNames) -> TrackId | None:
    """The track in a cell of a document whose tracks are texts: in any case, also after the word for a track.

    A number is one here too; another text is a track that the document does not name. None for a blank cell.
    """
    if is_blank(text):
        return None
    folded = _folded(text)
    after = next((folded.removeprefix(word).lstrip(" :-") for word in names.words if folded.startswith(word)), folded)
    for one in (folded, after):
        if one in names.known:
            return names.known[one]
    number = read_track(after) if _NUMBER.fullmatch(after) else None
    return normalise(visible(text))[:_LONGEST_NAME] if number is None else number


def _folded(text: str) -> str:
    return normalise(_plain(text)).casefold()


def _plain(text: str) -> str:
    """Full-width digits and slashes, which Korean keyboards type, in their ASCII form; without invisible characters."""
    return text if text.isascii() else unicodedata.normalize("NFKC", visible(text))
