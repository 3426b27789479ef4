"""Identifiers that Excel took for numbers and wrote as powers of ten: noted, never mended (spec §1).

`123456789012345` comes out of Excel as `1.23457E+14`. Its other digits are gone, and ids that differed in them alone
are one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from scoring.items.part import Item
from scoring.problems import Problem, Severity

_FIELDS = ("run_id", "item_id", "query_id")
_POWER = re.compile(r"[0-9](?:[.,][0-9]+)?[Ee]\+[0-9]+")


class RoundedIds(NamedTuple):
    """rows: number of items with such an identifier. notes: one per column that has any."""

    rows: int
    notes: tuple[Problem, ...]


def find_rounded_ids(items: Sequence[Item], *, titles: Mapping[str, str]) -> RoundedIds:
    """What is to be noted of the identifiers of one file. titles: of its columns, by field."""
    rows: set[int] = set()
    notes = []
    for field in _FIELDS:
        identifiers = list(map(attrgetter(field), items))
        # One look at all of them at once: next to no file has any.
        joined = "\n".join(identifiers)
        if "E+" not in joined and "e+" not in joined:
            continue
        found = [index for index, text in enumerate(identifiers) if _POWER.fullmatch(text)]
        if found:
            first = items[found[0]].row
            rows.update(found)
            notes.append(_note(titles[field], first, identifiers[found[0]], len(found)))
    return RoundedIds(len(rows), tuple(notes))


def _note(title: str, row: int, example: str, n: int) -> Problem:
    return Problem(
        code="id-rounded", severity=Severity.NOTE, row=row, column=title, found=example, values={"rows": str(n)}
    )
