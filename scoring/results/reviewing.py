"""What people's grades tell of a set: how far the other grades can be trusted, and what people would give overall.

Decides nothing about which grade counts (`scoring.review`). The methods are in docs/statistics.md.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from math import fsum

import msgspec

from scoring.items import Item
from scoring.items.spool import Items
from scoring.judging import JudgeAgreement, LevelPair, agreement_of
from scoring.results.passes import passes_by_points
from scoring.review import (
    Applied,
    GradeScale,
    ReviewedItem,
    Sample,
    digest_of,
    graded_metrics,
    origin_of,
    points_of,
    scale_of,
)
from scoring.rubric import SHARE, PassRule, Rubric, Source
from scoring.statistics import (
    QUERIES_FOR_INTERVAL,
    QUERIES_FOR_VALUE,
    Graded,
    Interval,
    corrected_points,
    in_one_round,
    mean_interval_of_queries,
    query_mean,
    rogan_gladen,
    spread_of,
)
from scoring.text import compared_text

RECORDED = "recorded"
_RECORDED = frozenset({Source.COLUMN.value, Source.PAYLOAD.value, Source.RECORDED.value})


class Against(msgspec.Struct, frozen=True, kw_only=True):
    """People against what else graded the same items.

    origin: RECORDED, "judge", "status", "checks", or why an item has its points without any. difference: mean of
    people's points less the others', over queries; interval: of it, None for fewer than two.
    agreement: a row per level of the others, a column per level of people; None where the others' are no levels.
    """

    origin: str
    n: int
    up: int
    down: int
    difference: float
    interval: Interval | None
    agreement: JudgeAgreement | None


class Corrected(msgspec.Struct, frozen=True, kw_only=True):
    """What people would give overall. queries: reviewed at random, all rounds of each.

    value: None below QUERIES_FOR_VALUE. interval: None below QUERIES_FOR_INTERVAL. cannot_tell: the grades say too
    little of what people pass, however many there are.
    """

    queries: int
    value: float | None = None
    interval: Interval | None = None
    cannot_tell: bool = False


class CauseOfLoss(msgspec.Struct, frozen=True, kw_only=True):
    """What people named as the cause. points: that the items lost."""

    cause: str
    n: int
    points: float


class MetricReview(msgspec.Struct, frozen=True, kw_only=True):
    """People's grades of one metric. up, down: overruled, of `items`. shown: how the figure stands in the report.

    between: people against each other, over the items of two or more. passed: of a metric that decides what passes.
    """

    metric: str
    items: int
    queries: int
    up: int
    down: int
    against: tuple[Against, ...]
    between: JudgeAgreement | None
    causes: tuple[CauseOfLoss, ...]
    corrected: Corrected
    passed: Corrected | None = None


class Reviewer(msgspec.Struct, frozen=True):
    """A person and how many of her grades are used."""

    name: str
    n: int


class Reviews(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about people's grades of a set. items: that have one; queries: of these.

    origins: by metric how many items have their grade from what. digest: of the grades that are used, as the key of
    the report has it.
    """

    items: int
    queries: int
    used: int
    reviewers: tuple[Reviewer, ...]
    metrics: tuple[MetricReview, ...]
    origins: dict[str, dict[str, int]]
    digest: str


def find_reviews(before: Items, applied: Applied, rubric: Rubric) -> Reviews:
    """The figures. before: the items without people's grades."""
    by_metric: defaultdict[str, list[ReviewedItem]] = defaultdict(list)
    for entry in applied.reviewed:
        by_metric[entry.metric].append(entry)
    metrics = [name for name in graded_metrics(rubric) if name in by_metric]
    found = {name: _Metric(name, by_metric[name], before, applied, rubric) for name in metrics}
    used = Counter(grade.reviewer for _, grade in applied.used)
    return Reviews(
        items=len({entry.index for entry in applied.reviewed}),
        queries=len({entry.item.query_id for entry in applied.reviewed}),
        used=len(applied.used),
        reviewers=tuple(Reviewer(name, n) for name, n in sorted(used.items())),
        metrics=tuple(of_metric.figures() for of_metric in found.values()),
        origins={name: of_metric.origins() for name, of_metric in found.items()},
        digest=digest_of(applied.outcome.used),
    )


