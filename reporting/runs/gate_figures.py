"""The figures of a set as a gate needs them, from its report and the queries of its run."""

from collections.abc import Iterator, Mapping, Sequence

from reporting.data import Report
from scoring import normalise
from scoring.comparison import CONSISTENCY, Basis, Query, sources_of
from scoring.gate import (
    ANSWERED_RATE,
    CORRECTED,
    EVERYTHING,
    ITEMS,
    JUDGED,
    KAPPA,
    LATENCY,
    MEASURE_STATISTICS,
    PASS_RATE,
    QUERIES,
    REVIEWED,
    ROUNDS,
    STATISTICS,
    UNREADABLE,
    Figure,
    Figures,
    Scope,
)
from scoring.known import KnownFailures
from scoring.results import PASS, CategoryFigures, Group, SliceValue
from scoring.rubric import (
    LATENCY_PREFIX,
    METRICS,
    RUBRICS,
    TOTAL,
    group_key,
    is_score,
    key_of_measure,
    normalise_header,
)
from scoring.statistics import Interval, in_one_round, mean_interval

_UNJUDGED = ("not-evaluated", "rubrics-not-evaluated")  # counts of items without a level


def figures_of(report: Report, queries: Mapping[str, Query], known: KnownFailures | None = None) -> Figures:
    """The figures by scope: of the set, its tracks, categories, and values of further columns. known: its failures."""
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
    for column in report.insights.slices.columns if report.insights.slices else ():
        for value in column.values:
            scope = Scope("slice", value.value, normalise_header(column.column))
            values[scope] = dict(_of_slice(value, basis))
    is_told = known is None or known.lines.is_readable
    return Figures(
        values=values,
        queries=tuple(queries.values()),
        ungraded=dict(_ungraded(report)),
        known=frozenset(() if known is None else known.known) if is_told else None,
    )


def _ungraded(report: Report) -> Iterator[tuple[str, int]]:
    """The names that wait for grades of a judge, with the number of these items."""
    metrics = () if report.judge is None else report.judge.metrics
    pending = {metric.metric: metric.pending for metric in metrics if metric.pending}
    if not pending:
        return
    for figure in report.basis.names:
        waiting = max((pending.get(source, 0) for source in sources_of(figure, report.basis)), default=0)
        if waiting:
            yield PASS_RATE if figure == PASS else figure, waiting


_Named = tuple[str, Figure]


def _of_set(report: Report, queries: Mapping[str, Query]) -> Iterator[_Named]:
    headline, group = report.headline, report.groups[0]
    yield from _of_group(group, report.basis)
    if report.total is not None:
        yield from _figure(TOTAL, report.total.value, report.total.interval)
    yield from _shares(headline.answered_rate, headline.share, list(queries.values()), report.basis)
    unjudged = max(report.counts.get(code, 0) for code in _UNJUDGED)
    yield from _figure(JUDGED, 1 - unjudged / headline.n if headline.n else None)
    yield from _of_reviews(report)
    yield UNREADABLE, Figure(float(sum(report.insights.payloads.values())))
    yield ROUNDS, Figure(float(len(report.rounds)))


def _of_reviews(report: Report) -> Iterator[_Named]:
    """The share of items that people graded; how well they agree with the grades before, and what they would give."""
    reviews = report.reviews
    yield REVIEWED, Figure(0.0 if reviews is None or not report.headline.n else reviews.items / report.headline.n)
    metrics = () if reviews is None else reviews.metrics
    agreements = [one.agreement for metric in metrics for one in metric.against if one.agreement is not None]
    known = [one for one in agreements if one.kappa is not None]
    if known:
        most = max(known, key=lambda one: one.n)
        assert most.kappa is not None
        yield KAPPA, Figure(most.kappa, most.low, most.high)
    for metric in metrics:
        yield from _figure(f"{CORRECTED}{metric.metric}", metric.corrected.value, metric.corrected.interval)
        if metric.passed is not None:
            yield from _figure(f"{CORRECTED}{PASS_RATE}", metric.passed.value, metric.passed.interval)


def _of_group(group: Group, basis: Basis) -> Iterator[_Named]:
    for name, metric in group.metrics.items():
        yield from _figure(name, metric.set.value, metric.set.interval)
    if basis.has_metric(CONSISTENCY):
        found = group.figure(CONSISTENCY)
        yield from _figure(CONSISTENCY, found.value, found.interval)
    yield ITEMS, Figure(float(group.n))
    timed = {LATENCY: group.set_seconds}
    timed |= {f"{LATENCY_PREFIX}{name}": of_class.set_seconds for name, of_class in group.classes.items()}
    for name, seconds in timed.items():
        for statistic in STATISTICS:
            yield from _figure(f"{name} {statistic}", getattr(seconds, statistic))
    for name, measure in group.measures.items():
        if is_score(name):
            yield from _figure(name, measure.set.mean, measure.set.interval)
        for statistic in MEASURE_STATISTICS:
            interval = measure.set.interval if statistic == "mean" else None
            yield from _figure(f"{key_of_measure(name)} {statistic}", getattr(measure.set, statistic), interval)


def _of_category(category: CategoryFigures, basis: Basis) -> Iterator[_Named]:
    for name in (*METRICS, RUBRICS):
        if basis.has_metric(name):
            yield from _figure(name, getattr(category, name), category.intervals.get(name))
    yield ITEMS, Figure(float(category.n))
    yield from _figure(f"{LATENCY} mean", category.seconds)


def _of_slice(value: SliceValue, basis: Basis) -> Iterator[_Named]:
    """A copy of another metric has its points."""
    for name, mean in value.metrics.items():
        yield from _figure(name, mean.value, mean.interval)
    for name, source in basis.copies.items():
        if source in value.metrics:
            yield from _figure(name, value.metrics[source].value, value.metrics[source].interval)
    for name, mean in ((ANSWERED_RATE, value.answered), (PASS_RATE, value.share)):
        yield from _figure(name, mean.value, mean.interval)
    yield ITEMS, Figure(float(value.n))
    yield QUERIES, Figure(float(value.queries))


def _shares(answered: float | None, passed: float | None, queries: Sequence[Query], basis: Basis) -> Iterator[_Named]:
    """Share of items answered and share that passes, with the intervals of the queries; and how many these are."""
    names = {status.value for status in basis.answered}
    by_status = [tuple([float(answer.status in names) for answer in query.answers]) for query in queries]
    by_points = [
        tuple([float(answer.passes) for answer in query.answers if answer.passes is not None]) for query in queries
    ]
    for name, share, values in ((ANSWERED_RATE, answered, by_status), (PASS_RATE, passed, by_points)):
        if share is not None:
            yield name, Figure(share, *(mean_interval(share, in_one_round(values), top=1.0) or ()))
    yield QUERIES, Figure(float(len(queries)))


def _pass_rate(answered: float | None, queries: Sequence[Query], basis: Basis) -> float | None:
    """Of the items that take part; the share answered where the document does not say what passes."""
    if basis.passes is None:
        return answered
    assessed = sum(query.assessed for query in queries)
    return sum(query.passed for query in queries) / assessed if assessed else None


def _answered(group: Group, basis: Basis) -> int:
    return sum(counted.get(status, 0) for counted in group.statuses for status in basis.answered)


def _figure(name: str, value: float | None, interval: Interval | None = None) -> Iterator[_Named]:
    if value is not None:
        yield name, Figure(value, *(interval or ()))
