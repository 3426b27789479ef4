"""`report.json`: every figure of a set at full precision, for programs; and the commit mark of a report.

The texts of the items are in `items.csv` alone: with them this file would grow with the input. The schema that is
published in `docs/report.schema.json` is made from these classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from inspect import cleandoc
from pathlib import Path

import msgspec

from reporting.status_json import FileMark, Headline, headline_of
from scoring.insights import Insights, Weakest
from scoring.problems import Problem
from scoring.result import (
    AgreementFigures,
    ClassFigures,
    Distribution,
    Group,
    InputSummary,
    JudgedMetric,
    LevelCounts,
    Mean,
    Metric,
    Pairs,
    QueryAgreement,
    QueryRounds,
    Round,
    Seconds,
    SetResult,
    Total,
)
from scoring.rubric import Status
from scoring.verdicts import JudgeState

FORMAT_VERSION = 1
FILE_NAME = "report.json"
_FOUND_CHARACTERS = 500


class RowSum(msgspec.Struct, frozen=True, kw_only=True):
    """rows = items + duplicates + blank_rows + unusable_rows, over all inputs."""

    rows: int
    items: int
    duplicates: int
    blank_rows: int
    unusable_rows: int


class Value(msgspec.Struct, frozen=True):
    """A value and the number of items behind it; null when there is none."""

    value: float | None
    n: int


class MetricFigures(msgspec.Struct, frozen=True, kw_only=True):
    """rounds: one value per round, in order. set: the plain mean of the rounds that have a value."""

    rounds: tuple[Value, ...]
    set: Value


class GroupFigures(msgspec.Struct, frozen=True, kw_only=True):
    """All items (key "all") or those of one track. Lists have one entry per round.

    agreement: consistency by label and signature, null where pairs are compared. classes: items and seconds per
    latency class where the profile has a metric for each.
    """

    key: str
    track: int | None
    n: int
    items: tuple[int, ...]
    statuses: tuple[dict[Status, int], ...]
    metrics: dict[str, MetricFigures]
    seconds: tuple[Seconds, ...]
    set_seconds: Seconds
    consistency: Pairs
    agreement: AgreementFigures | None
    classes: dict[str, ClassFigures]


class Weak(msgspec.Struct, frozen=True):
    """The lowest value of a metric, and the group (track or category) that has it."""

    key: str
    value: float
    n: int


class LossPlace(msgspec.Struct, frozen=True):
    """Points lost in one track by items of one status (null for consistency)."""

    track: str
    status: Status | None
    points: float
    n: int


class LossFigures(msgspec.Struct, frozen=True):
    """Points below the scale that a metric lost, of those that were possible; places, largest first."""

    metric: str
    points: float
    possible: float
    places: tuple[LossPlace, ...]


class Pattern(msgspec.Struct, frozen=True):
    """Failed items that look alike; text is the error text with numbers and ids folded."""

    status: Status
    text: str
    why: str
    category: str
    n: int
    query_ids: tuple[str, ...]


class CategoryRow(msgspec.Struct, frozen=True):
    """Means over the items of one category, all rounds together."""

    category: str
    n: int
    passed: int
    failed: int
    intent: float | None
    accuracy: float | None
    stability: float | None
    latency: float | None
    seconds: float | None
    seconds_n: int
    rubrics: float | None


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


class JudgeReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge did.

    state: "none" (no judge is configured), "pending", "done", "incomplete" (some items were given up). model, votes,
    prompt: who was asked, and how. metrics: items per metric, agreement with recorded levels, and repeatability.
    failures: items given up, by reason. tokens: of the stored verdicts in this report. digest: of these verdicts, ""
    without any.
    """

    state: JudgeState
    model: str
    votes: int
    prompt: str
    metrics: tuple[JudgedMetric, ...]
    failures: dict[str, int]
    prompt_tokens: int
    completion_tokens: int
    digest: str


