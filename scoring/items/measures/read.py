"""Reads the measures of the items of one file, from columns and payloads (docs/scoring.md#measures)."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from scoring.findings import FindingLog
from scoring.items.part import Item, ItemDetails
from scoring.items.payload import Payload
from scoring.items.quantities import MOST_MEASURED, read_amount
from scoring.json_path import Path, find_values, parse_path
from scoring.problems import Problem
from scoring.reading.columns import ColumnMap, column_titles
from scoring.rubric.fields import normalise_header
from scoring.rubric.measures import Measure
from scoring.rubric.model import Rubric

_Payloads = Sequence[Payload | str | None]
_Amount = float | str | None  # as `read_amount` has it


class _Source(NamedTuple):
    """Where a measure is. at: index of its column, None for an absent one. title: of this column, for findings."""

    measure: Measure
    at: int | None
    paths: tuple[Path, ...]
    title: str


class MeasureReader:
    """Sets the measures of items. log: takes the values that cannot be used, and measures that no row has."""

    def __init__(self, columns: ColumnMap, rubric: Rubric, log: FindingLog, *, has_decimal_comma: bool) -> None:
        self._log = log
        self._has_decimal_comma = has_decimal_comma
        wanted = rubric.wanted_columns
        fields = {normalise_header(name): one.name for one in wanted for name in (one.title, *one.aliases)}
        titles = column_titles(columns, wanted)
        self._sources = []
        for measure in rubric.measures:
            field = fields[normalise_header(measure.column)] if measure.column else "raw_json"
            paths = tuple(path for text in measure.paths if (path := parse_path(text)) is not None)
            self._sources.append(_Source(measure, columns.at.get(field), paths, titles.get(field, field)))
        self.reads_payloads = any(source.paths for source in self._sources)
        self._seen: set[str] = set()  # measures that some row has a value of, or what is written in its place
        self._has_payload = False

    def set(self, items: Sequence[Item], cells: Sequence[Sequence[str]], payloads: _Payloads) -> None:
        """Set `measures` of the items of a batch. cells: the columns of their rows; payloads: of these rows."""
        columns = [
            self._of_payloads(source, payloads) if source.paths else self._of_cells(source, cells, len(items))
            for source in self._sources
        ]
        for source, amounts in zip(self._sources, columns, strict=True):
            for at, amount in enumerate(amounts):
                if isinstance(amount, str):
                    self._note_unusable(source, items[at].row, amount)
                    amounts[at] = None
        for item, measures in zip(items, zip(*columns, strict=True), strict=True):
            item.details = item.details or ItemDetails()
            item.details.measures = measures

    def finish(self) -> None:
        """Note the measures that no row of the file has a value of, though there was where to look."""
        for measure, at, paths, title in self._sources:
            if measure.name in self._seen or (at is not None and not (paths and self._has_payload)):
                continue
            found, values = ", ".join(measure.paths) or measure.column, {"measure": measure.name}
            self._log.add(Problem(code="measure-absent", column=title, found=found, values=values))

    def _of_cells(self, source: _Source, cells: Sequence[Sequence[str]], n: int) -> list[_Amount]:
        if source.at is None:
            return [None] * n
        amounts = [_read(cell, source.measure, has_decimal_comma=self._has_decimal_comma) for cell in cells[source.at]]
        if any(amount is not None for amount in amounts):
            self._seen.add(source.measure.name)
        return amounts

    def _of_payloads(self, source: _Source, payloads: _Payloads) -> list[_Amount]:
        return [self._of_payload(source, payload) for payload in payloads]

    def _of_payload(self, source: _Source, payload: Payload | str | None) -> _Amount:
        """At the first path that has any value: their sum, or what of them cannot be used."""
        value = payload.value if isinstance(payload, Payload) else None
        if value is None:
            return None
        self._has_payload = True
        for path in source.paths:
            read = [_read(found, source.measure) for found in find_values(value, path)]
            present = [amount for amount in read if amount is not None]
            if present:
                self._seen.add(source.measure.name)
                return _sum(present)
        return None

    def _note_unusable(self, source: _Source, row: int, found: str) -> None:
        values = {"measure": source.measure.name}
        self._log.add(Problem(code="measure-unusable", row=row, column=source.title, found=found, values=values))


def measure_reader(
    columns: ColumnMap, rubric: Rubric, log: FindingLog, *, has_decimal_comma: bool
) -> MeasureReader | None:
    """The reader of a file; None for a profile without measures."""
    return MeasureReader(columns, rubric, log, has_decimal_comma=has_decimal_comma) if rubric.measures else None


def _read(value: object, measure: Measure, *, has_decimal_comma: bool = False) -> _Amount:
    is_whole = measure.decimals == 0
    return read_amount(value, unit=measure.unit, is_whole=is_whole, has_decimal_comma=has_decimal_comma)


def _sum(amounts: Sequence[float | str]) -> float | str:
    """Of the values that a path with `[*]` found; the first of them that cannot be used."""
    numbers = [amount for amount in amounts if not isinstance(amount, str)]
    if len(numbers) < len(amounts):
        return next(amount for amount in amounts if isinstance(amount, str))
    total = fsum(numbers)
    return total if abs(total) <= MOST_MEASURED else f"{total:g}"
