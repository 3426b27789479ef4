"""`report.json`: every figure of a set at full precision, for programs; and the commit mark of a report.

The texts of the items are in `items.csv` alone: with them this file would grow with the input. The schema that is
published in `docs/report.schema.json` is made from these classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from inspect import cleandoc

import msgspec

from reporting.data.insights_json import InsightFigures, insight_figures
from reporting.data.judge_json import JudgeReport, RubricsFigures, judge_report, rubrics_figures
from reporting.store.commit_mark import FORMAT_VERSION
from reporting.store.status import FileMark, Headline, headline_of
from scoring.problems import Problem
from scoring.results.insights import Insights
from scoring.results.model import (
    AgreementFigures,
    ClassFigures,
    Distribution,
    Group,
    InputSummary,
    Mean,
    Metric,
    Pairs,
    QueryAgreement,
    Round,
    Seconds,
    SetResult,
    Total,
)
from scoring.rubric.model import Status

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


class MetricTitle(msgspec.Struct, frozen=True):
    """A metric that the report shows, in its order; the name is its key in `metrics` of a group."""

    name: str
    title: str


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
        rubrics=rubrics_figures(result),
        judge=judge_report(result),
        insights=insight_figures(insights),
        counts=result.counts,
        restored_rounds=result.restored_rounds,
        extra_columns=result.extra_columns,
        problem_count=result.problem_count,
        problems=tuple(map(_shortened, result.problems)),
        files=dict(sorted(files.items())),
    )


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


def _shortened(problem: Problem) -> Problem:
    """`found` may be a whole cell of several MB."""
    if len(problem.found) <= _FOUND_CHARACTERS:
        return problem
    return replace(problem, found=problem.found[: _FOUND_CHARACTERS - 1] + "…")
