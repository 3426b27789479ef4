"""The part of the view with words: patterns, weak places, items and queries to look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reporting.view.metrics import shown_groups
from reporting.view.tables import Table, table
from reporting.wording.catalogue import Texts
from reporting.wording.display import count, excerpt, percent, score, seconds
from reporting.wording.names import (
    category_name,
    knows_tracks,
    metric_names,
    metric_titles,
    passing,
    pattern_text,
    round_name,
    status_names,
    track_name,
    track_names,
    why_text,
)
from scoring.items.part import Item
from scoring.results.insights import Insights, Weakest
from scoring.results.model import QueryRounds, SetResult
from scoring.rubric.model import LatencyClass, Rubric

MAX_PATTERNS = 20
MAX_CATEGORIES = 30
MAX_QUERIES = 50
MAX_ITEMS = 50
MAX_FAILED = 200
MAX_LLM_STATUSES = 20
MAX_ROUND_COLUMNS = 12
ID_CHARS = 60
QUESTION_CHARS = 120
ERROR_CHARS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsView:
    """Tables of seed 002's insights; a table without rows is shown as one word.

    slow_limits: what counts as slow, one text per latency class that has a limit. disagreeing, missing: None where no
    rounds are compared; slowest, slow: None without the latency metric; llm_statuses: None without such a column.
    """

    patterns: Table
    weak_tracks: Table | None
    categories: Table
    weak_categories: Table
    disagreeing: Table | None
    missing: Table | None
    slowest: Table | None
    slow_limits: tuple[str, ...]
    slow: Table | None
    failed_title: str
    failed: Table
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
        disagreeing=_queries(result, insights.disagreeing, t) if compares else None,
        missing=_queries(result, insights.missing, t) if compares else None,
        slowest=items.table(insights.slowest, MAX_ITEMS, speed) if has_speed else None,
        slow_limits=slow_limits(result, t),
        slow=items.table(insights.slow, MAX_ITEMS, speed) if has_speed else None,
        failed_title=passing("findings.failed", metric_names(rubric), t),
        failed=items.table(insights.failed_items, MAX_FAILED, (items.status, items.question, items.error)),
        hidden_failures=items.table(
            insights.hidden_failures, MAX_ITEMS, (items.status, items.word, items.question, items.answer)
        ),
        llm_statuses=_llm_statuses(insights, t) if rubric.has_column("llm_status") else None,
    )


def _llm_statuses(insights: Insights, t: Texts) -> Table:
    return table(
        [t("more.llm-status"), ">n"],
        [(excerpt(text, ID_CHARS), count(n)) for text, n in insights.llm_statuses[:MAX_LLM_STATUSES]],
        total=len(insights.llm_statuses),
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
    rows = []
    statuses = status_names(t)
    for pattern in insights.patterns[:MAX_PATTERNS]:
        text = pattern_text(excerpt(pattern.text, ERROR_CHARS), t) or why_text(pattern.why, t)
        examples = ", ".join(excerpt(query_id, 30) for query_id in pattern.query_ids)
        rows.append(
            [
                count(pattern.n),
                statuses[pattern.status],
                text,
                category_name(pattern.category, t),
                examples,
            ]
        )
    titles = [">n", t("items.status"), t("pattern.text"), t("table.category"), t("table.examples")]
    return table(titles, rows, total=len(insights.patterns))


def _weak(result: SetResult, weakest: dict[str, Weakest | None], name: Callable[[str, Texts], str], t: Texts) -> Table:
    rows = []
    for metric, title in metric_titles(result.rubric, t).items():
        entry = weakest.get(metric)
        if entry is not None:
            rows.append([title, name(entry.key, t), score(entry.value), count(entry.n)])
    return table([t("table.metric"), t("weak.place"), f">{t('table.points')}", ">n"], rows)


def _categories(rubric: Rubric, insights: Insights, t: Texts) -> Table:
    has_intent, has_speed = rubric.has_metric("intent"), rubric.has_metric("latency")
    rows = [
        [
            category_name(row.category, t),
            count(row.n),
            count(row.passed),
            count(row.failed),
            percent(row.passed, row.n),
            *([score(row.intent)] if has_intent else []),
            *([score(row.latency), seconds(row.seconds)] if has_speed else []),
            *([score(row.rubrics)] if rubric.rubrics is not None else []),
        ]
        for row in insights.categories[:MAX_CATEGORIES]
    ]
    figures = (
        *(["metric.intent"] if has_intent else []),
        *(["metric.latency", "table.mean"] if has_speed else []),
        *(["metric.rubrics"] if rubric.rubrics is not None else []),
    )
    names = metric_names(rubric)
    shares = [passing(key, names, t) for key in ("category.passed", "category.failed", "category.rate")]
    titles = [t("table.category"), ">n", *(f">{title}" for title in shares), *(f">{t(key)}" for key in figures)]
    return table(titles, rows, total=len(insights.categories))


def _queries(result: SetResult, queries: Sequence[QueryRounds], t: Texts) -> Table:
    shown_rounds = result.rounds[:MAX_ROUND_COLUMNS]
    has_tracks = bool(shown_groups(result))
    tracks = track_names(t)
    statuses, none = status_names(t), t("none")
    rows = [
        [
            excerpt(query.query_id, ID_CHARS),
            *([tracks[query.track]] if has_tracks else []),
            excerpt(query.question, QUESTION_CHARS),
            *(none if status is None else statuses[status] for status in query.statuses[: len(shown_rounds)]),
        ]
        for query in queries[:MAX_QUERIES]
    ]
    titles = [
        "Query ID",
        *([t("items.track")] if has_tracks else []),
        t("table.question"),
        *(round_name(entry, t) for entry in shown_rounds),
    ]
    return table(titles, rows, total=len(queries))


class _Column(NamedTuple):
    """A column of items. title: with `>` in front when aligned right. cells: one per item."""

    title: str
    cells: Callable[[Sequence[Item]], list[str]]


class _Items:
    """Rows about items, which all start with Query ID, round and (where there are any) track; and their columns."""

    def __init__(self, result: SetResult, t: Texts) -> None:
        self._items = result.items
        rounds = {entry.label: round_name(entry, t) for entry in result.rounds}
        tracks, statuses = track_names(t), status_names(t)
        self._place = [
            _Column("Query ID", lambda items: [excerpt(item.query_id, ID_CHARS) for item in items]),
            _Column(t("items.round"), lambda items: [rounds[item.round] for item in items]),
        ]
        if shown_groups(result):
            self._place.append(_Column(t("items.track"), lambda items: [tracks[item.track] for item in items]))
        self.status = _Column(t("items.status"), lambda items: [statuses[item.status] for item in items])
        self.question = _Column(
            t("table.question"), lambda items: [excerpt(item.question, QUESTION_CHARS) for item in items]
        )
        self.seconds = _Column(f">{t('js.seconds')}", lambda items: [seconds(item.seconds) for item in items])
        self.latency = _Column(f">{t('items.speed-points')}", lambda items: [score(item.latency) for item in items])
        self.error = _Column(
            t("items.error"),
            lambda items: [excerpt(item.error, ERROR_CHARS) or why_text(item.why, t) for item in items],
        )
        self.word = _Column(
            t("items.found-word"), lambda items: [excerpt(item.failure_word, ID_CHARS) for item in items]
        )
        self.answer = _Column(t("items.answer"), lambda items: [excerpt(item.message, ERROR_CHARS) for item in items])

    def table(self, indices: Sequence[int], limit: int, columns: Sequence[_Column]) -> Table:
        chosen = [self._items[index] for index in indices[:limit]]
        shown = (*self._place, *columns)
        rows = zip(*[column.cells(chosen) for column in shown], strict=True)
        return table([column.title for column in shown], rows, total=len(indices))
