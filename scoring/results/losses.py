"""Computes the points that each metric lost, by track and status (docs/scoring.md#lost-points)."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import fsum

import msgspec

from scoring.results.model import Group, SetResult
from scoring.results.rounds import group_key
from scoring.rubric.model import METRICS, RUBRICS, Status

CONSISTENCY = "consistency"
_ROUNDING = 1e-9  # a smaller share of a query is what floats leave of nothing


class Loss(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Points below the scale that a metric lost at one place. n: items (consistency: pairs) there that lost any.

    is_single: by the rule for queries that were run once only, not by rounds that differ.
    """

    track: str
    status: Status | None
    points: float
    n: int
    is_single: bool = False


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
    """Of the metrics that the report shows, consistency last."""
    shown = [metric.name for metric in result.rubric.metrics if metric.name != CONSISTENCY]
    names = sorted(shown, key=lambda name: METRICS.index(name) if name in METRICS else len(METRICS))
    losses = []
    for name in names:
        if name in METRICS:
            values = [(kind.track, kind.status, getattr(kind, name), n) for kind, n in result.kinds.items()]
        elif name == RUBRICS:
            values = [
                (item.track, item.status, item.details.rubrics, 1) for item in result.items if item.details is not None
            ]
        else:
            values = _values_of_class(result, name)
        losses.append(_loss(name, values, result.rubric.scale_of(name)))
    return (*losses, *([_consistency_loss(result)] if result.rubric.has_metric(CONSISTENCY) else []))


_Values = list[tuple[int | None, Status, float | None, int]]  # track, status, points, number of such items


def _loss(metric: str, values: _Values, scale: float) -> MetricLoss:
    lost: defaultdict[tuple[str, Status], list[float]] = defaultdict(list)
    hit: Counter[tuple[str, Status]] = Counter()
    possible = 0
    for track, status, value, n in values:
        if value is None:
            continue
        possible += n
        if scale - value > 0:
            place = group_key(track), status
            lost[place].append((scale - value) * n)
            hit[place] += n
    places = [Loss(track, status, fsum(parts), hit[track, status]) for (track, status), parts in lost.items()]
    places.sort(key=lambda loss: (-loss.points, loss.track, loss.status or ""))
    total = fsum(points for parts in lost.values() for points in parts)
    return MetricLoss(metric, total, scale * possible, tuple(places))


def _values_of_class(result: SetResult, metric: str) -> _Values:
    """Latency points of the items of one latency class ("latency.multi")."""
    name = metric.partition(".")[2]
    return [
        (item.track, item.status, item.latency, 1)
        for item in result.items
        if item.details is not None and item.details.latency_class == name
    ]


def _consistency_loss(result: SetResult) -> MetricLoss:
    scale = result.rubric.scale
    single = scale if result.rubric.agreement is None else result.rubric.agreement.single
    places = [loss for group in result.groups[1:] for loss in _lost_consistency(group, scale, single) if loss.points]
    places.sort(key=lambda loss: (-loss.points, loss.track, loss.is_single))
    everything = result.groups[0]
    total = fsum(loss.points for loss in _lost_consistency(everything, scale, single))
    return MetricLoss(CONSISTENCY, total, scale * compared(everything), tuple(places))


def _lost_consistency(group: Group, scale: float, single: float) -> tuple[Loss, ...]:
    """What rounds that differ lost, and what queries of one round did. single: points of the latter, by rule."""
    if group.agreement is None:
        return (Loss(group.key, None, scale * group.pairs.mismatch, group.pairs.mismatch),)
    figures = group.agreement
    if figures.score is None:
        return ()
    by_rule = (scale - single) * figures.single
    repeated = figures.queries - figures.single
    by_rounds = (scale - figures.score) * figures.queries - by_rule if repeated else 0.0
    return (
        Loss(group.key, None, by_rounds if by_rounds > _ROUNDING * scale else 0.0, repeated),
        Loss(group.key, None, by_rule, figures.single, is_single=True),
    )
