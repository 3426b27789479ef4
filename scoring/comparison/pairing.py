"""Pairs the queries of two runs by Query ID, and says which are not compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scoring.comparison.run import Query, Run


class Pair(NamedTuple):
    """One query in both runs."""

    before: Query
    after: Query

    @property
    def is_moved(self) -> bool:
        """Does its track or category differ? Then it counts among all queries only."""
        if self.before.is_split or self.after.is_split:
            return True
        return (self.before.track, self.before.category) != (self.after.track, self.after.category)

    def difference(self, metric: str) -> float | None:
        """After minus before; None where a side has no value."""
        old, new = self.before.values.get(metric), self.after.values.get(metric)
        return None if old is None or new is None else new - old


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """shared: compared, sorted by Query ID. reworded: in both, asked for something else. appeared, gone: in one run.

    moved: those of the shared whose track or category differs.
    """

    shared: tuple[Pair, ...]
    reworded: tuple[Pair, ...]
    appeared: tuple[Query, ...]
    gone: tuple[Query, ...]

    @property
    def moved(self) -> tuple[Pair, ...]:
        """Shared queries that count among all queries only."""
        return tuple([pair for pair in self.shared if pair.is_moved])


def pair_queries(before: Run, after: Run) -> Pairing:
    """The queries of two runs, paired."""
    both = [
        Pair(query, after.queries[query_id]) for query_id, query in before.queries.items() if query_id in after.queries
    ]
    reworded = {pair.before.query_id for pair in both if _is_reworded(*pair)}
    return Pairing(
        shared=tuple([pair for pair in both if pair.before.query_id not in reworded]),
        reworded=tuple([pair for pair in both if pair.before.query_id in reworded]),
        appeared=tuple([query for query_id, query in after.queries.items() if query_id not in before.queries]),
        gone=tuple([query for query_id, query in before.queries.items() if query_id not in after.queries]),
    )


def _is_reworded(before: Query, after: Query) -> bool:
    return _differ(before.questions, after.questions) or _differ(before.expected, after.expected)


def _differ(before: Sequence[str], after: Sequence[str]) -> bool:
    """Do both sides say something, and never the same?"""
    if before == after or not before or not after:
        return False
    return set(before).isdisjoint(after)
