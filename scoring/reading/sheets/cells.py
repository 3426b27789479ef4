"""Mends the cells of a sheet as its reader hands them over, and logs what was lost (docs/scoring.md#workbooks)."""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from scoring.findings import FindingLog
from scoring.problems import Problem
from scoring.reading.columns import ColumnMap
from scoring.reading.sheets.xml import DateFormat, date_formats, read_cells, sheet_member
from scoring.text import cut, is_blank

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_IDS = ("run_id", "item_id", "query_id", "session")
_OF_THE_QUERY = ("query_id", "question", "expected", "category", "track", "session")
_LEAST_LONG = 1e14  # numbers of 15 digits, as many as Excel keeps

_Place = tuple[int, int]


class Sheet(NamedTuple):
    """A sheet by its name. rows: values as the reader has them. merged: first and last (row, column) of each range."""

    name: str
    rows: Sequence[Sequence[object]]
    merged: Sequence[tuple[_Place, _Place]]


def mend_cells(
    stream: BinaryIO,
    sheet: Sheet,
    texts: list[list[str]],
    columns: ColumnMap,
    *,
    log: FindingLog,
    suspects: frozenset[str],
) -> None:
    """Set the texts of cells that the reader leaves blank or reads as a wrong date.

    suspects: members of the workbook that may hold error values or formulas.
    """
    _log_long_ids(sheet.rows, columns, log)
    at = columns.at.get("round")
    dates = {} if at is None else dict(_first_days(sheet.rows, at))
    with zipfile.ZipFile(stream) as archive:
        formats = date_formats(archive) if dates else []
        is_unsure = DateFormat.MONTH_YEAR in formats or any(not _is_day(date) for date in dates.values())
        member = sheet_member(archive, sheet.name) if suspects or is_unsure else ""
        if member and (member in suspects or is_unsure):
            cells = read_cells(archive, member, at)
            for (row, column), value in cells.errors.items():
                if row < len(texts) and column < len(texts[row]):
                    texts[row][column] = value
            _log_formulas(cells.formulas, columns, texts, log)
            for row, date in dates.items():
                style = cells.styles.get(row, len(formats))
                shown = formats[style] if style < len(formats) else DateFormat.OTHER
                if shown is DateFormat.MONTH_YEAR or (shown is DateFormat.OTHER and not _is_day(date)):
                    assert at is not None
                    texts[row][at] = f"{_MONTHS[date.month - 1]}-{date.year % 100:02}"
    _fill_merged(sheet.merged, texts, columns, log)


def _first_days(rows: Sequence[Sequence[object]], at: int) -> Iterator[tuple[int, dt.date]]:
    """The first days of a month in a column, by row: as such Excel stores a month and year."""
    for number, row in enumerate(rows):
        value = row[at]
        if isinstance(value, dt.date) and value.day == 1:
            yield number, value


def _is_day(date: dt.date) -> bool:
    """Is the year, in two digits, a day that the month has in a common year?"""
    return 1 <= date.year % 100 <= _DAYS[date.month - 1]


def _log_long_ids(rows: Sequence[Sequence[object]], columns: ColumnMap, log: FindingLog) -> None:
    """Ids that are numbers of more digits than Excel keeps, or as many."""
    for at in (columns.at[field] for field in _IDS if field in columns.at):
        long = [
            number
            for number, row in enumerate(rows, start=1)
            if isinstance(value := row[at], float) and abs(value) >= _LEAST_LONG
        ]
        if long:
            place = Problem(
                code="id-rounded", row=long[0], column=columns.header[at], found=f"{rows[long[0] - 1][at]:.0f}"
            )
            log.add(place, len(long))


def _log_formulas(places: Sequence[_Place], columns: ColumnMap, texts: list[list[str]], log: FindingLog) -> None:
    claimed = set(columns.at.values())
    for row, column in places:
        if column in claimed and 0 < row < len(texts):
            log.add(Problem(code="formula-without-value", row=row + 1, column=columns.header[column]))


def _fill_merged(
    ranges: Sequence[tuple[_Place, _Place]], texts: list[list[str]], columns: ColumnMap, log: FindingLog
) -> None:
    """Fill the value of a merged cell down the columns of the query; elsewhere the blank cells are only logged."""
    filled = {columns.at[field] for field in _OF_THE_QUERY if field in columns.at}
    claimed = set(columns.at.values())
    budget = len(texts) * len(claimed)  # ranges of a sheet do not overlap
    for (top, left), (bottom, right) in sorted(ranges):
        rows = range(max(top, 1), min(bottom + 1, len(texts)))
        merged = [at for at in range(left, min(right + 1, columns.width)) if at in claimed]
        budget -= len(rows) * len(merged)
        if top < 1 or not merged or budget < 0:
            continue
        value = texts[top][left]
        if left in filled:
            for row in rows[1:]:
                if is_blank(texts[row][left]):
                    texts[row][left] = value
        covered = len(rows) * len(merged) - (left in claimed)
        if covered > 0:
            place = Problem(code="merged-cells", row=top + 1, column=columns.header[merged[0]], found=cut(value))
            log.add(place, covered)
