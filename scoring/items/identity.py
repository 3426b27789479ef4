"""Identifiers of items, and the rows of one file that repeat an item (docs/scoring.md#item-identity)."""

from __future__ import annotations

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from operator import attrgetter

from scoring.findings import FindingLog
from scoring.items.part import Item, turn_of
from scoring.problems import Problem
from scoring.text import CELL_CHARACTERS, cut, is_blank, normalise

_LONGEST_BLANK_IDENTIFIER = 4  # `null`, `none`, `<na>`

_identity = attrgetter("run_id", "item_id", "query_id", "round")  # and the turn
_without_query = attrgetter("run_id", "item_id", "round")


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


def without_repeats(
    items: list[Item],
    rows: Callable[[], Iterable[Sequence[str]]],
    *,
    header: Sequence[str],
    first_row: int,
    numbered: Callable[[Item], bool],
    log: FindingLog,
) -> list[Item]:
    """The items that count, in order: the last usable row of each. A row without an Item ID is an item of its own.

    In a session without turns, rows that differ in any cell are turns of their own.
    rows: reads the file's data rows once more; only called when an identity repeats, because an item does not keep
    every cell. first_row: number of the first one. numbered: is the Query ID only the number of its row?
    """
    item_ids = [item.item_id for item in items if item.item_id]
    if len(set(item_ids)) == len(item_ids):
        return items
    repeats: defaultdict[tuple[object, ...], list[Item]] = defaultdict(list)
    for item in items:
        if item.item_id:
            named = _without_query(item) if numbered(item) else _identity(item)
            repeats[named, turn_of(item)].append(item)
    if len(repeats) == len(item_ids):
        return items
    repeated = [group for group in repeats.values() if len(group) > 1]
    wanted = {item.row for group in repeated for item in group}
    # Hashes of cells and not the cells: a file may repeat every row.
    cells = {
        number: array("q", map(hash, row)) for number, row in enumerate(rows(), start=first_row) if number in wanted
    }
    differing: dict[int, tuple[Item, list[str]]] = {}  # by row: the item that stays, columns that differ
    equal: dict[int, Item] = {}
    for *earlier, kept in _turns_apart(repeated, cells):
        for item in earlier:
            pairs = zip_longest(cells.get(item.row, ()), cells.get(kept.row, ()))  # none: the file shrank meanwhile
            columns = [title for title, (one, other) in zip(header, pairs, strict=False) if one != other]
            if columns:
                differing[item.row] = kept, columns
            else:
                equal[item.row] = kept
    log.add_first((_place("rows-differ", row, *differing[row]) for row in sorted(differing)), len(differing))
    log.add_first((_place("rows-equal", row, equal[row]) for row in sorted(equal)), len(equal))
    return [item for item in items if item.row not in differing and item.row not in equal]


def _turns_apart(repeated: Iterable[list[Item]], cells: Mapping[int, array[int]]) -> Iterator[list[Item]]:
    """Rows of one identity each; of those in a session without turns, rows with the same cells.

    cells: hashes of the cells of each row.
    """
    for group in repeated:
        turn = turn_of(group[0])
        if turn is None or turn.label:
            yield group
            continue
        equal: defaultdict[bytes, list[Item]] = defaultdict(list)
        for item in group:
            equal[cells.get(item.row, array("q")).tobytes()].append(item)
        yield from equal.values()


def _place(code: str, row: int, kept: Item, columns: Sequence[str] = ()) -> Problem:
    values = {"query": cut(kept.query_id), "kept": str(kept.row)}
    return Problem(code=code, row=row, found=", ".join(columns), values=values)
