"""What items have in common as far as any sum is concerned, counted in one pass; there are few kinds.

100,000 items: 0.05 s once instead of 0.15 s in a pass per metric and report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from operator import attrgetter
from typing import NamedTuple

from scoring.items.part import Item
from scoring.rubric.model import Status


class Kind(NamedTuple):
    """What makes items count alike. round: its label; source, issue: of intent."""

    track: int | None
    round: str
    category: str
    status: Status
    intent: float | None
    accuracy: float | None
    stability: float | None
    latency: float | None
    source: str
    issue: str


_kind_of = attrgetter(
    "track",
    "round",
    "category",
    "status",
    "intent",
    "accuracy",
    "stability",
    "latency",
    "intent_source",
    "recorded_issue",
)


def count_kinds(items: Iterable[Item]) -> dict[Kind, int]:
    """Number of items of each kind, in the order in which they first appear."""
    return {Kind._make(fields): n for fields, n in Counter(map(_kind_of, items)).items()}
