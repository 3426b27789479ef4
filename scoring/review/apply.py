"""Puts people's grades in place of what an item had, and says what became of each (docs/review.md).

A person's grade comes first, also for an item without an answer. What follows from it follows; status, answer rate,
stability, latency and labels never change.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from statistics import median_low
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from scoring.findings import FindingLog
from scoring.items import NO_DETAILS, SOURCE_NONE, Item, ItemDetails, Opinion, Review, details_of
from scoring.items.spool import Items
from scoring.problems import Problem
from scoring.review.grades import GradeScale, PersonGrade, Sample, TextPlace, graded_metrics, scale_of, without_copies
from scoring.rubric import REASON_REVIEWED, RUBRICS, Rubric, Source
from scoring.text import cut

_SHOWN_LEVELS = 12


class ReviewedItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item with a person's grade.

    index: into the items of the set. item: as it was. step_before: of what it had on the scale of the metric, None
    where that is no step of it. step: that counts; comment, cause: of one who gave it. opinions: of all, by name.
    """

    index: int
    item: Item
    metric: str
    origin: str
    points_before: float | None
    step_before: int | None
    step: int
    points: float
    opinions: tuple[Opinion, ...]
    sample: Sample
    comment: str
    cause: str
    check: str


Refused = tuple[PersonGrade, Problem]


class Outcome(NamedTuple):
    """What became of grades. used: those that count. refused: the others, each with why, at its cell."""

    used: tuple[PersonGrade, ...]
    refused: tuple[Refused, ...]


class Applied(NamedTuple):
    """The items with people's grades in place.

    reviewed: by item. used: grades that count, each with the index of its item. refused: as in `Outcome`.
    """

    items: Items
    reviewed: tuple[ReviewedItem, ...]
    used: tuple[tuple[int, PersonGrade], ...]
    refused: tuple[Refused, ...]

    @property
    def outcome(self) -> Outcome:
        """What became of the grades."""
        return Outcome(tuple(grade for _, grade in self.used), self.refused)


class Matched(NamedTuple):
    """A grade and the item that it is for. at: of the item. step: on the scale of its metric."""

    at: int
    step: int
    grade: PersonGrade


def apply_grades(items: Items, rubric: Rubric, grades: Sequence[PersonGrade], log: FindingLog) -> Applied:
    """Apply the grades that fit. The others are told where their files are, and are no part of a report."""
    scales = _scales(rubric)
    rows = (row for columns in items.columns("query_id", "round", "text_hash") for row in zip(*columns, strict=True))
    matched, refused = _match_grades(_places_of(rows, grades), scales, grades)
    by_item: defaultdict[tuple[int, str], list[Matched]] = defaultdict(list)
    for one in matched:
        by_item[one.at, one.grade.key.metric].append(one)
    indices = sorted({index for index, _ in by_item})
    before = dict(zip(indices, items.pick(indices), strict=True))
    after = dict(before)
    reviewed = []
    for (index, metric), chosen in sorted(by_item.items()):
        entry = _settled((index, before[index], metric), scales[metric], chosen, log)
        reviewed.append(entry)
        after[index] = _with_grade(after[index], rubric, entry, scales[metric])
    edited = items.replaced(after) if after else items
    return Applied(edited, tuple(reviewed), tuple((one.at, one.grade) for one in matched), tuple(refused))


def grades_for(
    set_name: str,
    profile: str,
    grades: Iterable[PersonGrade],
    *,
    is_gone: Callable[[str], bool],
    text_places: Callable[[], Collection[TextPlace]],
) -> tuple[PersonGrade, ...]:
    """The grades for a set: those that name it, and those for a set that is gone which fit an item of this one.

    is_gone: is there no set of this name any more? text_places: of the items of this one; asked only where one is gone.
    """
    mine = [one for one in grades if one.key.profile == profile]
    gone = {name for name in {one.key.set_name for one in mine} if name != set_name and is_gone(name)}
    there = text_places() if gone else ()
    return tuple(
        one
        for one in mine
        if one.key.set_name == set_name or (one.key.set_name in gone and one.key.text_place in there)
    )


