"""Computes the figures of all items and of each track, per round and for the set (docs/scoring.md#6-aggregation).

Items are counted once per track and round; figures of a group are sums of these counts.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from math import fsum, isnan
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from scoring.items import details_of, latency_class_of
from scoring.results import model
from scoring.results.item_table import ItemTable, Traits
from scoring.results.means import interval_of, mean_of, metric_of, size_of
from scoring.results.uncertainty import Counted, OfGroups, QueryValues
from scoring.rubric import (
    ALL,
    CONSISTENCY,
    LATENCY_PREFIX,
    METRICS,
    RUBRICS,
    SHARE,
    Better,
    Measure,
    Rubric,
    Scale,
    ScoreRule,
    Status,
    TrackId,
    VerdictRule,
    group_key,
    limit_of,
)
from scoring.statistics import mean_interval_of_queries, percentile, query_mean


class _Amounts(NamedTuple):
    """Of the items that have a value of a measure: their Query IDs and the values."""

    query_ids: list[str]
    values: list[float]


class _Cell(NamedTuple):
    """The items of one track in one round, as counts.

    n: items. traits: how many have which. seconds: by latency class, ascending; by "" where the payload names no class.
    amounts: of each measure.
    """

    n: int
    traits: list[tuple[Traits, int]]
    seconds: dict[str, Sequence[float]]
    amounts: list[_Amounts]

    def statuses(self) -> Counter[Status]:
        """How often each occurs."""
        return _added((traits.status, n) for traits, n in self.traits)


K = TypeVar("K", bound=Hashable)
_NO_QUERIES: Counted = {}
_NO_PAIRS = model.Pairs(both_pass=0, both_fail=0, mismatch=0, queries=0, score=None)

Cells = dict[tuple[TrackId | None, int], _Cell]  # by (track, index of the round)


def count_cells(table: ItemTable, place: Mapping[str, int], rubric: Rubric) -> Cells:
    """The cells of a set. place: index of each round by its label."""
    has_classes = rubric.classes is not None
    cells: dict[tuple[TrackId | None, int], _Cell] = {}
    timed: dict[tuple[TrackId | None, int, str], int] = {}
    keys = []
    for traits, n in zip(table.distinct, table.counts(), strict=True):
        at = traits.track, place[traits.round]
        of_class = details_of(traits).latency_class if has_classes else ""
        keys.append(timed.setdefault((*at, of_class), len(timed)))
        cell = cells.get(at) or _Cell(0, [], {}, [])
        cell.traits.append((traits, n))
        cells[at] = cell._replace(n=cell.n + n)
    for (track, index, of_class), found in zip(timed, table.seconds_by(keys, len(timed)), strict=True):
        cells[track, index].seconds[of_class] = sorted(found)
    for column in table.measures:
        found_in = {at: _Amounts([], []) for at in cells}
        of_distinct = [found_in[traits.track, place[traits.round]] for traits in table.distinct]
        add = [(one.query_ids.append, one.values.append) for one in of_distinct]
        query_ids = map(table.query_ids.__getitem__, table.queries)
        for number, query_id, amount in zip(table.numbers, query_ids, column, strict=True):
            if not isnan(amount):
                add_id, add_value = add[number]
                add_id(query_id)
                add_value(amount)
        for at, amounts in found_in.items():
            cells[at].amounts.append(amounts)
    return cells


def group_figures(
    cells: Cells,
    rounds: int,
    values: QueryValues,
    *,
    pairs: Mapping[str, model.Pairs],
    agreed: Mapping[str, model.AgreementFigures],
    rubric: Rubric,
) -> tuple[model.Group, ...]:
    """All items, then the tracks in their order, then what has none. pairs, agreed: consistency by key of the group."""
    everything = [[cell for (_, at), cell in cells.items() if at == index] for index in range(rounds)]
    spreads: dict[str, OfGroups] = {}
    for name in _metric_names(rubric):
        twin = values.twin(name, spreads)  # accuracy often copies intent
        spreads[name] = spreads[twin] if twin in spreads else values.by_group(name)
    spreads[CONSISTENCY] = values.by_group(CONSISTENCY)
    make = partial(_group, spreads=spreads, pairs=pairs, agreed=agreed, rubric=rubric)
    groups = [make(ALL, None, everything)]
    named = sorted({track for track, _ in cells if track is not None}, key=rubric.track_place)
    tracks: list[TrackId | None] = [*named, *([None] if any(track is None for track, _ in cells) else [])]
    for track in tracks:
        of_track = [[cells[track, index]] if (track, index) in cells else [] for index in range(rounds)]
        groups.append(make(group_key(track), track, of_track))
    return tuple(groups)


def latency_distributions(cells: Cells, rounds: int, rubric: Rubric) -> tuple[model.Distribution, ...]:
    """Items per latency score for each latency class."""
    if not rubric.latency_classes:
        return ()
    counted: defaultdict[tuple[str, int], Counter[float | None]] = defaultdict(Counter)
    for (_, index), cell in cells.items():
        for traits, n in cell.traits:
            counted[latency_class_of(traits, rubric), index][traits.latency] += n
    distributions = []
    for latency_class in rubric.latency_classes:
        points = tuple(sorted({*latency_class.bands.points, latency_class.bands.missing}))
        per_round = tuple(
            tuple(counted[latency_class.name, index][point] for point in points) for index in range(rounds)
        )
        distributions.append(
            model.Distribution(
                name=latency_class.name,
                title=latency_class.title,
                points=points,
                rounds=per_round,
                set=tuple(map(sum, zip(*per_round, strict=True))),
            )
        )
    return tuple(distributions)


def level_counts(
    cells: Cells, groups: Sequence[model.Group], rounds: int, rule: VerdictRule
) -> tuple[model.LevelCounts, ...]:
    """Items per level of the rubrics metric, for each group."""
    counted = {
        at: _added(
            (details_of(traits).rubrics_level, n) for traits, n in cell.traits if details_of(traits).rubrics is not None
        )
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
            model.LevelCounts(
                key=group.key,
                rounds=per_round,
                set=tuple(map(sum, zip(*per_round, strict=True))),
                none=tuple(n - sum(found) for n, found in zip(group.items, per_round, strict=True)),
            )
        )
    return tuple(levels)


def with_measures(groups: Sequence[model.Group], cells: Cells, rounds: int, rubric: Rubric) -> tuple[model.Group, ...]:
    """The groups with the measures of their items."""
    found = {at: cell.amounts for at, cell in cells.items()}
    made: list[model.Group] = []
    for group in groups:
        if made and group.n == groups[0].n:  # the only track has all items
            made.append(msgspec.structs.replace(group, measures=made[0].measures))
            continue
        of_rounds = [
            [found[track, at] for track, at in cells if at == index and (group.key == ALL or track == group.track)]
            for index in range(rounds)
        ]
        answered = [sum(counted.get(status, 0) for status in rubric.pass_statuses) for counted in group.statuses]
        measures = {
            measure.name: _measure(measure, [_joined(of_cells, at) for of_cells in of_rounds], answered, group.items)
            for at, measure in enumerate(rubric.measures)
        }
        made.append(msgspec.structs.replace(group, measures=measures))
    return tuple(made)


def _metric_names(rubric: Rubric) -> list[str]:
    """The metrics of a group, without consistency."""
    names = [name for name in METRICS if rubric.has_metric(name)]
    names += [RUBRICS] if rubric.rubrics is not None else []
    return names + [metric.name for metric in rubric.metrics if metric.name.startswith(LATENCY_PREFIX)]


def _added(counts: Iterable[tuple[K, int]]) -> Counter[K]:
    added: Counter[K] = Counter()
    for key, n in counts:
        added[key] += n
    return added


def _group(
    key: str,
    track: TrackId | None,
    rounds: list[list[_Cell]],
    *,
    spreads: Mapping[str, OfGroups],
    pairs: Mapping[str, model.Pairs],
    agreed: Mapping[str, model.AgreementFigures],
    rubric: Rubric,
) -> model.Group:
    """One group from its cells per round."""
    sizes = tuple(sum(cell.n for cell in cells) for cells in rounds)
    # Sorting sorted runs takes a tenth of the time of sorting their items.
    spread = [
        sorted(chain.from_iterable(found for cell in cells for found in cell.seconds.values())) for cells in rounds
    ]
    statuses = [sum((cell.statuses() for cell in cells), Counter[Status]()) for cells in rounds]
    seconds = tuple(map(_seconds, spread, sizes))
    metrics: dict[str, model.Metric] = {}
    for name, of_name in spreads.items():
        if name != CONSISTENCY:
            twin = next((other for other in metrics if spreads[other] is of_name), "")
            of_rounds = [of_name.get((key, index), _NO_QUERIES) for index in range(len(rounds))]
            of_set = of_name.get((key, None), _NO_QUERIES)
            metrics[name] = metrics.get(twin) or metric_of(of_rounds, of_set, scale=rubric.scale_of(name))
    compared = spreads[CONSISTENCY].get((key, None), _NO_QUERIES)
    found = pairs.get(key, _NO_PAIRS)
    agreement = agreed.get(key)
    return model.Group(
        key=key,
        track=track,
        n=sum(sizes),
        items=sizes,
        statuses=tuple({status: counted[status] for status in Status} for counted in statuses),
        metrics=metrics,
        seconds=seconds,
        set_seconds=_pooled(spread, seconds),
        pairs=replace(found, interval=interval_of(found.score, compared, scale=rubric.points)),
        agreement=agreement
        and replace(agreement, interval=interval_of(agreement.score, compared, scale=rubric.points)),
        classes={
            entry.name.removeprefix(LATENCY_PREFIX): _class_figures(
                entry.name.removeprefix(LATENCY_PREFIX), rounds, rubric
            )
            for entry in rubric.metrics
            if entry.name.startswith(LATENCY_PREFIX)
        },
    )


def _class_figures(name: str, rounds: list[list[_Cell]], rubric: Rubric) -> model.ClassFigures:
    """Seconds of the items of one latency class."""
    sizes = tuple(
        sum(n for cell in cells for traits, n in cell.traits if latency_class_of(traits, rubric) == name)
        for cells in rounds
    )
    spread = [sorted(chain.from_iterable(cell.seconds.get(name, ()) for cell in cells)) for cells in rounds]
    seconds = tuple(map(_seconds, spread, sizes))
    return model.ClassFigures(items=sizes, seconds=seconds, set_seconds=_pooled(spread, seconds))


def _pooled(spread: list[list[float]], seconds: tuple[model.Seconds, ...]) -> model.Seconds:
    """Of the set: percentiles over all items, the mean that of the rounds' means. spread: as of `_seconds`."""
    size = sum(of_round.n + of_round.missing for of_round in seconds)
    pooled = _seconds(sorted(chain.from_iterable(spread)), size)
    return replace(pooled, mean=mean_of([of_round.mean for of_round in seconds]))


