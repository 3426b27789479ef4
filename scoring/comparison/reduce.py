"""Reduces scored items to one value per query and metric: the mean over the items of the query.

Queries are the independent observations of every test, see docs/statistics.md. Items may come in any order.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import comb, fsum
from types import MappingProxyType
from typing import NamedTuple, Self

from scoring.comparison.run import (
    ACCURACY,
    CONSISTENCY,
    GRADED,
    GROUNDS,
    NO_CHECKS,
    Answer,
    Basis,
    Grade,
    Query,
    QueryPlace,
)
from scoring.items import UNANSWERED, Opinion, Review, agreement, round_sort_key
from scoring.results import ANSWERED, INTENT, PASS, SECONDS
from scoring.rubric import (
    LATENCY_PREFIX,
    REASON_NO_CHECKS,
    RUBRICS,
    TOTAL,
    PassRule,
    TrackId,
    is_by_scores,
    passing_by_scores,
)
from scoring.statistics import query_mean
from scoring.text import CellMemo, Memo, compared_text, is_blank

ANSWER_CHARACTERS = 2_000
SAID_CHARACTERS = 300
_MOST_KEPT = 4_096


class _GradeKey(NamedTuple):
    """What a grade is made of. points: in the order of GRADED."""

    points: tuple[float | None, ...]
    intent_source: str
    accuracy_reason: str
    rubrics_source: str
    model: str


def _grade_of(key: _GradeKey) -> Grade:
    points = dict(zip(GRADED, key.points, strict=True))
    by_checks = NO_CHECKS if key.accuracy_reason == REASON_NO_CHECKS else "checks"
    origins = {
        INTENT: key.intent_source,
        ACCURACY: "" if points[ACCURACY] is None else by_checks,
        RUBRICS: key.rubrics_source,
    }
    return Grade(points=key.points, origins=tuple([origins[metric] for metric in GRADED]), model=key.model)


_grades = Memo(_grade_of, limit=_MOST_KEPT)  # grades recur
_compared = CellMemo(compared_text, limit=_MOST_KEPT)  # so do categories and expected results


class ByPeople(NamedTuple):
    """People's grade of an item. before, origin: what it had; who, comment, cause: as `items.csv` tells them."""

    before: float | None
    origin: str
    who: str = ""
    comment: str = ""
    cause: str = ""


class ItemValues(NamedTuple):
    """What a comparison needs of an item.

    points: by metric of an item ("intent", "latency", "rubrics" …). measures: by the name among metrics
    ("measure.tokens"). intent_source, rubrics_source: by what the points were given. model: of who gave a recorded
    grade. text_hash: of what a grader reads. graded: of each metric that people graded. slices: as in `Query`. The rest
    as in `Answer`.
    """

    query_id: str
    round: str
    track: TrackId | None
    category: str
    question: str
    expected: str
    answer: str
    status: str
    executed_at: str
    seconds: float | None
    latency_class: str
    points: Mapping[str, float | None]
    accuracy_reason: str
    label: str
    signature: str
    measures: Mapping[str, float | None] = MappingProxyType({})
    intent_source: str = ""
    rubrics_source: str = ""
    model: str = ""
    error: str = ""
    text_hash: str = ""
    graded: Mapping[str, ByPeople] = MappingProxyType({})
    why: str = ""
    grounds: tuple[str, ...] = ("",) * len(GROUNDS)
    said: tuple[str, ...] = ()
    is_message: bool = False
    is_slow: bool = False
    admits_failure: bool = False
    file: str = ""
    row: int | None = None
    slices: Mapping[str, str | None] = MappingProxyType({})

    def unreviewed(self, basis: Basis) -> Self:
        """The item as it was before a person graded it."""
        points = dict(self.points)
        for metric, by_people in self.graded.items():
            for name in points:
                if basis.source_of(name) == metric:
                    points[name] = by_people.before
        origins = {metric: by_people.origin for metric, by_people in self.graded.items()}
        return self._replace(
            points=points,
            intent_source=origins.get(INTENT, self.intent_source),
            rubrics_source=origins.get(RUBRICS, self.rubrics_source),
            accuracy_reason=origins.get(ACCURACY, self.accuracy_reason),
            graded={},
        )


def reduce_items(items: Iterable[ItemValues], basis: Basis) -> dict[str, Query]:
    """The queries of the items by Query ID, sorted."""
    by_query: defaultdict[str, list[ItemValues]] = defaultdict(list)
    for item in items:
        by_query[item.query_id].append(item)
    return {query_id: _query(by_query.pop(query_id), basis) for query_id in sorted(by_query)}


def _query(items: list[ItemValues], basis: Basis) -> Query:
    if len(items) > 1:
        items.sort(key=lambda item: (round_sort_key(item.round), item.answer, item.status, item.seconds or 0.0))
    first = items[0]
    passing = [_passes(item, basis) for item in items]
    assessed = [passed for passed in passing if passed is not None]
    questions = _texts(item.question for item in items)
    return Query(
        query_id=first.query_id,
        question=min(filter(None, (item.question for item in items)), default=""),
        questions=questions,
        expected=_texts(item.expected for item in items),
        track=first.track,
        category=first.category,
        places=tuple(dict.fromkeys([QueryPlace(item.track, _compared[item.category]) for item in items])),
        n=len(items),
        passed=sum(assessed),
        assessed=len(assessed),
        values=_values(items, basis, assessed),
        answers=tuple(
            [
                Answer(
                    round=item.round,
                    status=item.status,
                    passes=passed,
                    seconds=item.seconds,
                    text=item.answer[:ANSWER_CHARACTERS],
                    grade=_grade(item),
                    error=item.error[:ANSWER_CHARACTERS],
                    text_hash=item.text_hash,
                    unreviewed=_grade(earlier) if earlier is not item else None,
                    unreviewed_passes=_passes(earlier, basis) if earlier is not item else None,
                    reviews=_reviews(item, basis) if item.graded else (),
                    why=item.why,
                    points=item.points,
                    grounds=item.grounds,
                    said=tuple([said[:SAID_CHARACTERS] for said in item.said]),
                    is_message=item.is_message,
                    speed=basis.speed_class(item.latency_class, item.track),
                    is_slow=item.is_slow,
                    admits_failure=item.admits_failure,
                    file=item.file,
                    row=item.row,
                )
                for item, passed in zip(items, passing, strict=True)
                for earlier in (item.unreviewed(basis) if item.graded else item,)
            ]
        ),
        slices=_common([item.slices for item in items]),
    )


