"""Scores one input file: reads its table, makes the items and accounts for every row (docs/scoring.md#2-rows).

`scoring.items.from_rows` decides what the cells of a row mean; `scoring.results.merge` joins the files of a set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import BinaryIO

from scoring.items.cell_damage import CellDamage
from scoring.items.excel_damage import ExcelDamage
from scoring.items.from_rows import ROW_PREFIX, ItemMaker
from scoring.items.identity import identifier, without_repeats
from scoring.items.other_rows import OtherRows
from scoring.items.part import Item, Part
from scoring.items.payload import open_payload
from scoring.items.spool.space import Collector, SpoolSpace
from scoring.items.turns.read import TurnReader
from scoring.json_text import Diagnosis
from scoring.problems import MAX_LISTED_PROBLEMS, InputError, Problem
from scoring.reading.columns import ColumnMap, column_titles, columns_of
from scoring.reading.content_hash import whole_hash
from scoring.reading.open_table import NotThisEncodingError, Table, open_table, refuse_unusable_header
from scoring.reading.row_context import near_rows, with_rows_around, with_sheet_rows_around
from scoring.reading.sheets.spreadsheet import SpreadsheetTable
from scoring.rubric.model import Rubric
from scoring.text import cut, is_blank

_BATCH_ROWS = 200  # about 1 MB of cells: larger batches drop out of the processor's cache
_PROGRESS_ROWS = 10 * _BATCH_ROWS
ROW_LIMITS = (65_536, 1_048_576)  # of a sheet in XLS and XLSX: programs cut tables there, the header included
MAX_PLACES = 5  # errors that show the rows around them
_FOUND_CHARACTERS = 40


def score_file(
    stream: BinaryIO,
    *,
    name: str,
    rubric: Rubric,
    progress: Callable[[int], None] | None = None,
    space: SpoolSpace | None = None,
) -> Part:
    """Score the file in `stream` (binary, seekable) by `rubric`.

    name: its extension decides how the file is read, nothing else comes from it. progress: called now and then
    with the number of bytes read. space: of the set's items; all are in memory by default. A file that must be refused
    gives a Part with `refused` and the reasons and without any item. Raises OSError as the stream does, TransientError
    when the space is full.
    """
    encoding = ""
    mismatch: NotThisEncodingError | None = None
    while True:
        table: Table | None = None
        try:
            columns = rubric.wanted_columns
            open_again = partial(open_table, stream, name, columns, records=rubric.records, encoding=encoding)
            table = open_again()
            refuse_unusable_header(table)
            return _FileScorer(table, rubric, open_again).score(progress, Collector(space or SpoolSpace()))
        except NotThisEncodingError as error:
            encoding, mismatch = error.next_encoding, error
        except InputError as error:
            problems = mismatch.likelier(error.problems) if mismatch is not None else error.problems
            return _refused_part(stream, table, rubric, problems)


def exact_count(total: int, *shares: int) -> None:
    """Raise AssertionError unless the shares add up to the total: no row may get lost."""
    if total != sum(shares):
        raise AssertionError(f"{total} rows in, {'+'.join(map(str, shares))} accounted for")


class _FileScorer:
    """Scores the rows of one table. open_again: the same table from its start, for a second look at some rows."""

    def __init__(self, table: Table, rubric: Rubric, open_again: Callable[[], Table]) -> None:
        self._table = table
        self._open_again = open_again
        self._rubric = rubric
        self._log = table.log
        self._maker = ItemMaker(table.columns, rubric, self._log, has_decimal_comma=table.delimiter == ";")
        self._turns = TurnReader(table.columns, rubric, self._log, has_decimal_comma=table.delimiter == ";")
        self._titles = column_titles(table.columns, rubric.columns)
        self._header = list(table.columns.header)
        self._other_rows = OtherRows(table.columns, rubric)
        self._damage = CellDamage(table.columns, self._log)
        self._excel = ExcelDamage(self._titles, self._log)
        self._least_cells = _least_cells(table.columns, rubric)
        self._left_out: list[Problem] = []  # the first rows that make no item
        self._blank_rows = 0
        self._unusable_rows = 0

    def score(self, progress: Callable[[int], None] | None, items: Collector) -> Part:
        """Read the table to its end. items: empty. Raises InputError for a file that must be refused."""
        rows = 0
        table, maker = self._table, self._maker
        first = table.first_row
        row: list[str] = []  # the last one, as it was read
        before: list[str] = []
        for batch, is_last in _batches(table.rows(), table.columns.width):
            numbers = range(first + rows, first + rows + len(batch))
            row = batch[-1]
            if any(map(any, batch)):
                self._fill_short_rows(numbers, batch, may_be_cut=is_last and table.ends_inside_line)
                items.add(self._items(numbers, batch, before=before))
            else:  # empty rows, which may be millions
                self._blank_rows += len(batch)
            rows += len(batch)
            before = batch[-1]
            if progress is not None and not rows % _PROGRESS_ROWS:
                progress(table.size)
        self._refuse_cut_upload(row)
        maker.finish()
        exact_count(rows, len(items), self._blank_rows, self._unusable_rows)
        if table.has_end_mark:
            maker.counts["end-mark"] = 1
        if not items:
            raise InputError(self._nothing_usable(rows - self._blank_rows))
        made = items.items()
        self._excel.log(made, self._rubric.date_order, is_text=not table.sheet)
        kept = self._without_repeats(made)
        if first > 1 and rows + 1 in ROW_LIMITS:
            self._log.add(Problem(code="row-limit", values={"rows": str(rows + 1)}))
        return Part(
            sha256=table.sha256,
            size=table.size,
            rubric_digest=self._rubric.digest,
            encoding=table.encoding,
            delimiter=table.delimiter,
            sheet=table.sheet,
            rows=rows - table.unselected,
            duplicates=len(items) - len(kept),
            blank_rows=self._blank_rows - table.unselected,
            unusable_rows=self._unusable_rows,
            items=kept,
            extra_columns=tuple(title for _, title in table.columns.extra),
            counts={code: n for code, n in sorted(maker.counts.items()) if n},
            restored_rounds=tuple(sorted(maker.restored)),
            findings=self._log.findings(),
        )

    def _items(self, numbers: range, rows: list[list[str]], *, before: list[str]) -> list[Item]:
        """The items of a batch, in order; rows that make none are counted and reported.

        before: the row before the batch, empty for the first one.
        """
        width = self._table.columns.width
        kept, used = list(numbers), rows
        other: dict[int, str] = {}
        if set(map(len, rows)) != {width}:
            regular = [index for index, row in enumerate(rows) if len(row) == width]
            kept, used = [numbers[index] for index in regular], [rows[index] for index in regular]
        cells = columns_of(used)
        if used and (found := self._other_rows.found(kept, used, cells)):
            other = {kept[index]: code for index, code in found.items()}
            used = [row for index, row in enumerate(used) if index not in found]
            kept = [number for number in kept if number not in other]
            cells = columns_of(used)
        if used and self._damage.look_at(kept, used, cells, signs=self._table.signs):
            cells = columns_of(used)
        items = self._maker.items(kept, used, cells)
        self._excel.look_at(items)
        self._turns.set(items, kept, cells)
        if len(items) < len(rows):
            made = {item.row for item in items}
            for index, (number, row) in enumerate(zip(numbers, rows, strict=True)):
                if number in made:
                    continue
                if all(map(is_blank, row)):
                    self._blank_rows += 1
                    continue
                self._unusable_rows += 1
                problem = self._unusable(number, row, other.get(number, ""))
                if len(self._left_out) < MAX_PLACES and not (self._table.row_unit and len(row) != width):
                    problem = replace(problem, around=near_rows(self._rows_near(number, rows, index, before)))
                self._log.add(problem)
                if len(self._left_out) < MAX_LISTED_PROBLEMS:
                    self._left_out.append(problem)
        return items

    def _without_repeats(self, items: Sequence[Item]) -> Sequence[Item]:
        needs_query_id = any(column.name == "query_id" and column.required for column in self._rubric.columns)
        return without_repeats(
            items,
            lambda: self._open_again().rows(),
            header=self._header,
            first_row=self._table.first_row,
            row_prefix="" if needs_query_id else ROW_PREFIX,
            has_turns=self._rubric.sessions is not None,
            log=self._log,
        )

    def _rows_near(self, number: int, rows: list[list[str]], index: int, before: list[str]) -> dict[int, list[str]]:
        """Header, previous row, row itself and next row, by number; after the last row of a batch none is known."""
        header_at = self._table.first_row - 1
        near = {number - 1: rows[index - 1] if index else before, number: rows[index], header_at: self._header}
        return near | ({number + 1: rows[index + 1]} if index + 1 < len(rows) else {})

    def _fill_short_rows(self, numbers: Sequence[int], rows: list[list[str]], *, may_be_cut: bool) -> None:
        """Append the blank last cells that Excel leaves out.

        A row without the cells that make an item stays as it is, and so does the last one of a file that may be cut.
        """
        width = self._table.columns.width
        if set(map(len, rows)) == {width}:
            return
        for index, row in enumerate(rows):
            if self._least_cells <= len(row) < width and not (may_be_cut and index == len(rows) - 1):
                values = {"expected": str(width), "found": str(len(row))}
                rows[index] = [*row, *[""] * (width - len(row))]
                if not all(map(is_blank, row)):
                    self._log.add(Problem(code="short-row", row=numbers[index], values=values))

    def _unusable(self, row_number: int, row: list[str], code: str) -> Problem:
        """Why a row makes no item. code: of a row that is a header or a total, else ""."""
        if len(row) != self._table.columns.width:
            return self._table.misfit(row_number, row)
        if code:
            found = " | ".join(filter(None, (cell.strip()[:_FOUND_CHARACTERS] for cell in row)))
            return Problem(code=code, row=row_number, found=cut(found))
        at = self._table.columns.at.get("query_id")  # None: the row number is the Query ID
        code, field = ("no-round", "round") if at is None or identifier(row[at]) else ("no-query-id", "query_id")
        return Problem(code=code, row=row_number, column=self._titles[field])

    def _refuse_cut_upload(self, row: list[str]) -> None:
        """A file that was cut between the two quotes of `""` looks complete; its last record shows that it is not."""
        width = self._table.columns.width
        if not row or not self._table.is_cut_after_quote:
            return
        last = row[-1]
        if len(row) < width or (last.lstrip()[:1] == "{" and open_payload(last) == Diagnosis.TRUNCATED):
            row_number, line = self._table.last_row
            raise InputError((Problem(code="open-quote", row=row_number, line=line),))

    def _nothing_usable(self, filled_rows: int) -> tuple[Problem, ...]:
        if not filled_rows and self._table.row_unit:
            return (Problem(code="no-records", values={"unselected": str(self._table.unselected)}),)
        if not filled_rows:
            return (Problem(code="header-only"),)
        head = Problem(code="no-usable-rows", values={"rows": str(filled_rows)})
        return (head, *self._left_out[: MAX_LISTED_PROBLEMS - 1])


def _batches(records: Iterator[list[str]], width: int) -> Iterator[tuple[list[list[str]], bool]]:
    """Rows in batches, each with whether no row comes after it; that is only certain of a last row of too few cells."""
    ahead: list[list[str]] = []
    while batch := [*ahead, *islice(records, _BATCH_ROWS - len(ahead))]:
        ahead = list(islice(records, 1)) if len(batch[-1]) < width else []
        yield batch, not ahead


def _least_cells(columns: ColumnMap, rubric: Rubric) -> int:
    """How many cells a row needs to be an item: up to the last required one of query, round and answer."""
    answer = "raw_json" if rubric.has_column("raw_json") else "response"
    required = {column.name for column in rubric.columns if column.required} & {"query_id", "round", answer}
    return max((columns.at[field] + 1 for field in required), default=1)


def _refused_part(stream: BinaryIO, table: Table | None, rubric: Rubric, problems: tuple[Problem, ...]) -> Part:
    """A Part without items. Hash and size are still those of the whole file, because they identify it."""
    encoding = delimiter = sheet = ""
    if table is None:
        digest, size = whole_hash(stream)
    else:
        table.drain()
        digest, size, encoding, delimiter, sheet = (
            table.sha256,
            table.size,
            table.encoding,
            table.delimiter,
            table.sheet,
        )
    listed = problems[:MAX_LISTED_PROBLEMS]
    if table is not None and table.row_unit:
        listed = tuple(replace(problem, row_unit=table.row_unit) for problem in listed)
    elif isinstance(table, SpreadsheetTable):
        listed = with_sheet_rows_around(listed, table.all_rows())
    else:
        listed = with_rows_around(listed, stream, encoding=encoding, delimiter=delimiter)
    return Part(
        sha256=digest,
        size=size,
        rubric_digest=rubric.digest,
        refused=True,
        encoding=encoding,
        delimiter=delimiter,
        sheet=sheet,
        problems=listed,
    )
