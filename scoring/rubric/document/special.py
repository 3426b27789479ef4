"""Tables of a rubric document beside points per status and seconds: levels, pass ratios, conditions, weights.

`roles` decides which table is which; here every row is understood or refused with its cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from scoring.problems import Problem
from scoring.rubric.document.band_cells import BandError, plain_symbols, read_band
from scoring.rubric.document.bands import BandRow, join_bands, show_number
from scoring.rubric.document.cells import cell_at, columns_with, fold, header_at, mentions, read_points
from scoring.rubric.document.found import NONE, Form, Found, Place
from scoring.rubric.document.front_matter import refusal
from scoring.rubric.document.levels import numbered_levels
from scoring.rubric.document.tables import RawTable, TableRow
from scoring.rubric.model import TOTAL, Rubric
from scoring.rubric.points import Bands, Status
from scoring.rubric.rules import Level

_REMARK = re.compile(r"\s*\([^()]*\)\s*$")
_WEIGHT = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)\s*(%?)")
_LEVEL_NAME = 80  # characters
_PERCENT = 100
_LEAST_LEVELS = 2


class Special(NamedTuple):
    """found: None where the table is none of this form. problems: what in it can't be read."""

    found: Found | None
    problems: tuple[Problem, ...]


def read_special(table: RawTable, rows: Sequence[TableRow], role: str, form: Form, rubric: Rubric) -> Special:
    """Read a table that is named for `role`; form: LEVELS, NUMBERS, RATIO, CONDITIONS or WEIGHTS."""
    reader = _Reader(table, rows, role, rubric)
    readers: dict[Form, Callable[[], Found | None]] = {
        Form.LEVELS: reader.levels,
        Form.NUMBERS: reader.numbers,
        Form.RATIO: reader.ratio,
        Form.CONDITIONS: reader.conditions,
        Form.WEIGHTS: reader.weights,
    }
    return Special(readers[form](), tuple(reader.problems))


def statuses_of(cell: str, rubric: Rubric) -> tuple[Status, ...] | None:
    """Statuses that a condition means: any of those between `/`, all of those between `+`; None when unknown.

    A remark in brackets at the end says nothing.
    """
    known = {fold(phrase): statuses for phrase, statuses in rubric.vocabulary.statuses.items()}
    known |= {status.value: (status,) for status in Status if status.value not in known}
    text = _REMARK.sub("", cell)
    either: list[Status] = []
    for alternative in re.split(r"[/,]", text):
        sets = [known.get(fold(part)) for part in alternative.split("+")]
        meant = [statuses for statuses in sets if statuses is not None]
        if len(meant) < len(sets):
            return None
        either += [status for status in Status if all(status in statuses for statuses in meant)]
    return tuple(dict.fromkeys(either)) or None


