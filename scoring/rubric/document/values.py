"""Values of one table of a rubric document: points per status, bands, levels, pass ratios, conditions, weights.

`roles` decides which table is which; here every row is understood or refused with its cell.
"""

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from msgspec.structs import replace

from scoring.rubric.document.cells import (
    BandError,
    CellReader,
    fold,
    mentions,
    plain_symbols,
    read_band,
    without_remark,
)
from scoring.rubric.document.found import NONE, Form, Found, TablePlace, table_words
from scoring.rubric.document.front_matter import Refusals
from scoring.rubric.document.levels import (
    LEAST_LEVELS,
    BandRow,
    JoinedBands,
    LevelColumns,
    join_bands,
    numbered_columns,
    read_levels,
    show_number,
)
from scoring.rubric.document.tables import RawTable, TableRow, columns_with
from scoring.rubric.model import METRICS, TOTAL, Rubric
from scoring.rubric.points import STATUSES, Status
from scoring.rubric.rules import Level

_WEIGHT = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)\s*(%?)")
_PERCENT = 100
_WEIGHED = ("consistency", *METRICS)


class Columns(NamedTuple):
    """Columns of the condition and of its points."""

    condition: int
    points: int


class _ByStatus(NamedTuple):
    points: dict[Status, float]
    places: dict[Status, TablePlace]

    def ordered(self) -> dict[Status, float]:
        return {status: self.points[status] for status in Status if status in self.points}


