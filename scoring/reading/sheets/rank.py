"""Which sheet of a workbook is read: visible ones with the required columns come first (docs/scoring.md#workbooks)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from scoring.reading.columns import map_columns
from scoring.rubric import Column


class SheetKind(IntEnum):
    """The best kind first; a sheet that fits has the required columns and rows below them.

    A visible sheet whose header is further down is refused rather than replaced by a hidden one.
    """

    FITS = 1
    LOWER_HEADER = 2
    HIDDEN_FITS = 3
    VISIBLE = 4
    HIDDEN = 5


FITTING = frozenset({SheetKind.FITS, SheetKind.HIDDEN_FITS})


class SheetRank(NamedTuple):
    """The least is the best.

    missing: number of required columns that the first row lacks. below: the same for the best of the lower rows.
    """

    kind: SheetKind
    missing: int
    below: int


def rank_sheet(
    top: Sequence[Sequence[str]], columns: Sequence[Column], *, has_rows: bool, is_hidden: bool
) -> SheetRank:
    """Rank a sheet by its first rows. has_rows: is there anything below the first one?"""
    missing = len(map_columns(top[0] if top else (), columns).missing)
    lower = top[1:] if missing else ()
    below = min((len(map_columns(row, columns).missing) for row in lower), default=missing)
    if not missing and has_rows:
        kind = SheetKind.HIDDEN_FITS if is_hidden else SheetKind.FITS
    elif is_hidden:
        kind = SheetKind.HIDDEN
    else:
        kind = SheetKind.LOWER_HEADER if missing and not below else SheetKind.VISIBLE
    return SheetRank(kind, missing, below)
