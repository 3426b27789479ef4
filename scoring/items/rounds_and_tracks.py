"""Reads `방/반복` and `Track` cells: rounds, dates in their place, tracks (docs/scoring.md#round-labels)."""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from scoring.rubric import DateOrder, Rubric, TrackId
from scoring.text import is_blank, normalise, visible

_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_MONTHS = {
    spelling: number
    for number, name in enumerate(_MONTH_NAMES, start=1)
    for spelling in (name, name[:3], *(("sept",) if name == "september" else ()))
}
_ANY_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_NAME = f"(?P<name>{_ANY_NAME})"
_ZONE = r"(?: ?(?:z|(?:gmt|utc)?[+-][0-9]{2}:?[0-9]{2}(?: \([^)]*\))?))?"
_DAY_NAME = "(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_YEARS = range(20, 40)  # two digits that are taken for a year where they can be nothing else
_MIDNIGHT = re.compile(
    rf"[ t,]+(?:0?0:00(?::00(?:[.,]0+)?)?(?: ?(?:am|오전))?{_ZONE}"
    r"|12:00(?::00)? ?(?:am|오전)|(?:am|오전) ?(?:12|0?0):00(?::00)?)\Z"
)
_ANY_TIME = re.compile(
    rf"[ t,]*(?:[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:[.,][0-9]+)?)?(?: ?(?:am|pm|오전|오후))?{_ZONE}"
    r"|(?:am|pm|오전|오후) ?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)\Z"
)
_WEEKDAY = re.compile(
    rf"\A{_DAY_NAME}\.?,? +|[ ,]*(?:\([월화수목금토일](?:요일)?\)|[월화수목금토일]요일|\({_DAY_NAME}\))\Z"
)
_NUMBERS = re.compile(r"([0-9]{1,4}) ?([-/.]) ?([0-9]{1,2}) ?\2 ?([0-9]{1,4})\.?")
_KOREAN = re.compile(r"(?:(?:[0-9]{2}|[0-9]{4}) ?[년年] ?)?([0-9]{1,2}) ?[월月] ?([0-9]{1,2}) ?[일日]")
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[0-9]{4}|[0-9]{2})"
_DAY_AND_NAME = re.compile(rf"{_DAY}[-. /]+{_NAME}\.?(?:[-,. /]+{_YEAR})?")
_NAME_AND_DAY = re.compile(rf"{_NAME}[-. /]+{_DAY}(?:[-,. /]+{_YEAR})?")
_YEAR_AND_NAME = re.compile(rf"(?P<year>[0-9]{{4}})[-. /]+{_NAME}[-. /]+{_DAY}")
# All that a date is written with, and at least as many numbers as tell it from a name such as `1-2`.
_LIKE_DATE = re.compile(
    rf"(?:(?P<month>{_ANY_NAME})(?![a-z])|{_DAY_NAME}(?![a-z])|[0-9]{{1,4}}(?![0-9])|st|nd|rd|th"
    r"|[년월일年月日]|[월화수목금토일]요일|[-/., ()])+"
)
_DIGITS = re.compile(r"[0-9]+")
_ISO_TIME = re.compile(r"([0-9]{4}([-/])[0-9]{1,2}\2[0-9]{1,2})[ t]+[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.0+)?)?")
_LONGEST = 80
_LEAST_NUMBERS = 3  # year, month and day
_YEAR_DIGITS = 4
_DAY_DIGITS = 2


class TypedDate(NamedTuple):
    """A date that `month/day` or `day/month` became.

    is_as_typed: is it in the order in which it was typed, so that `month` is the first number whatever it means?
    may_be_year: may the day be a year, as in `Jan-32`?
    """

    month: int
    day: int
    is_as_typed: bool = False
    may_be_year: bool = False


def read_date(text: str) -> TypedDate | None:
    """The date that the whole text is, in ASCII digits; None for anything else. Days may be any number."""
    if len(text) > _LONGEST:
        return None
    text = " ".join(text.lower().split())
    timed = _ISO_TIME.fullmatch(text)
    text = timed[1] if timed is not None else _WEEKDAY.sub("", _MIDNIGHT.sub("", text))
    if match := _NUMBERS.fullmatch(text):
        return _of_numbers(match[1], match[3], match[4])
    if match := _KOREAN.fullmatch(text):
        return TypedDate(int(match[1]), int(match[2]))
    for pattern in (_DAY_AND_NAME, _NAME_AND_DAY, _YEAR_AND_NAME):
        if match := pattern.fullmatch(text):
            may_be_year = pattern is _NAME_AND_DAY and match["year"] is None
            return TypedDate(_MONTHS[match["name"]], int(match["day"]), may_be_year=may_be_year)
    return None


def is_like_date(text: str) -> bool:
    """Is the text written as dates are: with a year, or with the name of a month and a number?"""
    if len(text) > _LONGEST:
        return False
    plain = _ANY_TIME.sub("", " ".join(text.lower().split()))
    match = _LIKE_DATE.fullmatch(plain)
    numbers = _DIGITS.findall(plain)
    if match is None or not numbers:
        return False
    is_named = match["month"] is not None or "월" in plain or "月" in plain
    is_whole = len(numbers) >= _LEAST_NUMBERS and any(map(_is_short_year, numbers))
    has_year = is_whole or any(len(number) == _YEAR_DIGITS for number in numbers)
    return (is_named or has_year) and len(numbers) + is_named + has_year >= _LEAST_NUMBERS


def _of_numbers(first: str, second: str, third: str) -> TypedDate | None:
    """`2026-1-2` and `26-1-2` have the year first, `1/2/2026` and `1/2/26` have it last; others may be anything."""
    lengths = len(first), len(third)
    if max(lengths) < _YEAR_DIGITS:
        is_first, is_last = _is_short_year(first), _is_short_year(third)
    else:
        is_first, is_last = (length == _YEAR_DIGITS for length in lengths)
    if is_first and not is_last and len(third) <= _DAY_DIGITS:
        return TypedDate(int(second), int(third))
    if is_last and not is_first and len(first) <= _DAY_DIGITS:
        return TypedDate(int(first), int(second), is_as_typed=True)
    return None


def _is_short_year(digits: str) -> bool:
    return len(digits) == _DAY_DIGITS and int(digits) in _YEARS


_ROOM_REPEAT = re.compile(r"([0-9]{1,9})\s*/\s*([0-9]{1,9})")
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

    A spreadsheet turns `1/1` into a date; its spellings are read back as room/repeat. Any other text is its own label.
    """
    label = normalise(text)
    text = _plain(label)
    if match := _ROOM_REPEAT.fullmatch(text):
        return RoundLabel(f"{int(match[1])}/{int(match[2])}", False)
    date = read_date(text)
    if date is None:
        return RoundLabel(label, False)
    month, day = date.month, date.day
    # A date of numbers with the year last keeps the order that was typed: the first number is the room.
    if date.is_as_typed and date_order is DateOrder.DAY_FIRST:
        month, day = day, month
    if date.may_be_year and not is_day(month, day):
        return RoundLabel(f"{month}/{day}", True)  # the second number became a year, whatever the order of dates
    if not (1 <= month <= _MONTH_LIMIT and 1 <= day <= _DAY_LIMIT):
        return RoundLabel(label, False)
    room, repeat = (month, day) if date_order is DateOrder.MONTH_FIRST else (day, month)
    return RoundLabel(f"{room}/{repeat}", True)


def is_room_and_repeat(label: str) -> bool:
    """Is this the label of a round that was read as room and repeat?"""
    return _ROOM_REPEAT.fullmatch(label) is not None


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
