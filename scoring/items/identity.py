"""Finds the rows of one file that repeat an item; the last usable row counts (docs/scoring.md#item-identity)."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from operator import attrgetter

from scoring.findings import FindingLog
from scoring.items.part import Item
from scoring.problems import Problem
from scoring.text import cut

_identity = attrgetter("run_id", "item_id", "query_id", "round")
_without_query = attrgetter("run_id", "item_id", "round")


def without_repeats(
    items: list[Item],
    rows: Callable[[], Iterable[Sequence[str]]],
    *,
    header: Sequence[str],
    numbered: Callable[[Item], bool],
    log: FindingLog,
) -> list[Item]:
    """The items that count, in order. A row without an Item ID is an item of its own.

    rows: reads the file's data rows once more; only called when an identity repeats, because an item does not keep
    every cell. numbered: is the Query ID only the number of its row?
    """
    item_ids = [item.item_id for item in items if item.item_id]
    if len(set(item_ids)) == len(item_ids):
        return items
    repeats: defaultdict[tuple[str, ...], list[Item]] = defaultdict(list)
    for item in items:
        if item.item_id:
            repeats[_without_query(item) if numbered(item) else _identity(item)].append(item)
    if len(repeats) == len(item_ids):
        return items
    repeated = [group for group in repeats.values() if len(group) > 1]
    wanted = {item.row for group in repeated for item in group}
    # Hashes of cells and not the cells: a file may repeat every row.
    cells = {number: array("q", map(hash, row)) for number, row in enumerate(rows(), start=2) if number in wanted}
    dropped: dict[int, Problem] = {}
    for *earlier, kept in repeated:
        for item in earlier:
            pairs = zip_longest(cells.get(item.row, ()), cells.get(kept.row, ()))  # none: the file shrank meanwhile
            columns = [title for title, (one, other) in zip(header, pairs, strict=False) if one != other]
            values = {"query": cut(item.query_id), "kept": str(kept.row)}
            dropped[item.row] = (
                Problem(code="rows-differ", row=item.row, found=", ".join(columns), values=values)
                if columns
                else Problem(code="rows-equal", row=item.row, values=values)
            )
    for _, place in sorted(dropped.items()):
        log.add(place)
    return [item for item in items if item.row not in dropped]
