"""Which table of a rubric document says what.

A table is known by what its cells hold (statuses or bands, and points) and named by a column header or by the
words above it. Header wording and column order do not matter otherwise.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scoring.problems import Problem
from scoring.rubric.document.cells import CellReader, fold, mentions
from scoring.rubric.document.found import Form, Found, Ignored, forms_of, table_words
from scoring.rubric.document.front_matter import Refusals
from scoring.rubric.document.levels import show_number
from scoring.rubric.document.tables import RawTable, TableRow, columns_with, read_track_list
from scoring.rubric.document.values import Columns, TableReader
from scoring.rubric.model import LATENCY_PREFIX, Rubric

_STATUS_ROLES = ("intent", "accuracy", "stability")


class Roles(NamedTuple):
    """Tables in the order of the document; each role of `found` once, or twice with the same content."""

    found: tuple[Found, ...]
    unused: tuple[Ignored, ...]
    problems: tuple[Problem, ...]


def find_roles(tables: Iterable[RawTable], rubric: Rubric) -> Roles:
    """Read every table; rubric gives the words, the roles and the scale."""
    reader = _Reader(rubric)
    for table in tables:
        reader.read(table)
    reader.compare()
    return Roles(tuple(reader.found), tuple(reader.unused), tuple(reader.refusals))


class _Reader:
    def __init__(self, rubric: Rubric) -> None:
        self._rubric = rubric
        self._words = table_words(rubric)
        self._cells = CellReader(self._words)
        self._band_roles = tuple(f"{LATENCY_PREFIX}{entry.name}" for entry in rubric.latency_classes)
        forms = forms_of(rubric)
        self._special = {role: form for role, form in forms.items() if form not in {Form.STATUSES, Form.BANDS}}
        # A metric that copies another one may have a table of its own, which then has to say the same.
        copying = {"accuracy"} if rubric.accuracy_of in rubric.status_points else set()
        self._status_roles = tuple(
            role for role in _STATUS_ROLES if role in {*forms, *copying} and role not in self._special
        )
        self.found: list[Found] = []
        self.unused: list[Ignored] = []
        self.refusals = Refusals()

    def read(self, table: RawTable) -> None:
        """Take in one table."""
        if read_track_list(table, self._rubric.track_words) or self._read_special(table):
            return
        rows = table.filled_rows
        statuses = columns_with(rows, self._cells.names_a_status)
        bands = columns_with(rows, lambda cell: self._cells.band(cell) is not None)
        numbers = [
            at
            for at in columns_with(rows, self._cells.is_points)
            if at not in statuses and (statuses or at not in bands)
        ]
        if numbers and statuses:
            for role, columns in self._choose(table, statuses[:1], numbers, self._status_roles):
                self.found.append(self._reader(table, role).statuses(columns))
        elif numbers and bands and not self._is_latency(table, rows, bands):
            self._leave(table, "other-bands")
        elif numbers and bands:
            for role, columns in self._choose(table, bands, numbers, self._band_roles):
                self.found.append(self._reader(table, role).bands(columns))
        else:
            self._leave(table, "list" if table.is_list else "not-points")

    def compare(self) -> None:
        """Refuse two tables of one role that differ."""
        first: dict[str, Found] = {}
        for table in self.found:
            other = first.setdefault(table.role, table)
            if table.says_the_same(other):
                continue
            known = set(other.rows)
            new = (f"{cell} {show_number(points)}" for cell, points in table.rows if (cell, points) not in known)
            line = str(other.line)
            self.refusals.add("rubric-tables-differ", table.line, next(new, ""), role=table.role, first=line)

    def _reader(self, table: RawTable, role: str) -> TableReader:
        return TableReader(table, role, self._rubric, self.refusals)

    def _read_special(self, table: RawTable) -> bool:
        """Take a table that is named for one role with a form of its own; False leaves it to the others."""
        named = self._role_above(table, (*self._status_roles, *self._special, "latency", "consistency"))
        if named not in self._special:
            return False
        before = len(self.refusals)
        found = self._reader(table, named).read(self._special[named])
        if found is not None:
            self.found.append(found)
        return found is not None or len(self.refusals) > before

    def _choose(
        self, table: RawTable, keys: list[int], numbers: list[int], roles: tuple[str, ...]
    ) -> list[tuple[str, Columns]]:
        """Which columns make a table for which role; refuses what could be read in two ways."""
        named = {at: self._named(table.header_cell(at), roles) for at in (*keys, *numbers)}
        if len(keys) == 1 and len(numbers) > 1 and all(len(named[at]) == 1 for at in numbers):
            return [(named[at][0], Columns(keys[0], at)) for at in numbers]
        if len(numbers) > 1:
            numbers = [at for at in numbers if mentions(table.header_cell(at), self._words.points)]
        if len(numbers) != 1:
            self.refusals.add("rubric-columns-ambiguous", table.line, " | ".join(table.header))
            return []
        if all(len(named[at]) == 1 for at in keys):
            return [(named[at][0], Columns(at, numbers[0])) for at in keys]
        role = self._role_above(table, roles)
        if role and len(keys) == 1:
            return [(role, Columns(keys[0], numbers[0]))]
        words = ", ".join(word for one in roles for word in self._words.headings.get(one, ()))
        self.refusals.add("rubric-table-unnamed", table.line, next(iter(table.labels), ""), words=words)
        return []

    def _is_latency(self, table: RawTable, rows: Sequence[TableRow], columns: Sequence[int]) -> bool:
        """Do these bands measure time: named so, by a unit, a variable's name, or a word above?"""
        if self._role_above(table, self._band_roles) or any(
            self._named(table.header_cell(at), self._band_roles) for at in columns
        ):
            return True
        words = self._words.headings.get("latency", ())
        for band in filter(None, (self._cells.band(row.cell(columns[0])) for row in rows)):
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
        rows = tuple((row.line, row.text or next(filter(None, row.cells), "")) for row in table.rows)
        self.unused.append(
            Ignored(line=table.line, last_line=table.last_line, label=table.label, reason=reason, rows=rows)
        )
