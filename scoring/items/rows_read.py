"""What rows of a file give before the whole file is known, so that its pieces can be read apart and joined.

Rows are numbered as if the piece were the whole file under its header; `Moved` says what they are in the file.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from scoring.findings import Finding
from scoring.items.from_rows import ROW_PREFIX
from scoring.items.part import LONGEST_PAYLOAD, Item
from scoring.payloads.paths import PathsSeen
from scoring.problems import NearRow, Problem

_HEADER_ROW = 1


class RowsRead(msgspec.Struct, kw_only=True):
    """The rows of a table, or of a piece of one.

    rows = len(items) + blank_rows + unusable_rows. lines: of the file, the header's included. items: in order, repeats
    included. left_out: why the first rows made no item. counts, restored: as `ItemMaker` has them. numbered: rows whose
    number is their Query ID. suspect: fields with an id that Excel may have rewritten. seen: paths of the document.
    first, last: the first and the last row as `shown_cells` has them, None without rows. header_may_go_on: is there no
    row but lines of the header, so that the next ones may be such lines too?
    """

    rows: int
    lines: int
    blank_rows: int
    unusable_rows: int
    items: list[Item]
    left_out: list[Problem]
    counts: dict[str, int]
    restored: list[str]
    numbered: list[int]
    suspect: list[str]
    findings: tuple[Finding, ...]
    seen: PathsSeen
    first: tuple[str, ...] | None
    last: tuple[str, ...] | None
    header_may_go_on: bool


class Moved:
    """Places and items of rows that were read apart, as the whole file has them.

    rows, lines: before them in the file. before, following: the row before them and the one after, or None. places:
    how many of the rows that make no item show the rows around them.
    """

    def __init__(
        self,
        read: RowsRead,
        *,
        rows: int,
        lines: int,
        before: tuple[str, ...] | None,
        following: tuple[str, ...] | None,
        places: int,
    ) -> None:
        self._read = read
        self._rows = rows
        self._lines = lines
        self._with_around = {problem.row for problem in read.left_out[:places]}
        self._first, self._last = _HEADER_ROW + 1, _HEADER_ROW + read.rows
        self._before = before
        self._following = following

    def place(self, problem: Problem) -> Problem:
        """The place of a row, or of a line, in the whole file."""
        if problem.row is None:
            return problem
        line = None if problem.line is None else problem.line + self._lines
        return replace(problem, row=problem.row + self._rows, line=line, around=self._around(problem, problem.row))

    def items(self, room: int) -> int:
        """Change the items to what they are in the file. room: for payloads, in characters; returns what is left."""
        numbered = frozenset(self._read.numbered)
        for item in self._read.items:
            if room >= 0 and item.payload_size <= LONGEST_PAYLOAD:
                room -= item.payload_size
            if room < 0 and item.payload:
                item.payload = ""
            is_numbered = item.row in numbered
            item.row += self._rows
            if is_numbered:
                item.query_id = f"{ROW_PREFIX}{item.row}"
        return room

    def _around(self, problem: Problem, row: int) -> tuple[NearRow, ...]:
        if not problem.around or row not in self._with_around:
            return ()
        rows = self._rows
        near = [NearRow(number if number == _HEADER_ROW else number + rows, cells) for number, cells in problem.around]
        if row == self._first and self._before is not None:
            near.append(NearRow(row - 1 + rows, self._before))
        if row == self._last and self._following is not None:
            near.append(NearRow(row + 1 + rows, self._following))
        return tuple(sorted(near))
