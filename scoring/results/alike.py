"""Reads Query IDs as one that programs wrote in two ways, `1` and `1.0` (docs/scoring.md#ids-that-look-alike)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import msgspec

from scoring.findings import FindingLog
from scoring.items import Item
from scoring.problems import Problem
from scoring.results.joining import Joined
from scoring.text import cut, folded_ids


def read_alike_as_one(found: Joined, names: Sequence[str], log: FindingLog) -> Joined:
    """The items, those of Query IDs that look alike with one of them, where the forms never stand in one round.

    names: of the files. Where they do stand in one round they are different queries, which is logged as well.
    """
    groups = _alike(dict.fromkeys(found.items.column("query_id")))
    if not groups:
        return found
    forms = {form for group in groups for form in group}
    number = {entry.label: entry.number for entry in found.rounds}
    rounds: defaultdict[str, set[int]] = defaultdict(set)
    first: dict[str, tuple[str, int]] = {}
    sources = iter(found.sources)
    for ids, labels, rows in found.items.columns("query_id", "round", "row"):
        for query, label, row, of_file in zip(ids, labels, rows, sources, strict=False):
            if query in forms:
                rounds[query].add(number[label])
                first.setdefault(query, (names[of_file], row))
    shown: dict[str, str] = {}
    for group in groups:
        form, *others = sorted(group, key=lambda one: min(rounds[one]))
        is_one = sum(len(rounds[one]) for one in group) == len(set().union(*(rounds[one] for one in group)))
        shown |= dict.fromkeys(others, form) if is_one else {}
        source, row = first[others[0]]
        code = "ids-alike" if is_one else "ids-alike-apart"
        values = {"first": cut(form), "others": ", ".join(map(cut, others))}
        log.add(Problem(code=code, source=source, row=row, found=cut(others[0]), values=values))
    return found._replace(items=found.items.edited(partial(_named, shown=shown))) if shown else found


def _alike(ids: Iterable[str]) -> list[list[str]]:
    """Groups of IDs that look alike, in the order in which they come."""
    distinct = list(ids)
    folded = folded_ids(distinct)
    if len(set(folded)) == len(distinct):
        return []
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for form, fold in zip(distinct, folded, strict=True):
        groups[fold].append(form)
    return [group for group in groups.values() if len(group) > 1]


def _named(item: Item, *, shown: Mapping[str, str]) -> Item:
    return msgspec.structs.replace(item, query_id=shown[item.query_id]) if item.query_id in shown else item
