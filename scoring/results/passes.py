"""Which items pass: those at or above the points that the document names (docs/scoring.md#pass-rate)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scoring.items.part import Item, details_of
from scoring.rubric.model import RUBRICS, Rubric
from scoring.rubric.rules import REASON_NO_CHECKS, PassRule


class Passes(NamedTuple):
    """assessed: items that take part. below: indices of those that do not pass, in order."""

    assessed: int
    below: tuple[int, ...]

    @property
    def passed(self) -> int:
        """Number of items that pass."""
        return self.assessed - len(self.below)


def find_passes(items: Sequence[Item], rule: PassRule) -> Passes:
    """Items that pass by `rule`; those without anything to check, or without a level, take no part."""
    values = [_points(item, rule.metric) for item in items]
    below = tuple([index for index, value in enumerate(values) if value is not None and value < rule.points])
    return Passes(len(values) - values.count(None), below)


def passes_of(items: Sequence[Item], rubric: Rubric) -> list[bool | None]:
    """Whether each item passes: by the points that the document names, else by its status.

    None for items that take no part, see `find_passes`.
    """
    rule = rubric.pass_points
    if rule is None:
        passing = frozenset(rubric.pass_statuses)
        return [item.status in passing for item in items]
    values = [_points(item, rule.metric) for item in items]
    return [None if value is None else value >= rule.points for value in values]


def _points(item: Item, metric: str) -> float | None:
    details = details_of(item)
    if metric == RUBRICS:
        return details.rubrics
    if metric == "accuracy" and details.accuracy_reason == REASON_NO_CHECKS:
        return None
    points: float | None = getattr(item, metric)
    return points
