"""Levels of a table: name, points and criteria of each; and documents of numbered levels alone, in any language.

Columns of numbered levels are known by what they hold, not by their headers: whole numbers are levels, the first text
is their name, the next one their criteria.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from scoring.problems import MAX_LISTED_PROBLEMS, RubricError
from scoring.rubric.document.cells import BandCell, WrittenInterval, fold
from scoring.rubric.document.front_matter import Refusals
from scoring.rubric.document.tables import RawTable, TableRow, columns_with
from scoring.rubric.points import Bands
from scoring.rubric.rules import Level


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


def _narrowed(placed: Sequence[tuple[WrittenInterval, BandRow]]) -> list[tuple[WrittenInterval, BandRow]]:
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


def _coverage_faults(placed: Sequence[tuple[WrittenInterval, BandRow]], low: float, high: float) -> list[BandFault]:
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


LEAST_LEVELS = 2
_LONGEST_NAME = 80  # characters, of a level known by its name
_LEVEL = re.compile(r"[-+]?[0-9]{1,4}")
_SCORE = re.compile(r"([01](?:[.,][0-9]{1,4})?)(?:\s*\(\s*([0-9]{1,3})(?:[.,]0+)?\s*%\s*\))?")


class LevelColumns(NamedTuple):
    """criteria: None when no column holds any."""

    points: int
    name: int
    criteria: int | None


class LevelDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document of levels alone. `points` is the number of a level. line, last_line: of their table.

    ignored: (first line, last line, label) of tables and lists that say nothing about levels.
    """

    levels: tuple[Level, ...]
    line: int
    last_line: int
    ignored: tuple[tuple[int, int, str], ...]

    def score(self, level: float) -> Fraction:
        """(level - min) / (max - min), in [0, 1]. Raises ValueError for a level that is not in the document."""
        numbers = [Fraction(entry.points) for entry in self.levels]
        selected = Fraction(level)
        if selected not in numbers:
            raise ValueError(f"no level {level:g}")
        return (selected - min(numbers)) / (max(numbers) - min(numbers))


def read_levels(
    table: RawTable,
    columns: LevelColumns,
    refusals: Refusals,
    points_of: Callable[[TableRow], float | None] | None = None,
) -> tuple[Level, ...]:
    """Levels in the order of the table; what cannot be read is refused with its cell.

    points_of: refuses a wrong cell itself; None reads whole numbers, by which levels are then known.
    """
    is_numbered = points_of is None
    points_of = points_of or (lambda row: _number(row, columns.points, refusals))
    levels: list[Level] = []
    numbers: dict[float, int] = {}
    names: dict[str, int] = {}
    before = len(refusals)
    for row in table.rows if is_numbered else table.filled_rows:
        points, name = points_of(row), row.cell(columns.name)
        criteria = row.cell(columns.criteria) if columns.criteria is not None else ""
        if is_numbered and points is None:
            continue
        first = numbers.setdefault(points or 0.0, row.line) if is_numbered else row.line
        first_name = names.setdefault(fold(name), row.line)
        if first != row.line:
            refusals.add("rubric-level-twice", row.line, row.cell(columns.points), first=str(first))
        elif not name or (not is_numbered and len(name) > _LONGEST_NAME):
            refusals.add("rubric-level-no-name", row.line, name[:_LONGEST_NAME] or row.cell(columns.points))
        elif first_name != row.line:
            refusals.add("rubric-level-twice", row.line, name, first=str(first_name))
        elif not criteria:
            refusals.add("rubric-level-no-criteria", row.line, name)
        levels.append(Level(name=name, points=points or 0.0, criteria=criteria))
    if len(levels) < LEAST_LEVELS and len(refusals) == before:
        refusals.add("rubric-levels-few", table.line, least=str(LEAST_LEVELS))
    return tuple(levels)


def numbered_columns(table: RawTable) -> LevelColumns | None:
    """Columns of a table of numbered levels with names and criteria; None when it is none."""
    column = _level_column(table)
    texts = _text_columns(table, column) if column is not None else ()
    return LevelColumns(column, texts[0], texts[1]) if column is not None and len(texts) > 1 else None