class TableReader:
    """Reads one table as that of `role`; what cannot be read goes to `refusals`."""

    def __init__(self, table: RawTable, role: str, rubric: Rubric, refusals: Refusals) -> None:
        self._table = table
        self._rows = table.filled_rows
        self._role = role
        self._rubric = rubric
        self._words = table_words(rubric)
        self._cells = CellReader(self._words)
        self._refusals = refusals
        self._empty = Found(role=role, line=table.line, last_line=table.last_line, rows=())
        self._before = len(refusals)

    def read(self, form: Form) -> Found | None:
        """The table in a form that finds its own columns; None when it does not have them."""
        readers: dict[Form, Callable[[], Found | None]] = {
            Form.LEVELS: self._levels,
            Form.NUMBERS: self._numbers,
            Form.RATIO: self._ratio,
            Form.CONDITIONS: self._conditions,
            Form.WEIGHTS: self._weights,
        }
        return readers[form]()

    def statuses(self, columns: Columns) -> Found:
        """Points of every status."""
        by_status = _ByStatus({}, {})
        shown = []
        is_complete = True
        for row in self._rows:
            cell, value = row.cell(columns.condition), self._points(row, columns.points)
            statuses = self._cells.statuses(cell)
            if not statuses:
                is_complete = False
                self._refuse("rubric-status-unknown", row.line, cell, known=", ".join(STATUSES))
                continue
            shown.append((cell, value or 0.0))
            self._give_points(row, cell, statuses, value, by_status)
        absent = [status.value for status in Status if status not in by_status.places]
        if absent and is_complete:
            self._refuse("rubric-status-without-points", self._table.line, role=self._role, statuses=", ".join(absent))
        return replace(self._empty, rows=tuple(shown), points=by_status.ordered(), places=by_status.places)

    def bands(self, columns: Columns) -> Found:
        """Bands over seconds."""
        read: list[BandRow] = []
        for row in self._rows:
            cell, points = row.cell(columns.condition), self._points(row, columns.points)
            try:
                read.append(BandRow(line=row.line, cell=cell, band=read_band(cell, self._words), points=points or 0.0))
            except BandError as error:
                self._refuse(error.code, row.line, cell)
        joined = self._joined(read)
        return replace(
            self._empty,
            rows=tuple((row.cell, row.points) for row in read),
            bands=joined.bands if joined else None,
            missing=joined.missing if joined else None,
        )

    def _levels(self) -> Found | None:
        """Name, points and criteria of every level; names may be numbers, as 1 and 0, before the one column of text."""
        points_at = self._points_column()
        names_at = self._first_text_column(points_at)
        if points_at is None or names_at is None:
            return None
        others = [at for at in range(len(self._table.header)) if at not in {points_at, names_at}]
        criteria_at = next(filter(self._has_text, others), None)
        if criteria_at is None and others and others[0] < names_at and all(row.cell(others[0]) for row in self._rows):
            names_at, criteria_at = others[0], names_at
        columns = LevelColumns(points_at, names_at, criteria_at)
        levels = read_levels(self._table, columns, self._refusals, lambda row: self._points(row, points_at))
        return self._with_levels(levels)

    def _numbers(self) -> Found | None:
        """Numbered levels with a name and criteria each."""
        columns = numbered_columns(self._table)
        if columns is None:
            return None
        levels = read_levels(self._table, columns, self._refusals)
        return self._with_levels(levels)

    def _with_levels(self, levels: tuple[Level, ...]) -> Found:
        return replace(self._empty, rows=tuple((level.name, level.points) for level in levels), levels=levels)

    def _ratio(self) -> Found | None:
        """Bands over the ratio, points of failed items and of items without checks."""
        columns = self._condition_columns(beside=self._is_ratio)
        if columns is None:
            return None
        bands: list[BandRow] = []
        found = self._named_conditions(columns, bands)
        joined = self._joined(bands, low=0.0, high=1.0, first_holds=True)
        return replace(found, bands=joined.bands) if joined is not None else found

    def _conditions(self) -> Found | None:
        """Points of named conditions, every one of them."""
        columns = self._condition_columns()
        if columns is None:
            return None
        found = self._named_conditions(columns, None)
        phrases = self._words.conditions.get(self._role, {})
        absent = [words[0] for name, words in phrases.items() if words and name not in found.outcomes]
        if absent and not self._is_refused:
            self._refuse("rubric-condition-missing", self._table.line, role=self._role, conditions=", ".join(absent))
        return found

    def _weights(self) -> Found | None:
        """Metrics and their weights; percentages have to add up to 100."""
        words = self._words.conditions[TOTAL]["weight"]
        headed = [at for at, header in enumerate(self._table.header) if mentions(header, words)]
        name_at = self._first_text_column(headed[0]) if len(headed) == 1 else None
        if name_at is None:
            return None
        weights: dict[str, float] = {}
        shown = []
        percents = []
        for row in self._rows:
            cell, name = row.cell(headed[0]), row.cell(name_at)
            match = _WEIGHT.fullmatch(plain_symbols(cell).strip())
            headings = {metric: self._words.headings.get(metric, ()) for metric in _WEIGHED}
            metrics = [metric for metric, words in headings.items() if mentions(without_remark(name), words)]
            if match is None:
                self._refuse("rubric-weight-unreadable", row.line, cell)
            elif len(metrics) != 1:
                self._refuse("rubric-weight-metric", row.line, name)
            elif metrics[0] in weights:
                self._refuse("rubric-weight-twice", row.line, name)
            else:
                weights[metrics[0]] = float(match[1])
                percents.append(bool(match[2]))
                shown.append((name, float(match[1])))
        total = sum(Fraction(repr(weight)) for weight in weights.values())
        if not self._is_refused and any(percents) and not all(percents):
            self._refuse("rubric-weight-mixed", self._table.line)
        elif not self._is_refused and (not total or (all(percents) and total != _PERCENT)):
            self._refuse("rubric-weight-sum", self._table.line, sum=show_number(float(total)))
        return replace(self._empty, rows=tuple(shown), weights=weights)

    def _named_conditions(self, columns: Columns, bands: list[BandRow] | None) -> Found:
        """Rows by what their condition is: an outcome, statuses, or (bands given) a band of numbers."""
        by_status = _ByStatus({}, {})
        outcomes: dict[str, float] = {}
        shown = []
        for row in self._rows:
            cell, value = row.cell(columns.condition), self._points(row, columns.points)
            outcome, statuses = self._outcome(cell), self._cells.condition(cell)
            shown.append((cell, value or 0.0))
            if outcome in outcomes:
                self._refuse("rubric-condition-twice", row.line, cell)
            if outcome:
                outcomes.setdefault(outcome, value or 0.0)
            elif statuses is not None:
                self._give_points(row, cell, statuses, value, by_status)
            elif bands is None:
                self._refuse("rubric-condition-unknown", row.line, cell)
            else:
                self._add_band(row, cell, value or 0.0, bands)
        return replace(
            self._empty,
            rows=tuple(shown),
            points=by_status.ordered(),
            places=by_status.places,
            outcomes=outcomes,
            missing=outcomes.get(NONE),
        )

    def _give_points(
        self, row: TableRow, cell: str, statuses: Sequence[Status], value: float | None, by_status: _ByStatus
    ) -> None:
        """Give each status its points; one that has some already is refused."""
        for status in statuses:
            if status in by_status.places:
                first = str(by_status.places[status].line)
                self._refuse("rubric-status-twice", row.line, cell, status=status.value, first=first)
            by_status.places.setdefault(status, TablePlace(row.line, cell))
            if value is not None:
                by_status.points.setdefault(status, value)

    def _add_band(self, row: TableRow, cell: str, points: float, bands: list[BandRow]) -> None:
        try:
            band = read_band(cell, self._words)
        except BandError as error:
            self._refuse(error.code, row.line, cell)
            return
        if band.has_unit or band.missing:
            self._refuse("rubric-band-unreadable", row.line, cell)
        else:
            bands.append(BandRow(line=row.line, cell=cell, band=band, points=points))

    def _joined(
        self, rows: Sequence[BandRow], *, low: float = 0.0, high: float = math.inf, first_holds: bool = False
    ) -> JoinedBands | None:
        """The bands of the table, gaps and overlaps refused; None when a cell was refused before."""
        if self._is_refused:
            return None
        joined = join_bands(rows, low=low, high=high, first_holds=first_holds)
        if joined.bands is None and not joined.faults:
            self._refuse("rubric-band-only-missing", self._table.line, role=self._role)
        for fault in joined.faults:
            self._refuse(fault.code, fault.row.line, fault.row.cell, **fault.values)
        return joined

    def _outcome(self, cell: str) -> str:
        text = fold(without_remark(cell))
        for name, phrases in self._words.conditions.get(self._role, {}).items():
            if any(fold(phrase) == text for phrase in phrases):
                return name
        return ""

    def _condition_columns(self, beside: Callable[[str], bool] | None = None) -> Columns | None:
        """Points, and the column with the most cells that are conditions; None when one of the two is absent."""
        points_at = self._points_column(beside)
        counts = {
            at: sum(self._is_condition(row.cell(at)) for row in self._rows)
            for at in range(max((len(row.cells) for row in self._rows), default=0))
            if at != points_at
        }
        best = max(counts, key=lambda at: (counts[at], -at), default=None)
        if points_at is None or best is None or (self._table.is_list and counts[best] < len(self._rows)):
            return None  # also a list of prose
        return Columns(best, points_at)

    def _points_column(self, beside: Callable[[str], bool] | None = None) -> int | None:
        """The one column of points; of several, the one that a header calls so."""
        columns = columns_with(self._rows, self._cells.is_points)
        if beside is not None:
            columns = [at for at in columns if at not in columns_with(self._rows, beside)] or columns
        if len(columns) > 1:
            columns = [at for at in columns if mentions(self._table.header_cell(at), self._words.points)]
            if len(columns) != 1:
                self._refuse("rubric-columns-ambiguous", self._table.line, " | ".join(self._table.header))
        return columns[0] if len(columns) == 1 else None

    def _first_text_column(self, other: int | None) -> int | None:
        if self._table.is_list and any(len(row.cells) < LEAST_LEVELS for row in self._rows):
            return None
        width = max((len(row.cells) for row in self._rows), default=0)
        return next((at for at in range(width) if at != other and self._has_text(at)), None)

    def _has_text(self, column: int) -> bool:
        return any((cell := row.cell(column)) and not self._cells.is_points(cell) for row in self._rows)

    def _is_condition(self, cell: str) -> bool:
        return bool(self._outcome(cell)) or self._cells.condition(cell) is not None or self._is_ratio(cell)

    def _is_ratio(self, cell: str) -> bool:
        band = self._cells.band(cell)
        return band is not None and band.interval is not None

    def _points(self, row: TableRow, column: int) -> float | None:
        cell = row.cell(column)
        value = self._cells.points(cell)
        if value is None:
            self._refuse("rubric-points-not-a-number", row.line, cell)
        elif not self._rubric.floor <= value <= self._rubric.scale:
            lowest, highest = map(show_number, self._rubric.points)
            self._refuse("rubric-points-range", row.line, cell, lowest=lowest, scale=highest)
        else:
            return value
        return None

    @property
    def _is_refused(self) -> bool:
        return len(self._refusals) > self._before

    def _refuse(self, code: str, line: int, found: str = "", **values: str) -> None:
        self._refusals.add(code, line, found, **values)
