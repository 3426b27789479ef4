"""The section of findings: error patterns, weak places, items and queries to look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reporting.view.accuracy import operator_text
from reporting.view.metrics import shown_groups
from reporting.view.queries.query_table import ID_CHARS, QUESTION_CHARS, query_table
from reporting.view.rubrics import page_cells
from reporting.view.tables import Column, Table, table_of
from reporting.wording.catalogue import Texts
from reporting.wording.display import NONE, count, excerpt, percent, score, seconds
from reporting.wording.names import (
    category_name,
    knows_tracks,
    metric_titles,
    pattern_text,
    round_name,
    status_names,
    track_name,
    track_names,
    why_text,
)
from scoring.items.part import Item, details_of
from scoring.results.insights import FailurePattern, Insights, Weakest
from scoring.results.model import SetResult
from scoring.rubric.model import RUBRICS, LatencyClass, Rubric

MAX_PATTERNS = 20
MAX_CATEGORIES = 30
MAX_ITEMS = 50
MAX_FAILED = 200
MAX_LLM_STATUSES = 20
ERROR_CHARS = 160
CHECK_CHARS = 80
MAX_CHECKS = 3  # of an item


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsView:
    """Tables of the findings (docs/scoring.md#what-the-report-points-out); one without rows is shown as one word.

    slow_limits: what counts as slow, one text per latency class that has a limit. missing: None where no rounds are
    compared; below: items that do not pass, None where nothing says what passes; slowest, slow: None
    without the latency metric; llm_statuses: None without such a column.
    """

    patterns: Table
    weak_tracks: Table | None
    categories: Table
    weak_categories: Table
    missing: Table | None
    slowest: Table | None
    slow_limits: tuple[str, ...]
    slow: Table | None
    failed: Table
    below: Table | None
    hidden_failures: Table
    llm_statuses: Table | None


def findings_view(result: SetResult, insights: Insights, t: Texts) -> FindingsView:
    """Findings as tables, each bounded and with the number of rows left out."""
    items = _Items(result, t)
    speed = (items.seconds, items.latency, items.status, items.question)
    rubric = result.rubric
    compares, has_speed = rubric.has_metric("consistency"), rubric.has_metric("latency")
    return FindingsView(
        patterns=_patterns(insights, t),
        weak_tracks=_weak(result, insights.weakest_tracks, track_name, t) if knows_tracks(rubric) else None,
        weak_categories=_weak(result, insights.weakest_categories, category_name, t),
        categories=_categories(rubric, insights, t),
        missing=query_table(result, insights.missing, lambda query: query, t) if compares else None,
        slowest=items.table(insights.slowest, MAX_ITEMS, speed) if has_speed else None,
        slow_limits=slow_limits(result, t),
        slow=items.table(insights.slow, MAX_ITEMS, speed) if has_speed else None,
        failed=items.table(insights.failed_items, MAX_FAILED, (items.status, items.question, items.error)),
        below=None
        if insights.passes is None
        else items.table(insights.passes.below, MAX_FAILED, (items.status, items.question, *_below_columns(rubric, t))),
        hidden_failures=items.table(
            insights.hidden_failures, MAX_ITEMS, (items.status, items.word, items.question, items.answer)
        ),
        llm_statuses=_llm_statuses(insights, t) if rubric.has_column("llm_status") else None,
    )


def _llm_statuses(insights: Insights, t: Texts) -> Table:
    return table_of(
        list(insights.llm_statuses.items()),
        [(t("more.llm-status"), lambda entry: excerpt(entry[0], ID_CHARS)), (">n", lambda entry: count(entry[1]))],
        limit=MAX_LLM_STATUSES,
    )


def slow_limits(result: SetResult, t: Texts) -> tuple[str, ...]:
    """`Track 3: 60초 이상`, one per latency class with a limit."""
    return tuple(
        t("findings.limit", place=_class_name(entry), seconds=t("unit.seconds", n=f"{entry.slow_seconds:g}"))
        for entry in result.rubric.latency_classes
        if entry.slow_seconds is not None
    )


def _class_name(entry: LatencyClass) -> str:
    return f"Track {', '.join(map(str, entry.tracks))}" if entry.tracks else excerpt(entry.title, ID_CHARS)


def _patterns(insights: Insights, t: Texts) -> Table:
    statuses = status_names(t)

    def text(pattern: FailurePattern) -> str:
        return pattern_text(excerpt(pattern.text, ERROR_CHARS), t) or why_text(pattern.why, t)

    return table_of(
        insights.patterns,
        [
            (">n", lambda pattern: count(pattern.n)),
            (t("items.status"), lambda pattern: statuses[pattern.status]),
            (t("pattern.text"), text),
            (t("table.category"), lambda pattern: category_name(pattern.category, t)),
            (t("table.examples"), lambda pattern: ", ".join(excerpt(query_id, 30) for query_id in pattern.query_ids)),
        ],
        limit=MAX_PATTERNS,
    )


def _weak(result: SetResult, weakest: dict[str, Weakest | None], name: Callable[[str, Texts], str], t: Texts) -> Table:
    rows = [
        (title, entry)
        for metric, title in metric_titles(result.rubric, t).items()
        if (entry := weakest.get(metric)) is not None
    ]
    return table_of(
        rows,
        [
            (t("table.metric"), lambda row: row[0]),
            (t("weak.place"), lambda row: name(row[1].key, t)),
            (f">{t('table.points')}", lambda row: score(row[1].value)),
            (">n", lambda row: count(row[1].n)),
        ],
    )


def _categories(rubric: Rubric, insights: Insights, t: Texts) -> Table:
    has_speed = rubric.has_metric("latency")
    return table_of(
        insights.categories,
        [
            (t("table.category"), lambda row: category_name(row.category, t)),
            (">n", lambda row: count(row.n)),
            (f">{t('category.answered')}", lambda row: count(row.answered)),
            (f">{t('category.failed')}", lambda row: count(row.failed)),
            (f">{t('category.rate')}", lambda row: percent(row.answered, row.n)),
            (f">{t('metric.intent')}", lambda row: score(row.intent)) if rubric.has_metric("intent") else None,
            (f">{t('metric.latency')}", lambda row: score(row.latency)) if has_speed else None,
            (f">{t('table.mean')}", lambda row: seconds(row.seconds)) if has_speed else None,
            (f">{t('metric.rubrics')}", lambda row: score(row.rubrics)) if rubric.rubrics is not None else None,
        ],
        limit=MAX_CATEGORIES,
    )


def _below_columns(rubric: Rubric, t: Texts) -> tuple[Column[Item], ...]:
    """Why an item does not pass: its failed checks, the addresses that differ, or its level."""
    if rubric.pass_points is not None and rubric.pass_points.metric == RUBRICS:
        rule = rubric.rubrics
        assert rule is not None
        return (
            (t("below.level"), lambda item: page_cells(details_of(item), rule, t)[1]),
            (t("below.reason"), lambda item: excerpt(details_of(item).rubrics_reason, ERROR_CHARS) or NONE),
        )
    if rubric.addresses is not None:
        return (
            (t("below.expected"), lambda item: _addresses(item, "value", t)),
            (t("below.got"), lambda item: _addresses(item, "found", t)),
        )
    return ((t("below.checks"), lambda item: _failed_checks(item, t)),)


def _failed_checks(item: Item, t: Texts) -> str:
    """`dataKey 같음 'A'; …` of the first ones; an item without an answer says why."""
    details = details_of(item)
    shown = [
        excerpt(f"{check.name} {operator_text(check.operator, t)} '{check.value}'", CHECK_CHARS)
        for check in details.failed_checks[:MAX_CHECKS]
    ]
    text = "; ".join(shown) or excerpt(item.error, ERROR_CHARS) or why_text(item.why, t)
    more = details.failed_count - MAX_CHECKS
    return t("names.more", names=text, n=count(more)) if more > 0 else text


def _addresses(item: Item, name: str, t: Texts) -> str:
    """The expected addresses, or those of the answer; an item without an answer says why."""
    checks = details_of(item).failed_checks
    if not checks:
        return excerpt(item.error, ERROR_CHARS) or why_text(item.why, t)
    return excerpt(getattr(checks[0], name), ERROR_CHARS) or NONE


class _Items:
    """Tables of items, which all start with Query ID, round and (where there are any) track; and their columns."""

    def __init__(self, result: SetResult, t: Texts) -> None:
        self._items = result.items
        rounds = {entry.label: round_name(entry, t) for entry in result.rounds}
        tracks, statuses = track_names(t), status_names(t)
        self._place: tuple[Column[Item] | None, ...] = (
            ("Query ID", lambda item: excerpt(item.query_id, ID_CHARS)),
            (t("items.round"), lambda item: rounds[item.round]),
            (t("items.track"), lambda item: tracks[item.track]) if shown_groups(result) else None,
        )
        self.status: Column[Item] = t("items.status"), lambda item: statuses[item.status]
        self.question: Column[Item] = t("table.question"), lambda item: excerpt(item.question, QUESTION_CHARS)
        self.seconds: Column[Item] = f">{t('js.seconds')}", lambda item: seconds(item.seconds)
        self.latency: Column[Item] = f">{t('items.speed-points')}", lambda item: score(item.latency)
        self.error: Column[Item] = (
            t("items.error"),
            lambda item: excerpt(item.error, ERROR_CHARS) or why_text(item.why, t),
        )
        self.word: Column[Item] = t("items.found-word"), lambda item: excerpt(item.failure_word, ID_CHARS)
        self.answer: Column[Item] = t("items.answer"), lambda item: excerpt(item.message, ERROR_CHARS)

    def table(self, indices: Sequence[int], limit: int, columns: Sequence[Column[Item]]) -> Table:
        chosen = [self._items[index] for index in indices[:limit]]
        return table_of(chosen, [*self._place, *columns], total=len(indices))
