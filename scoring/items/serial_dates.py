"""Round labels that look like the numbers by which Excel stores dates: noted, never read as rounds (spec §1).

`1/1` typed into Excel is a date, and a column that is formatted as numbers before it is exported shows 46023 for it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from scoring.items.part import Item
from scoring.items.rounds_and_tracks import read_round
from scoring.problems import MAX_LISTED_PROBLEMS, Problem, Severity
from scoring.rubric.model import DateOrder

COUNT = "serial-date"
_SERIAL = re.compile(r"([0-9]{5})(?:\.0+)?")
_DAY_ZERO = dt.date(1899, 12, 30)  # right from March 1900 on
_YEARS = range(2000, 2100)  # outside of them a number is likelier a label


class SerialDates(NamedTuple):
    """rows: number of items with such a label. notes: one per label, in the order of the rows, the first ones.

    note_count: number of labels.
    """

    rows: int
    notes: tuple[Problem, ...]
    note_count: int


def serial_date(label: str) -> dt.date | None:
    """The date that Excel means by this number; None when the label is no such number, or of another century."""
    match = _SERIAL.fullmatch(label)
    if match is None:
        return None
    date = _DAY_ZERO + dt.timedelta(days=int(match[1]))
    return date if date.year in _YEARS else None


def find_serial_dates(items: Sequence[Item], date_order: DateOrder, *, title: str) -> SerialDates:
    """What is to be noted of the rounds of one file. title: of its round column."""
    found = {label: n for label, n in Counter(map(attrgetter("round"), items)).items() if serial_date(label)}
    if not found:
        return _NONE
    noted = list(found)[:MAX_LISTED_PROBLEMS]
    first = {item.round: item.row for item in reversed(items)}
    notes = tuple(_note(label, found[label], first[label], date_order, title) for label in noted)
    return SerialDates(sum(found.values()), notes, len(found))


def _note(label: str, n: int, row: int, date_order: DateOrder, title: str) -> Problem:
    date = str(serial_date(label))
    return Problem(
        code="round-serial-date",
        severity=Severity.NOTE,
        row=row,
        column=title,
        found=label,
        values={"date": date, "label": read_round(date, date_order).label, "rows": str(n)},
    )


_NONE = SerialDates(0, (), 0)