class MetricTitle(msgspec.Struct, frozen=True):
    """A metric that the report shows, in its order; the name is its key in `metrics` of a group."""

    name: str
    title: str


class Executed(msgspec.Struct, frozen=True):
    """First and last 실행시각 as written; parsed is false when they are only in text order."""

    first: str
    last: str
    parsed: bool


class IntentSourceCounts(msgspec.Struct, frozen=True):
    """Items by source of their intent score; the last three say why no recorded score was used."""

    recorded: int
    from_status: int
    blank: int
    not_a_number: int
    out_of_range: int


class InsightFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Findings. slowest, slow, failed_items, hidden_failures: line of the item in items.csv, the first item is 0."""

    weakest_tracks: dict[str, Weak | None]
    weakest_categories: dict[str, Weak | None]
    losses: tuple[LossFigures, ...]
    patterns: tuple[Pattern, ...]
    categories: tuple[CategoryRow, ...]
    disagreeing_queries: tuple[QueryRounds, ...]
    missing_queries: tuple[QueryRounds, ...]
    slowest: tuple[int, ...]
    slow: tuple[int, ...]
    failed_items: tuple[int, ...]
    hidden_failures: tuple[int, ...]
    intent_sources: IntentSourceCounts
    llm_statuses: dict[str, int]
    run_ids: tuple[str, ...]
    llm_models: tuple[str, ...]
    executed: Executed | None
    payloads: dict[str, int]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The content of report.json. files: size and hash of every other file of the report, by relative path.

    total: the weighted total, null for profiles without weights; its value is null while a part has none.
    agreements: per query, for profiles that count labels and signatures. rubrics: null without that metric. judge: null
    for profiles with nothing for a judge.
    """

    format_version: int
    set: str
    profile: str
    title: str
    key: str
    engine_version: int
    rubric_digest: str
    language: str
    headline: Headline
    inputs: tuple[InputSummary, ...]
    row_sum: RowSum
    rounds: tuple[Round, ...]
    metrics: tuple[MetricTitle, ...]
    total: Total | None
    groups: tuple[GroupFigures, ...]
    agreements: tuple[QueryAgreement, ...]
    distributions: tuple[Distribution, ...]
    rubrics: RubricsFigures | None
    judge: JudgeReport | None
    insights: InsightFigures
    counts: dict[str, int]
    restored_rounds: tuple[str, ...]
    extra_columns: tuple[str, ...]
    problem_count: int
    problems: tuple[Problem, ...]
    files: dict[str, FileMark]


class CommitMark(msgspec.Struct, frozen=True):
    """What a check of a report needs of its report.json."""

    format_version: int
    key: str
    files: dict[str, FileMark]


def build_report(
    result: SetResult, insights: Insights, *, set_name: str, key: str, language: str, files: Mapping[str, FileMark]
) -> Report:
    """The report of one set as a value, ready for `encode_json`."""
    return Report(
        format_version=FORMAT_VERSION,
        set=set_name,
        profile=result.rubric.profile,
        title=result.rubric.title,
        key=key,
        engine_version=result.engine_version,
        rubric_digest=result.rubric_digest,
        language=language,
        headline=headline_of(result),
        inputs=result.inputs,
        row_sum=RowSum(
            rows=sum(entry.rows for entry in result.inputs),
            items=sum(entry.items for entry in result.inputs),
            duplicates=sum(entry.duplicates for entry in result.inputs),
            blank_rows=sum(entry.blank_rows for entry in result.inputs),
            unusable_rows=sum(entry.unusable_rows for entry in result.inputs),
        ),
        rounds=result.rounds,
        metrics=tuple(MetricTitle(metric.name, metric.title) for metric in result.rubric.metrics),
        total=result.total,
        agreements=result.agreements,
        groups=tuple(map(_group, result.groups)),
        distributions=result.distributions,
        rubrics=_rubrics(result),
        judge=_judge(result),
        insights=_insights(insights),
        counts=result.counts,
        restored_rounds=result.restored_rounds,
        extra_columns=result.extra_columns,
        problem_count=result.problem_count,
        problems=tuple(map(_shortened, result.problems)),
        files=dict(sorted(files.items())),
    )


