"""Computes the points that each metric lost (docs/scoring.md#lost-points), and which groups have its lowest value."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from math import fsum
from typing import NamedTuple

import msgspec
from msgspec import structs

from scoring.items import NO_DETAILS, UNANSWERED, ItemDetails, details_of
from scoring.results.item_table import Traits
from scoring.results.model import Group, Mean, SetResult
from scoring.results.uncertainty import Axis
from scoring.rubric import (
    CONSISTENCY,
    METRICS,
    REASON_NO_CHECKS,
    REASON_REVIEWED,
    REASON_STATUS,
    RUBRICS,
    Measure,
    Scale,
    Source,
    Status,
    TrackId,
    group_key,
    is_score,
)
from scoring.statistics import ALPHA, Interval, holm, lower_by_chance, sample_of

_ROUNDING = 1e-9  # a smaller share of a query is what floats leave of nothing


class Cause(NamedTuple):
    """What cost an item its points.

    kind: "status" (status says which), "check" (name of a failed check), "no-checks", "address" (how near the answer
    came), "level" (as a judge spells it), "recorded" (the recorded score), "band" (points of a response time), "score"
    (a named score, whatever lowered it). cause: the name in brackets, "" for a status and without checks.
    """

    kind: str
    cause: str = ""
    status: Status | None = None


class Loss(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Points below the scale that a metric lost at one place. n: items (consistency: pairs) there that lost any.

    status, kind, cause: as in `Cause`; consistency has no kind. is_single: by the rule for queries that were run once
    only, not by rounds that differ.
    """

    track: str
    status: Status | None
    points: float
    n: int
    is_single: bool = False
    kind: str = ""
    cause: str = ""


class MetricLoss(msgspec.Struct, frozen=True, gc=False):
    """Points that a metric lost, of those that were possible; places with a loss, largest first."""

    metric: str
    points: float
    possible: float
    places: tuple[Loss, ...]


def compared(group: Group) -> int:
    """Number of pairs that a group's consistency compares, or of queries where labels and signatures are compared."""
    return group.pairs.compared if group.agreement is None else group.agreement.queries


def find_losses(result: SetResult) -> tuple[MetricLoss, ...]:
    """Of the metrics that the report shows, consistency behind them, then the named scores."""
    shown = [metric.name for metric in result.rubric.metrics if metric.name != CONSISTENCY]
    names = sorted(shown, key=lambda name: METRICS.index(name) if name in METRICS else len(METRICS))
    losses: dict[str, MetricLoss] = {}
    for name in names:
        # without rules of a profile, accuracy that copies intent loses the same points by the same causes
        twin = "" if result.rubric.has_details or name != "accuracy" else result.query_values.twin(name, ["intent"])
        if twin in losses:
            losses[name] = structs.replace(losses[twin], metric=name)
        else:
            losses[name] = _loss(name, _values(result, name), result.rubric.scale_of(name))
    consistency = [_consistency_loss(result)] if result.rubric.has_metric(CONSISTENCY) else []
    scores = [_score_loss(result, measure) for measure in result.rubric.measures if is_score(measure.name)]
    return (*losses.values(), *consistency, *scores)


# Track, causes, points, number of items.
_Values = Iterable[tuple[TrackId | None, tuple[Cause, ...], float | None, int]]


def _values(result: SetResult, metric: str) -> _Values:
    """The values of a metric with what cost them points, alike ones together where that is known of them."""
    base, _, latency_class = metric.partition(".")
    if latency_class:
        return (
            (one.track, _band(one.latency), one.latency, 1)
            for one in result.table.traits()
            if details_of(one).latency_class == latency_class
        )
    if base == RUBRICS:
        return (
            (one.track, _level(details_of(one).rubrics_level), details_of(one).rubrics, 1)
            for one in result.table.traits()
        )
    if base == "latency":
        return ((kind.track, _band(kind.latency), kind.latency, n) for kind, n in result.kinds.items())
    if result.rubric.has_details and base != "stability":
        origin = result.rubric.origin_of(base)
        if origin == "accuracy":
            items = zip(result.table.traits(), result.items.column("details"), strict=True)
            return ((one.track, _accuracy_cause(one, details), getattr(one, base), 1) for one, details in items)
        cause = _CAUSES[origin]
        return ((one.track, cause(one), getattr(one, base), 1) for one in result.table.traits())
    by_intent = base != "stability"
    return (
        (kind.track, _recorded(kind) if by_intent else _status_cause(kind), getattr(kind, base), n)
        for kind, n in result.kinds.items()
    )


