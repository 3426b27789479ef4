"""A table of intervals and points -> `scoring.rubric.model.Bands`, without gap or overlap.

`band_cells` reads the cells; `values` refuses the faults of a table.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from scoring.rubric.document.cells import BandCell, Interval
from scoring.rubric.points import Bands


class BandRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a band table: its place, its cell as written and read, and its points."""

    line: int
    cell: str
    band: BandCell
    points: float


class BandFault(NamedTuple):
    """What is wrong with a table of bands: a code, the row to blame and further facts by name."""

    code: str
    row: BandRow
    values: dict[str, str]


class JoinedBands(NamedTuple):
    """bands: None when there are faults. missing: the points of the missing value, None when no row gives them.

    `bands.missing` is 0.0 where no row gives it; the caller decides what then holds.
    """

    bands: Bands | None
    missing: float | None
    faults: tuple[BandFault, ...]


def join_bands(
    rows: Sequence[BandRow], *, low: float = 0.0, high: float = math.inf, first_holds: bool = False
) -> JoinedBands:
    """Bands that cover low..high without gap and overlap, from rows in any order.

    low, high: the least and the greatest possible value, both included when finite.
    first_holds: `>= 0.75` ends where a higher row begins (docs/scoring.md#ratio-tables); without it such rows overlap.
    Points have to rise or fall with the value; neighbours may have the same.
    """
    faults = []
    missing_rows = [row for row in rows if row.band.missing]
    faults += [BandFault("rubric-band-missing-twice", row, {}) for row in missing_rows[1:]]
    placed = [(row.band.interval, row) for row in rows if row.band.interval is not None]
    if first_holds:
        placed = _narrowed(placed)
    placed.sort(key=lambda pair: (pair[0].low, not pair[0].low_closed, pair[0].high))
    faults += _coverage_faults(placed, low, high)
    faults += _order_faults([row for _, row in placed])
    missing = missing_rows[0].points if missing_rows else None
    if faults or not placed:
        return JoinedBands(None, missing, tuple(faults))
    upper = tuple(interval.low_closed for interval, _ in placed[1:])
    bands = Bands(
        edges=tuple(interval.low for interval, _ in placed[1:]),
        points=tuple(row.points for _, row in placed),
        missing=0.0 if missing is None else missing,
        upper=upper if any(upper) else (),
    )
    return JoinedBands(bands, missing, ())


def _narrowed(placed: Sequence[tuple[Interval, BandRow]]) -> list[tuple[Interval, BandRow]]:
    """Rows without an upper end, cut where the next higher row begins."""
    result = []
    for interval, row in placed:
        higher = [(other.low, not other.low_closed) for other, _ in placed if other.low > interval.low]
        if interval.high == math.inf and higher:
            low, open_low = min(higher)
            result.append((interval._replace(high=low, high_closed=open_low), row))
        else:
            result.append((interval, row))
    return result


def _coverage_faults(placed: Sequence[tuple[Interval, BandRow]], low: float, high: float) -> list[BandFault]:
    if not placed:
        return []
    faults = []
    first, row = placed[0]
    if first.low > low:
        faults.append(BandFault("rubric-band-gap", row, {"start": show_number(low), "end": show_number(first.low)}))
    elif first.low == low and not first.low_closed:
        faults.append(BandFault("rubric-band-gap-at", row, {"at": show_number(low)}))
    reach, last_row = placed[0]
    for interval, row in placed[1:]:
        if interval.low > reach.high:
            ends = {"start": show_number(reach.high), "end": show_number(interval.low)}
            faults.append(BandFault("rubric-band-gap", row, ends))
        elif interval.low == reach.high and not (interval.low_closed or reach.high_closed):
            faults.append(BandFault("rubric-band-gap-at", row, {"at": show_number(interval.low)}))
        elif interval.low < reach.high or (interval.low_closed and reach.high_closed):
            faults.append(
                BandFault("rubric-band-overlap", row, {"other": last_row.cell, "at_line": str(last_row.line)})
            )
        if (interval.high, interval.high_closed) >= (reach.high, reach.high_closed):
            reach, last_row = interval, row
    if reach.high < high or (reach.high == high and not reach.high_closed and high != math.inf):
        faults.append(BandFault("rubric-band-no-end", last_row, {"end": show_number(reach.high)}))
    return faults


def _order_faults(rows: Sequence[BandRow]) -> list[BandFault]:
    if len(rows) < 2:
        return []
    rises = rows[-1].points > rows[0].points
    for before, row in pairwise(rows):
        if before.points != row.points and (row.points > before.points) != rises:
            values = {"before": show_number(before.points), "at_line": str(before.line), "other": before.cell}
            return [BandFault("rubric-band-order", row, {**values, "points": show_number(row.points)})]
    return []


def show_number(number: float) -> str:
    """The shortest decimal of a number, without `.0`."""
    return str(int(number)) if math.isfinite(number) and number == int(number) else str(number)
