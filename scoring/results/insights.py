"""Finds what a set's result shows beyond its metrics: lost points, items that failed alike, items to look at.

Time is linear in the items. Items are referred to by their index into `SetResult.items`, never copied.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from heapq import nlargest
from itertools import compress, count, islice

import msgspec
from msgspec import UNSET, UnsetType

from scoring.results.execution import TimeRange
from scoring.results.item_table import ItemTable, Traits
from scoring.results.losses import MetricLoss, Weakest, find_losses, find_weakest
from scoring.results.means import mean_of, mean_of_values
from scoring.results.model import Mean, QueryRounds, SetResult
from scoring.results.passes import find_passes
from scoring.results.slices import Slices, find_slices, metric_figures
from scoring.results.uncertainty import ANSWERED, Axis
from scoring.rubric import CONSISTENCY, METRICS, RUBRICS, SHARE, Scale, Source, Status, group_key
from scoring.statistics import Interval
from scoring.text import Memo, known_text

EXAMPLES = 5  # Query IDs named per pattern

PatternKey = tuple[str, Status | None, str]  # folded text, or status and rule of items without a text


class PatternGroup(msgspec.Struct, frozen=True, gc=False):
    """A category or track (its key of the group) and its items in a pattern."""

    key: str
    n: int


class FailurePattern(msgspec.Struct, frozen=True, gc=False):
    """Failed items with the same error text.

    text: folded, "" when none was recorded: these are told apart by status and by `why`, the rule of the status, which
    is "" otherwise. status: of most of the items. n: items; queries: how many different ones. categories, tracks: those
    of the items, most items first. query_ids: the first EXAMPLES of the queries. lost: points of each metric, copies
    left out.
    """

    status: Status
    text: str
    why: str
    n: int
    queries: int
    categories: tuple[PatternGroup, ...]
    tracks: tuple[PatternGroup, ...]
    query_ids: tuple[str, ...]
    lost: dict[str, float] = {}

    @property
    def key(self) -> PatternKey:
        """What its items have in common, as `pattern_of` finds it."""
        return (self.text, None, "") if self.text else ("", self.status, self.why)


def pattern_of(traits: Traits, folded: str) -> PatternKey:
    """The pattern of a failed item. folded: its error text by `fold`."""
    return (folded, None, "") if folded else ("", traits.status, traits.why)


def find_patterns(result: SetResult, failed: Iterable[int]) -> tuple[FailurePattern, ...]:
    """The patterns of these items, most items first. failed: indices of items that are not answered."""
    table, figures = result.table, list(metric_figures(result))
    known = Memo(known_text)
    members: defaultdict[PatternKey, list[int]] = defaultdict(list)
    for index in failed:
        members[pattern_of(table.traits_at(index), table.pattern_at(index))].append(index)

    patterns = []
    for (text, _, why), found in members.items():
        queries = dict.fromkeys([table.queries[index] for index in found])
        counted = Counter([table.numbers[index] for index in found])
        traits = [(table.distinct[number], n) for number, n in counted.items()]
        patterns.append(
            FailurePattern(
                status=Status(_shares((one.status, n) for one, n in traits)[0].key),
                text=text,
                why=why,
                n=len(found),
                queries=len(queries),
                categories=_shares((known[one.category], n) for one, n in traits),
                tracks=_shares((group_key(one.track), n) for one, n in traits),
                query_ids=tuple(table.query_ids[query] for query in islice(queries, EXAMPLES)),
                lost={figure.name: figure.lost(found, table.numbers) for figure in figures},
            )
        )
    patterns.sort(key=lambda pattern: (-pattern.n, pattern.status, pattern.text, pattern.why))
    return tuple(patterns)


def _shares(counts: Iterable[tuple[str, int]]) -> tuple[PatternGroup, ...]:
    """How often each key is there, the most frequent first, of equal ones in text order."""
    added: Counter[str] = Counter()
    for key, n in counts:
        added[key] += n
    return tuple([PatternGroup(key, n) for key, n in sorted(added.items(), key=lambda entry: (-entry[1], entry[0]))])


SLOWEST = 10
_PAYLOAD = "payload:"
_NO_MEAN = Mean(None, 0)


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


class IntentSources(msgspec.Struct, frozen=True, gc=False):
    """Items by source of their intent; why the others had no recorded score (sums to `from_status`)."""

    recorded: int
    from_status: int
    blank: int
    not_a_number: int
    out_of_range: int


class Insights(msgspec.Struct, frozen=True, kw_only=True):
    """What a set's items show, as `report.json` has it.

    slowest, slow, failed_items, below, hidden_failures: line of the item in items.csv, the first item is 0; the index
    into `SetResult.items`. weakest_tracks, weakest_categories: by metric ("consistency" only for tracks); null where
    there is one group only or all are equal. losses: METRICS, then consistency. patterns, categories: most failures
    first. disagreeing: queries that pass in one round and fail in another. missing: queries that a round lacks.
    slow: at or above `slow_seconds` of their latency class; slowest: at most SLOWEST, slowest first. below: below the
    points that pass, empty for profiles that do not name them. payloads: invalid payloads by diagnosis. run_ids,
    llm_models: distinct, in text order, blank ones left out. slices: figures by the values of further columns, absent
    where no column is one.
    """

    weakest_tracks: dict[str, Weakest | None]
    weakest_categories: dict[str, Weakest | None]
    losses: tuple[MetricLoss, ...]
    patterns: tuple[FailurePattern, ...]
    categories: tuple[CategoryFigures, ...]
    disagreeing: tuple[QueryRounds, ...] = msgspec.field(name="disagreeing_queries")
    missing: tuple[QueryRounds, ...] = msgspec.field(name="missing_queries")
    slowest: tuple[int, ...]
    slow: tuple[int, ...]
    failed_items: tuple[int, ...]
    below: tuple[int, ...]
    hidden_failures: tuple[int, ...]
    intent_sources: IntentSources
    llm_statuses: dict[str, int]
    run_ids: tuple[str, ...]
    llm_models: tuple[str, ...]
    executed: TimeRange | None
    payloads: dict[str, int]
    slices: Slices | UnsetType = UNSET


def find_insights(result: SetResult) -> Insights:
    """All findings about `result`; row order decides only the order of lists of items."""
    rubric, table = result.rubric, result.table
    kinds = result.kinds
    failing = frozenset(Status) - frozenset(rubric.pass_statuses)
    failed_items = _indices(table, lambda traits: traits.status in failing)
    compares = rubric.has_metric(CONSISTENCY)
    by_category = _ByCategory(result)
    categories = _categories(by_category, kinds, table, failing)
    weakest = find_weakest(result, _track_means(result), by_category.means, by_category.names.__getitem__)
    return Insights(
        weakest_tracks=weakest.tracks,
        weakest_categories=weakest.categories,
        losses=find_losses(result),
        patterns=find_patterns(result, failed_items),
        categories=categories,
        disagreeing=_disagreeing(result, failing) if compares else (),
        missing=result.queries.where(lambda ends: None in ends.statuses) if compares else (),
        slowest=_slowest(table),
        slow=result.slow,
        failed_items=failed_items,
        below=() if rubric.pass_points is None else find_passes(table.traits(), rubric).below,
        hidden_failures=_indices(table, lambda traits: bool(traits.failure_word)),
        intent_sources=_intent_sources(kinds),
        llm_statuses=_by_count(table.llm_statuses),
        run_ids=run_ids(table),
        llm_models=_distinct(table.llm_models),
        executed=table.executed.time_range(),
        payloads={
            code.removeprefix(_PAYLOAD): n for code, n in sorted(result.counts.items()) if code.startswith(_PAYLOAD)
        },
        slices=find_slices(result) or UNSET,
    )


def _track_means(result: SetResult) -> dict[str, dict[str, Mean]]:
    """The metrics of every track."""
    names = [entry.name for entry in result.rubric.metrics]
    return {name: {group.key: group.figure(name) for group in result.groups[1:]} for name in names}


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

    def _means(self, figure: str) -> dict[str, Mean]:
        spreads = self._values.by(figure, Axis.CATEGORY, lambda at: (self.names[at.name],))
        scale = self._scale(figure)
        return {category: mean_of_values(spread, scale=scale) for category, spread in spreads.items()}

    def _scale(self, figure: str) -> Scale:
        return SHARE if figure == ANSWERED else self._rubric.scale_of(figure)


def _categories(
    by_category: _ByCategory, kinds: dict[Traits, int], table: ItemTable, failing: frozenset[Status]
) -> tuple[CategoryFigures, ...]:
    names = by_category.names
    items_of: Counter[str] = Counter()
    failed_of: Counter[str] = Counter()
    for kind, n in kinds.items():
        items_of[names[kind.category]] += n
        failed_of[names[kind.category]] += n if kind.status in failing else 0
    places = {name: place for place, name in enumerate(items_of)}
    found = table.seconds_by([places[names[traits.category]] for traits in table.distinct], len(places))
    seconds = dict(zip(places, found, strict=True))

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
        return result.queries.where(lambda ends: ends.differs or {True, False} <= set(ends.passes))
    mixed = {
        statuses
        for statuses in {ends.statuses for ends in result.queries.ends}
        if len({status in failing for status in statuses if status is not None}) > 1
    }
    return result.queries.where(lambda ends: ends.differs or ends.statuses in mixed)


def _indices(table: ItemTable, is_one: Callable[[Traits], bool]) -> tuple[int, ...]:
    """Indices of the items with some traits."""
    found = list(map(is_one, table.distinct))
    return tuple(compress(count(), map(found.__getitem__, table.numbers))) if any(found) else ()


def _slowest(table: ItemTable) -> tuple[int, ...]:
    largest = nlargest(SLOWEST, [seconds for seconds in table.seconds if seconds >= 0])  # not NaN
    if not largest:
        return ()
    least = largest[-1]
    candidates = [(-seconds, index) for index, seconds in enumerate(table.seconds) if seconds >= least]
    return tuple([index for _, index in sorted(candidates)[:SLOWEST]])


def _intent_sources(kinds: dict[Traits, int]) -> IntentSources:
    counted: Counter[str] = Counter()
    for kind, n in kinds.items():
        if kind.intent_source != Source.REVIEWED.value:
            counted["recorded" if kind.intent_source == "recorded" else kind.recorded_issue] += n
    return IntentSources(
        recorded=counted["recorded"],
        from_status=counted.total() - counted["recorded"],
        blank=counted[""],
        not_a_number=counted["not-a-number"],
        out_of_range=counted["out-of-range"],
    )


def run_ids(table: ItemTable) -> tuple[str, ...]:
    """The Run IDs in text order, blank ones left out."""
    return _distinct(table.run_ids)


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({known_text(text) for text in set(texts)} - {""}))


def _by_count(written: Counter[str]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for text, n in written.items():
        if known := known_text(text):
            counted[known] += n
    return dict(sorted(counted.items(), key=lambda entry: (-entry[1], entry[0])))