def _status_cause(of: Traits) -> tuple[Cause, ...]:
    return (Cause("status", status=of.status),)


def _recorded(of: Traits) -> tuple[Cause, ...]:
    """A recorded 0 of an item that failed says no more than its status."""
    is_of_status = of.status in UNANSWERED and of.intent == 0 and of.intent_source == Source.RECORDED.value
    if of.intent_source in {Source.RECORDED.value, Source.REVIEWED.value} and not is_of_status:
        return (Cause(of.intent_source, f"{of.intent:g}"),)
    return _status_cause(of)


def _band(points: float | None) -> tuple[Cause, ...]:
    return () if points is None else (Cause("band", f"{points:g}"),)


def _level(level: str) -> tuple[Cause, ...]:
    return (Cause("level", level),)


def _intent_cause(of: Traits) -> tuple[Cause, ...]:
    verdict = details_of(of).verdict
    return _level(verdict) if verdict and of.intent_source != "status" else _recorded(of)


def _accuracy_cause(of: Traits, details: ItemDetails | None) -> tuple[Cause, ...]:
    """Every failed check of an item has an equal share of its loss."""
    details = details or NO_DETAILS
    if details.accuracy_reason == REASON_STATUS:
        return _status_cause(of)
    if details.accuracy_reason == REASON_NO_CHECKS:
        return (Cause("no-checks"),)
    if details.accuracy_reason == REASON_REVIEWED:
        return (Cause(REASON_REVIEWED, f"{of.accuracy:g}"),)
    if details.accuracy_reason:
        return (Cause("address", details.accuracy_reason),)
    return tuple(Cause("check", name) for name in dict.fromkeys(check.name for check in details.failed_checks))


_CAUSES: Mapping[str, Callable[[Traits], tuple[Cause, ...]]] = {
    "intent": _intent_cause,
    "stability": _status_cause,
}


def _loss(metric: str, values: _Values, scale: Scale) -> MetricLoss:
    lost: defaultdict[tuple[str, Cause], list[float]] = defaultdict(list)
    hit: Counter[tuple[str, Cause]] = Counter()
    totals = []
    possible = 0
    for track, causes, value, n in values:
        if value is None:
            continue
        possible += n
        if scale.highest - value > 0:
            totals.append((scale.highest - value) * n)
            for cause in causes:
                place = group_key(track), cause
                lost[place].append((scale.highest - value) * n / len(causes))
                hit[place] += n
    places = [
        Loss(track, cause.status, fsum(parts), hit[track, cause], kind=cause.kind, cause=cause.cause)
        for (track, cause), parts in lost.items()
    ]
    places.sort(key=lambda loss: (-loss.points, loss.track, loss.status or "", loss.kind, loss.cause))
    return MetricLoss(metric, fsum(totals), scale.length * possible, tuple(places))


def _score_loss(result: SetResult, measure: Measure) -> MetricLoss:
    """Of a named score, by track: its values are on a scale of their own, and have no cause in the file."""
    everything = result.groups[0].measures[measure.name].set
    figures = [(group.key, group.measures[measure.name].set) for group in result.groups[1:]]
    places = [Loss(key, None, one.lost, one.n, kind="score") for key, one in figures if one.lost]
    places.sort(key=lambda loss: (-loss.points, loss.track))
    possible = result.rubric.scale_of(measure.name).length * everything.n
    return MetricLoss(measure.name, everything.lost or 0.0, possible, tuple(places))


def _consistency_loss(result: SetResult) -> MetricLoss:
    scale = result.rubric.points
    single = scale.highest if result.rubric.agreement is None else result.rubric.agreement.single
    places = [loss for group in result.groups[1:] for loss in _lost_consistency(group, scale, single) if loss.points]
    places.sort(key=lambda loss: (-loss.points, loss.track, loss.is_single))
    everything = result.groups[0]
    total = fsum(loss.points for loss in _lost_consistency(everything, scale, single))
    return MetricLoss(CONSISTENCY, total, scale.length * compared(everything), tuple(places))


