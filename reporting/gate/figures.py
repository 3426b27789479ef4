"""The figures of a set as a gate needs them, from `report.json` and the run of the same report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from reporting.comparison.runs import UnreadableRunError, read_run
from reporting.store.status import REPORT_JSON, Headline
from scoring.comparison.basis import CONSISTENCY, Basis
from scoring.comparison.run import Query, Run
from scoring.gate.figures import Figure, Figures
from scoring.gate.rules import (
    ANSWERED_RATE,
    EVERYTHING,
    ITEMS,
    JUDGED,
    LATENCY,
    MEASURE_STATISTICS,
    PASS_RATE,
    QUERIES,
    ROUNDS,
    STATISTICS,
    UNREADABLE,
    Scope,
)
from scoring.reading.regular_file import read_named
from scoring.rubric.measures import MEASURE_PREFIX
from scoring.rubric.model import LATENCY_PREFIX, METRICS, RUBRICS, TOTAL, group_key
from scoring.statistics.intervals import mean_interval
from scoring.text import normalise

_Ends = tuple[float, float]
_UNJUDGED = ("not-evaluated", "rubrics-not-evaluated")  # counts of items without a level


class _Mean(msgspec.Struct, frozen=True):
    value: float | None
    interval: _Ends | None = None


class _Metric(msgspec.Struct, frozen=True):
    set: _Mean


class _Score(msgspec.Struct, frozen=True):
    score: float | None
    interval: _Ends | None = None


class _Seconds(msgspec.Struct, frozen=True):
    mean: float | None
    p50: float | None
    p95: float | None
    max: float | None


class _Class(msgspec.Struct, frozen=True):
    set_seconds: _Seconds


class _Measured(msgspec.Struct, frozen=True):
    sum: float | None
    mean: float | None
    interval: _Ends | None
    p50: float | None
    p95: float | None
    max: float | None
    per_answered: float | None


class _Measure(msgspec.Struct, frozen=True):
    set: _Measured


class _Group(msgspec.Struct, frozen=True):
    key: str
    n: int
    statuses: tuple[dict[str, int], ...]
    metrics: dict[str, _Metric]
    set_seconds: _Seconds
    consistency: _Score
    agreement: _Score | None
    classes: dict[str, _Class]
    measures: dict[str, _Measure] = {}


class _Category(msgspec.Struct, frozen=True):
    category: str
    n: int
    answered: int
    intent: float | None
    accuracy: float | None
    stability: float | None
    latency: float | None
    rubrics: float | None
    seconds: float | None
    intervals: dict[str, _Ends | None]


class _Insights(msgspec.Struct, frozen=True):
    categories: tuple[_Category, ...]
    payloads: dict[str, int]


class GateReport(msgspec.Struct, frozen=True):
    """What of `report.json` a gate needs."""

    key: str
    headline: Headline
    basis: Basis
    rounds: tuple[dict[str, object], ...]
    total: _Mean | None
    groups: tuple[_Group, ...]
    insights: _Insights
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedReport:
    """A report as a gate reads it: its key, its figures, and its run for comparing it with a baseline."""

    key: str
    figures: Figures
    run: Run


def read_report(folder: Path) -> GatedReport:
    """The report in the folder of a set. Raises UnreadableRunError."""
    try:
        content = read_named(folder / REPORT_JSON)
        run = read_run(folder)
        if read_named(folder / REPORT_JSON) != content:
            raise UnreadableRunError(REPORT_JSON)  # replaced meanwhile: the run is that of another version
    except OSError as error:
        raise UnreadableRunError(str(error)) from error
    return gated_report(content, run)


def gated_report(report: bytes, run: Run) -> GatedReport:
    """The same of a report that is not on disk. report: content of its `report.json`. Raises UnreadableRunError."""
    try:
        content = msgspec.json.decode(report, type=GateReport)
    except ValueError as error:
        raise UnreadableRunError(str(error)) from error
    return GatedReport(key=content.key, figures=figures_of(content, run.queries), run=run)


def figures_of(report: GateReport, queries: Mapping[str, Query]) -> Figures:
    """The figures by scope: of the whole set, of every track, of every category."""
    basis = report.basis
    values = {EVERYTHING: dict(_of_set(report, queries))}
    for group in report.groups[1:]:
        scope = Scope("track", group.key)
        values[scope] = dict(_of_group(group, basis))
        of_track = [query for query in queries.values() if group_key(query.track) == group.key]
        answered = _answered(group, basis) / group.n if group.n else None
        values[scope] |= dict(_shares(answered, _pass_rate(answered, of_track, basis), of_track, basis))
    for category in report.insights.categories:
        of_category = [query for query in queries.values() if query.category == category.category]
        scope = Scope("category", normalise(category.category))
        values[scope] = dict(_of_category(category, basis))
        answered = category.answered / category.n if category.n else None
        values[scope] |= dict(_shares(answered, _pass_rate(answered, of_category, basis), of_category, basis))
    return Figures(values=values, queries=tuple(queries.values()))


_Named = tuple[str, Figure]


def _of_set(report: GateReport, queries: Mapping[str, Query]) -> Iterator[_Named]:
    headline, group = report.headline, report.groups[0]
    yield from _of_group(group, report.basis)
    if report.total is not None:
        yield from _figure(TOTAL, report.total.value, report.total.interval)
    yield from _shares(headline.answered_rate, headline.share, list(queries.values()), report.basis)
    unjudged = max(report.counts.get(code, 0) for code in _UNJUDGED)
    yield from _figure(JUDGED, 1 - unjudged / headline.n if headline.n else None)
    yield UNREADABLE, Figure(float(sum(report.insights.payloads.values())))
    yield ROUNDS, Figure(float(len(report.rounds)))


def _of_group(group: _Group, basis: Basis) -> Iterator[_Named]:
    for name, metric in group.metrics.items():
        yield from _figure(name, metric.set.value, metric.set.interval)
    if basis.has_metric(CONSISTENCY):
        found = group.agreement or group.consistency
        yield from _figure(CONSISTENCY, found.score, found.interval)
    yield ITEMS, Figure(float(group.n))
    timed = {LATENCY: group.set_seconds}
    timed |= {f"{LATENCY_PREFIX}{name}": of_class.set_seconds for name, of_class in group.classes.items()}
    for name, seconds in timed.items():
        for statistic in STATISTICS:
            yield from _figure(f"{name} {statistic}", getattr(seconds, statistic))
    for name, measure in group.measures.items():
        for statistic in MEASURE_STATISTICS:
            interval = measure.set.interval if statistic == "mean" else None
            yield from _figure(f"{MEASURE_PREFIX}{name} {statistic}", getattr(measure.set, statistic), interval)


def _of_category(category: _Category, basis: Basis) -> Iterator[_Named]:
    for name in (*METRICS, RUBRICS):
        if basis.has_metric(name):
            yield from _figure(name, getattr(category, name), category.intervals.get(name))
    yield ITEMS, Figure(float(category.n))
    yield from _figure(f"{LATENCY} mean", category.seconds)


def _shares(answered: float | None, passed: float | None, queries: Sequence[Query], basis: Basis) -> Iterator[_Named]:
    """Share of items answered and share that passes, with the intervals of the queries; and how many these are."""
    names = {status.value for status in basis.answered}
    by_status = [tuple([float(answer.status in names) for answer in query.answers]) for query in queries]
    by_points = [
        tuple([float(answer.passes) for answer in query.answers if answer.passes is not None]) for query in queries
    ]
    for name, share, values in ((ANSWERED_RATE, answered, by_status), (PASS_RATE, passed, by_points)):
        if share is not None:
            yield name, Figure(share, *(mean_interval(share, values, top=1.0) or ()))
    yield QUERIES, Figure(float(len(queries)))


def _pass_rate(answered: float | None, queries: Sequence[Query], basis: Basis) -> float | None:
    """Of the items that take part; the share answered where the document does not say what passes."""
    if basis.passes is None:
        return answered
    assessed = sum(query.assessed for query in queries)
    return sum(query.passed for query in queries) / assessed if assessed else None


def _answered(group: _Group, basis: Basis) -> int:
    return sum(counted.get(status.value, 0) for counted in group.statuses for status in basis.answered)


def _figure(name: str, value: float | None, interval: _Ends | None = None) -> Iterator[_Named]:
    if value is not None:
        yield name, Figure(value, *(interval or ()))
