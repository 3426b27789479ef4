"""Scores one input file: reads its table, makes the items and accounts for every row (docs/scoring.md#2-rows).

`scoring.items.from_rows` decides what the cells of a row mean; `scoring.results.merging` joins the files of a set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import BinaryIO

import msgspec

from scoring.findings import FileLog
from scoring.items.damage import CellDamage, ExcelDamage
from scoring.items.from_rows import FILLED_ERRORS, ROW_PREFIX, ItemMaker
from scoring.items.identity import TurnReader, filled, identifier, without_repeats
from scoring.items.keys_of_maps import score_keys
from scoring.items.other_rows import RULER_ROW, OtherRows, is_ruler
from scoring.items.part import KEPT_PAYLOADS, Item, Noted
from scoring.items.payload import open_payload
from scoring.items.rows_read import Moved, RowsRead
from scoring.items.spool import Collector, Items, Part, SpoolSpace
from scoring.items.status import note_error_words
from scoring.json_values import ANY_KEY, Diagnosis
from scoring.problems import MAX_LISTED_PROBLEMS, InputError, Problem
from scoring.reading import (
    ColumnMap,
    ContentHash,
    DelimitedTable,
    Table,
    column_titles,
    columns_of,
    in_its_encoding,
    is_packed,
    near_rows,
    open_table,
    refuse_unusable_header,
    shown_cells,
    unpacked,
    whole_hash,
    with_rows_around,
    with_sheet_rows_around,
)
from scoring.rubric import Rubric, keys_of, map_of, with_keys
from scoring.text import Memo, cut, is_blank

_BATCH_ROWS = 200  # about 1 MB of cells: larger batches drop out of the processor's cache
_LEFT_OUT = ("cell-count", "no-query-id", "no-round", "repeated-header", "total-row", "record-unreadable")
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
    with the number of bytes read, but of packed files. space: of the set's items; all are in memory by default. A file
    that must be refused gives a Part with `refused` and the reasons and without any item. Raises OSError as the stream
    does, TransientError when the space is full.
    """
    if rubric.records is not None and rubric.records.is_joined(name):
        content = whole_hash(stream)
        return Part(sha256=content.sha256, size=content.size, rubric_digest=rubric.digest)
    if is_packed(name):
        return _score_packed(stream, name, rubric, space)
    table: Table | None = None

    def scored(encoding: str) -> Part:
        nonlocal table
        table = None
        opened = partial(open_table, stream, name, records=rubric.records, encoding=encoding)
        keys = score_keys(rubric, opened)
        open_again = partial(opened, with_keys(rubric, keys).wanted_columns)
        table = open_again()
        refuse_unusable_header(table)
        scorer = FileScorer(table, rubric, open_again, keys=keys, space=space)
        scorer.read(progress)
        return scorer.part(ContentHash(table.sha256, table.size))

    try:
        return in_its_encoding(scored)
    except InputError as error:
        return _refused_part(stream, table, rubric, error.problems)


def _score_packed(stream: BinaryIO, name: str, rubric: Rubric, space: SpoolSpace | None) -> Part:
    """The part of what is in a packed file, with the hash and size of the file itself."""
    try:
        inside, inner = unpacked(stream, name)
    except InputError as error:
        return _refused_part(stream, None, rubric, error.problems)
    part = score_file(inside, name=inner, rubric=rubric, space=space)
    content = whole_hash(stream)
    return msgspec.structs.replace(part, sha256=content.sha256, size=content.size)


def exact_count(total: int, *shares: int) -> None:
    """Raise AssertionError unless the shares add up to the total: no row may get lost."""
    if total != sum(shares):
        raise AssertionError(f"{total} rows in, {'+'.join(map(str, shares))} accounted for")


