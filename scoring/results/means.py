"""Averages points, and weighs the metrics of a set into its total (docs/scoring.md#means).

Sums are exact, so that no order of items or files changes a digit.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from math import fsum

from scoring.results.item_table import ItemTable
from scoring.results.model import Group, Mean, Metric, Total, TotalPart
from scoring.results.uncertainty import Counted, QueryValues, pooled
from scoring.rubric import Rubric, Scale, is_score
from scoring.statistics import Interval, interval_of_spread, mean_interval, query_mean

TOTAL_ORDER = ("intent", "consistency", "accuracy", "latency", "stability")


def metric_of(rounds: Sequence[Counted], of_set: Counted, *, scale: Scale) -> Metric:
    """Means on a scale, from the values by query of each round, and of all rounds together.

    The mean of a round is that of its values, the mean of the set that of the rounds.
    """
    means = tuple([mean_of_values(queries, scale=scale) for queries in rounds])
    value = mean_of([mean.value for mean in means])
    n = sum(mean.n for mean in means)
    return Metric(rounds=means, set=Mean(value, n, size_of(of_set), interval_of(value, of_set, scale=scale)))


def mean_of_values(queries: Counted, *, scale: Scale) -> Mean:
    """The mean of all values, with its interval on a scale; every item weighs the same."""
    value, n = exact_mean(queries)
    return Mean(value, n, size_of(queries), interval_of(value, pooled(queries), scale=scale))


def size_of(queries: Counted) -> int:
    """How many queries there are."""
    return sum(sum(counted.values()) for counted in queries.values())


def exact_mean(queries: Counted) -> tuple[float | None, int]:
    """The mean that `math.fsum` over all values gives, from the few that differ; and how many values there are.

    Uses whole numbers, and so is exact; their quotient is rounded once, as fsum rounds.
    """
    counted: dict[float, int] = {}
    for values, times in chain.from_iterable(of_rounds.items() for of_rounds in queries.values()):
        for value in values:
            counted[value] = counted.get(value, 0) + times
    if not counted:
        return None, 0
    present = [(*value.as_integer_ratio(), n) for value, n in counted.items()]
    unit = max([denominator for _, denominator, _ in present])  # powers of two: the largest is a multiple of each
    total = sum([numerator * (unit // denominator) * n for numerator, denominator, n in present])
    size = sum(counted.values())
    return total / unit / size, size


def interval_of(value: float | None, queries: Counted, *, scale: Scale) -> Interval | None:
    """The interval of a figure on a scale; None without a value."""
    return None if value is None else mean_interval(value, queries, floor=scale.lowest, top=scale.highest)


def mean_of(values: Iterable[float | None]) -> float | None:
    """Plain mean of the values that are there; None when there is none."""
    present = [value for value in values if value is not None]
    return fsum(present) / len(present) if present else None


def weighted_total(group: Group, values: QueryValues, table: ItemTable, rubric: Rubric) -> Total:
    """Weighted total of the group of all items over all rounds; latency takes the items of all classes together.

    The weights are above or at 0, not all 0, and those of metrics or of named scores. The total has no value while any
    part has none.
    """
    if any(map(is_score, rubric.weights)):
        return _total_of_scores(group, table, rubric)
    weights = {metric: rubric.weights[metric] for metric in TOTAL_ORDER if metric in rubric.weights}
    parts = tuple(
        TotalPart(metric=metric, weight=weight, value=group.figure(metric).value) for metric, weight in weights.items()
    )
    products = [part.weight * part.value for part in parts if part.value is not None]
    if len(products) < len(parts):
        return Total(parts=parts, value=None)
    value = fsum(products) / fsum(weights.values())
    shown = {part.metric: part.value for part in parts if part.value is not None}
    spread, left_out = values.totals(weights, shown)
    scale = rubric.points
    return Total(
        parts=parts,
        value=value,
        queries=spread.queries,
        left_out=left_out,
        interval=interval_of_spread(value, spread, floor=scale.lowest, top=scale.highest),
    )


def _total_of_scores(group: Group, table: ItemTable, rubric: Rubric) -> Total:
    """Scores in the points of the document, the best end of each at the top. Queries with all of them count."""
    points, whole = rubric.points, fsum(rubric.weights.values())
    weighed = [
        (at, one, rubric.weights[one.key]) for at, one in enumerate(rubric.measures) if one.key in rubric.weights
    ]
    means = [group.measures[one.name].set.mean for _, one, _ in weighed]
    parts = tuple(
        TotalPart(metric=one.key, weight=weight, value=None if mean is None else one.on(points, mean))
        for (_, one, weight), mean in zip(weighed, means, strict=True)
    )
    products = [part.weight * part.value for part in parts if part.value is not None]
    if len(products) < len(parts):
        return Total(parts=parts, value=None)
    columns = [(table.by_query(table.measures[at]), one, weight) for at, one, weight in weighed]
    totals: Counter[float] = Counter()
    for query in range(len(table.query_ids)):
        found = [(column(query), one, weight) for column, one, weight in columns]
        if all(len(amounts) for amounts, _, _ in found):
            totals[fsum(weight * one.on(points, query_mean(amounts)) for amounts, one, weight in found) / whole] += 1
    value = fsum(products) / whole
    counted: dict[tuple[int, ...], dict[tuple[float, ...], int]] = {}
    if totals:
        counted[0,] = {(one,): n for one, n in totals.items()}
    return Total(
        parts=parts,
        value=value,
        queries=totals.total(),
        left_out=len(table.query_ids) - totals.total(),
        interval=interval_of(value, counted, scale=points),
    )
