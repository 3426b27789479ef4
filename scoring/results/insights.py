"""Finds what a set's result shows beyond its metrics: lost points, items that failed alike, items to look at.

Time is linear in the items. Items are referred to by their index into `SetResult.items`, never copied.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from heapq import nlargest
from math import fsum

import msgspec

from scoring.items.part import Item
from scoring.results.error_patterns import FailurePattern, find_patterns
from scoring.results.item_counts import Kind
from scoring.results.losses import CONSISTENCY, MetricLoss, compared, find_losses
from scoring.results.means import mean_of
from scoring.results.model import QueryRounds, SetResult
from scoring.results.passes import Passes, find_passes
from scoring.results.rounds import slow_items
from scoring.rubric.model import METRICS, RUBRICS, Status
from scoring.text import is_blank, known_text, normalise

SLOWEST = 10
_PAYLOAD = "payload:"


class Weakest(msgspec.Struct, frozen=True, gc=False):
    """The lowest value of a metric among tracks or categories; n items (consistency: pairs) that it comes from."""

    key: str
    value: float
    n: int


class CategoryFigures(msgspec.Struct, frozen=True, gc=False):
    """One category over all rounds. Means are over its items with a value, null without any."""

    category: str
    n: int
    answered: int
    failed: int
    intent: float | None
    accuracy: float | None
    stability: float | None
    latency: float | None
    seconds: float | None
    seconds_n: int
    rubrics: float | None


class TimeRange(msgspec.Struct, frozen=True, gc=False):
    """First and last `실행시각` as written; parsed: false when not all were times, so that they are in text order."""

    first: str
    last: str
    parsed: bool


class IntentSources(msgspec.Struct, frozen=True, gc=False):
    """Items by source of their intent; why the others had no recorded score (sums to `from_status`)."""

    recorded: int
    from_status: int
    blank: int
    not_a_number: int
    out_of_range: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Insights:
    """What a set's items show. Tuples of int hold indices into `SetResult.items`.

    answered, failed: items by status. passes: by points, None for profiles that do not say which points pass.
    weakest_tracks, weakest_categories: by metric ("consistency" only for tracks); None where there is one group
    only or all are equal. losses: METRICS, then consistency. patterns, categories: most failures first.
    disagreeing: queries that pass in one round and fail in another. missing: queries that a round lacks.
    slow: at or above `slow_seconds` of their latency class; slowest: at most SLOWEST, slowest first.
    payloads: invalid payloads by diagnosis. run_ids, llm_models: distinct, in text order, blank ones left out.
    """

    n: int
    answered: int
    failed: int
    passes: Passes | None
    statuses: dict[Status, int]
    weakest_tracks: dict[str, Weakest | None]
    weakest_categories: dict[str, Weakest | None]
    losses: tuple[MetricLoss, ...]
    patterns: tuple[FailurePattern, ...]
    categories: tuple[CategoryFigures, ...]
    disagreeing: tuple[QueryRounds, ...]
    missing: tuple[QueryRounds, ...]
    slowest: tuple[int, ...]
    slow: tuple[int, ...]
    failed_items: tuple[int, ...]
    hidden_failures: tuple[int, ...]
    intent_sources: IntentSources
    llm_statuses: dict[str, int]
    run_ids: tuple[str, ...]
    llm_models: tuple[str, ...]
    executed: TimeRange | None
    payloads: dict[str, int]


def find_insights(result: SetResult) -> Insights:
    """All findings about `result`; row order decides only the order of lists of items."""
    rubric, items = result.rubric, result.items
    kinds = result.kinds
    statuses = dict.fromkeys(Status, 0)
    for kind, n in kinds.items():
        statuses[kind.status] += n
    answered = sum(n for status, n in statuses.items() if status in rubric.pass_statuses)
    failing = frozenset(Status) - frozenset(rubric.pass_statuses)
    failed_items = tuple([index for index, item in enumerate(items) if item.status in failing])
    compares = rubric.has_metric(CONSISTENCY)
    categories = _categories(kinds, items, failing, has_levels=rubric.rubrics is not None)
    return Insights(
        n=len(items),
        answered=answered,
        failed=len(items) - answered,
        passes=None if rubric.pass_points is None else find_passes(items, rubric.pass_points),
        statuses=statuses,
        weakest_tracks=_weakest_tracks(result),
        weakest_categories=_weakest_categories(categories, has_levels=rubric.rubrics is not None),
        losses=find_losses(result),
        patterns=find_patterns([items[index] for index in failed_items]),
        categories=categories,
        disagreeing=_disagreeing(result, failing) if compares else (),
        missing=tuple([query for query in result.queries if None in query.statuses]) if compares else (),
        slowest=_slowest(items),
        slow=slow_items(items, rubric),
        failed_items=failed_items,
        hidden_failures=tuple([index for index, item in enumerate(items) if item.failure_word]),
        intent_sources=_intent_sources(kinds),
        llm_statuses=_by_count(Counter([item.llm_status for item in items])),
        run_ids=_distinct(item.run_id for item in items),
        llm_models=_distinct(item.llm_model for item in items),
        executed=_time_range({item.executed_at for item in items}),
        payloads={
            code.removeprefix(_PAYLOAD): n for code, n in sorted(result.counts.items()) if code.startswith(_PAYLOAD)
        },
    )


def _weakest_tracks(result: SetResult) -> dict[str, Weakest | None]:
    tracks = result.groups[1:]
    return {
        metric.name: _weakest(
            (group.key, group.consistency, compared(group))
            if metric.name == CONSISTENCY
            else (group.key, group.metrics[metric.name].set.value, group.metrics[metric.name].set.n)
            for group in tracks
        )
        for metric in result.rubric.metrics
    }


def _weakest_categories(categories: tuple[CategoryFigures, ...], *, has_levels: bool) -> dict[str, Weakest | None]:
    by_name = sorted(categories, key=lambda row: row.category)
    return {
        metric: _weakest((row.category, getattr(row, metric), row.n) for row in by_name)
        for metric in (*METRICS, *([RUBRICS] if has_levels else []))
    }


def _weakest(values: Iterable[tuple[str, float | None, int]]) -> Weakest | None:
    known = [Weakest(key, value, n) for key, value, n in values if value is not None]
    if len({entry.value for entry in known}) < 2:
        return None
    return min(known, key=lambda entry: entry.value)


def _categories(
    kinds: dict[Kind, int], items: list[Item], failing: frozenset[Status], *, has_levels: bool
) -> tuple[CategoryFigures, ...]:
    names = {kind.category: known_text(kind.category) for kind in kinds}
    of_category: defaultdict[str, list[tuple[Kind, int]]] = defaultdict(list)
    for kind, n in kinds.items():
        of_category[names[kind.category]].append((kind, n))
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for item in items:
        if item.seconds is not None:
            seconds[names[item.category]].append(item.seconds)

    levels: defaultdict[str, list[float]] = defaultdict(list)
    for item in items if has_levels else ():
        if item.details is not None and item.details.rubrics is not None:
            levels[names[item.category]].append(item.details.rubrics)

    rows = []
    for category, members in of_category.items():
        n = sum(number for _, number in members)
        failed = sum(number for kind, number in members if kind.status in failing)
        intent, accuracy, stability, latency = (_mean_of_kinds(members, metric) for metric in METRICS)
        rows.append(
            CategoryFigures(
                category=category,
                n=n,
                answered=n - failed,
                failed=failed,
                intent=intent,
                accuracy=accuracy,
                stability=stability,
                latency=latency,
                seconds=mean_of(seconds[category]),
                seconds_n=len(seconds[category]),
                rubrics=mean_of(levels[category]),
            )
        )
    rows.sort(key=lambda row: (-row.failed, row.intent or 0.0, row.rubrics or 0.0, -row.n, row.category))
    return tuple(rows)


def _mean_of_kinds(members: list[tuple[Kind, int]], metric: str) -> float | None:
    present = [(value, number) for kind, number in members if (value := getattr(kind, metric)) is not None]
    n = sum(number for _, number in present)
    return fsum(value * number for value, number in present) / n if n else None


def _disagreeing(result: SetResult, failing: frozenset[Status]) -> tuple[QueryRounds, ...]:
    if result.rubric.pass_rule is not None:
        return tuple([query for query in result.queries if query.differs or {True, False} <= set(query.passes)])
    mixed = {
        statuses
        for statuses in {query.statuses for query in result.queries}
        if len({status in failing for status in statuses if status is not None}) > 1
    }
    return tuple([query for query in result.queries if query.differs or query.statuses in mixed])


def _slowest(items: list[Item]) -> tuple[int, ...]:
    largest = nlargest(SLOWEST, [item.seconds for item in items if item.seconds is not None])
    if not largest:
        return ()
    least = largest[-1]
    candidates = [
        (-item.seconds, index) for index, item in enumerate(items) if item.seconds is not None and item.seconds >= least
    ]
    return tuple([index for _, index in sorted(candidates)[:SLOWEST]])


def _intent_sources(kinds: dict[Kind, int]) -> IntentSources:
    counted: Counter[str] = Counter()
    for kind, n in kinds.items():
        counted["recorded" if kind.intent_source == "recorded" else kind.recorded_issue] += n
    return IntentSources(
        recorded=counted["recorded"],
        from_status=counted.total() - counted["recorded"],
        blank=counted[""],
        not_a_number=counted["not-a-number"],
        out_of_range=counted["out-of-range"],
    )


def _time_range(written: set[str]) -> TimeRange | None:
    with suppress(ValueError, TypeError):  # the usual export needs no further look at its texts
        return _earliest_and_latest(list(written), list(written))
    texts = [text for text in map(normalise, written) if not is_blank(text)]
    if not texts:
        return None
    try:
        return _earliest_and_latest([text.replace("/", "-") for text in texts], texts)
    except (ValueError, TypeError):  # not a time, or some with and some without a zone
        return TimeRange(min(texts), max(texts), parsed=False)


def _earliest_and_latest(readable: list[str], texts: list[str]) -> TimeRange:
    """Raises ValueError when a text is no time or there are none, TypeError when only some have a zone."""
    times = list(map(datetime.fromisoformat, readable))
    first, last = min(times), max(times)
    return TimeRange(
        min(texts[index] for index in _all_of(times, first)),
        max(texts[index] for index in _all_of(times, last)),
        parsed=True,
    )


def _all_of(times: list[datetime], wanted: datetime) -> Iterator[int]:
    """Indexes of a time. `list.index` is faster than a loop over 100,000 times."""
    index = -1
    for _ in range(times.count(wanted)):
        index = times.index(wanted, index + 1)
        yield index


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({known_text(text) for text in set(texts)} - {""}))


def _by_count(written: Counter[str]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for text, n in written.items():
        if known := known_text(text):
            counted[known] += n
    return dict(sorted(counted.items(), key=lambda entry: (-entry[1], entry[0])))