def _seconds(spread: list[float], size: int) -> model.Seconds:
    """spread: seconds of the items that have any, ascending. size: number of all items."""
    n = len(spread)
    return model.Seconds(
        n=n,
        missing=size - n,
        mean=fsum(spread) / n if n else None,
        p50=percentile(spread, 50),
        p95=percentile(spread, 95),
        max=spread[-1] if n else None,
    )


def _joined(of_cells: Sequence[Sequence[_Amounts]], at: int) -> _Amounts:
    """The values of some cells of the measure at this place."""
    chosen = [measures[at] for measures in of_cells]
    return _Amounts(
        list(chain.from_iterable(one.query_ids for one in chosen)),
        list(chain.from_iterable(one.values for one in chosen)),
    )


def _measure(
    measure: Measure, rounds: Sequence[_Amounts], answered: Sequence[int], sizes: Sequence[int]
) -> model.MeasureOfGroup:
    """answered, sizes: answered items and all items of each round."""
    rule = measure.rule
    ordered = [sorted(amounts.values) for amounts in rounds]
    means = [_means_of_queries(amounts) if rule is None else [] for amounts in rounds]
    of_rounds = list(map(_figures, ordered, means, answered, sizes))
    counted = _counted(rounds) if rule is not None else {}
    if rule is not None:
        of_rounds = [_scored(figures, _in_round(counted, at), measure, rule) for at, figures in enumerate(of_rounds)]
    if len(of_rounds) == 1:
        return model.MeasureOfGroup(rounds=tuple(of_rounds), set=of_rounds[0])
    everything = sorted(chain.from_iterable(ordered))
    of_queries = _means_of_queries(_joined([[one] for one in rounds], 0)) if rule is None else []
    mean = mean_of([figures.mean for figures in of_rounds])
    of_set = _figures(everything, of_queries, sum(answered), sum(sizes), mean)
    if rule is not None:
        of_set = _scored(of_set, counted, measure, rule)
    return model.MeasureOfGroup(rounds=tuple(of_rounds), set=of_set)


