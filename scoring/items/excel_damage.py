"""Finds identifiers and round labels that Excel has rewritten; they are noted, never repaired.

`123456789012345` becomes `1.23457E+14`: its other digits are lost, and ids that differ only in them are the same.
`1/1` typed into Excel is a date, and a column that is formatted as numbers shows it as 46023.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from scoring.items.part import Item, ProblemList
from scoring.items.rounds_and_tracks import read_round
from scoring.problems import Problem, Severity
from scoring.rubric.model import DateOrder

_ID_FIELDS = ("run_id", "item_id", "query_id")
_POWER = re.compile(r"[0-9](?:[.,][0-9]+)?[Ee]\+[0-9]+")
_SERIAL = re.compile(r"([0-9]{5})(?:\.0+)?")
_DAY_ZERO = dt.date(1899, 12, 30)  # right from March 1900 on
_YEARS = range(2000, 2100)  # other numbers are more likely labels


class ExcelDamage(NamedTuple):
    """counts: items by code, only codes that occur. notes: one per column with such ids, then one per such label."""

    counts: Counter[str]
    notes: ProblemList


def find_excel_damage(items: Sequence[Item], date_order: DateOrder, *, titles: Mapping[str, str]) -> ExcelDamage:
    """Damage in the items of one file. titles: of its columns, by field."""
    damage = ExcelDamage(Counter(), ProblemList())
    _find_rounded_ids(items, titles, damage)
    _find_serial_dates(items, date_order, titles["round"], damage)
    return damage


def serial_date(label: str) -> dt.date | None:
    """The date that Excel means by this number; None when the label is no such number, or of another century."""
    match = _SERIAL.fullmatch(label)
    if match is None:
        return None
    date = _DAY_ZERO + dt.timedelta(days=int(match[1]))
    return date if date.year in _YEARS else None


def _find_rounded_ids(items: Sequence[Item], titles: Mapping[str, str], damage: ExcelDamage) -> None:
    rows: set[int] = set()
    for field in _ID_FIELDS:
        identifiers = list(map(attrgetter(field), items))
        # One search in all of them: hardly any file has one.
        joined = "\n".join(identifiers)
        if "E+" not in joined and "e+" not in joined:
            continue
        found = [index for index, text in enumerate(identifiers) if _POWER.fullmatch(text)]
        if found:
            rows.update(found)
            first = found[0]
            values = {"rows": str(len(found))}
            damage.notes.add(_note("id-rounded", items[first].row, titles[field], identifiers[first], values))
    if rows:
        damage.counts["id-rounded"] = len(rows)


def _find_serial_dates(items: Sequence[Item], date_order: DateOrder, title: str, damage: ExcelDamage) -> None:
    found = {label: n for label, n in Counter(map(attrgetter("round"), items)).items() if serial_date(label)}
    if not found:
        return
    damage.counts["serial-date"] = sum(found.values())
    first = {item.round: item.row for item in reversed(items)}
    for label, n in found.items():
        date = str(serial_date(label))
        values = {"date": date, "label": read_round(date, date_order).label, "rows": str(n)}
        damage.notes.add(_note("round-serial-date", first[label], title, label, values))


def _note(code: str, row: int, title: str, found: str, values: dict[str, str]) -> Problem:
    return Problem(code=code, severity=Severity.NOTE, row=row, column=title, found=found, values=values)
