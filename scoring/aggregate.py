"""Parts to a set: de-duplication, rounds, metrics, consistency (spec §1 item identity, §2 aggregation).

Works over the items in one order (NFC file name, row) and sums with `math.fsum`, so that neither the order of
the parts nor how a file was split changes a digit.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import ceil, fsum
from operator import attrgetter

import msgspec

from scoring.labels import round_sort_key
from scoring.part import ENGINE_VERSION, Item, Part
from scoring.problems import MAX_LISTED_PROBLEMS, InputError, Problem, Severity
from scoring.result import (
    ALL,
    METRICS,
    UNASSIGNED,
    Distribution,
    Group,
    InputSummary,
    Mean,
    Metric,
    Pairs,
    QueryRounds,
    Round,
    Seconds,
    SetResult,
)
from scoring.rubric import Rubric, Status
from scoring.score import exact_count


def merge(parts: Sequence[tuple[str, Part]], rubric: Rubric) -> SetResult:
    """The scored set of the files `parts`: (name relative to the set, its Part), in any order.

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
    extra_columns, items = _align_extra([part.extra_columns for _, part in ordered], items, sources)
    counts: Counter[str] = Counter()
    for _, part in ordered:
        counts.update(part.counts)
    queries, pairs = _queries(items, place, rubric)
    cells = _cells(items, place)
    groups = _groups(cells, len(rounds), pairs)
    for group in groups[1:]:
        if not rubric.names_track(group.track):
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
    )


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


# The items of one track in one round, by (track, index of the round).
_Cells = dict[tuple[int | None, int], list[Item]]


def _cells(items: list[Item], place: Mapping[str, int]) -> _Cells:
    cells: defaultdict[tuple[int | None, int], list[Item]] = defaultdict(list)
    for item in items:
        cells[item.track, place[item.round]].append(item)
    return dict(cells)


def _groups(cells: _Cells, rounds: int, pairs: Mapping[str, Pairs]) -> tuple[Group, ...]:
    everything = [
        [item for (_, at), items in cells.items() if at == index for item in items] for index in range(rounds)
    ]
    groups = [_group(ALL, None, everything, pairs)]
    named = sorted({track for track, _ in cells if track is not None})
    tracks: list[int | None] = [*named, *([None] if any(track is None for track, _ in cells) else [])]
    for track in tracks:
        of_track = [cells.get((track, index), []) for index in range(rounds)]
        groups.append(_group(_group_key(track), track, of_track, pairs))
    return tuple(groups)


def _group_key(track: int | None) -> str:
    return UNASSIGNED if track is None else str(track)


def _group(key: str, track: int | None, rounds: list[list[Item]], pairs: Mapping[str, Pairs]) -> Group:
    """One group from its items per round."""
    counted = [Counter([item.status for item in items]) for items in rounds]
    seconds = tuple(map(_seconds, rounds))
    pooled = _seconds([item for items in rounds for item in items])
    return Group(
        key=key,
        track=track,
        items=tuple(map(len, rounds)),
        statuses=tuple({status: counts[status] for status in Status} for counts in counted),
        metrics={name: _metric([list(map(attrgetter(name), items)) for items in rounds]) for name in METRICS},
        seconds=seconds,
        set_seconds=replace(pooled, mean=_mean_of([figures.mean for figures in seconds])),
        pairs=pairs.get(key, Pairs(both_pass=0, both_fail=0, mismatch=0, queries=0, score=None)),
    )


def _metric(rounds: list[list[float]]) -> Metric:
    means = tuple(Mean(fsum(values) / len(values) if values else None, len(values)) for values in rounds)
    return Metric(
        rounds=means,
        set=Mean(_mean_of([mean.value for mean in means]), sum(mean.n for mean in means)),
    )


def _mean_of(values: Iterable[float | None]) -> float | None:
    """Plain mean of the values that are there; None when there is none."""
    present = [value for value in values if value is not None]
    return fsum(present) / len(present) if present else None


def _seconds(items: list[Item]) -> Seconds:
    values = sorted([item.seconds for item in items if item.seconds is not None])
    n = len(values)
    return Seconds(
        n=n,
        missing=len(items) - n,
        mean=fsum(values) / n if n else None,
        p50=values[ceil(n * 50 / 100) - 1] if n else None,
        p95=values[ceil(n * 95 / 100) - 1] if n else None,
        max=values[-1] if n else None,
    )


def _distributions(cells: _Cells, rounds: int, rubric: Rubric) -> tuple[Distribution, ...]:
    counted: defaultdict[tuple[str, int], Counter[float]] = defaultdict(Counter)
    for (track, index), items in cells.items():
        counted[rubric.latency_class(track).name, index].update([item.latency for item in items])
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


def _queries(
    items: list[Item], place: Mapping[str, int], rubric: Rubric
) -> tuple[tuple[QueryRounds, ...], dict[str, Pairs]]:
    """Every query over the rounds, and the compared pairs per group key.

    The last item of a (query, round) speaks for the query. Pairs are counted from the numbers of passes and
    fails, which is linear in the rounds.
    """
    speaking: defaultdict[str, dict[int, Item]] = defaultdict(dict)
    for item in items:
        speaking[item.query_id][place[item.round]] = item
    passes = frozenset(rubric.pass_statuses)
    totals: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    indexes = range(len(place))
    queries = []
    for query_id, by_round in speaking.items():
        spoken = list(by_round.values())
        last = by_round[max(by_round)]
        if len(spoken) > 1:
            _count_pairs(spoken, ALL, passes, totals)
            tracks = {item.track for item in spoken}
            for track in tracks:
                of_track = spoken if len(tracks) == 1 else [item for item in spoken if item.track == track]
                _count_pairs(of_track, _group_key(track), passes, totals)
        statuses = (
            tuple([by_round[index].status for index in indexes])
            if len(spoken) == len(indexes)
            else tuple([by_round[index].status if index in by_round else None for index in indexes])
        )
        queries.append(QueryRounds(query_id=query_id, question=last.question, track=last.track, statuses=statuses))
    return tuple(queries), {key: _pairs(total, rubric.scale) for key, total in totals.items()}


def _count_pairs(items: list[Item], key: str, passes: frozenset[Status], totals: defaultdict[str, list[int]]) -> None:
    passed = sum([item.status in passes for item in items])
    failed = len(items) - passed
    total = totals[key]
    total[0] += passed * (passed - 1) // 2
    total[1] += failed * (failed - 1) // 2
    total[2] += passed * failed
    total[3] += len(items) > 1


def _pairs(total: list[int], scale: float) -> Pairs:
    both_pass, both_fail, mismatch, queries = total
    compared = both_pass + both_fail + mismatch
    return Pairs(
        both_pass=both_pass,
        both_fail=both_fail,
        mismatch=mismatch,
        queries=queries,
        score=scale * (both_pass + both_fail) / compared if compared else None,
    )
