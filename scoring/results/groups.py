"""Computes the figures of all items and of each track, per round and for the set (docs/scoring.md#6-aggregation).

Items are counted once per track and round; figures of a group are sums of these counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import fsum
from typing import NamedTuple

from scoring.items.part import Item, details_of
from scoring.results.item_counts import Kind
from scoring.results.means import added_up, mean_of, metric_of
from scoring.results.model import (
    AgreementFigures,
    ClassFigures,
    Distribution,
    Group,
    LevelCounts,
    Metric,
    Pairs,
    Seconds,
)
from scoring.results.rounds import group_key, latency_class_of
from scoring.rubric.model import ALL, LATENCY_PREFIX, METRICS, RUBRICS, Rubric, Status
from scoring.rubric.rules import VerdictRule
from scoring.statistics.percentiles import percentile


class _Cell(NamedTuple):
    """The items of one track in one round, and the counts that figures are made from. seconds: ascending.

    points: how often each value of a metric occurs; there are few.
    """

    items: list[Item]
    statuses: Counter[Status]
    points: dict[str, Counter[float | None]]
    seconds: list[float]


Cells = dict[tuple[int | None, int], _Cell]  # by (track, index of the round)


def count_cells(items: list[Item], kinds: Mapping[Kind, int], place: Mapping[str, int], rubric: Rubric) -> Cells:
    """The cells of a set. kinds: of the items. place: index of each round by its label."""
    members: defaultdict[tuple[int | None, int], list[Item]] = defaultdict(list)
    for item in items:
        members[item.track, place[item.round]].append(item)
    of_kinds: defaultdict[tuple[int | None, int], dict[Kind, int]] = defaultdict(dict)
    for kind, n in kinds.items():
        of_kinds[kind.track, place[kind.round]][kind] = n
    return {at: _cell(found, of_kinds[at], rubric) for at, found in members.items()}


def group_figures(
    cells: Cells, rounds: int, pairs: Mapping[str, Pairs], agreed: Mapping[str, AgreementFigures], rubric: Rubric
) -> tuple[Group, ...]:
    """All items, then the tracks ascending, then what has none. pairs, agreed: consistency by key of the group."""
    everything = [[cell for (_, at), cell in cells.items() if at == index] for index in range(rounds)]
    make = partial(_group, pairs=pairs, agreed=agreed, rubric=rubric)
    groups = [make(ALL, None, everything)]
    named = sorted({track for track, _ in cells if track is not None})
    tracks: list[int | None] = [*named, *([None] if any(track is None for track, _ in cells) else [])]
    for track in tracks:
        of_track = [[cells[track, index]] if (track, index) in cells else [] for index in range(rounds)]
        groups.append(make(group_key(track), track, of_track))
    return tuple(groups)


def latency_distributions(cells: Cells, rounds: int, rubric: Rubric) -> tuple[Distribution, ...]:
    """Items per latency score for each latency class."""
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


def level_counts(cells: Cells, groups: Sequence[Group], rounds: int, rule: VerdictRule) -> tuple[LevelCounts, ...]:
    """Items per level of the rubrics metric, for each group."""
    counted = {
        at: Counter([details_of(item).rubrics_level for item in cell.items if details_of(item).rubrics is not None])
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


def _cell(items: list[Item], kinds: Mapping[Kind, int], rubric: Rubric) -> _Cell:
    statuses: Counter[Status] = Counter()
    points: dict[str, Counter[float | None]] = {name: Counter() for name in METRICS if rubric.has_metric(name)}
    for kind, n in kinds.items():
        statuses[kind.status] += n
        for name, counted in points.items():
            counted[getattr(kind, name)] += n
    if rubric.rubrics is not None:
        points[RUBRICS] = Counter([details_of(item).rubrics for item in items])
    return _Cell(items, statuses, points, sorted([item.seconds for item in items if item.seconds is not None]))


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
    # Sorting sorted runs takes a tenth of the time of sorting their items.
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
        p50=percentile(spread, 50),
        p95=percentile(spread, 95),
        max=spread[-1] if n else None,
    )
