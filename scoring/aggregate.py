"""Parts to a set: de-duplication, rounds, metrics, consistency (spec §1 item identity, §2 aggregation).

Works over the items in one order (NFC file name, row) and sums with `math.fsum`, so that neither the order of
the parts nor how a file was split changes a digit.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import ceil, fsum
from typing import NamedTuple

import msgspec

from scoring.judge_figures import JudgeFigures
from scoring.kinds import Kind, count_kinds
from scoring.labels import round_sort_key
from scoring.means import added_up, mean_of, metric_of
from scoring.part import ENGINE_VERSION, Item, ItemDetails, Part
from scoring.problems import MAX_LISTED_PROBLEMS, InputError, Problem, Severity
from scoring.repetition import compare_rounds, group_key, latency_class_of, query_agreements
from scoring.result import (
    ALL,
    METRICS,
    RUBRICS,
    AgreementFigures,
    ClassFigures,
    Distribution,
    Group,
    InputSummary,
    LevelCounts,
    Metric,
    Pairs,
    Round,
    Seconds,
    SetResult,
)
from scoring.rubric import Rubric, Status
from scoring.rubric_found import LATENCY_PREFIX
from scoring.rules import VerdictRule
from scoring.score import exact_count
from scoring.total import weighted_total
from scoring.verdicts import Judging

_NO_DETAILS = ItemDetails()


def merge(parts: Sequence[tuple[str, Part]], rubric: Rubric, judging: Judging | None = None) -> SetResult:
    """The scored set of the files `parts`: (name relative to the set, its Part), in any order.

    judging: the judge and its verdicts so far; the items of the parts stay as they are.
    Raises InputError when there is nothing to report: every file was refused (their own problems), or there are
    more rounds than the rubric allows.
    """
    ordered = sorted(((unicodedata.normalize("NFC", name), part) for name, part in parts), key=lambda pair: pair[0])
    problems = [problem.at(name) for name, part in ordered for problem in part.problems]
    if all(part.refused for _, part in ordered):
        raise InputError(tuple(problems))

    items, sources = _without_duplicates([part.items for _, part in ordered])
    labels = sorted({item.round for item in items}, key=round_sort_key)
    if len(labels) > rubric.max_rounds:
        raise InputError((_too_many_rounds(labels, rubric),))
    rounds = tuple(Round(label=label, number=number) for number, label in enumerate(labels, start=1))
    place = {label: index for index, label in enumerate(labels)}
    items, judge = _judged(items, rubric, judging)
    extra_columns, items = _align_extra([part.extra_columns for _, part in ordered], items, sources)
    counts: Counter[str] = Counter()
    for _, part in ordered:
        counts.update(part.counts)
    if judge is not None or rubric.rubrics is not None:
        _count_unjudged(counts, items, rubric)
    queries, pairs = compare_rounds(items, place, rubric)
    kinds = count_kinds(items)
    cells = _cells(items, kinds, place, rubric)
    agreements, agreed = query_agreements(items, place, rubric)
    groups = _groups(cells, len(rounds), pairs, agreed, rubric)
    for group in groups[1:]:
        if rubric.has_tracks and not rubric.names_track(group.track):
            counts["track-unassigned" if group.track is None else "track-unnamed"] += group.n
    return SetResult(
        rubric=rubric,
        rubric_digest=rubric.digest,
        engine_version=ENGINE_VERSION,
        inputs=_inputs(ordered, sources),
        rounds=rounds,
        groups=groups,
        distributions=_distributions(cells, len(rounds), rubric),
        items=items,
        kinds=kinds,
        sources=sources,
        queries=queries,
        extra_columns=extra_columns,
        counts=dict(sorted(counts.items())),
        restored_rounds=tuple(
            sorted({label for _, part in ordered for label in part.restored_rounds}, key=round_sort_key)
        ),
        # A refused file must not fall off a list that is full of rows.
        problems=tuple(sorted(problems, key=_is_about_rows)[:MAX_LISTED_PROBLEMS]),
        problem_count=sum(part.problem_count for _, part in ordered),
        agreements=agreements,
        total=weighted_total(groups[0], rubric.weights) if rubric.weights else None,
        levels=_levels(cells, groups, len(rounds), rubric.rubrics) if rubric.rubrics is not None else (),
        judge=judge,
    )


def _judged(items: list[Item], rubric: Rubric, judging: Judging | None) -> tuple[list[Item], JudgeFigures | None]:
    """Profiles with nothing for a judge do not even import it."""
    if not rubric.judged:
        return items, None
    from scoring.judged import judge_items

    return judge_items(items, rubric, judging)


def _count_unjudged(counts: Counter[str], items: list[Item], rubric: Rubric) -> None:
    """Items without a level, now that everybody was asked."""
    if rubric.verdict is not None:
        counts["not-evaluated"] = sum(item.intent is None for item in items)
    if rubric.rubrics is not None:
        counts["rubrics-not-evaluated"] = sum(_details(item).rubrics is None for item in items)
    for code in ("not-evaluated", "rubrics-not-evaluated"):
        if not counts[code]:
            del counts[code]


def _without_duplicates(items_of_files: Sequence[list[Item]]) -> tuple[list[Item], list[int]]:
    """The last usable row of an identity stands, at its own place. Without an Item ID a row is its own item."""
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


def _too_many_rounds(labels: list[str], rubric: Rubric) -> Problem:
    title = next(column.title for column in rubric.columns if column.name == "round")
    return Problem(
        code="too-many-rounds",
        severity=Severity.REFUSED,
        column=title,
        found=", ".join(labels[:5]),
        values={"rounds": str(len(labels)), "limit": str(rubric.max_rounds)},
    )


def _is_about_rows(problem: Problem) -> bool:
    return problem.severity is not Severity.REFUSED


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
    standing = Counter(sources)
    summaries = []
    for index, (name, part) in enumerate(ordered):
        duplicates = len(part.items) - standing[index]
        exact_count(part.rows, standing[index], duplicates, part.blank_rows, part.unusable_rows)
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
                items=standing[index],
                duplicates=duplicates,
                blank_rows=part.blank_rows,
                unusable_rows=part.unusable_rows,
            )
        )
    return tuple(summaries)


class _Cell(NamedTuple):
    """The items of one track in one round, with what every figure over them is made from. seconds: ascending.

    points: how often each value of a metric occurs; there are few.
    """

    items: list[Item]
    statuses: Counter[Status]
    points: dict[str, Counter[float | None]]
    seconds: list[float]


_Cells = dict[tuple[int | None, int], _Cell]  # by (track, index of the round)


def _cells(items: list[Item], kinds: Mapping[Kind, int], place: Mapping[str, int], rubric: Rubric) -> _Cells:
    members: defaultdict[tuple[int | None, int], list[Item]] = defaultdict(list)
    for item in items:
        members[item.track, place[item.round]].append(item)
    of_kinds: defaultdict[tuple[int | None, int], dict[Kind, int]] = defaultdict(dict)
    for kind, n in kinds.items():
        of_kinds[kind.track, place[kind.round]][kind] = n
    return {at: _cell(found, of_kinds[at], rubric) for at, found in members.items()}


def _cell(items: list[Item], kinds: Mapping[Kind, int], rubric: Rubric) -> _Cell:
    statuses: Counter[Status] = Counter()
    points: dict[str, Counter[float | None]] = {name: Counter() for name in METRICS if rubric.has_metric(name)}
    for kind, n in kinds.items():
        statuses[kind.status] += n
        for name, counted in points.items():
            counted[getattr(kind, name)] += n
    if rubric.rubrics is not None:
        points[RUBRICS] = Counter([_details(item).rubrics for item in items])
    return _Cell(items, statuses, points, sorted([item.seconds for item in items if item.seconds is not None]))


def _groups(
    cells: _Cells, rounds: int, pairs: Mapping[str, Pairs], agreed: Mapping[str, AgreementFigures], rubric: Rubric
) -> tuple[Group, ...]:
    everything = [[cell for (_, at), cell in cells.items() if at == index] for index in range(rounds)]
    # Bound once: what all groups share.
    make = partial(_group, pairs=pairs, agreed=agreed, rubric=rubric)
    groups = [make(ALL, None, everything)]
    named = sorted({track for track, _ in cells if track is not None})
    tracks: list[int | None] = [*named, *([None] if any(track is None for track, _ in cells) else [])]
    for track in tracks:
        of_track = [[cells[track, index]] if (track, index) in cells else [] for index in range(rounds)]
        groups.append(make(group_key(track), track, of_track))
    return tuple(groups)


def _group(
    key: str,
    track: int | None,
    rounds: list[list[_Cell]],
    *,
    pairs: Mapping[str, Pairs],
    agreed: Mapping[str, AgreementFigures],
    rubric: Rubric,
) -> Group:
    """One group from its cells per round."""
    sizes = tuple(sum(len(cell.items) for cell in cells) for cells in rounds)
    # Sorted pieces are sorted together in a tenth of the time that their items would take.
    spread = [sorted(chain.from_iterable(cell.seconds for cell in cells)) for cells in rounds]
    seconds = tuple(map(_seconds, spread, sizes))
    names = dict.fromkeys(name for cells in rounds for cell in cells for name in cell.points)
    metrics = {name: metric_of([added_up(cell.points[name] for cell in cells) for cells in rounds]) for name in names}
    classes: dict[str, ClassFigures] = {}
    for metric in rubric.metrics:
        if metric.name.startswith(LATENCY_PREFIX):
            name = metric.name.removeprefix(LATENCY_PREFIX)
            metrics[metric.name], classes[name] = _class_figures(name, rounds, rubric)
    return Group(
        key=key,
        track=track,
        items=sizes,
        statuses=tuple({status: sum(cell.statuses[status] for cell in cells) for status in Status} for cells in rounds),
        metrics=metrics,
        seconds=seconds,
        set_seconds=_pooled(spread, seconds),
        pairs=pairs.get(key, Pairs(both_pass=0, both_fail=0, mismatch=0, queries=0, score=None)),
        agreement=agreed.get(key),
        classes=classes,
    )


def _class_figures(name: str, rounds: list[list[_Cell]], rubric: Rubric) -> tuple[Metric, ClassFigures]:
    """Latency points and seconds of the items of one latency class."""
    of_class = [
        [item for cell in cells for item in cell.items if latency_class_of(item, rubric) == name] for cells in rounds
    ]
    sizes = tuple(map(len, of_class))
    spread = [sorted([item.seconds for item in items if item.seconds is not None]) for items in of_class]
    seconds = tuple(map(_seconds, spread, sizes))
    return (
        metric_of([Counter([item.latency for item in items]) for items in of_class]),
        ClassFigures(items=sizes, seconds=seconds, set_seconds=_pooled(spread, seconds)),
    )


def _pooled(spread: list[list[float]], seconds: tuple[Seconds, ...]) -> Seconds:
    """Of the set: percentiles over all items, the mean that of the rounds' means. spread: as of `_seconds`."""
    size = sum(of_round.n + of_round.missing for of_round in seconds)
    pooled = _seconds(sorted(chain.from_iterable(spread)), size)
    return replace(pooled, mean=mean_of([of_round.mean for of_round in seconds]))