def outcome_of(items: Iterable[TextPlace], rubric: Rubric, grades: Sequence[PersonGrade]) -> Outcome:
    """What becomes of grades for a set with these items, without applying them."""
    matched, refused = _match_grades(_places_of(items, grades), _scales(rubric), grades)
    return Outcome(tuple(one.grade for one in matched), tuple(refused))


_Places = Mapping[tuple[str, str], Sequence[tuple[int, str]]]  # by query and round the index and text hash of each item


def _scales(rubric: Rubric) -> dict[str, GradeScale]:
    return {metric: scale_of(rubric, metric) for metric in graded_metrics(rubric)}


def _match_grades(
    places: _Places, scales: Mapping[str, GradeScale], grades: Sequence[PersonGrade]
) -> tuple[list[Matched], list[Refused]]:
    """Which grade is for which item, and why the others are for none."""
    matched: list[Matched] = []
    refused: list[Refused] = []
    for grade in without_copies(grades):
        scale = scales.get(grade.key.metric)
        at = places.get((grade.key.query_id, grade.key.round), ())
        step = None if scale is None else scale.step(grade.grade)
        index = _item_of(grade, at)
        if scale is None:
            known = ", ".join(scales)
            refused.append((grade, grade.problem("review-metric", metric=grade.key.metric, known=known)))
        elif index is None:
            refused.append((grade, grade.problem("review-stale" if at else "review-unknown")))
        elif step is None:
            refused.append((grade, grade.problem("review-grade", known=", ".join(scale.names[:_SHOWN_LEVELS]))))
        else:
            matched.append(Matched(index, step, grade))
    twice = _conflicts(matched)
    refused += [(one.grade, one.grade.problem("review-twice")) for one in matched if _by_whom(one) in twice]
    return [one for one in matched if _by_whom(one) not in twice], refused


def _places_of(items: Iterable[TextPlace], grades: Sequence[PersonGrade]) -> _Places:
    wanted = {(grade.key.query_id, grade.key.round) for grade in grades}
    found: defaultdict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for index, (query_id, label, text_hash) in enumerate(items):
        if (query_id, label) in wanted:
            found[query_id, label].append((index, text_hash))
    return found


def _item_of(grade: PersonGrade, at: Sequence[tuple[int, str]]) -> int | None:
    """The attempt that the key names, if it says what it said then; else another one that does."""
    same = [(number, index) for number, (index, text_hash) in enumerate(at, 1) if text_hash == grade.key.text_hash]
    return next((index for number, index in same if number == grade.key.attempt), same[0][1] if same else None)


def _conflicts(matched: Sequence[Matched]) -> set[tuple[int, str, str]]:
    """Where one person gave one item different grades: nobody knows which is meant."""
    steps: defaultdict[tuple[int, str, str], set[int]] = defaultdict(set)
    for one in matched:
        steps[_by_whom(one)].add(one.step)
    return {key for key, given in steps.items() if len(given) > 1}


def _by_whom(one: Matched) -> tuple[int, str, str]:
    return one.at, one.grade.key.metric, one.grade.reviewer


