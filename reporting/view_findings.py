"""The part of the view with words: patterns, weak places, items and queries to look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reporting import words
from reporting.display import count, excerpt, percent, score, seconds
from reporting.tables import Table, table
from reporting.view_metrics import shown_groups
from scoring.insights import Insights, Weakest
from scoring.part import Item
from scoring.repetition import group_key
from scoring.result import QueryRounds, SetResult
from scoring.rubric import LatencyClass, Status

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
    """Tables of seed 002's 정성 인사이트; a table without rows is shown as 없음.

    slow_limits: what counts as slow, one text per latency class that has a limit.
    """

    patterns: Table
    weak_tracks: Table
    categories: Table
    weak_categories: Table
    disagreeing: Table
    missing: Table
    slowest: Table
    slow_limits: tuple[str, ...]
    slow: Table
    failed: Table
    hidden_failures: Table
    llm_statuses: Table


def findings_view(result: SetResult, insights: Insights) -> FindingsView:
    """Findings as tables, each bounded and with the number of rows left out."""
    items = _Items(result)
    return FindingsView(
        patterns=_patterns(insights),
        weak_tracks=_weak(result, insights.weakest_tracks, words.track_name),
        weak_categories=_weak(result, insights.weakest_categories, words.category_name),
        categories=_categories(insights),
        disagreeing=_queries(result, insights.disagreeing),
        missing=_queries(result, insights.missing),
        slowest=items.table(insights.slowest, MAX_ITEMS, _SPEED_COLUMNS),
        slow_limits=slow_limits(result),
        slow=items.table(insights.slow, MAX_ITEMS, _SPEED_COLUMNS),
        failed=items.table(insights.failed_items, MAX_FAILED, _FAILURE_COLUMNS),
        hidden_failures=items.table(insights.hidden_failures, MAX_ITEMS, _HIDDEN_COLUMNS),
        llm_statuses=table(
            ["LLM 상태", ">n"],
            [(excerpt(text, ID_CHARS), count(n)) for text, n in insights.llm_statuses[:MAX_LLM_STATUSES]],
            total=len(insights.llm_statuses),
        ),
    )


def slow_limits(result: SetResult) -> tuple[str, ...]:
    """`Track 3: 60초 이상`, one per latency class with a limit."""
    return tuple(
        f"{_class_name(entry)} {entry.slow_seconds:g}초 이상"
        for entry in result.rubric.latency_classes
        if entry.slow_seconds is not None
    )


def _class_name(entry: LatencyClass) -> str:
    return f"Track {', '.join(map(str, entry.tracks))}" if entry.tracks else excerpt(entry.title, ID_CHARS)


def _patterns(insights: Insights) -> Table:
    rows = []
    for pattern in insights.patterns[:MAX_PATTERNS]:
        text = words.pattern_text(excerpt(pattern.text, ERROR_CHARS)) or words.why(pattern.why)
        examples = ", ".join(excerpt(query_id, 30) for query_id in pattern.query_ids)
        rows.append(
            [
                count(pattern.n),
                words.STATUSES[pattern.status],
                text,
                words.category_name(pattern.category),
                examples,
            ]
        )
    return table([">n", "상태", "오류 내용", "카테고리", "예 (Query ID)"], rows, total=len(insights.patterns))


def _weak(result: SetResult, weakest: dict[str, Weakest | None], name: Callable[[str], str]) -> Table:
    rows = []
    for metric, title in result.rubric.metrics_by_name.items():
        entry = weakest.get(metric)
        if entry is not None:
            rows.append([title, name(entry.key), score(entry.value), count(entry.n)])
    return table(["지표", "가장 낮은 곳", ">점수", ">n"], rows)


def _categories(insights: Insights) -> Table:
    rows = [
        [
            words.category_name(row.category),
            count(row.n),
            count(row.passed),
            count(row.failed),
            percent(row.passed, row.n),
            score(row.intent),
            score(row.latency),
            seconds(row.seconds),
        ]
        for row in insights.categories[:MAX_CATEGORIES]
    ]
    return table(
        ["카테고리", ">n", ">통과", ">실패", ">통과율", ">의도 충족", ">응답 속도", ">평균(초)"],
        rows,
        total=len(insights.categories),
    )


def _queries(result: SetResult, queries: Sequence[QueryRounds]) -> Table:
    shown_rounds = result.rounds[:MAX_ROUND_COLUMNS]
    has_tracks = bool(shown_groups(result))
    rows = [
        [
            excerpt(query.query_id, ID_CHARS),
            *([words.track_name(group_key(query.track))] if has_tracks else []),
            excerpt(query.question, QUESTION_CHARS),
            *(_status_name(status) for status in query.statuses[: len(shown_rounds)]),
        ]
        for query in queries[:MAX_QUERIES]
    ]
    titles = [
        "Query ID",
        *(["Track"] if has_tracks else []),
        "질의",
        *(words.round_name(entry) for entry in shown_rounds),
    ]
    return table(titles, rows, total=len(queries))


def _status_name(status: Status | None) -> str:
    return "없음" if status is None else words.STATUSES[status]


class _Items:
    """Rows about items, which all start with Query ID, round and (where there are any) track."""

    def __init__(self, result: SetResult) -> None:
        self._items = result.items
        self._has_tracks = bool(shown_groups(result))
        self._rounds = {entry.label: words.round_name(entry) for entry in result.rounds}

    def table(self, indices: Sequence[int], limit: int, columns: Sequence[_ItemColumn]) -> Table:
        chosen = [self._items[index] for index in indices[:limit]]
        rows = [
            [
                excerpt(item.query_id, ID_CHARS),
                self._rounds[item.round],
                *([words.track_name(group_key(item.track))] if self._has_tracks else []),
                *(cell(item) for _, cell in columns),
            ]
            for item in chosen
        ]
        place = ["Query ID", "회차", *(["Track"] if self._has_tracks else [])]
        return table([*place, *(title for title, _ in columns)], rows, total=len(indices))


_ItemColumn = tuple[str, Callable[[Item], str]]
_STATUS: _ItemColumn = ("상태", lambda item: words.STATUSES[item.status])
_QUESTION: _ItemColumn = ("질의", lambda item: excerpt(item.question, QUESTION_CHARS))
_SPEED_COLUMNS: tuple[_ItemColumn, ...] = (
    (">초", lambda item: seconds(item.seconds)),
    (">속도 점수", lambda item: score(item.latency)),
    _STATUS,
    _QUESTION,
)
_FAILURE_COLUMNS: tuple[_ItemColumn, ...] = (
    _STATUS,
    _QUESTION,
    ("오류", lambda item: excerpt(item.error, ERROR_CHARS) or words.why(item.why)),
)
_HIDDEN_COLUMNS: tuple[_ItemColumn, ...] = (
    _STATUS,
    ("찾은 말", lambda item: excerpt(item.failure_word, ID_CHARS)),
    _QUESTION,
    ("답변", lambda item: excerpt(item.message, ERROR_CHARS)),
)
