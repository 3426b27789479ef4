"""Reads which turn of which conversation an item is (docs/scoring.md#sessions)."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.findings import FindingLog
from scoring.items.identity import identifier
from scoring.items.part import Item, ItemDetails, Turn
from scoring.items.quantities import read_number
from scoring.problems import Problem
from scoring.reading import ColumnMap, column_titles
from scoring.rubric import Rubric
from scoring.text import CellMemo, cut, is_blank, normalise, showable


class TurnReader:
    """Sets the turns of items of one file, if it has sessions. log: takes turns that are filled and no number."""

    def __init__(self, columns: ColumnMap, rubric: Rubric, log: FindingLog, *, has_decimal_comma: bool) -> None:
        self._log = log
        self._session_at = columns.at.get("session")
        self._turn_at = columns.at.get("turn")
        self._title = column_titles(columns, rubric.columns).get("turn", "turn")
        self._has_decimal_comma = has_decimal_comma
        self._sessions = CellMemo(identifier)

    def set(self, items: Sequence[Item], numbers: Sequence[int], cells: Sequence[Sequence[str]]) -> None:
        """Set the turn of each item in a session; a blank session leaves an item outside.

        numbers: of the rows that the items may be from. cells: the columns of these rows.
        """
        if self._session_at is None:
            return
        at = {number: index for index, number in enumerate(numbers)}
        for item in items:
            index = at[item.row]
            session = self._sessions[cells[self._session_at][index]]
            if session:
                item.details = item.details or ItemDetails()
                turn = "" if self._turn_at is None else cells[self._turn_at][index]
                item.details.turn = self._turn(session, turn, item.row)

    def _turn(self, session: str, cell: str, row: int) -> Turn:
        if is_blank(cell):
            return Turn(session)
        number = read_number(normalise(cell), has_decimal_comma=self._has_decimal_comma)
        if number is None:
            found = cut(showable(cell))
            self._log.add(Problem(code="turn-not-a-number", row=row, column=self._title, found=found))
            return Turn(session, label=cut(normalise(cell)))
        return Turn(session, label=f"{number:.15g}", number=number)
