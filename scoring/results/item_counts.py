"""Counts items that are alike in everything that figures are made of, because there are few different ones."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from scoring.results.table.item_table import ItemTable
from scoring.results.table.traits import Traits
from scoring.rubric.model import Status
from scoring.rubric.tracks import TrackId


class Kind(NamedTuple):
    """Fields of `Item`; items that agree in all of them count alike."""

    track: TrackId | None
    round: str
    category: str
    status: Status
    intent: float | None
    accuracy: float | None
    stability: float | None
    latency: float | None
    intent_source: str
    recorded_issue: str


def kind_of(traits: Traits) -> Kind:
    """The kind of items with these traits."""
    return Kind._make([getattr(traits, name) for name in Kind._fields])


def count_kinds(table: ItemTable) -> dict[Kind, int]:
    """Number of items of each kind, in the order in which they first appear."""
    counted: defaultdict[Kind, int] = defaultdict(int)
    for traits, n in zip(table.distinct, table.counts(), strict=True):
        counted[kind_of(traits)] += n
    return dict(counted)
