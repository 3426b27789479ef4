"""The order of runs is that of their data, never that of their publication.

Correcting or retrying an old run therefore moves nothing.
"""

import re
import sys
from collections.abc import Iterable
from datetime import date
from typing import NewType

from scoring.times import read_times

# A year of four digits with or without separators, or six digits that start with a year of two.
_DATE = re.compile(r"(?<![0-9])(?:([0-9]{4})([-_.]?)([0-9]{2})\2([0-9]{2})|([0-9]{2})([0-9]{2})([0-9]{2}))(?![0-9])")
_CENTURY = 2000

_NUMBER = re.compile(r"([0-9]+)")

# One text: tuples of numbers and texts would take three times the memory. Names of folders have neither character.
OrderKey = NewType("OrderKey", str)
_END, _DIGITS = "\0", "\1"  # of a part; what a number begins with, then how many digits it has


def earliest(texts: Iterable[str]) -> str:
    """The earliest of the times as an ISO time, the wall clock as written; "" where none is a time."""
    times = [time for time in read_times(set(texts)).values() if time is not None]
    return min(times).isoformat() if times else ""


def name_date(name: str) -> str:
    """The first valid date in a name as ISO: `260203`, `20260203`, `2026-02-03`; "" without one."""
    for found in _DATE.finditer(name):
        year, _, month, day, short, short_month, short_day = found.groups()
        parts = (year, month, day) if year else (str(_CENTURY + int(short)), short_month, short_day)
        try:
            return date(*map(int, parts)).isoformat()
        except ValueError:
            continue
    return ""


def order_key(executed: str, name: str, *, published: int = 0) -> OrderKey:
    """Sorts runs of a profile: dated ones by date, undated ones after them by first publication, ties by name.

    Names go by their numbers: run2 before run10.

    executed: of the run, "" where none parses. published: place or time of first publication; counts without a date.
    """
    moment = executed or name_date(name)
    place = f"0{moment}" if moment else f"1{published:020}"
    numbers = _NUMBER.sub(lambda found: f"{_DIGITS}{len(number := found[0].lstrip('0')):03}{number}", name)
    return OrderKey(_END.join((place, numbers, name)))


def name_of(place: OrderKey) -> str:
    """The name of the run, one text for all who keep it."""
    return sys.intern(place.rpartition(_END)[2])


def numbered(name: str) -> tuple[tuple[str | int, ...], str]:
    """Sorts names by the numbers in them: run2 before run10.

    Sets that are made together are first published in this order, so that those without a date stand in it.
    """
    parts = _NUMBER.split(name)
    return tuple([int(part) if at % 2 else part for at, part in enumerate(parts)]), name
