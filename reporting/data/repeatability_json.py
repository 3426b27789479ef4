"""The block of report.json about repeatability: which queries always, sometimes or never pass."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from scoring.results.model import SetResult
from scoring.results.repeatability import QueryAttempts
from scoring.statistics.repeats import Repeats, Share


class IntervalEnds(msgspec.Struct, frozen=True):
    """Both ends belong to it."""

    low: float
    high: float


class ShareFigures(msgspec.Struct, frozen=True):
    """A mean over queries, 0 to 1; both null without queries."""

    value: float | None
    interval: IntervalEnds | None


class ReliabilityFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Over the queries with k attempts or more: all_pass is pass^k, any_passes is pass@k. left_out: the others."""

    k: int
    queries: int
    left_out: int
    all_pass: ShareFigures
    any_passes: ShareFigures


class PassesOfQuery(msgspec.Struct, frozen=True):
    """passed of n items pass; those that take no part are not among them."""

    query_id: str
    passed: int
    n: int


class RepeatabilityFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How the queries end over their attempts.

    by_points: do points decide what passes, or the status? always, sometimes, never: queries per class; left_out:
    queries whose items all take no part. reliability: for k = 1 to the number of rounds. flaky, never_passing: those
    that pass sometimes or never, fewest passes first.
    """

    by_points: bool
    always: int
    sometimes: int
    never: int
    left_out: int
    reliability: tuple[ReliabilityFigures, ...]
    flaky: tuple[PassesOfQuery, ...]
    never_passing: tuple[PassesOfQuery, ...]


def repeatability_figures(result: SetResult) -> RepeatabilityFigures:
    """The block of one set."""
    found = result.repeatability
    return RepeatabilityFigures(
        by_points=result.rubric.pass_points is not None,
        always=found.counts[Repeats.ALWAYS],
        sometimes=found.counts[Repeats.SOMETIMES],
        never=found.counts[Repeats.NEVER],
        left_out=found.left_out,
        reliability=tuple(
            ReliabilityFigures(
                k=entry.k,
                queries=entry.queries,
                left_out=entry.left_out,
                all_pass=_share(entry.all_pass),
                any_passes=_share(entry.any_passes),
            )
            for entry in found.reliability
        ),
        flaky=_passes(found.flaky),
        never_passing=_passes(found.never),
    )


def _share(share: Share) -> ShareFigures:
    return ShareFigures(share.value, None if share.interval is None else IntervalEnds(*share.interval))


def _passes(queries: Iterable[QueryAttempts]) -> tuple[PassesOfQuery, ...]:
    return tuple(PassesOfQuery(query.query_id, *query.attempts) for query in queries)
