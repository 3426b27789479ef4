"""Classes every query by its attempts: does it always, sometimes or never pass (docs/scoring.md#repeatability).

An item passes by the points that the document names, or else where it is answered. All items of a query count, also
where a round has several of them.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from scoring.results.passes import passes_of
from scoring.results.uncertainty import QueryValues
from scoring.rubric import Rubric
from scoring.statistics import Attempts, Interval, Reliability, Repeats, Share, reliability, repeats


class QueryAttempts(NamedTuple):
    """A query, and how many of its items pass."""

    query_id: str
    attempts: Attempts


class Repeatability(msgspec.Struct, frozen=True, kw_only=True):
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


def find_repeatability(values: QueryValues, rounds: int, rubric: Rubric, headline: Interval | None) -> Repeatability:
    """The classes of all queries. rounds: how many the set has. headline: interval of the share of items that pass.

    For k = 1 the share is that of the headline, whose interval it has.
    """
    outcomes = passes_of(values.samples, rubric)
    # Queries that end alike are counted together: there are few different ends.
    by_marks: dict[tuple[int, ...], Attempts] = {}
    counted: Counter[Attempts] = Counter()
    known: dict[Attempts, Attempts] = {}
    for marks, n in values.alike.items():
        ends = [outcomes[mark] for mark in marks]
        attempts = Attempts(ends.count(True), len(ends) - ends.count(None))
        by_marks[marks] = attempts = known.setdefault(attempts, attempts)
        counted[attempts] += n
    of_queries = dict(zip(values.query_ids, map(by_marks.__getitem__, values.marks), strict=True))
    classes = {ends: repeats(ends) for ends in counted}
    return Repeatability(
        attempts=of_queries,
        counts={kind: sum(n for ends, n in counted.items() if classes[ends] is kind) for kind in Repeats},
        reliability=tuple(_reliability(counted, k, headline) for k in range(1, rounds + 1)),
        flaky=_of_class(Repeats.SOMETIMES, of_queries, classes),
        never=_of_class(Repeats.NEVER, of_queries, classes),
    )


def _reliability(counted: Counter[Attempts], k: int, headline: Interval | None) -> Reliability:
    found = reliability(counted, k)
    if k > 1 or headline is None or found.all_pass.value is None:
        return found
    low, value, high = headline.low, found.all_pass.value, headline.high
    share = Share(value, Interval(min(low, value), max(high, value)))  # with unequal numbers of items it may lie beside
    return found._replace(all_pass=share, any_passes=share)


def _of_class(
    kind: Repeats, attempts: Mapping[str, Attempts], classes: Mapping[Attempts, Repeats | None]
) -> tuple[QueryAttempts, ...]:
    wanted = {ends for ends, of_ends in classes.items() if of_ends is kind}
    found = [QueryAttempts(query_id, ends) for query_id, ends in attempts.items() if ends in wanted] if wanted else []
    return tuple(sorted(found, key=lambda query: query.attempts.passed))
