"""Which table of a rubric document says what: tables and lists -> points per status and latency bands.

A table is known by what its cells hold (statuses or bands, and points) and named by a column header or by the
words above it. Header wording and column order do not matter otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scoring.problems import Problem
from scoring.rubric.document.band_cells import BandCell, BandError, read_band
from scoring.rubric.document.bands import BandRow, join_bands, show_number
from scoring.rubric.document.cells import (
    STATUSES,
    cell_at,
    columns_with,
    fold,
    header_at,
    mentions,
    names_a_status,
    read_points,
    status_names,
)
from scoring.rubric.document.found import Form, Found, Place, forms_of
from scoring.rubric.document.front_matter import refusal
from scoring.rubric.document.special import read_special, statuses_of
from scoring.rubric.document.tables import RawTable, TableRow
from scoring.rubric.model import LATENCY_PREFIX, Rubric
from scoring.rubric.points import Bands, Status

_STATUS_ROLES = ("intent", "accuracy", "stability")


class Unused(NamedTuple):
    """A table that says nothing for this profile.

    reason: not-points, other-bands. rows: line and first cell of each.
    """

    line: int
    last_line: int
    label: str
    reason: str
    rows: tuple[tuple[int, str], ...]


class Roles(NamedTuple):
    """Tables in the order of the document; each role of `found` once, or twice with the same content."""

    found: tuple[Found, ...]
    unused: tuple[Unused, ...]
    problems: tuple[Problem, ...]


class _Choice(NamedTuple):
    role: str
    key: int
    points: int


def find_roles(tables: Iterable[RawTable], rubric: Rubric) -> Roles:
    """Read every table; rubric gives the words, the roles and the scale."""
    reader = _Reader(rubric)
    for table in tables:
        reader.read(table)
    reader.compare()
    return Roles(tuple(reader.found), tuple(reader.unused), tuple(reader.problems))


class _Reader:
    def __init__(self, rubric: Rubric) -> None:
        self._words = rubric.vocabulary
        self._scale = rubric.scale
        self._rubric = rubric
        self._band_roles = tuple(f"{LATENCY_PREFIX}{entry.name}" for entry in rubric.latency_classes)
        forms = forms_of(rubric)
        self._special = {role: form for role, form in forms.items() if form not in {Form.STATUSES, Form.BANDS}}
        # A metric that copies another one may have a table of its own, which then has to say the same.
        self._status_roles = tuple(
            role
            for role in _STATUS_ROLES
            if role in forms or (role == "accuracy" and rubric.accuracy_of in rubric.status_points)
        )
        self._status_roles = tuple(role for role in self._status_roles if role not in self._special)
        self.found: list[Found] = []
        self.unused: list[Unused] = []
        self.problems: list[Problem] = []

    def read(self, table: RawTable) -> None:
        rows = [row for row in table.rows if any(row.cells)]
        if self._read_special(table, rows):
            return
        statuses = columns_with(rows, self._names_statuses)
        bands = columns_with(rows, self._is_band)
        numbers = [
            at for at in columns_with(rows, self._is_points) if at not in statuses and (statuses or at not in bands)
        ]
        if numbers and statuses:
            for choice in self._choose(table, statuses[:1], numbers, self._status_roles):
                self._status_table(table, rows, choice)
        elif numbers and bands:
            self._band_tables(table, rows, bands, numbers)
        elif not table.is_list:
            self._leave(table, "not-points")

    def compare(self) -> None:
        """Two tables of one role have to say the same."""
        first: dict[str, Found] = {}
        for table in self.found:
            other = first.setdefault(table.role, table)
            if table.says_the_same(other):
                continue
            known = set(other.rows)
            cell = next(
                (f"{cell} {show_number(points)}" for cell, points in table.rows if (cell, points) not in known), ""
            )
            self._refuse("rubric-tables-differ", table.line, cell, role=table.role, first=str(other.line))

    def _read_special(self, table: RawTable, rows: Sequence[TableRow]) -> bool:
        """Take a table that is named for one role with a form of its own; False leaves it to the others."""
        named = self._role_above(table, (*self._status_roles, *self._special, "latency", "consistency"))
        if named not in self._special:
            return False
        found, problems = read_special(table, rows, named, self._special[named], self._rubric)
        self.problems += problems
        if found is not None:
            self.found.append(found)
        return found is not None or bool(problems)

    def _band_tables(self, table: RawTable, rows: Sequence[TableRow], bands: list[int], numbers: list[int]) -> None:
        cells = [cell_at(row, bands[0]) for row in rows]
        is_named = self._role_above(table, self._band_roles) or any(
            self._named(header_at(table, at), self._band_roles) for at in bands
        )
        if not is_named and not self._is_latency(table, cells):
            self._leave(table, "other-bands")
            return
        for choice in self._choose(table, bands, numbers, self._band_roles):
            self._band_table(table, rows, choice)

    def _choose(self, table: RawTable, keys: list[int], numbers: list[int], roles: tuple[str, ...]) -> list[_Choice]:
        """Which columns make a table for which role; refuses what could be read in two ways."""
        named = {at: self._named(header_at(table, at), roles) for at in (*keys, *numbers)}
        if len(keys) == 1 and len(numbers) > 1 and all(len(named[at]) == 1 for at in numbers):
            return [_Choice(named[at][0], keys[0], at) for at in numbers]
        if len(numbers) > 1:
            numbers = [at for at in numbers if mentions(header_at(table, at), self._words.points)]
        if len(numbers) != 1:
            self._refuse("rubric-columns-ambiguous", table.line, " | ".join(table.header))
            return []
        if all(len(named[at]) == 1 for at in keys):
            return [_Choice(named[at][0], at, numbers[0]) for at in keys]
        role = self._role_above(table, roles)
        if role and len(keys) == 1:
            return [_Choice(role, keys[0], numbers[0])]
        label = table.labels[0] if table.labels else ""
        words = ", ".join(word for one in roles for word in self._words.headings.get(one, ()))
        self._refuse("rubric-table-unnamed", table.line, label, words=words)
        return []

    def _status_table(self, table: RawTable, rows: Sequence[TableRow], choice: _Choice) -> None:
        points: dict[Status, float] = {}
        places: dict[Status, Place] = {}
        shown = []
        complete = True
        for row in rows:
            cell = cell_at(row, choice.key)
            value = self._points(row, choice.points)
            statuses = self._statuses(cell)
            if not statuses:
                complete = False
                self._refuse("rubric-status-unknown", row.line, cell, known=", ".join(STATUSES))
                continue
            shown.append((cell, value or 0.0))
            for status in statuses:
                if status in places:
                    first = str(places[status].line)
                    self._refuse("rubric-status-twice", row.line, cell, status=status.value, first=first)
                places.setdefault(status, Place(row.line, cell))
                if value is not None:
                    points.setdefault(status, value)
        absent = [status.value for status in Status if status not in places]
        if absent and complete:
            self._refuse("rubric-status-without-points", table.line, role=choice.role, statuses=", ".join(absent))
        ordered = {status: points[status] for status in Status if status in points}
        self._add(table, choice, shown, points=ordered, places=places)

    def _band_table(self, table: RawTable, rows: Sequence[TableRow], choice: _Choice) -> None:
        read: list[BandRow] = []
        faults = 0
        for row in rows:
            cell = cell_at(row, choice.key)
            points = self._points(row, choice.points)
            try:
                band = read_band(cell, self._words)
            except BandError as error:
                self._refuse(error.code, row.line, cell)
                faults += 1
                continue
            read.append(BandRow(line=row.line, cell=cell, band=band, points=points if points is not None else 0.0))
            faults += points is None
        joined = join_bands(read) if not faults else None
        if joined is not None and joined.bands is None and not joined.faults:
            self._refuse("rubric-band-only-missing", table.line, role=choice.role)
        for fault in joined.faults if joined else ():
            self._refuse(fault.code, fault.row.line, fault.row.cell, **fault.values)
        self._add(
            table,
            choice,
            [(row.cell, row.points) for row in read],
            bands=joined.bands if joined else None,
            missing=joined.missing if joined else None,
        )

    def _add(
        self,
        table: RawTable,
        choice: _Choice,
        rows: Iterable[tuple[str, float]],
        *,
        points: dict[Status, float] | None = None,
        places: dict[Status, Place] | None = None,
        bands: Bands | None = None,
        missing: float | None = None,
    ) -> None:
        self.found.append(
            Found(
                role=choice.role,
                line=table.line,
                last_line=table.last_line,
                rows=tuple(rows),
                points=points or {},
                places=places or {},
                bands=bands,
                missing=missing,
            )
        )

    def _points(self, row: TableRow, column: int) -> float | None:
        cell = cell_at(row, column)
        value = read_points(cell, self._words)
        if value is None:
            self._refuse("rubric-points-not-a-number", row.line, cell)
        elif not 0 <= value <= self._scale:
            self._refuse("rubric-points-range", row.line, cell, scale=show_number(self._scale))
        else:
            return value
        return None

    def _names_statuses(self, cell: str) -> bool:
        return names_a_status(cell) or statuses_of(cell, self._rubric) is not None

    def _statuses(self, cell: str) -> list[Status]:
        """Statuses named in a cell, one named twice stands twice; none when any word is unknown."""
        names = status_names(cell)
        if names and all(name in STATUSES for name in names):
            return [STATUSES[name] for name in names]
        return list(statuses_of(cell, self._rubric) or ())

    def _is_points(self, cell: str) -> bool:
        return read_points(cell, self._words) is not None

    def _is_band(self, cell: str) -> bool:
        return self._band(cell) is not None

    def _band(self, cell: str) -> BandCell | None:
        try:
            return read_band(cell, self._words)
        except BandError:
            return None

    def _is_latency(self, table: RawTable, cells: Iterable[str]) -> bool:
        """Do these bands measure time: by a unit, a variable's name, or a word above?"""
        words = self._words.headings.get("latency", ())
        for band in filter(None, map(self._band, cells)):
            if band.has_unit or any(fold(word) in fold(band.variable) for word in words):
                return True
        return any(mentions(label, words) for label in table.labels)

    def _role_above(self, table: RawTable, roles: tuple[str, ...]) -> str | None:
        """Role named by the most telling label that names exactly one."""
        for label in table.labels:
            named = self._named(label, roles)
            if len(named) == 1:
                return named[0]
        return None

    def _named(self, text: str, roles: tuple[str, ...]) -> list[str]:
        return [role for role in roles if mentions(text, self._words.headings.get(role, ()))]

    def _leave(self, table: RawTable, reason: str) -> None:
        label = table.labels[0] if table.labels else " | ".join(table.header)
        rows = tuple((row.line, next(filter(None, row.cells), "")) for row in table.rows)
        self.unused.append(Unused(table.line, table.last_line, label, reason, rows))

    def _refuse(self, code: str, line: int, found: str = "", **values: str) -> None:
        self.problems.append(refusal(code, line, found=found, **values))
