"""The blocks of `report.json` that are no copy of a result: levels and their judge, repeatability, sessions."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from scoring.items import details_of
from scoring.judging import JudgeCost, JudgedMetric, JudgeState
from scoring.results import LevelCounts, QueryAttempts, SessionGroup, SetResult
from scoring.rubric import SessionPass, TrackId
from scoring.statistics import Repeats, Share


class LevelTitle(msgspec.Struct, frozen=True):
    """A level of the rubrics metric; score: its place in 0..1."""

    level: str
    name: str
    criteria: str
    score: float


class RubricsFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The rubrics metric. levels: lists of counts follow their order. groups: items per level, by key of the group.

    none: items without a level, by reason.
    """

    levels: tuple[LevelTitle, ...]
    groups: tuple[LevelCounts, ...]
    none: dict[str, int]


class JudgeReport(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a judge did.

    state: "none" (no judge is configured), "pending", "done", "incomplete" (some items were given up). model, votes,
    prompt: who was asked, and how. metrics: items per metric, agreement with recorded levels, and repeatability.
    failures: items given up, by reason. prompt_tokens, completion_tokens: of the stored
    verdicts in this report, failed tries included. cut_answers: items whose answer the judge reads with its middle left
    out. digest: of the verdicts, "" without any. estimated_tokens: of the tokens those that the endpoint did not count;
    left out where it counted all. cost: left out where the price is not known.
    """

    state: JudgeState
    model: str
    votes: int
    prompt: str
    metrics: tuple[JudgedMetric, ...]
    failures: dict[str, int]
    prompt_tokens: int
    completion_tokens: int
    cut_answers: int
    digest: str
    estimated_tokens: int = 0
    cost: JudgeCost | None = None


def rubrics_figures(result: SetResult) -> RubricsFigures | None:
    """The figures of the rubrics metric; None for profiles without it."""
    rule = result.rubric.rubrics
    if rule is None:
        return None
    whys = Counter([details_of(one).rubrics_why for one in result.table.traits()])
    return RubricsFigures(
        levels=tuple(
            LevelTitle(rule.spelling(level), level.name, level.criteria, rule.points(level)) for level in rule.levels
        ),
        groups=result.levels,
        none={why: n for why, n in sorted(whys.items()) if why},
    )


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


class FailingSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that does not pass.

    round: its label. turns: lines of its items in items.csv, in the order of turns, the first item is 0. first_failing:
    the line of its first turn that does not pass.
    """

    session: str
    round: str
    track: TrackId | None
    turns: tuple[int, ...]
    first_failing: int | None


class SessionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The conversations of a set.

    rule: which turns have to pass, the last or every one. outside: items without a session. groups: of all sessions
    (key "all"), then of the tracks in their order. failing: in order of first appearance.
    """

    rule: SessionPass
    outside: int
    groups: tuple[SessionGroup, ...]
    failing: tuple[FailingSession, ...]


def session_figures(result: SetResult) -> SessionFigures | None:
    """The block of one set; None where no item has a session."""
    found = result.sessions
    if found is None:
        return None
    return SessionFigures(
        rule=found.rule,
        outside=found.outside,
        groups=found.groups,
        failing=tuple(
            FailingSession(
                session=entry.session,
                round=result.rounds[entry.round].label,
                track=entry.track,
                turns=entry.turns,
                first_failing=None if entry.first_failing is None else entry.turns[entry.first_failing],
            )
            for entry in found.failing
        ),
    )
