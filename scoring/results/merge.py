"""Merges the parts of a set: removes duplicates, orders rounds, adds up figures (docs/scoring.md#6-aggregation).

Items are taken in one order (NFC file name, row), and sums are exact, so that neither the order of the parts nor how a
file was split changes a digit.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import msgspec

from scoring.findings import FindingLog
from scoring.items.from_rows import FIRST_ROUND
from scoring.items.part import ENGINE_VERSION, Item, Part, details_of
from scoring.items.rounds_and_tracks import round_sort_key
from scoring.items.score_file import exact_count
from scoring.judging.apply import judge_items
from scoring.judging.verdicts import Judging
from scoring.problems import InputError, Problem
from scoring.results.checklist import find_unticked
from scoring.results.groups import count_cells, group_figures, latency_distributions, level_counts
from scoring.results.item_counts import count_kinds
from scoring.results.means import weighted_total
from scoring.results.model import InputSummary, Round, SetResult
from scoring.results.rounds import compare_rounds, query_agreements
from scoring.rubric.model import Rubric


def merge(parts: Sequence[tuple[str, Part]], rubric: Rubric, judging: Judging | None = None) -> SetResult:
    """The scored set of the files `parts`: (name relative to the set, its Part), in any order.

    judging: the judge and its verdicts so far; the items of the parts stay as they are.
    Raises InputError when there is nothing to report: every file was refused (their own problems), or there are
    more rounds than the rubric allows.
    """
    ordered = sorted(((unicodedata.normalize("NFC", name), part) for name, part in parts), key=lambda pair: pair[0])
    refusals = [problem.at(name) for name, part in ordered for problem in part.problems]
    if all(part.refused for _, part in ordered):
        raise InputError(tuple(refusals))
    log = FindingLog()
    for problem in refusals:
        log.add(problem)
    for name, part in ordered:
        log.add_all(part.findings, name)

    items, sources = _without_duplicates([part.items for _, part in ordered])
    _find_rounds_in_one(items, sources, [name for name, _ in ordered], rubric, log)
    labels = sorted({item.round for item in items}, key=round_sort_key)
    if len(labels) > rubric.max_rounds:
        names = [ordered[source][0] for source in sources]
        raise InputError((_too_many_rounds(labels, items, names, rubric),))
    rounds = tuple(Round(label=label, number=number) for number, label in enumerate(labels, start=1))
    place = {label: index for index, label in enumerate(labels)}
    judge = None
    if rubric.judged:
        items, judge = judge_items(items, rubric, judging)
    extra_columns, items = _align_extra([part.extra_columns for _, part in ordered], items, sources)
    counts: Counter[str] = Counter()
    for _, part in ordered:
        counts.update(part.counts)
    if judge is not None or rubric.rubrics is not None:
        _count_unjudged(counts, items, rubric)
    queries, pairs = compare_rounds(items, place, rubric)
    kinds = count_kinds(items)
    cells = count_cells(items, kinds, place, rubric)
    agreements, agreed = query_agreements(items, place, rubric)
    groups = group_figures(cells, len(rounds), pairs, agreed, rubric)
    for group in groups[1:]:
        if rubric.has_tracks and not rubric.names_track(group.track):
            counts["track-unassigned" if group.track is None else "track-unnamed"] += group.n
    result = SetResult(
        rubric=rubric,
        rubric_digest=rubric.digest,
        engine_version=ENGINE_VERSION,
        inputs=_inputs(ordered, sources),
        rounds=rounds,
        groups=groups,
        distributions=latency_distributions(cells, len(rounds), rubric),
        items=items,
        kinds=kinds,
        sources=sources,
        queries=queries,
        extra_columns=extra_columns,
        counts={code: n for code, n in sorted(counts.items()) if n},
        restored_rounds=tuple(
            sorted({label for _, part in ordered for label in part.restored_rounds}, key=round_sort_key)
        ),
        findings=(),
        agreements=agreements,
        total=weighted_total(groups[0], rubric.weights) if rubric.weights else None,
        levels=level_counts(cells, groups, len(rounds), rubric.rubrics) if rubric.rubrics is not None else (),
        judge=judge,
    )
    find_unticked(result, log)
    return replace(result, findings=log.findings())


def _count_unjudged(counts: Counter[str], items: list[Item], rubric: Rubric) -> None:
    """Count the items without a level, after recorded levels and verdicts of the judge."""
    if rubric.verdict is not None:
        counts["not-evaluated"] = sum(item.intent is None for item in items)
    if rubric.rubrics is not None:
        counts["rubrics-not-evaluated"] = sum(details_of(item).rubrics is None for item in items)


def _without_duplicates(items_of_files: Sequence[list[Item]]) -> tuple[list[Item], list[int]]:
    """Of rows with the same identity the last usable one, in its place. A row without an Item ID is its own item."""
    items = list(chain.from_iterable(items_of_files))
    sources = [source for source, file_items in enumerate(items_of_files) for _ in file_items]
    item_ids = [item.item_id for item in items if item.item_id]
    if len(set(item_ids)) == len(item_ids):
        return items, sources
    last = {(item.run_id, item.item_id, item.round): index for index, item in enumerate(items)}
    kept = [
        index
        for index, item in enumerate(items)
        if not item.item_id or last[item.run_id, item.item_id, item.round] == index
    ]
    return [items[index] for index in kept], [sources[index] for index in kept]


def _find_rounds_in_one(
    items: Sequence[Item], sources: Sequence[int], names: Sequence[str], rubric: Rubric, log: FindingLog
) -> None:
    """Log when files without a round column share queries, which puts their runs into one round."""
    is_needed = any(column.name == "round" and column.required for column in rubric.columns)
    if is_needed or len(names) == 1:
        return
    first: dict[str, int] = {}
    sharing: set[int] = set()
    for item, source in zip(items, sources, strict=True):
        if item.round == FIRST_ROUND and first.setdefault(item.query_id, source) != source:
            sharing |= {first[item.query_id], source}
    if not sharing:
        return
    files = ", ".join(names[source] for source in sorted(sharing))
    values = {"files": files, "round": FIRST_ROUND}
    log.add(Problem(code="rounds-in-one", values=values))


def _too_many_rounds(labels: list[str], items: Sequence[Item], names: Sequence[str], rubric: Rubric) -> Problem:
    """Of the first row beyond the limit. names: of each item's file."""
    title = next(column.title for column in rubric.columns if column.name == "round")
    first: dict[str, int] = {}
    for index, item in enumerate(items):
        first.setdefault(item.round, index)
    beyond = list(first.values())[rubric.max_rounds]
    return Problem(
        code="too-many-rounds",
        source=names[beyond],
        row=items[beyond].row,
        column=title,
        found=", ".join(labels[:5]),
        values={"rounds": str(len(labels)), "limit": str(rubric.max_rounds)},
    )


def _align_extra(
    layouts: list[tuple[str, ...]], items: list[Item], sources: list[int]
) -> tuple[tuple[str, ...], list[Item]]:
    """Titles of the extra columns of all files, and the items with their extra cells in that order."""
    titles = tuple(dict.fromkeys(title for layout in layouts for title in layout))
    if all(layouts[source] == titles for source in set(sources)):
        return titles, items
    aligned = []
    for item, source in zip(items, sources, strict=True):
        cells = dict(zip(layouts[source], item.extra, strict=True))
        aligned.append(msgspec.structs.replace(item, extra=tuple(cells.get(title, "") for title in titles)))
    return titles, aligned


def _inputs(ordered: Sequence[tuple[str, Part]], sources: list[int]) -> tuple[InputSummary, ...]:
    kept = Counter(sources)
    summaries = []
    for index, (name, part) in enumerate(ordered):
        duplicates = len(part.items) - kept[index]
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
            )
        )
    return tuple(summaries)
