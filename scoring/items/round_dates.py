"""Dates as spreadsheets write them, where `1/1` was typed (docs/scoring.md#round-labels)."""

from __future__ import annotations

import re
from typing import NamedTuple

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
