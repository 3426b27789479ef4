"""Identifiers of items, their turns of conversations, and rows that repeat an item (docs/scoring.md#item-identity)."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

from scoring.findings import FindingLog
from scoring.items.part import Item, ItemDetails, Turn
from scoring.items.quantities import read_number
from scoring.items.spool import Items
from scoring.problems import Problem
from scoring.reading import ColumnMap, column_titles
from scoring.rubric import Rubric
from scoring.text import CELL_CHARACTERS, CellMemo, cut, is_blank, normalise, showable

_LONGEST_BLANK_IDENTIFIER = 4  # `null`, `none`, `<na>`

_IDENTITY = ("run_id", "item_id", "query_id", "round")  # and the turn
_PORTIONS = 64


def identifier(cell: str) -> str:
    """An id in the form that is compared: NFC, stripped, "" when blank; of a very long one the start and a hash."""
    text = cell.strip() if cell.isascii() else normalise(cell)
    if len(text) > CELL_CHARACTERS:
        # Identifiers that differ only after the cut must stay different.
        return cut(text) + hashlib.sha256(text.encode()).hexdigest()[:16]
    return "" if is_blank(text) else text


def identifiers(cells: Sequence[str], one_by_one: Callable[[str], str]) -> list[str]:
    """`identifier` of each. one_by_one: the fallback for batches with long, blank or non-ASCII cells."""
    if all(map(str.isascii, cells)):
        stripped = list(map(str.strip, cells))
        lengths = list(map(len, stripped))
        if min(lengths) > _LONGEST_BLANK_IDENTIFIER and max(lengths) <= CELL_CHARACTERS:
            return stripped
    return list(map(one_by_one, cells))


class _Row(NamedTuple):
    """A row whose identity repeats. at: index of its item."""

    at: int
    number: int
    query_id: str
    turn: Turn | None


def without_repeats(
    items: Items,
    rows: Callable[[], Iterable[list[str]]],
    *,
    header: Sequence[str],
    first_row: int,
    row_prefix: str,
    has_turns: bool,
    log: FindingLog,
) -> Items:
    """The items that count, in order: the last usable row of each. A row without an Item ID is an item of its own.

    In a session without turns, rows that differ in any cell are turns of their own.
    rows: reads the file's data rows once more; only called when an identity repeats, because an item does not keep
    every cell. first_row: number of the first one. row_prefix: a Query ID of it and the row's number is no name of a
    query; "" where every row has a Query ID. has_turns: may items be turns of conversations?
    """
    if not _repeated(map(hash, filter(None, items.column("item_id")))):
        return items
    named = partial(_identities, items, row_prefix=row_prefix, has_turns=has_turns)
    hashes = _repeated(hash(identity) for identity, _ in named())
    repeats: defaultdict[tuple[object, ...], list[_Row]] = defaultdict(list)
    for identity, row in named() if hashes else ():
        if hash(identity) in hashes:
            repeats[identity].append(row)
    repeated = [group for group in repeats.values() if len(group) > 1]
    if not repeated:
        return items
    wanted = {row.number for group in repeated for row in group}
    # Hashes of cells and not the cells: a file may repeat every row. Cells that a short row leaves out are blank.
    cells = {
        number: array("q", map(hash, filled(row, len(header))))
        for number, row in enumerate(rows(), start=first_row)
        if number in wanted
    }
    differing: dict[int, tuple[_Row, list[str]]] = {}  # by row: the one that stays, columns that differ
    equal: dict[int, _Row] = {}
    dropped = set()
    for *earlier, kept in _turns_apart(repeated, cells):
        for row in earlier:
            pairs = zip_longest(
                cells.get(row.number, ()), cells.get(kept.number, ())
            )  # none: the file shrank meanwhile
            columns = [title for title, (one, other) in zip(header, pairs, strict=False) if one != other]
            if columns:
                differing[row.number] = kept, columns
            else:
                equal[row.number] = kept
            dropped.add(row.at)
    log.add_first((_problem_of("rows-differ", row, *differing[row]) for row in sorted(differing)), len(differing))
    log.add_first((_problem_of("rows-equal", row, equal[row]) for row in sorted(equal)), len(equal))
    return items.without(dropped)


def filled(row: list[str], width: int) -> list[str]:
    """The row with the blank last cells that Excel leaves out."""
    return [*row, *[""] * (width - len(row))] if len(row) < width else row


def _identities(items: Items, *, row_prefix: str, has_turns: bool) -> Iterator[tuple[tuple[object, ...], _Row]]:
    """The identity of every item with an Item ID, and its row."""
    index = 0
    for columns in items.columns(*_IDENTITY, "row", *(["details"] if has_turns else [])):
        for run_id, item_id, query_id, label, row, *details in zip(*columns, strict=True):
            if item_id:
                turn = details[0].turn if details and details[0] is not None else None
                is_number = row_prefix and query_id == f"{row_prefix}{row}"
                yield (run_id, item_id, "" if is_number else query_id, label, turn), _Row(index, row, query_id, turn)
            index += 1


def _repeated(hashes: Iterable[int]) -> set[int]:
    """The hashes that occur more than once. Counted in portions: a set of a million takes 100 MB."""
    portions = [array("q") for _ in range(_PORTIONS)]
    add = [portion.append for portion in portions]
    for one in hashes:
        add[one % _PORTIONS](one)
    found: set[int] = set()
    for portion in portions:
        if len(set(portion)) < len(portion):
            found.update(one for one, n in Counter(portion).items() if n > 1)
    return found


def _turns_apart(repeated: Iterable[list[_Row]], cells: Mapping[int, array[int]]) -> Iterator[list[_Row]]:
    """Rows of one identity each; of those in a session without turns, rows with the same cells.

    cells: hashes of the cells of each row.
    """
    for group in repeated:
        turn = group[0].turn
        if turn is None or turn.label:
            yield group
            continue
        equal: defaultdict[bytes, list[_Row]] = defaultdict(list)
        for row in group:
            equal[cells.get(row.number, array("q")).tobytes()].append(row)
        yield from equal.values()


def _problem_of(code: str, row: int, kept: _Row, columns: Sequence[str] = ()) -> Problem:
    values = {"query": cut(kept.query_id), "kept": str(kept.number)}
    return Problem(code=code, row=row, found=", ".join(columns), values=values)


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
