"""Reads the measures of the items of one file, from columns and payloads (docs/scoring.md#measures)."""

from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from scoring.findings import FindingLog
from scoring.items.part import Item, ItemDetails
from scoring.items.payload import Payload
from scoring.items.quantities import MOST_MEASURED, may_be_grouped, read_amount
from scoring.json_values import Path
from scoring.payloads import PathWatch, parsed_paths, values_at
from scoring.problems import Problem
from scoring.reading import ColumnMap, column_titles
from scoring.rubric import Measure, Rubric, normalise_header
from scoring.text import cut

_Payloads = Sequence[Payload | str | None]
_Amount = float | str | None  # as `read_amount` has it


class _Source(NamedTuple):
    """Where a measure is. at: index of its column, None for an absent one. title: of this column, for findings."""

    measure: Measure
    at: int | None
    paths: tuple[Path, ...]
    title: str


class MeasureReader:
    """Sets the measures of items.

    log: takes the values that cannot be used, and measures whose column is not there. watch: told of paths.
    """

    def __init__(
        self, columns: ColumnMap, rubric: Rubric, log: FindingLog, watch: PathWatch, *, has_decimal_comma: bool
    ) -> None:
        self._log = log
        self._watch = watch
        self._has_decimal_comma = has_decimal_comma
        wanted = rubric.wanted_columns
        fields = {normalise_header(name): one.name for one in wanted for name in (one.title, *one.aliases)}
        titles = column_titles(columns, wanted)
        self._sources = []
        for measure in rubric.measures:
            field = fields[normalise_header(measure.column)] if measure.column else "raw_json"
            paths = parsed_paths(measure.paths)
            self._sources.append(_Source(measure, columns.at.get(field), paths, titles.get(field, field)))
        self.reads_payloads = any(source.paths for source in self._sources)

    def set(self, items: Sequence[Item], cells: Sequence[Sequence[str]], payloads: _Payloads) -> None:
        """Set `measures` of the items of a batch. cells: the columns of their rows; payloads: of these rows."""
        columns = [
            [self._of_payload(source, payload) for payload in payloads]
            if source.paths
            else self._of_cells(source, cells, len(items))
            for source in self._sources
        ]
        for source, amounts in zip(self._sources, columns, strict=True):
            self._note_separators(source, items, cells, amounts)
            for at, amount in enumerate(amounts):
                if isinstance(amount, str):
                    self._note_unusable(source, items[at].row, amount)
                    amounts[at] = None
        for item, measures in zip(items, zip(*columns, strict=True), strict=True):
            item.details = item.details or ItemDetails()
            item.details.measures = measures

    def finish(self) -> None:
        """Note the measures whose column the file does not have."""
        for measure, at, paths, title in self._sources:
            if at is None and not paths:
                values = {"measure": measure.name}
                self._log.add(Problem(code="measure-absent", column=title, found=measure.column, values=values))

    def _of_cells(self, source: _Source, cells: Sequence[Sequence[str]], n: int) -> list[_Amount]:
        if source.at is None:
            return [None] * n
        return [_read(cell, source.measure, has_decimal_comma=self._has_decimal_comma) for cell in cells[source.at]]

    def _of_payload(self, source: _Source, payload: Payload | str | None) -> _Amount:
        """At the first path that has any value: their sum, or what of them cannot be used."""
        if not isinstance(payload, Payload) or payload.value is None:
            return None
        found = values_at(payload.value, source.paths)
        self._watch.saw(f"measures.{source.measure.name}", source.measure.paths, found=bool(found))
        return _sum([amount for value in found if (amount := _read(value, source.measure)) is not None])

    def _note_separators(
        self, source: _Source, items: Sequence[Item], cells: Sequence[Sequence[str]], amounts: Sequence[_Amount]
    ) -> None:
        """Log fractions of a measure that is whole, and numbers whose separator may mean another thing."""
        written = cells[source.at] if source.at is not None and not source.paths else ()
        is_whole = source.measure.decimals == 0
        odd = {at for at, one in enumerate(amounts) if is_whole and type(one) is float and not one.is_integer()}
        if self._has_decimal_comma:
            odd |= {at for at, cell in enumerate(written) if may_be_grouped(cell)}
        for at in sorted(odd):
            if isinstance(amount := amounts[at], float):
                read = f"{amount:.12g}"
                found = cut(written[at]) if written else read
                values = {"measure": source.measure.name, "read": read}
                row, title = items[at].row, source.title
                self._log.add(Problem(code="number-separator", row=row, column=title, found=found, values=values))

    def _note_unusable(self, source: _Source, row: int, found: str) -> None:
        values = {"measure": source.measure.name}
        self._log.add(Problem(code="measure-unusable", row=row, column=source.title, found=found, values=values))


def measure_reader(
    columns: ColumnMap, rubric: Rubric, log: FindingLog, watch: PathWatch, *, has_decimal_comma: bool
) -> MeasureReader | None:
    """The reader of a file; None for a profile without measures."""
    return MeasureReader(columns, rubric, log, watch, has_decimal_comma=has_decimal_comma) if rubric.measures else None


def _read(value: object, measure: Measure, *, has_decimal_comma: bool = False) -> _Amount:
    is_whole = measure.decimals == 0
    return read_amount(value, unit=measure.unit, is_whole=is_whole, has_decimal_comma=has_decimal_comma)


def _sum(amounts: Sequence[float | str]) -> _Amount:
    """Of the values that a path with `[*]` found, None without any; the first of them that cannot be used."""
    numbers = [amount for amount in amounts if not isinstance(amount, str)]
    if len(numbers) < len(amounts):
        return next(amount for amount in amounts if isinstance(amount, str))
    total = fsum(numbers) if numbers else None
    return total if total is None or abs(total) <= MOST_MEASURED else f"{total:g}"
