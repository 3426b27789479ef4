"""Finds what a set's result shows beyond its metrics: lost points, items that failed alike, items to look at.

Time is linear in the items. Items are referred to by their index into `SetResult.items`, never copied.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from heapq import nlargest
from operator import itemgetter

import msgspec

from scoring.items.part import Item
from scoring.results.error_patterns import FailurePattern, find_patterns
from scoring.results.item_counts import Kind
from scoring.results.losses import MetricLoss, find_losses
from scoring.results.means import exact_mean, interval_of, mean_of, mean_of_values
from scoring.results.model import Mean, QueryRounds, SetResult
from scoring.results.passes import Passes, find_passes
from scoring.results.uncertainty import ANSWERED, Axis, Spread
from scoring.rubric.model import CONSISTENCY, METRICS, RUBRICS, Status
from scoring.rubric.points import SHARE, Scale
from scoring.statistics.intervals import Interval
from scoring.text import is_blank, known_text, normalise

SLOWEST = 10
_PAYLOAD = "payload:"
_NO_MEAN = Mean(None, 0)


class Weakest(msgspec.Struct, frozen=True, gc=False):
    """The track or category with the lowest value of a metric. n: items (consistency: pairs) that it comes from.

    is_distinct: its interval lies below that of the other items together. Else it is the lowest, but chance alone can
    make it so, and a report does not name it as the weakest (docs/statistics.md#weakest-place).
    """

    key: str
    value: float
    n: int
    queries: int
    interval: Interval
    is_distinct: bool


class CategoryFigures(msgspec.Struct, frozen=True, gc=False):
    """One category over all rounds. Means are over its items with a value, null without any.

    intervals: of the means by metric, and of the share of answered items by "answered".
    """

    category: str
    n: int
    queries: int
    answered: int
    failed: int
    intent: float | None
    accuracy: float | None
    stability: float | None
    latency: float | None
    seconds: float | None
    seconds_n: int
    rubrics: float | None
    intervals: dict[str, Interval | None]


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
    by_category = _ByCategory(result)
    categories = _categories(by_category, kinds, items, failing)
    return Insights(
        n=len(items),
        answered=answered,
        failed=len(items) - answered,
        passes=None if rubric.pass_points is None else find_passes(items, rubric),
        statuses=statuses,
        weakest_tracks=_weakest_tracks(result),
        weakest_categories=by_category.weakest(),
        losses=find_losses(result),
        patterns=find_patterns([items[index] for index in failed_items]),
        categories=categories,
        disagreeing=_disagreeing(result, failing) if compares else (),
        missing=tuple([query for query in result.queries if None in query.statuses]) if compares else (),
        slowest=_slowest(items),
        slow=result.slow,
        failed_items=failed_items,
        hidden_failures=tuple([index for index, item in enumerate(items) if item.failure_word]),
        intent_sources=_intent_sources(kinds),
        llm_statuses=_by_count(Counter([item.llm_status for item in items])),
        run_ids=run_ids(items),
        llm_models=_distinct(item.llm_model for item in items),
        executed=executed_between(items),
        payloads={
            code.removeprefix(_PAYLOAD): n for code, n in sorted(result.counts.items()) if code.startswith(_PAYLOAD)
        },
    )


def _weakest_tracks(result: SetResult) -> dict[str, Weakest | None]:
    found: dict[str, Weakest | None] = {}
    for metric in [entry.name for entry in result.rubric.metrics]:
        twin = (
            CONSISTENCY
            if metric == CONSISTENCY
            else result.query_values.twin(metric, [name for name in found if name != CONSISTENCY])
        )
        found[metric] = (
            found[twin]
            if twin in found
            else _weakest(
                [(group.key, group.figure(metric)) for group in result.groups[1:]],
                partial(_other_tracks, result, metric),
                scale=result.rubric.scale_of(metric),
            )
        )
    return found


def _other_tracks(result: SetResult, metric: str, key: str) -> tuple[float | None, Spread]:
    """A metric over all items that are not in the track `key`, as of a group, and its values by query."""
    values = result.query_values
    if metric == CONSISTENCY:
        of_set = values.by(metric, Axis.GROUP, lambda at: (at.name == key,)).get(False, {})
        return exact_mean(of_set)[0], of_set
    found = values.by(metric, Axis.GROUP, lambda at: () if at.name == key else (None, at.round))
    of_rounds = [exact_mean(found.get(index, {}))[0] for index in range(len(result.rounds))]
    return mean_of(of_rounds), found.get(None, {})


def _weakest(
    means: Iterable[tuple[str, Mean]], others: Callable[[str], tuple[float | None, Spread]], *, scale: Scale
) -> Weakest | None:
    """The lowest of some groups. others: the same figure over all items that are not in a group."""
    known = [(key, mean.value, mean) for key, mean in means if mean.value is not None]
    if len({value for _, value, _ in known}) < 2:
        return None
    key, value, mean = min(known, key=itemgetter(1))
    rest = interval_of(*others(key), scale=scale)
    assert mean.interval is not None
    return Weakest(
        key=key,
        value=value,
        n=mean.n,
        queries=mean.queries,
        interval=mean.interval,
        is_distinct=rest is not None and mean.interval.high < rest.low,
    )


class _ByCategory:
    """Means of the metrics by category, as categories are compared: "" for a blank one."""

    def __init__(self, result: SetResult) -> None:
        self._values, self._rubric = result.query_values, result.rubric
        self.names = {kind.category: known_text(kind.category) for kind in result.kinds}
        self.metrics = (*METRICS, *([RUBRICS] if result.rubric.rubrics is not None else []))
        self.means: dict[str, dict[str, Mean]] = {}
        for metric in self.metrics:
            twin = self._values.twin(metric, self.means)
            self.means[metric] = self.means.get(twin) or self._means(metric)
        self.answered = self._means(ANSWERED)

    def weakest(self) -> dict[str, Weakest | None]:
        """The lowest category by metric."""
        found: dict[str, Weakest | None] = {}
        for metric in self.metrics:
            twin = next((name for name in found if self.means[name] is self.means[metric]), "")
            found[metric] = (
                found[twin]
                if twin
                else _weakest(
                    sorted(self.means[metric].items()), partial(self._others, metric), scale=self._scale(metric)
                )
            )
        return found

    def _means(self, figure: str) -> dict[str, Mean]:
        spreads = self._values.by(figure, Axis.CATEGORY, lambda at: (self.names[at.name],))
        scale = self._scale(figure)
        return {category: mean_of_values(spread, scale=scale) for category, spread in spreads.items()}

    def _others(self, metric: str, category: str) -> tuple[float | None, Spread]:
        others = self._values.by(metric, Axis.CATEGORY, lambda at: (self.names[at.name] == category,)).get(False, {})
        return exact_mean(others)[0], others

    def _scale(self, figure: str) -> Scale:
        return SHARE if figure == ANSWERED else self._rubric.scale_of(figure)


def _categories(
    by_category: _ByCategory, kinds: dict[Kind, int], items: list[Item], failing: frozenset[Status]
) -> tuple[CategoryFigures, ...]:
    names = by_category.names
    items_of: Counter[str] = Counter()
    failed_of: Counter[str] = Counter()
    for kind, n in kinds.items():
        items_of[names[kind.category]] += n
        failed_of[names[kind.category]] += n if kind.status in failing else 0
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for item in items:
        if item.seconds is not None:
            seconds[names[item.category]].append(item.seconds)

    rows = []
    for category, n in items_of.items():
        means = {metric: of_metric.get(category, _NO_MEAN) for metric, of_metric in by_category.means.items()}
        answered = by_category.answered[category]
        rows.append(
            CategoryFigures(
                category=category,
                n=n,
                queries=answered.queries,
                answered=n - failed_of[category],
                failed=failed_of[category],
                **{metric: means[metric].value for metric in METRICS},
                seconds=mean_of(seconds[category]),
                seconds_n=len(seconds[category]),
                rubrics=means.get(RUBRICS, _NO_MEAN).value,
                intervals={ANSWERED: answered.interval, **{metric: mean.interval for metric, mean in means.items()}},
            )
        )
    rows.sort(key=lambda row: (-row.failed, row.intent or 0.0, row.rubrics or 0.0, -row.n, row.category))
    return tuple(rows)


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


def run_ids(items: Iterable[Item]) -> tuple[str, ...]:
    """The Run IDs in text order, blank ones left out."""
    return _distinct(item.run_id for item in items)


def executed_between(items: Iterable[Item]) -> TimeRange | None:
    """The first and the last `실행시각`; None without any."""
    return _time_range({item.executed_at for item in items})


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
