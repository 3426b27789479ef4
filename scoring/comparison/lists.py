"""Lists the shared queries that changed: four lists, and no query is in two of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

from scoring.comparison.basis import CONSISTENCY, Basis, length_of
from scoring.comparison.pairing import Pair
from scoring.rubric.model import LATENCY_PREFIX

_DECIMALS = 9


class QueryChange(NamedTuple):
    """A query that changed. change: of its score, 0..1 of the scale, negative is worse; None without scores."""

    pair: Pair
    change: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryLists:
    """now_fails, now_passes: every item passed on one side only. dropped, rose: the score of the others.

    Largest change first, then by Query ID. The score of a query is the mean of its answer metrics, each as a part of
    its scale; latency and consistency are not part of it.
    """

    now_fails: tuple[QueryChange, ...]
    now_passes: tuple[QueryChange, ...]
    dropped: tuple[QueryChange, ...]
    rose: tuple[QueryChange, ...]


def answer_metrics(basis: Basis) -> tuple[str, ...]:
    """The metrics that an answer earns by itself: neither latency nor consistency."""
    left_out = (CONSISTENCY, "latency")
    return tuple(name for name in basis.metrics if name not in left_out and not name.startswith(LATENCY_PREFIX))


def list_queries(pairs: Iterable[Pair], basis: Basis) -> QueryLists:
    """The shared queries that changed. basis: whose metrics make the score."""
    metrics = answer_metrics(basis)
    lengths = [length_of(metric, basis.points.length) for metric in metrics]
    lists: dict[str, list[QueryChange]] = {"now_fails": [], "now_passes": [], "dropped": [], "rose": []}
    for pair in pairs:
        change = _change(pair, metrics, lengths)
        name = _list_of(pair, change)
        if name:
            lists[name].append(QueryChange(pair, change))
    return QueryLists(**{name: _ordered(entries) for name, entries in lists.items()})


def _change(pair: Pair, metrics: Sequence[str], lengths: Sequence[float]) -> float | None:
    old, new = pair.before.values, pair.after.values
    parts = [
        (new[metric] - old[metric]) / length
        for metric, length in zip(metrics, lengths, strict=True)
        if metric in old and metric in new
    ]
    return fsum(parts) / len(parts) if parts else None


def _list_of(pair: Pair, change: float | None) -> str:
    """Name of the list that a query is in, "" for none."""
    old, new = pair.before.passes, pair.after.passes
    if old is not None and new is not None and old is not new:
        return "now_fails" if old else "now_passes"
    moved = round(change or _share_change(pair), _DECIMALS)
    return "" if not moved else "dropped" if moved < 0 else "rose"


def _share_change(pair: Pair) -> float:
    """Change of the share of its items that pass; decides where the score did not change."""
    if not pair.before.assessed or not pair.after.assessed:
        return 0.0
    return pair.after.passed / pair.after.assessed - pair.before.passed / pair.before.assessed


def _ordered(entries: list[QueryChange]) -> tuple[QueryChange, ...]:
    return tuple(sorted(entries, key=lambda entry: (-abs(entry.change or 0.0), entry.pair.after.query_id)))