def _seconds(spread: list[float], size: int) -> Seconds:
    """spread: seconds of the items that have any, ascending. size: number of all items."""
    n = len(spread)
    return Seconds(
        n=n,
        missing=size - n,
        mean=fsum(spread) / n if n else None,
        p50=spread[ceil(n * 50 / 100) - 1] if n else None,
        p95=spread[ceil(n * 95 / 100) - 1] if n else None,
        max=spread[-1] if n else None,
    )


def _distributions(cells: _Cells, rounds: int, rubric: Rubric) -> tuple[Distribution, ...]:
    if not rubric.latency_classes:
        return ()
    counted: defaultdict[tuple[str, int], Counter[float | None]] = defaultdict(Counter)
    for (track, index), cell in cells.items():
        if rubric.classes is None:
            counted[rubric.latency_class(track).name, index].update(cell.points["latency"])
        else:
            for item in cell.items:
                counted[latency_class_of(item, rubric), index][item.latency] += 1
    distributions = []
    for latency_class in rubric.latency_classes:
        points = tuple(sorted({*latency_class.bands.points, latency_class.bands.missing}))
        per_round = tuple(
            tuple(counted[latency_class.name, index][point] for point in points) for index in range(rounds)
        )
        distributions.append(
            Distribution(
                name=latency_class.name,
                title=latency_class.title,
                points=points,
                rounds=per_round,
                set=tuple(map(sum, zip(*per_round, strict=True))),
            )
        )
    return tuple(distributions)


def _levels(cells: _Cells, groups: Sequence[Group], rounds: int, rule: VerdictRule) -> tuple[LevelCounts, ...]:
    """Items per level of the rubrics metric, for each group."""
    counted = {
        at: Counter([_details(item).rubrics_level for item in cell.items if _details(item).rubrics is not None])
        for at, cell in cells.items()
    }
    spellings = rule.choices
    levels = []
    for group in groups:
        of_group = [
            [counted[track, at] for track, at in cells if at == index and (group.key == ALL or track == group.track)]
            for index in range(rounds)
        ]
        per_round = tuple(tuple(sum(one[name] for one in found) for name in spellings) for found in of_group)
        levels.append(
            LevelCounts(
                key=group.key,
                rounds=per_round,
                set=tuple(map(sum, zip(*per_round, strict=True))),
                none=tuple(n - sum(found) for n, found in zip(group.items, per_round, strict=True)),
            )
        )
    return tuple(levels)


def _details(item: Item) -> ItemDetails:
    return item.details or _NO_DETAILS