def _settled(
    place: tuple[int, Item, str], scale: GradeScale, chosen: Sequence[Matched], log: FindingLog
) -> ReviewedItem:
    """The grade that counts: the one that all gave, else that of who decides, else the lower median.

    place: index, item and metric.
    """
    index, item, metric = place
    of_reviewers = {one.grade.reviewer: one.step for one in sorted(chosen, key=lambda one: one.grade.reviewer)}
    deciding = [one.step for one in chosen if one.grade.decides]
    steps = sorted(set(deciding)) if len(set(deciding)) == 1 else sorted(of_reviewers.values())
    step = median_low(steps)
    if len(set(of_reviewers.values())) > 1 and len(set(deciding)) != 1:
        grades = ", ".join(f"{name} {scale.names[at]}" for name, at in of_reviewers.items())
        facts = {"round": item.round, "grades": cut(grades), "taken": scale.names[step], "metric": metric}
        log.add(Problem(code="reviewers-disagree", found=item.query_id, values=facts))
    agreeing = [one.grade for one in chosen if one.step == step] or [one.grade for one in chosen]
    points = points_of(item, metric)
    return ReviewedItem(
        index=index,
        item=item,
        metric=metric,
        origin=origin_of(metric, item.intent_source, item.details),
        points_before=points,
        step_before=_step_before(item, metric, scale),
        step=step,
        points=scale.points[step],
        opinions=tuple(_opinion(name, scale.names[at], chosen) for name, at in of_reviewers.items()),
        sample=Sample.RANDOM if any(one.grade.key.sample is Sample.RANDOM for one in chosen) else Sample.FLAGGED,
        comment=next((one.comment for one in agreeing if one.comment), ""),
        cause=next((one.cause for one in agreeing if one.cause), ""),
        check=next((one.grade.check for one in chosen if one.grade.check), ""),
    )


def _opinion(reviewer: str, grade: str, chosen: Sequence[Matched]) -> Opinion:
    grades = [one.grade for one in chosen if one.grade.reviewer == reviewer]
    comment = next((one.comment for one in grades if one.comment), "")
    return Opinion(reviewer, grade, comment, next((one.cause for one in grades if one.cause), ""))


def points_of(item: Item, metric: str) -> float | None:
    """The points of an item in a metric that people can grade."""
    points: float | None = details_of(item).rubrics if metric == RUBRICS else getattr(item, metric)
    return points


def origin_of(metric: str, intent_source: str, details: ItemDetails | None) -> str:
    """By what an item has its points in a metric: a `Source`, "checks", a reason of accuracy, or "none"."""
    if metric == "intent":
        return intent_source
    details = details or NO_DETAILS
    return details.rubrics_source or SOURCE_NONE if metric == RUBRICS else details.accuracy_reason or "checks"


def _step_before(item: Item, metric: str, scale: GradeScale) -> int | None:
    details = details_of(item)
    level = details.rubrics_level if metric == RUBRICS else details.verdict
    if scale.rule is not None and level and (step := scale.step(level)) is not None:
        return step
    return scale.at(points_of(item, metric))


def _with_grade(item: Item, rubric: Rubric, entry: ReviewedItem, scale: GradeScale) -> Item:
    """The item with the grade, and with what follows from it."""
    points, name = entry.points, scale.names[entry.step]
    review = Review(
        metric=entry.metric,
        before=entry.points_before,
        before_text=spelled(entry.points_before, entry.step_before, scale),
        origin=entry.origin,
        after_text=name,
        opinions=entry.opinions,
        sample=entry.sample.value,
        check=entry.check,
    )
    source = Source.REVIEWED.value
    if entry.metric == RUBRICS:
        details = replace(
            details_of(item),
            rubrics=points,
            rubrics_level=name,
            rubrics_source=source,
            rubrics_why="",
            rubrics_reason=entry.comment,
        )
        return replace(item, details=details, review=(*item.review, review))
    if entry.metric == "intent":
        details_after = item.details
        if scale.rule is not None:
            details_after = replace(details_of(item), verdict=name, verdict_why="", verdict_reason=entry.comment)
        accuracy = points if rubric.origin_of("accuracy") == "intent" else item.accuracy
        return replace(
            item,
            intent=points,
            intent_source=source,
            accuracy=accuracy,
            details=details_after,
            review=(*item.review, review),
        )
    intent = points if rubric.has_metric("intent") and rubric.origin_of("intent") == "accuracy" else item.intent
    details = replace(details_of(item), accuracy_reason=REASON_REVIEWED)
    return replace(item, accuracy=points, intent=intent, details=details, review=(*item.review, review))


def spelled(points: float | None, step: int | None, scale: GradeScale) -> str:
    """A grade as the scale writes it, "" for none."""
    if step is not None:
        return scale.names[step]
    return "" if points is None else f"{points:g}"
