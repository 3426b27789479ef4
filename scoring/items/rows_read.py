"""What rows of a file give before the whole file is known, so that its pieces can be read apart and joined.

Rows are numbered as if the piece were the whole file under its header; `Moved` says what they are in the file.
"""

from collections.abc import Container
from dataclasses import replace
from functools import partial

import msgspec

from scoring.findings import Finding
from scoring.items.from_rows import ROW_PREFIX
from scoring.items.part import LONGEST_PAYLOAD, Item
from scoring.items.spool import Items
from scoring.payloads import PathsSeen
from scoring.problems import NearRow, Problem

_HEADER_ROW = 1


class RowsRead(msgspec.Struct, kw_only=True):
    """The rows of a table, or of a piece of one.

    rows = len(items) + blank_rows + unusable_rows. unselected: of the blank ones. lines: of the file, the header's
    included. items: in order, repeats included. left_out: why the first rows made no item. counts, restored: as
    `ItemMaker` has them. numbered: rows whose number is their Query ID. suspect: fields with an id that Excel may have
    rewritten. seen: paths of the document. first, last: the first and the last row as `shown_cells` has them, None
    without rows. header_may_go_on: is there no row but lines of the header, so that the next ones may be such lines
    too?
    """

    rows: int
    lines: int
    blank_rows: int
    unselected: int
    unusable_rows: int
    items: Items
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

    def items(self, room: int) -> tuple[Items, int]:
        """The items as they are in the file, and the room that they leave. room: for payloads, in characters."""
        items = self._read.items.moved(self._rows)
        if self._read.numbered:
            rows = frozenset(number + self._rows for number in self._read.numbered)
            items = items.edited(partial(_with_number, rows=rows))
        without_payload, room = _beyond(items, room)
        return items.changed(without_payload, _without_payload), room

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


def _with_number(item: Item, *, rows: Container[int]) -> Item:
    if item.row not in rows:
        return item
    return msgspec.structs.replace(item, query_id=f"{ROW_PREFIX}{item.row}")


def _without_payload(item: Item) -> Item:
    return msgspec.structs.replace(item, payload="")


def _beyond(items: Items, room: int) -> tuple[frozenset[int], int]:
    """Indexes of the items whose payload has no room, and what is left of it."""
    beyond = set()
    at = 0
    for payloads, sizes in items.columns("payload", "payload_size"):
        if room < 0 and not any(payloads):
            break  # a piece keeps no payload after this either
        for payload, size in zip(payloads, sizes, strict=True):
            room -= size if room >= 0 and size <= LONGEST_PAYLOAD else 0
            if payload and room < 0:
                beyond.add(at)
            at += 1
    return frozenset(beyond), room