def level_document(tables: Sequence[RawTable], *, source: str) -> LevelDocument | None:
    """The levels of a document; None when it has no such table.

    Raises RubricError with line and cell for fewer than two levels, a repeated level or name, a level without
    criteria, two tables that differ, and a table of scores that does not follow from the levels.
    """
    lists = [table for table in tables if table.is_list]
    tables = [table for table in tables if not table.is_list]
    table, columns = next(((table, found) for table in tables if (found := numbered_columns(table))), (None, None))
    if table is None or columns is None:
        return None
    refusals = Refusals()
    levels = read_levels(table, columns, refusals)
    document = LevelDocument(levels=levels, line=table.line, last_line=table.last_line, ignored=())
    others = [other for other in tables if other is not table] if not refusals else []
    unused = [other for other in others if not _is_score_table(other, document, refusals)]
    if refusals:
        raise RubricError(tuple(problem.at(source) for problem in refusals[:MAX_LISTED_PROBLEMS]))
    ignored = sorted((other.line, other.last_line, other.label) for other in (*lists, *unused))
    return replace(document, ignored=tuple(ignored))


def refuse_levels(tables: Iterable[RawTable], *, source: str) -> None:
    """Refuse the first table that is meant as levels and is none; a document without such a table passes.

    Only for a document that says nothing else. Raises RubricError with line and cell.
    """
    for table in tables:
        refusals = Refusals()
        if not table.is_list:
            _add_faults(table, refusals)
        if refusals:
            raise RubricError(tuple(problem.at(source) for problem in refusals[:MAX_LISTED_PROBLEMS]))


def _add_faults(table: RawTable, refusals: Refusals) -> None:
    """Why this is no table of levels; nothing of one that may well be something else."""
    is_wide = len(table.header) > LEAST_LEVELS
    numbers = columns_with(table.rows, _is_level)
    if not table.rows:
        refusals.add("rubric-levels-few", table.line, least=str(LEAST_LEVELS))
    elif not numbers and is_wide:
        for row in table.rows:
            refusals.add("rubric-level-number", row.line, row.cell(0))
    elif len(numbers) > 1 and is_wide:
        first, second = sorted(numbers)[:2]
        for row in table.rows:
            if _is_level(row.cell(first)) and _is_level(row.cell(second)):
                refusals.add("rubric-level-name-number", row.line, row.cell(second))
    elif numbers == [0] and len(_text_columns(table, 0)) < 2:
        for row in table.rows:
            refusals.add("rubric-level-no-criteria", row.line, row.cell(1) or row.cell(0))


def _is_score_table(table: RawTable, document: LevelDocument, refusals: Refusals) -> bool:
    """Is this a table of level, score and name? One whose scores do not follow from the levels is refused."""
    column = _level_column(table)
    score_at = next(iter(columns_with(table.rows, lambda cell: _SCORE.fullmatch(cell) is not None)), None)
    if column is None or score_at is None or score_at == column:
        return False
    by_number = {level.points: level for level in document.levels}
    for row in table.rows:
        cell, score = row.cell(column), row.cell(score_at)
        match = _SCORE.fullmatch(score)
        level = by_number.get(float(cell)) if _is_level(cell) else None
        if level is None:
            refusals.add("rubric-level-unknown", row.line, cell, known=", ".join(map(show_number, by_number)))
        elif match is None or not _is_shown_as(document.score(level.points), match):
            expected = f"{float(document.score(level.points)):.2f}"
            refusals.add("rubric-level-score", row.line, score, level=show_number(level.points), expected=expected)
    return True


def _is_shown_as(score: Fraction, match: re.Match[str]) -> bool:
    """Is this the score as written, rounded to the digits that it has?"""
    text = match[1].replace(",", ".")
    digits = len(text.partition(".")[2])
    is_near = abs(Fraction(text) - score) <= Fraction(1, 2 * 10**digits)
    return is_near and (match[2] is None or abs(Fraction(int(match[2])) - score * 100) <= Fraction(1, 2))


def _number(row: TableRow, column: int, refusals: Refusals) -> float | None:
    cell = row.cell(column)
    if _is_level(cell):
        return float(cell)
    refusals.add("rubric-level-number", row.line, cell)
    return None


def _is_level(cell: str) -> bool:
    return _LEVEL.fullmatch(cell) is not None


def _level_column(table: RawTable) -> int | None:
    """The only column of whole numbers."""
    columns = columns_with(table.rows, _is_level) if not table.is_list else []
    return columns[0] if len(columns) == 1 else None


def _text_columns(table: RawTable, level_column: int) -> Sequence[int]:
    """Columns beside the levels that hold words, not scores."""
    return [
        at
        for at in range(len(table.header))
        if at != level_column and any((cell := row.cell(at)) and not _SCORE.fullmatch(cell) for row in table.rows)
    ]
