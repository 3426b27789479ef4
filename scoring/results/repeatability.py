"""Classes every query by its attempts: does it always, sometimes or never pass (docs/scoring.md#repeatability).

An item passes by the points that the document names, or else where it is answered. All items of a query count, also
where a round has several of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

from scoring.items.part import Item
from scoring.memo import Memo
from scoring.results.passes import passes_of
from scoring.rubric.model import Rubric, Status
from scoring.statistics.repeats import Attempts, Reliability, Repeats, reliability, repeats

Statuses = tuple[Status | None, ...]  # of a query in each round, None where it is missing


class QueryAttempts(NamedTuple):
    """A query, and how many of its items pass."""

    query_id: str
    attempts: Attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeatability:
    """How the queries of a set end over their attempts.

    attempts: by Query ID in order of first appearance; (0, 0) for a query whose items all take no part. counts: queries
    per class, which are the queries with an attempt. reliability: for k = 1 to the number of rounds. flaky, never: the
    queries that pass sometimes or never, fewest passes first, then in order of first appearance.
    """

    attempts: Mapping[str, Attempts]
    counts: dict[Repeats, int]
    reliability: tuple[Reliability, ...]
    flaky: tuple[QueryAttempts, ...]
    never: tuple[QueryAttempts, ...]

    @property
    def left_out(self) -> int:
        """Number of queries whose items all take no part."""
        return len(self.attempts) - sum(self.counts.values())

    @property
    def is_repeated(self) -> bool:
        """Has any query two attempts or more?"""
        return any(attempts.n > 1 for attempts in set(self.attempts.values()))


def find_repeatability(
    items: Sequence[Item], statuses: Mapping[str, Statuses], rounds: int, rubric: Rubric
) -> Repeatability:
    """The classes of all queries. statuses: of each Query ID in each round. rounds: how many the set has."""
    attempts = _attempts(items, statuses, rubric)
    # Queries that end alike are counted together: there are few different ends.
    counted = Counter(attempts.values())
    classes = {ends: repeats(ends) for ends in counted}
    return Repeatability(
        attempts=attempts,
        counts={kind: sum(n for ends, n in counted.items() if classes[ends] is kind) for kind in Repeats},
        reliability=tuple(reliability(counted, k) for k in range(1, rounds + 1)),
        flaky=_of_class(Repeats.SOMETIMES, attempts, classes),
        never=_of_class(Repeats.NEVER, attempts, classes),
    )


def _attempts(items: Sequence[Item], statuses: Mapping[str, Statuses], rubric: Rubric) -> dict[str, Attempts]:
    """Attempts by Query ID, in the order of `statuses`."""
    if rubric.pass_points is None:
        passing = frozenset(rubric.pass_statuses)
        by_status: Memo[Statuses, Attempts] = Memo(
            lambda of_query: Attempts(sum(one in passing for one in of_query), len(of_query) - of_query.count(None))
        )
        # 50,000 queries take 0.06 s, their 100,000 items 0.28 s.
        attempts = {query_id: by_status[of_query] for query_id, of_query in statuses.items()}
        if sum(n for _, n in attempts.values()) == len(items):  # no round has several items of a query
            return attempts
    query_ids = [item.query_id for item in items]
    outcomes = passes_of(items, rubric)
    passed = Counter(compress(query_ids, outcomes))
    n = Counter(compress(query_ids, [outcome is not None for outcome in outcomes]))
    return {query_id: Attempts(passed[query_id], n[query_id]) for query_id in statuses}


def _of_class(
    kind: Repeats, attempts: Mapping[str, Attempts], classes: Mapping[Attempts, Repeats | None]
) -> tuple[QueryAttempts, ...]:
    wanted = {ends for ends, of_ends in classes.items() if of_ends is kind}
    found = [QueryAttempts(query_id, ends) for query_id, ends in attempts.items() if ends in wanted] if wanted else []
    return tuple(sorted(found, key=lambda query: query.attempts.passed))
