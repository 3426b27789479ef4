"""Joins the parts of a set: the items that count, before any figure (docs/scoring.md#several-files).

Items are taken in one order (NFC file name, row), so that the order of the parts does not matter.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import partial

import msgspec

from scoring.findings import FindingLog
from scoring.items.part import Item, Part
from scoring.items.rounds_and_tracks import round_sort_key
from scoring.items.score_file import exact_count
from scoring.items.spool.items import columns_of
from scoring.items.spool.joining import edited
from scoring.judging.apply import judge_items
from scoring.judging.figures import JudgeFigures
from scoring.judging.verdicts import Judging
from scoring.problems import InputError, Problem
from scoring.results.joining.runs import conflict_copies, join_files, without_copies
from scoring.results.model import InputSummary, ItemList
from scoring.results.sessions.turns import name_turns
from scoring.rubric.model import Rubric


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedSet(ItemList):
    """The items of a set, and what its files say besides.

    log: findings so far, to which those of the figures are added. counts, restored_rounds, judge: as in `SetResult`.
    """

    log: FindingLog
    counts: Counter[str]
    restored_rounds: tuple[str, ...]
    judge: JudgeFigures | None


def join_parts(parts: Sequence[tuple[str, Part]], rubric: Rubric, judging: Judging | None = None) -> JoinedSet:
    """The set of the files `parts`, as `merge` takes them. Raises InputError when there is nothing to report."""
    ordered = sorted(((unicodedata.normalize("NFC", name), part) for name, part in parts), key=lambda pair: pair[0])
    log = FindingLog()
    copies = conflict_copies([name for name, _ in ordered])
    ordered = without_copies(ordered, copies, log)
    refusals = [problem.at(name) for name, part in ordered for problem in part.problems]
    if all(part.refused for _, part in ordered):
        raise InputError(tuple(refusals))
    for problem in refusals:
        log.add(problem)
    for name, part in ordered:
        log.add_all(part.findings, name)

    names = [name for name, _ in ordered]
    _refuse_too_many_rounds(ordered, rubric)
    extra_columns, files = _align_extra([(part.extra_columns, part.items) for _, part in ordered])
    items, sources, rounds = join_files(names, files, log, has_sessions=rubric.sessions is not None)
    items = name_turns(list(items)) if rubric.sessions is not None else items
    judge = None
    if rubric.judged:
        items, judge = judge_items(items, rubric, judging)
    counts: Counter[str] = Counter()
    for _, part in ordered:
        counts.update(part.counts)
    return JoinedSet(
        rubric=rubric,
        inputs=_inputs(ordered, sources, copies),
        rounds=rounds,
        items=items,
        sources=sources,
        extra_columns=extra_columns,
        log=log,
        counts=counts,
        restored_rounds=tuple(
            sorted({label for _, part in ordered for label in part.restored_rounds}, key=round_sort_key)
        ),
        judge=judge,
    )


def _refuse_too_many_rounds(files: Sequence[tuple[str, Part]], rubric: Rubric) -> None:
    """Raise InputError when the files have more labels of rounds than the rubric allows: a wrong column."""
    first: dict[str, tuple[str, int]] = {}
    for name, part in files:
        for labels, rows in columns_of(part.items, "round", "row"):
            for label in dict.fromkeys(labels):
                if label not in first:
                    first[label] = name, rows[labels.index(label)]
    if len(first) <= rubric.max_rounds:
        return
    name, row = list(first.values())[rubric.max_rounds]
    raise InputError(
        (
            Problem(
                code="too-many-rounds",
                source=name,
                row=row,
                column=next(column.title for column in rubric.columns if column.name == "round"),
                found=", ".join(sorted(first, key=round_sort_key)[:5]),
                values={"rounds": str(len(first)), "limit": str(rubric.max_rounds)},
            ),
        )
    )


def _align_extra(
    files: Sequence[tuple[tuple[str, ...], Sequence[Item]]],
) -> tuple[tuple[str, ...], list[Sequence[Item]]]:
    """Titles of the extra columns of all files, and the items of each file with their extra cells in that order."""
    titles = tuple(dict.fromkeys(title for layout, _ in files for title in layout))
    return titles, [
        items if layout == titles or not items else edited(items, partial(_with_extra, layout=layout, titles=titles))
        for layout, items in files
    ]


def _with_extra(item: Item, *, layout: Sequence[str], titles: Sequence[str]) -> Item:
    cells = dict(zip(layout, item.extra, strict=True))
    return msgspec.structs.replace(item, extra=tuple(cells.get(title, "") for title in titles))


def _inputs(
    ordered: Sequence[tuple[str, Part]], sources: Sequence[int], left_out: Container[str]
) -> tuple[InputSummary, ...]:
    kept = Counter(sources)
    summaries = []
    for index, (name, part) in enumerate(ordered):
        duplicates = part.duplicates + len(part.items) - kept[index]
        exact_count(part.rows, kept[index], duplicates, part.blank_rows, part.unusable_rows)
        summaries.append(
            InputSummary(
                name=name,
                sha256=part.sha256,
                size=part.size,
                encoding=part.encoding,
                delimiter=part.delimiter,
                sheet=part.sheet,
                refused=part.refused,
                rows=part.rows,
                items=kept[index],
                duplicates=duplicates,
                blank_rows=part.blank_rows,
                unusable_rows=part.unusable_rows,
                left_out=name in left_out,
            )
        )
    return tuple(summaries)