def _common(slices: Sequence[Mapping[str, str | None]]) -> Mapping[str, str | None]:
    """By column the value that all items have."""
    first = slices[0]
    if all(of_item == first for of_item in slices):
        return first
    return {name: value if all(one[name] == value for one in slices) else None for name, value in first.items()}


def _grade(item: ItemValues) -> Grade:
    points = tuple([item.points.get(metric) for metric in GRADED])
    return _grades[_GradeKey(points, item.intent_source, item.accuracy_reason, item.rubrics_source, item.model)]


def _reviews(item: ItemValues, basis: Basis) -> tuple[Review, ...]:
    """People's grades of an item, all of a metric as one opinion."""
    return tuple(
        [
            Review(
                metric=metric,
                before=one.before,
                before_text=basis.written(metric, one.before),
                origin=one.origin,
                after_text=basis.written(metric, item.points.get(metric)),
                opinions=(Opinion(one.who, "", one.comment, one.cause),),
            )
            for metric, one in item.graded.items()
        ]
    )


def _texts(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({_compared[text] for text in set(texts) if not is_blank(text)}))


def _passes(item: ItemValues, basis: Basis) -> bool | None:
    """By the points that the document names, else by the status; None for an item that takes no part."""
    rule = basis.passes
    if rule is None:
        return item.status in basis.answered
    if rule.metric == "accuracy" and item.accuracy_reason == REASON_NO_CHECKS:
        return None
    if is_by_scores(rule):
        values = [item.measures.get(measure.key) for measure in basis.measures]
        return passing_by_scores(basis.measures, rule)(values, item.status not in UNANSWERED)
    points = item.points.get(rule.metric)
    return None if points is None else points >= rule.points


def _values(items: Sequence[ItemValues], basis: Basis, assessed: Sequence[bool]) -> dict[str, float]:
    found: dict[str, list[float]] = {
        ANSWERED: [float(item.status in basis.answered) for item in items],
        SECONDS: [item.seconds for item in items if item.seconds is not None],
    }
    if basis.passes is not None:
        found[PASS] = list(map(float, assessed))
    for metric in basis.metrics:
        of_class = metric.removeprefix(LATENCY_PREFIX) if metric.startswith(LATENCY_PREFIX) else ""
        column = "latency" if of_class else metric
        found[metric] = [
            points
            for item in items
            if (points := item.points.get(column)) is not None and of_class in {"", item.latency_class}
        ]
    for measure in basis.measures:
        found[measure.key] = [amount for item in items if (amount := item.measures.get(measure.key)) is not None]
    values = {metric: query_mean(of_items) for metric, of_items in found.items() if of_items}
    consistency = _consistency(items, basis) if basis.has_metric(CONSISTENCY) else None
    if consistency is not None and len(items) > 1:  # what was run once has nothing to compare: a rule sets its points
        values[CONSISTENCY] = consistency
    if basis.weights:
        total = _total(items, basis, {**values, **({} if consistency is None else {CONSISTENCY: consistency})})
        if total is not None:
            values[TOTAL] = total
    return values


def _consistency(items: Sequence[ItemValues], basis: Basis) -> float | None:
    """Agreement of labels and signatures, or share of the pairs of rounds that end alike; None without a pair."""
    if basis.single is not None:
        labels, signatures = [item.label for item in items], [item.signature for item in items]
        return agreement(labels, signatures, scale=basis.points, single=basis.single, parts=basis.parts).score
    rounds: defaultdict[str, set[bool]] = defaultdict(set)
    for item in items:
        passed = _agrees(item, basis, basis.pairs)
        if passed is not None:
            rounds[item.round].add(passed)
    if len(rounds) < 2:
        return None
    outcomes = list(rounds.values())
    alike = comb(outcomes.count({True}), 2) + comb(outcomes.count({False}), 2)
    return basis.points.at(alike, comb(len(outcomes), 2))


def _agrees(item: ItemValues, basis: Basis, rule: PassRule | None) -> bool | None:
    if rule is None:
        return item.status in basis.answered
    points = item.points.get(rule.metric)
    return None if points is None else points >= rule.points


def _total(items: Sequence[ItemValues], basis: Basis, values: Mapping[str, float]) -> float | None:
    """Weighted mean of the metrics of a query; None while one has no value. Latency takes all classes together."""
    parts = dict(values)
    for measure in basis.measures:
        if measure.key in basis.weights and measure.key in values:
            parts[measure.key] = measure.on(basis.points, values[measure.key])
    latency = [points for item in items if (points := item.points.get("latency")) is not None]
    if latency:
        parts["latency"] = query_mean(latency)
    if not basis.weights.keys() <= parts.keys():
        return None
    return fsum(weight * parts[metric] for metric, weight in basis.weights.items()) / fsum(basis.weights.values())