class FileScorer:
    """Scores the rows of one table, read here or, by pieces of the file, elsewhere.

    Row by row a batch is as good as another, so that the rows of a file give the same in one piece and in many; what
    only all of them tell is left to `part`.
    """

    def __init__(
        self,
        table: Table,
        rubric: Rubric,
        open_again: Callable[[], Table],
        *,
        follows_header: bool = True,
        keys: tuple[str, ...] = (),
        space: SpoolSpace | None = None,
    ) -> None:
        """open_again: the same table from its start, for a second look at some rows.

        follows_header: does the table start right after its header? keys: of `score_keys`. space: as for `score_file`.
        """
        self._table = table
        self._open_again = open_again
        self._rubric_digest = rubric.digest
        self._map = map_of(rubric)
        self._rubric = rubric = with_keys(rubric, keys)
        self._log = table.log
        self._maker = self._item_maker(self._log)
        self._turns = TurnReader(table.columns, rubric, self._log, has_decimal_comma=table.delimiter == ";")
        self._titles = column_titles(table.columns, rubric.columns)
        self._header = list(table.columns.header)
        self._other_rows = OtherRows(table.columns, rubric, follow_header=follows_header)
        self._damage = CellDamage(table.columns, self._log)
        self._excel = ExcelDamage(self._titles, self._log)
        self._least_cells = _least_cells(table.columns, rubric)
        self._left_out: list[Problem] = []  # the first rows that make no item
        self._made = Collector(space or SpoolSpace())
        self._taken: list[Items] = []  # from elsewhere
        self._rows = 0
        self._lines = 0
        self._blank_rows = 0
        self._unselected = 0
        self._unusable_rows = 0
        self._noted: Memo[tuple[tuple[str, ...], tuple[str, ...]], Noted] = Memo(Noted._make)  # rows have the same
        self._first: tuple[str, ...] | None = None  # row, as it is shown
        self._last: tuple[str, ...] | None = None
        self._room = KEPT_PAYLOADS  # in rows that are taken from elsewhere

    def read(self, progress: Callable[[int], None] | None) -> None:
        """Read the table to its end. Raises InputError for a file that must be refused."""
        table, first = self._table, self._table.first_row
        before: list[str] = []
        for batch, ahead in _batches(table.rows()):
            numbers = range(first + self._rows, first + self._rows + len(batch))
            near = [before, *batch, *ahead]
            self._first = shown_cells(batch[0]) if self._first is None else self._first
            before = batch[-1]
            if any(map(any, batch)):
                self._fill_short_rows(numbers, batch, may_be_cut=not ahead and table.ends_inside_line)
                self._made.add(self._items_of(numbers, batch, near))
            else:  # empty rows, which may be millions
                self._blank_rows += len(batch)
            self._rows += len(batch)
            if progress is not None and (not self._rows % _PROGRESS_ROWS or not ahead):
                progress(table.size)
        self._unselected += table.selection.unselected
        self._refuse_cut_upload(before)
        self._last = shown_cells(before) if self._rows else None
        if table.has_end_mark:
            self._maker.counts["end-mark"] = 1

    def rows_read(self) -> RowsRead:
        """What the rows gave that were read."""
        maker = self._maker
        return RowsRead(
            rows=self._rows,
            lines=self._table.line_count if isinstance(self._table, DelimitedTable) else 0,
            blank_rows=self._blank_rows,
            unselected=self._unselected,
            unusable_rows=self._unusable_rows,
            items=self._made.items(),
            left_out=self._left_out,
            counts=dict(maker.counts),
            restored=sorted(maker.restored),
            numbered=maker.numbered,
            suspect=sorted(self._excel.suspect),
            findings=self._log.findings(),
            seen=maker.watch.seen,
            first=self._first,
            last=self._last,
            header_may_go_on=not self._rows or (self._other_rows.may_go_on and self._rows < _BATCH_ROWS),
        )

    def absorb(self, read: RowsRead, *, following: tuple[str, ...] | None) -> None:
        """Take the rows after those so far from where they were read, as if this table had been read on.

        following: the first row after them, as `RowsRead.first`. Items in memory are taken over, and changed.
        """
        rows, lines, maker = self._rows, self._lines, self._maker
        moved = Moved(read, rows=rows, lines=lines, before=self._last, following=following, places=self._places_left)
        self._log.absorb(read.findings, moved.place)
        self._left_out += map(moved.place, read.left_out[: MAX_LISTED_PROBLEMS - len(self._left_out)])
        items, self._room = moved.items(self._room)
        self._taken.append(items)
        maker.counts.update(read.counts)
        maker.restored.update(read.restored)
        maker.watch.absorb(read.seen, rows)
        self._excel.suspect.update(read.suspect)
        self._rows += read.rows
        self._lines += read.lines
        self._blank_rows += read.blank_rows
        self._unselected += read.unselected
        self._unusable_rows += read.unusable_rows
        self._last = self._last if read.last is None else read.last

    def part(self, content: ContentHash) -> Part:
        """The part of all rows. content: of the whole file. Raises InputError for a file that must be refused."""
        rows, maker, table = self._rows, self._maker, self._table
        items = Items.joined([*self._taken, self._made.items()])
        self._damage.finish()
        self._log.finish_rows()
        maker.finish()
        is_asked = self._map is not None and (self._map.paths or self._map.column == ANY_KEY)
        if self._map is not None and is_asked and not keys_of(self._rubric):
            values = {"key": "scores", "paths": ", ".join(self._map.paths) or self._map.column}
            found, column = values["paths"], self._titles.get("raw_json", "")
            self._log.add(Problem(code="path-never-found", column=column, found=found, values=values), rows)
        self._note_selection()
        exact_count(rows, len(items), self._blank_rows, self._unusable_rows)
        if not items:
            raise InputError(self._nothing_usable(rows - self._blank_rows))
        self._excel.log(items, self._rubric.date_order, is_text=not table.sheet)
        kept = self._without_repeats(items)
        if len(kept) < len(items):
            stay = set(kept.column("row"))
            self._take_back(set(items.column("row")) - stay, stay)
        note_error_words(kept, maker.counts.pop(FILLED_ERRORS, 0), self._titles["error"], self._log)
        if table.first_row > 1 and rows + 1 in ROW_LIMITS:
            self._log.add(Problem(code="row-limit", values={"rows": str(rows + 1)}))
        return Part(
            sha256=content.sha256,
            size=content.size,
            rubric_digest=self._rubric_digest,
            encoding=table.encoding,
            delimiter=table.delimiter,
            sheet=table.sheet,
            rows=rows - self._unselected,
            duplicates=len(items) - len(kept),
            blank_rows=self._blank_rows - self._unselected,
            unusable_rows=self._unusable_rows,
            items=kept,
            extra_columns=tuple(title for _, title in table.columns.extra),
            beside=table.beside,
            counts={code: n for code, n in sorted(maker.counts.items()) if n},
            restored_rounds=tuple(sorted(maker.restored)),
            findings=self._log.findings(),
            score_keys=keys_of(self._rubric),
        )

    def _note_selection(self) -> None:
        """How many rows the document does not ask for, and the paths of its conditions that lead nowhere."""
        if (rule := self._rubric.records) is None:
            return
        if self._unselected:
            self._log.add(Problem(code="records-not-selected", values={"where": rule.asked}), self._unselected)
        for path in self._table.selection.never_found:
            self._log.add(Problem(code="column-never-found", column=path, found=path))

    @property
    def _places_left(self) -> int:
        """How many more rows that make no item show the rows around them."""
        return max(MAX_PLACES - len(self._left_out), 0)

    def _items_of(self, numbers: range, rows: list[list[str]], near: Sequence[list[str]]) -> list[Item]:
        """The items of a batch, in order; rows that make none are counted and reported.

        near: the row before the batch, which is empty for the first one, its rows as they were read, and the next one.
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
            repaired = dict(zip(kept, used, strict=True))
            rows = [repaired.get(number, row) for number, row in zip(numbers, rows, strict=True)]
        items = self._maker.items(kept, used, cells)
        self._excel.look_at(items)
        self._turns.set(items, kept, cells)
        self._note(items, numbers)
        if len(items) < len(rows):
            made = {item.row for item in items}
            for index, (number, row) in enumerate(zip(numbers, rows, strict=True)):
                if number not in made:
                    self._leave_out(number, row, other.get(number, ""), near[index : index + 3])
        return items

    def _note(self, items: Iterable[Item], numbers: range) -> None:
        """Let each item know what its row gave to look at. numbers: of the rows of the batch, also of those without."""
        found, counted = self._log.by_row, self._maker.counts.by_row
        if not found and not counted:
            return
        noted = {row: (tuple(found.pop(row, ())), tuple(counted.pop(row, ()))) for row in numbers}
        for item in items:
            if any(noted[item.row]):
                item.noted = self._noted[noted[item.row]]

    def _leave_out(self, number: int, row: list[str], code: str, near: Sequence[list[str]]) -> None:
        """Count a row that makes no item. code: as for `_unusable`. near: the row, and the ones before and after it."""
        if all(map(is_blank, row)):
            self._blank_rows += 1
            return
        if is_ruler(row):  # holds nothing either
            self._blank_rows += 1
            self._log.add(Problem(code=RULER_ROW, row=number, found=_brief(row)))
            return
        self._unusable_rows += 1
        problem = self._unusable(number, row, code)
        if self._places_left and not (self._table.row_unit and len(row) != self._table.columns.width):
            shown = dict(enumerate(near, start=number - 1))
            problem = replace(problem, around=near_rows(shown | {self._table.first_row - 1: self._header}))
        self._log.add(problem)
        if len(self._left_out) < MAX_LISTED_PROBLEMS:
            self._left_out.append(problem)

    def _item_maker(self, log: FileLog) -> ItemMaker:
        table = self._table
        return ItemMaker(table.columns, self._rubric, log, has_decimal_comma=table.delimiter == ";")

    def _take_back(self, replaced: Collection[int], stay: Collection[int]) -> None:
        """Count no longer what the cells of replaced rows gave to look at: no item has it. stay: the rows of items."""
        log, counts = self._look_again(replaced)
        unseen = self._log.take_back(log.findings())
        if unseen:
            seen, _ = self._look_again(stay)
            self._log.show(finding for finding in seen.findings() if finding.code in unseen)
        del counts["restored-date"]  # a round that was read back tells which row is replaced
        self._maker.counts -= counts

    def _look_again(self, wanted: Collection[int]) -> tuple[FileLog, Counter[str]]:
        """What the cells of some rows give to look at, and to count."""
        table = self._open_again()
        log = FileLog(row_unit=table.row_unit)
        maker, damage = self._item_maker(log), CellDamage(table.columns, log)
        read = enumerate(table.rows(), start=table.first_row)
        rows = ((number, filled(row, table.columns.width)) for number, row in read if number in wanted)
        while batch := list(islice(rows, _BATCH_ROWS)):
            numbers, cells = [number for number, _ in batch], [row for _, row in batch]
            damage.look_at(numbers, cells, columns_of(cells), signs=table.signs)
            maker.items(numbers, cells, columns_of(cells))
        return log, maker.counts

    def _without_repeats(self, items: Items) -> Items:
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

    def _fill_short_rows(self, numbers: Sequence[int], rows: list[list[str]], *, may_be_cut: bool) -> None:
        """Append the blank last cells that Excel leaves out.

        A row without the cells that make an item stays as it is, and so does the last one of a file that may be cut.
        """
        width = self._table.columns.width
        if set(map(len, rows)) == {width}:
            return
        for index, row in enumerate(rows):
            if self._least_cells <= len(row) < width and not ((may_be_cut and index == len(rows) - 1) or is_ruler(row)):
                values = {"expected": str(width), "found": str(len(row))}
                rows[index] = filled(row, width)
                if not all(map(is_blank, row)):
                    self._log.add(Problem(code="short-row", row=numbers[index], values=values))

    def _unusable(self, row_number: int, row: list[str], code: str) -> Problem:
        """Why a row makes no item. code: of a row that is a header or a total, else ""."""
        if len(row) != self._table.columns.width:
            return self._table.misfit(row_number, row)
        if code:
            return Problem(code=code, row=row_number, found=_brief(row))
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
        if not filled_rows and (self._table.row_unit or self._unselected):
            return (Problem(code="no-records", values={"unselected": str(self._unselected)}),)
        if not filled_rows:
            return (Problem(code="header-only"),)
        head = Problem(code="no-usable-rows", values={"rows": str(filled_rows)})
        return (head, *self._causes())

    def _causes(self) -> Iterator[Problem]:
        """Why rows make no item, each cause once, in the order of its first row and with the number of its rows."""
        alike: dict[tuple[object, ...], list[Problem]] = {}
        for problem in sorted(chain.from_iterable(map(self._log.places, _LEFT_OUT)), key=lambda one: one.row or 0):
            is_whole = self._log.count(problem.code) <= MAX_LISTED_PROBLEMS  # else some rows are not kept
            facts = (problem.column, *problem.values.items()) if is_whole else ()
            alike.setdefault((problem.code, *facts), []).append(problem)
        for (_, *known), problems in alike.items():
            yield replace(problems[0], times=len(problems) if known else self._log.count(problems[0].code))


def _brief(row: Sequence[str]) -> str:
    """The filled cells of a row, cut for display."""
    return cut(" | ".join(filter(None, (cell.strip()[:_FOUND_CHARACTERS] for cell in row))))


def _batches(records: Iterator[list[str]]) -> Iterator[tuple[list[list[str]], list[list[str]]]]:
    """Rows in batches, each with the row after it, as a list of one or, at the end, of none."""
    ahead: list[list[str]] = []
    while batch := [*ahead, *islice(records, _BATCH_ROWS - len(ahead))]:
        ahead = list(islice(records, 1))
        yield batch, ahead


def _least_cells(columns: ColumnMap, rubric: Rubric) -> int:
    """How many cells a row needs to be an item: up to the last required one of query, round and answer."""
    answer = "raw_json" if rubric.has_column("raw_json") else "response"
    required = {column.name for column in rubric.columns if column.required} & {"query_id", "round", answer}
    return max((columns.at[field] + 1 for field in required), default=1)


def _refused_part(stream: BinaryIO, table: Table | None, rubric: Rubric, problems: tuple[Problem, ...]) -> Part:
    """A Part without items. Hash and size are still those of the whole file, because they identify it."""
    from scoring.reading import SpreadsheetTable

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
