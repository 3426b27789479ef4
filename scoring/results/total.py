"""The weighted total of a set (spec §3): its metrics by their weights, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum

from scoring.results.model import Group, Total, TotalPart

ORDER = ("intent", "consistency", "accuracy", "latency", "stability")


def weighted_total(group: Group, weights: Mapping[str, float]) -> Total:
    """Total of a group's set values; latency takes the items of all classes together.

    weights: metric -> weight above or at 0, not all 0. One part without a value leaves the total without one.
    """
    parts = tuple(
        TotalPart(
            metric=metric,
            weight=weights[metric],
            value=group.consistency if metric == "consistency" else group.metrics[metric].set.value,
        )
        for metric in ORDER
        if metric in weights
    )
    products = [part.weight * part.value for part in parts if part.value is not None]
    weighed = fsum(part.weight for part in parts)
    return Total(parts=parts, value=fsum(products) / weighed if len(products) == len(parts) else None)