class _Metric:
    """People's grades of one metric, beside those that the items had."""

    def __init__(
        self, metric: str, entries: Sequence[ReviewedItem], before: Items, applied: Applied, rubric: Rubric
    ) -> None:
        self._metric = metric
        self._entries = entries
        self._rubric = rubric
        self._scale: GradeScale = scale_of(rubric, metric)
        self._before = before
        self._after = applied.items
        self._points = rubric.scale_of(metric)

    def figures(self) -> MetricReview:
        """Everything about the metric."""
        entries = self._entries
        by_origin: defaultdict[str, list[ReviewedItem]] = defaultdict(list)
        for entry in entries:
            by_origin[_told(entry.origin)].append(entry)
        rule = self._rubric.pass_points
        decides = rule is not None and self._rubric.origin_of(rule.metric) == self._metric
        return MetricReview(
            metric=self._metric,
            items=len(entries),
            queries=len({entry.item.query_id for entry in entries}),
            up=sum(entry.points_before is not None and entry.points > entry.points_before for entry in entries),
            down=sum(entry.points_before is not None and entry.points < entry.points_before for entry in entries),
            against=tuple(
                self._against(origin, having)
                for origin, of_origin in sorted(by_origin.items())
                if (having := [one for one in of_origin if one.points_before is not None])
            ),
            between=self._between(),
            causes=self._causes(),
            corrected=self._corrected(),
            passed=self._passed() if decides else None,
        )

    def origins(self) -> dict[str, int]:
        """How many items have their grade from what."""
        counted = Counter(
            _told(origin_of(self._metric, source, details))
            for columns in self._after.columns("intent_source", "details")
            for source, details in zip(*columns, strict=True)
        )
        return dict(sorted(counted.items()))

    def _against(self, origin: str, entries: Sequence[ReviewedItem]) -> Against:
        differences: defaultdict[str, list[float]] = defaultdict(list)
        for entry in entries:
            assert entry.points_before is not None
            differences[entry.item.query_id].append(entry.points - entry.points_before)
        means = [query_mean(of_query) for of_query in differences.values()]
        mean = query_mean(means)
        pairs = [
            LevelPair(entry.index, entry.item.query_id, entry.step_before, entry.step)
            for entry in entries
            if entry.step_before is not None
        ]
        return Against(
            origin=origin,
            n=len(entries),
            up=sum(entry.points > (entry.points_before or 0.0) for entry in entries),
            down=sum(entry.points < (entry.points_before or 0.0) for entry in entries),
            difference=mean,
            interval=mean_interval_of_queries(mean, means),
            agreement=agreement_of(self._scale.names, pairs) if pairs else None,
        )

    def _between(self) -> JudgeAgreement | None:
        """Every pair of people on an item, the one whose name comes first in the rows."""
        steps = {name: at for at, name in enumerate(self._scale.names)}
        pairs = [
            LevelPair(entry.index, entry.item.query_id, steps[one.grade], steps[other.grade])
            for entry in self._entries
            for at, one in enumerate(entry.opinions)
            for other in entry.opinions[at + 1 :]
        ]
        return agreement_of(self._scale.names, pairs) if pairs else None

    def _causes(self) -> tuple[CauseOfLoss, ...]:
        lost: defaultdict[str, list[float]] = defaultdict(list)
        names: dict[str, str] = {}
        for entry in self._entries:
            if entry.cause:
                key = compared_text(entry.cause).casefold()
                names.setdefault(key, entry.cause)
                lost[key].append(self._points.highest - entry.points)
        found = [CauseOfLoss(cause=names[key], n=len(points), points=fsum(points)) for key, points in lost.items()]
        return tuple(sorted(found, key=lambda one: (-one.points, -one.n, one.cause)))

    def _random(self) -> dict[str, list[ReviewedItem]]:
        """The grades of the questions all of whose items with points were graded at random."""
        sizes: Counter[str] = Counter(self._before.column("query_id"))
        found: defaultdict[str, list[ReviewedItem]] = defaultdict(list)
        for entry in self._entries:
            if entry.sample is Sample.RANDOM:
                found[entry.item.query_id].append(entry)
        return {query_id: entries for query_id, entries in found.items() if len(entries) == sizes[query_id]}

    def _of_queries(self, value_of: Callable[[Item], float | None]) -> dict[str, list[float]]:
        """The values that the items of each query had before people graded."""
        found: defaultdict[str, list[float]] = defaultdict(list)
        for item in self._before:
            if (value := value_of(item)) is not None:
                found[item.query_id].append(value)
        return found

    def _corrected(self) -> Corrected:
        random = self._random()
        ours = self._of_queries(lambda item: points_of(item, self._metric))
        graded = {query_id: entries for query_id, entries in random.items() if query_id in ours}
        if len(graded) < QUERIES_FOR_VALUE:
            return Corrected(queries=len(graded))
        places = {query_id: at for at, query_id in enumerate(ours)}
        people = {
            places[query_id]: query_mean([entry.points for entry in entries]) for query_id, entries in graded.items()
        }
        scores = [query_mean(values) for values in ours.values()]
        found = corrected_points(scores, people, floor=self._points.lowest, top=self._points.highest)
        if found is None:
            return Corrected(queries=len(graded), cannot_tell=True)
        interval = found.interval if len(graded) >= QUERIES_FOR_INTERVAL else None
        return Corrected(queries=len(graded), value=found.value, interval=interval)

    def _passed(self) -> Corrected:
        rule = self._rubric.pass_points
        assert rule is not None
        random = self._random()
        if len(random) < QUERIES_FOR_VALUE:
            return Corrected(queries=len(random))
        passes = {query_id: tuple(values) for query_id, values in self._of_queries(partial(_passes, rule)).items()}
        every = [value for values in passes.values() for value in values]
        share = query_mean(every) if every else 0.0
        worth = spread_of(share, in_one_round(passes.values()), top=SHARE.highest).worth(share) if every else 0.0
        graded = Counter[tuple[bool, bool]]()
        queries: defaultdict[bool, set[str]] = defaultdict(set)
        for query_id, entries in random.items():
            for entry in entries:
                ours = passes_by_points(entry.item, rule)
                theirs = entry.points >= rule.points
                if ours is not None:
                    graded[ours, theirs] += 1
                    queries[theirs].add(query_id)
        found = rogan_gladen(
            share,
            worth,
            Graded(
                true_positives=graded[True, True],
                positives=graded[True, True] + graded[False, True],
                true_negatives=graded[False, False],
                negatives=graded[False, False] + graded[True, False],
                positive_queries=len(queries[True]),
                negative_queries=len(queries[False]),
            ),
        )
        if found is None:
            return Corrected(queries=len(random), cannot_tell=True)
        interval = found.interval if len(random) >= QUERIES_FOR_INTERVAL else None
        return Corrected(queries=len(random), value=found.value, interval=interval)


def _passes(rule: PassRule, item: Item) -> float | None:
    passed = passes_by_points(item, rule)
    return None if passed is None else float(passed)


def _told(origin: str) -> str:
    """By what an item has its points; what was recorded in any way is RECORDED."""
    return RECORDED if origin in _RECORDED else origin
