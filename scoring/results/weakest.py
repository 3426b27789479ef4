"""Which track and which category has the lowest value of a metric, and is that more than chance.

The tests run over all tracks and categories of all metrics that differ (docs/statistics.md#weakest-place).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import msgspec

from scoring.results.model import Mean, SetResult
from scoring.results.uncertainty import Axis
from scoring.statistics import ALPHA, Interval, holm, lower_by_chance, sample_of

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