class _Reader:
    def __init__(self, table: RawTable, rows: Sequence[TableRow], role: str, rubric: Rubric) -> None:
        self._table = table
        self._rows = rows
        self._role = role
        self._rubric = rubric
        self._words = rubric.vocabulary
        self.problems: list[Problem] = []

    def levels(self) -> Found | None:
        """Name, points and criteria of every level."""
        points_at = self._points_column()
        names_at = self._first_text_column(points_at)
        if points_at is None or names_at is None:
            return None
        criteria_at = next(
            (at for at in range(len(self._table.header)) if at not in {points_at, names_at} and self._has_text(at)),
            None,
        )
        levels: dict[str, Level] = {}
        lines: dict[str, int] = {}
        for row in self._rows:
            name, points = cell_at(row, names_at), self._points(row, points_at)
            criteria = cell_at(row, criteria_at) if criteria_at is not None else ""
            if not name or len(name) > _LEVEL_NAME:
                self._refuse("rubric-level-no-name", row.line, name[:_LEVEL_NAME])
            elif fold(name) in levels:
                self._refuse("rubric-level-twice", row.line, name, first=str(lines[fold(name)]))
            elif not criteria:
                self._refuse("rubric-level-no-criteria", row.line, name)
            else:
                lines[fold(name)] = row.line
                levels[fold(name)] = Level(name=name, points=points or 0.0, criteria=criteria)
        if len(levels) < _LEAST_LEVELS and not self.problems:
            self._refuse("rubric-levels-few", self._table.line, least=str(_LEAST_LEVELS))
        found = tuple(levels.values())
        return self._found([(level.name, level.points) for level in found], levels=found)

    def ratio(self) -> Found | None:
        """Bands over the ratio, points of failed items and of items without checks."""
        points_at = self._points_column(beside=self._is_ratio)
        condition_at = self._condition_column(points_at)
        if points_at is None or condition_at is None:
            return None
        bands: list[BandRow] = []
        points, places, outcomes, shown = self._conditions(points_at, condition_at, bands)
        joined = join_bands(bands, low=0.0, high=1.0, first_holds=True) if not self.problems else None
        for fault in joined.faults if joined else ():
            self._refuse(fault.code, fault.row.line, fault.row.cell, **fault.values)
        if joined is not None and joined.bands is None and not joined.faults:
            self._refuse("rubric-band-only-missing", self._table.line, role=self._role)
        return self._found(
            shown, points=points, places=places, outcomes=outcomes, bands=joined.bands if joined else None
        )

    def conditions(self) -> Found | None:
        """Points of named conditions, every one of them."""
        points_at = self._points_column()
        condition_at = self._condition_column(points_at)
        if points_at is None or condition_at is None:
            return None
        points, places, outcomes, shown = self._conditions(points_at, condition_at, None)
        absent = [name for name in self._words.conditions.get(self._role, {}) if name not in outcomes]
        if absent and not self.problems:
            phrases = ", ".join(self._words.conditions[self._role][name][0] for name in absent)
            self._refuse("rubric-condition-missing", self._table.line, role=self._role, conditions=phrases)
        return self._found(shown, points=points, places=places, outcomes=outcomes)

    def numbers(self) -> Found | None:
        """Numbered levels with a name and criteria each."""
        numbered = numbered_levels(self._table)
        if numbered is None:
            return None
        self.problems += numbered.problems
        shown = [(level.name, level.points) for level in numbered.levels]
        return self._found(shown, levels=numbered.levels)

    def weights(self) -> Found | None:
        """Metrics and their weights; percentages have to add up to 100."""
        headed = [
            at
            for at in range(len(self._table.header))
            if mentions(header_at(self._table, at), self._words.conditions[TOTAL]["weight"])
        ]
        if len(headed) != 1:
            return None
        (weight_at,) = headed
        name_at = self._first_text_column(weight_at)
        if name_at is None:
            return None
        weights: dict[str, float] = {}
        shown = []
        percents = []
        for row in self._rows:
            cell, name = cell_at(row, weight_at), cell_at(row, name_at)
            match = _WEIGHT.fullmatch(plain_symbols(cell).strip())
            metrics = [
                metric
                for metric in ("intent", "consistency", "accuracy", "latency", "stability")
                if mentions(_REMARK.sub("", name), self._words.headings.get(metric, ()))
            ]
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
        if not self.problems:
            self._check_sum(weights, percents)
        return self._found(shown, weights=weights)

    def _check_sum(self, weights: dict[str, float], percents: list[bool]) -> None:
        total = sum(Fraction(repr(weight)) for weight in weights.values())
        if any(percents) and not all(percents):
            self._refuse("rubric-weight-mixed", self._table.line)
        elif not total or (all(percents) and total != _PERCENT):
            self._refuse("rubric-weight-sum", self._table.line, sum=show_number(float(total)))

    def _conditions(
        self, points_at: int, condition_at: int, bands: list[BandRow] | None
    ) -> tuple[dict[Status, float], dict[Status, Place], dict[str, float], list[tuple[str, float]]]:
        """Rows by what their condition is: an outcome, statuses, or (bands given) a band of numbers."""
        points: dict[Status, float] = {}
        places: dict[Status, Place] = {}
        outcomes: dict[str, float] = {}
        shown = []
        for row in self._rows:
            cell, value = cell_at(row, condition_at), self._points(row, points_at)
            given = 0.0 if value is None else value
            outcome, statuses = self._outcome(cell), statuses_of(cell, self._rubric)
            shown.append((cell, given))
            if outcome:
                if outcome in outcomes:
                    self._refuse("rubric-condition-twice", row.line, cell)
                outcomes.setdefault(outcome, given)
            elif statuses is not None:
                for status in statuses:
                    if status in places:
                        self._refuse(
                            "rubric-status-twice", row.line, cell, status=status, first=str(places[status].line)
                        )
                    places.setdefault(status, Place(row.line, cell))
                    points.setdefault(status, given)
            else:
                self._band(row, cell, given, bands)
        return points, places, outcomes, shown

    def _band(self, row: TableRow, cell: str, points: float, bands: list[BandRow] | None) -> None:
        if bands is None:
            self._refuse("rubric-condition-unknown", row.line, cell)
            return
        try:
            band = read_band(cell, self._words)
        except BandError as error:
            self._refuse(error.code, row.line, cell)
            return
        if band.has_unit or band.missing:
            self._refuse("rubric-band-unreadable", row.line, cell)
            return
        bands.append(BandRow(line=row.line, cell=cell, band=band, points=points))

    def _outcome(self, cell: str) -> str:
        text = fold(_REMARK.sub("", cell))
        for name, phrases in self._words.conditions.get(self._role, {}).items():
            if any(fold(phrase) == text for phrase in phrases):
                return name
        return ""

    def _points_column(self, beside: Callable[[str], bool] | None = None) -> int | None:
        """The one column of points; of several, the one that a header calls so."""
        columns = columns_with(self._rows, lambda cell: read_points(cell, self._words) is not None)
        if beside is not None:
            columns = [at for at in columns if at not in columns_with(self._rows, beside)] or columns
        if len(columns) > 1:
            columns = [at for at in columns if mentions(header_at(self._table, at), self._words.points)]
            if len(columns) != 1:
                self._refuse("rubric-columns-ambiguous", self._table.line, " | ".join(self._table.header))
        return columns[0] if len(columns) == 1 else None

    def _condition_column(self, points_at: int | None) -> int | None:
        """The column with the most cells that are conditions; the first one that has text when none is."""
        counts = {
            at: sum(self._is_condition(cell_at(row, at)) for row in self._rows)
            for at in range(max((len(row.cells) for row in self._rows), default=0))
            if at != points_at
        }
        best = max(counts, key=lambda at: (counts[at], -at), default=None)
        if self._table.is_list and (best is None or counts[best] < len(self._rows)):
            return None  # a list of prose
        return best

    def _first_text_column(self, other: int | None) -> int | None:
        if self._table.is_list and any(len(row.cells) < _LEAST_LEVELS for row in self._rows):
            return None
        width = max((len(row.cells) for row in self._rows), default=0)
        return next((at for at in range(width) if at != other and self._has_text(at)), None)

    def _has_text(self, column: int) -> bool:
        filled = [cell_at(row, column) for row in self._rows if cell_at(row, column)]
        return any(read_points(cell, self._words) is None for cell in filled)

    def _is_condition(self, cell: str) -> bool:
        return bool(self._outcome(cell)) or statuses_of(cell, self._rubric) is not None or self._is_ratio(cell)

    def _is_ratio(self, cell: str) -> bool:
        try:
            return read_band(cell, self._words).interval is not None
        except BandError:
            return False

    def _points(self, row: TableRow, column: int) -> float | None:
        cell = cell_at(row, column)
        value = read_points(cell, self._words)
        if value is None:
            self._refuse("rubric-points-not-a-number", row.line, cell)
        elif not 0 <= value <= self._rubric.scale:
            self._refuse("rubric-points-range", row.line, cell, scale=show_number(self._rubric.scale))
        else:
            return value
        return None

    def _found(
        self,
        rows: Sequence[tuple[str, float]],
        *,
        points: dict[Status, float] | None = None,
        places: dict[Status, Place] | None = None,
        outcomes: dict[str, float] | None = None,
        bands: Bands | None = None,
        levels: tuple[Level, ...] = (),
        weights: dict[str, float] | None = None,
    ) -> Found:
        outcomes = outcomes or {}
        return Found(
            role=self._role,
            line=self._table.line,
            last_line=self._table.last_line,
            rows=tuple(rows),
            points={status: (points or {})[status] for status in Status if status in (points or {})},
            places=places or {},
            outcomes=outcomes,
            bands=bands,
            missing=outcomes.get(NONE),
            levels=levels,
            weights=weights or {},
        )

    def _refuse(self, code: str, line: int, found: str = "", **values: str) -> None:
        self.problems.append(refusal(code, line, found=found, **values))