def _lost_consistency(group: Group, scale: Scale, single: float) -> tuple[Loss, ...]:
    """What rounds that differ lost, and what queries of one round did. single: points of the latter, by rule."""
    if group.agreement is None:
        return (Loss(group.key, None, scale.length * group.pairs.mismatch, group.pairs.mismatch),)
    figures = group.agreement
    if figures.score is None:
        return ()
    by_rule = (scale.highest - single) * figures.single
    repeated = figures.queries - figures.single
    by_rounds = (scale.highest - figures.score) * figures.queries - by_rule if repeated else 0.0
    return (
        Loss(group.key, None, by_rounds if by_rounds > _ROUNDING * scale.length else 0.0, repeated),
        Loss(group.key, None, by_rule, figures.single, is_single=True),
    )


GroupMeans = Mapping[str, Mapping[str, Mean]]  # by metric, then by key of the group


class Weakest(msgspec.Struct, frozen=True, gc=False):
    """The track or category with the lowest value of a metric. n: items (consistency: pairs) that it comes from.

    interval: None where it has one query. p: of all tests of the report together; None where the group or the others
    have fewer than ten queries. is_distinct: it is lower than the others by more than chance. Else it is the lowest,
    but chance alone can make it so, and a report does not name it as the weakest.
    """

    key: str
    value: float
    n: int
    queries: int
    interval: Interval | None
    p: float | None
    is_distinct: bool


class WeakestPlaces(NamedTuple):
    """The lowest track and the lowest category by metric; None where there is one only, or all are equal."""

    tracks: dict[str, Weakest | None]
    categories: dict[str, Weakest | None]


def find_weakest(
    result: SetResult, tracks: GroupMeans, categories: GroupMeans, category_of: Callable[[str], str]
) -> WeakestPlaces:
    """The lowest places of a set; of equal ones the first track, or the first category by name.

    category_of: the category that a text is shown as.
    """
    categories = {metric: dict(sorted(means.items())) for metric, means in categories.items()}
    axes = ((Axis.GROUP, tracks, str), (Axis.CATEGORY, categories, category_of))
    p_values: dict[tuple[str, Axis, str], float] = {}
    for axis, means, key_of in axes:
        for metric in _distinct(result, means):
            length = result.rubric.scale_of(metric).length
            for key, (own, others) in result.query_values.contrasts(metric, axis, key_of).items():
                p = lower_by_chance(sample_of(own), sample_of(others), length=length)
                if p is not None:
                    p_values[metric, axis, key] = p
    together = dict(zip(p_values, holm(list(p_values.values())), strict=True))
    return WeakestPlaces(
        *(
            {
                metric: _lowest(
                    of_metric, {key: together.get((_twin(result, metric, means), axis, key)) for key in of_metric}
                )
                for metric, of_metric in means.items()
            }
            for axis, means, _ in axes
        )
    )


def _distinct(result: SetResult, metrics: Iterable[str]) -> list[str]:
    """The metrics without those whose points are the points of another for every item."""
    names = list(metrics)
    return [name for name in names if _twin(result, name, names) == name]


def _twin(result: SetResult, metric: str, metrics: Iterable[str]) -> str:
    """The first metric that has the points of this one; the order is that of the tracks' metrics, which has all."""
    return result.query_values.twin(metric, metrics)


def _lowest(means: Mapping[str, Mean], p_values: Mapping[str, float | None]) -> Weakest | None:
    known = [(mean.value, key) for key, mean in means.items() if mean.value is not None]
    if len({value for value, _ in known}) < 2:
        return None
    value, key = min(known, key=lambda one: one[0])
    mean, p = means[key], p_values[key]
    return Weakest(
        key=key,
        value=value,
        n=mean.n,
        queries=mean.queries,
        interval=mean.interval,
        p=p,
        is_distinct=p is not None and p <= ALPHA,
    )