def read_commit_mark(path: Path) -> CommitMark | None:
    """The mark in the report.json at `path`; None when it is missing, damaged or of another format."""
    try:
        mark = msgspec.json.decode(path.read_bytes(), type=CommitMark)
    except (OSError, ValueError):
        return None
    return mark if mark.format_version == FORMAT_VERSION else None


def schema() -> dict[str, object]:
    """JSON Schema (2020-12) of report.json."""
    made = msgspec.json.schema(Report)
    for definition in made["$defs"].values():
        if "description" in definition:  # Python 3.13 takes the indentation out of docstrings, earlier ones do not
            definition["description"] = cleandoc(definition["description"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}


def _value(mean: Mean) -> Value:
    return Value(mean.value, mean.n)


def _metric(metric: Metric) -> MetricFigures:
    return MetricFigures(rounds=tuple(map(_value, metric.rounds)), set=_value(metric.set))


def _group(group: Group) -> GroupFigures:
    return GroupFigures(
        key=group.key,
        track=group.track,
        n=group.n,
        items=group.items,
        statuses=group.statuses,
        metrics={name: _metric(metric) for name, metric in group.metrics.items()},
        seconds=group.seconds,
        set_seconds=group.set_seconds,
        consistency=group.pairs,
        agreement=group.agreement,
        classes=group.classes,
    )


def _rubrics(result: SetResult) -> RubricsFigures | None:
    rule = result.rubric.rubrics
    if rule is None:
        return None
    whys = Counter([item.details.rubrics_why for item in result.items if item.details is not None])
    return RubricsFigures(
        levels=tuple(
            LevelTitle(rule.spelling(level), level.name, level.criteria, rule.points(level)) for level in rule.levels
        ),
        groups=result.levels,
        none={why: n for why, n in sorted(whys.items()) if why},
    )


def _judge(result: SetResult) -> JudgeReport | None:
    judge = result.judge
    if judge is None:
        return None
    return JudgeReport(
        state=judge.state,
        model=judge.model,
        votes=judge.votes,
        prompt=judge.prompt,
        metrics=judge.metrics,
        failures=judge.failures,
        prompt_tokens=judge.prompt_tokens,
        completion_tokens=judge.completion_tokens,
        digest=judge.digest,
    )


def _weak(weakest: Mapping[str, Weakest | None]) -> dict[str, Weak | None]:
    return {metric: None if entry is None else Weak(*entry) for metric, entry in weakest.items()}


def _insights(insights: Insights) -> InsightFigures:
    return InsightFigures(
        weakest_tracks=_weak(insights.weakest_tracks),
        weakest_categories=_weak(insights.weakest_categories),
        losses=tuple(
            LossFigures(loss.metric, loss.points, loss.possible, tuple(LossPlace(*place) for place in loss.places))
            for loss in insights.losses
        ),
        patterns=tuple(Pattern(*pattern) for pattern in insights.patterns),
        categories=tuple(CategoryRow(*row) for row in insights.categories),
        disagreeing_queries=insights.disagreeing,
        missing_queries=insights.missing,
        slowest=insights.slowest,
        slow=insights.slow,
        failed_items=insights.failed_items,
        hidden_failures=insights.hidden_failures,
        intent_sources=IntentSourceCounts(*insights.intent_sources),
        llm_statuses=dict(insights.llm_statuses),
        run_ids=insights.run_ids,
        llm_models=insights.llm_models,
        executed=None if insights.executed is None else Executed(*insights.executed),
        payloads=insights.payloads,
    )


def _shortened(problem: Problem) -> Problem:
    """`found` may be a whole cell of several MB."""
    if len(problem.found) <= _FOUND_CHARACTERS:
        return problem
    return replace(problem, found=problem.found[: _FOUND_CHARACTERS - 1] + "…")
