"""The part of `report.json` about findings."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from scoring.results.insights import Insights, Weakest
from scoring.results.model import QueryRounds
from scoring.rubric.model import Status


class Weak(msgspec.Struct, frozen=True):
    """The lowest value of a metric, and the group (track or category) that has it."""

    key: str
    value: float
    n: int


class LossPlace(msgspec.Struct, frozen=True, omit_defaults=True):
    """Points lost in one track by items of one status (null for consistency).

    is_single: by queries that were run once only; left out when false.
    """

    track: str
    status: Status | None
    points: float
    n: int
    is_single: bool = False


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


def insight_figures(insights: Insights) -> InsightFigures:
    """The findings as they are written."""
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


def _weak(weakest: Mapping[str, Weakest | None]) -> dict[str, Weak | None]:
    return {metric: None if entry is None else Weak(*entry) for metric, entry in weakest.items()}