def _scored(figures: model.MeasureFigures, counted: Counted, measure: Measure, rule: ScoreRule) -> model.MeasureFigures:
    """The figures of a score: its interval is on the scale; how many items keep its limit, and what was lost."""
    scale = Scale(rule.lowest, rule.highest)
    best = rule.lowest if measure.better is Better.LOWER else rule.highest
    scored = replace(
        figures,
        queries=size_of(counted),
        interval=interval_of(figures.mean, counted, scale=scale),
        lost=abs(best * figures.n - (figures.sum or 0.0)),  # no value is beyond the best end
    )
    if not rule.passes:
        return scored
    keeps = limit_of(rule.passes)
    passed = 0
    kept: Counted = {}
    for of_rounds, queries in counted.items():
        outcomes = kept.setdefault((0,) * len(of_rounds), {})
        for found, times in queries.items():
            key = tuple([float(keeps(value)) for value in found])
            outcomes[key] = outcomes.get(key, 0) + times
            passed += int(sum(key)) * times
    interval = interval_of(passed / figures.n if figures.n else None, kept, scale=SHARE)
    return replace(scored, passed=passed, assessed=figures.n, pass_interval=interval)


def _counted(rounds: Sequence[_Amounts]) -> Counted:
    """How many queries have which values in which rounds."""
    counted: Counted = {}
    of_rounds = [dict(zip(*amounts, strict=True)) for amounts in rounds]
    if sum(map(len, of_rounds)) == sum(len(amounts.values) for amounts in rounds):  # once a round, as in most runs
        everyone = dict.fromkeys(chain.from_iterable(of_rounds))
        together = Counter(zip(*[map(found.get, everyone) for found in of_rounds], strict=True))
        for values, times in together.items():
            places = tuple([at for at, value in enumerate(values) if value is not None])
            counted.setdefault(places, {})[tuple([value for value in values if value is not None])] = times
        return counted
    asked: defaultdict[str, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    for at, amounts in enumerate(rounds):
        for query_id, value in zip(*amounts, strict=True):
            asked[query_id][0].append(at)
            asked[query_id][1].append(value)
    for asked_in, amounts_of in asked.values():
        of_query = counted.setdefault(tuple(asked_in), {})
        of_query[tuple(amounts_of)] = of_query.get(tuple(amounts_of), 0) + 1
    return counted


def _in_round(counted: Counted, at: int) -> Counted:
    """The same of one round alone."""
    found: Counted = {}
    for rounds, queries in counted.items():
        chosen = [index for index, of_item in enumerate(rounds) if of_item == at]
        if chosen:
            of_round = found.setdefault((at,) * len(chosen), {})
            for values, times in queries.items():
                key = tuple([values[index] for index in chosen])
                of_round[key] = of_round.get(key, 0) + times
    return found


def _figures(
    ordered: Sequence[float], means: Sequence[float], answered: int, size: int, mean: float | None = None
) -> model.MeasureFigures:
    """ordered: the values. means: of the queries, none for a score. mean: None for that of the items."""
    n = len(ordered)
    total = fsum(ordered) if n else None
    if mean is None and total is not None:
        mean = total / n
    return model.MeasureFigures(
        n=n,
        missing=size - n,
        queries=len(means),
        sum=total,
        mean=mean,
        interval=None if mean is None else mean_interval_of_queries(mean, means, is_above_0=ordered[0] >= 0),
        p50=percentile(ordered, 50),
        p95=percentile(ordered, 95),
        max=ordered[-1] if n else None,
        per_answered=None if total is None or not answered else total / answered,
    )


def _means_of_queries(amounts: _Amounts) -> list[float]:
    if len(set(amounts.query_ids)) == len(amounts.query_ids):  # one item each, as in most rounds
        return amounts.values
    by_query: defaultdict[str, list[float]] = defaultdict(list)
    for query_id, amount in zip(*amounts, strict=True):
        by_query[query_id].append(amount)
    return list(map(query_mean, by_query.values()))
