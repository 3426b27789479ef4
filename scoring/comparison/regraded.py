"""Finds items that say the same in both runs but have another grade, and takes the grade out of the change.

An equal answer is neither better nor worse: in the difference it counts with the grade of the later run on both sides.

Takes grades of people that one side alone has out of the change: a person who disagrees is no better agent.

Such an item counts on that side as before the review. Where both sides' item is graded by people, their grades count.
Two versions of the same inputs that people or a judge graded anew differ in nothing else, so that there is nothing to
test.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import fsum
from typing import NamedTuple

import msgspec

from scoring.comparison.pairing import Pair
from scoring.comparison.run import GRADED, Answer, Basis, Grade, Query, Run
from scoring.results import PASS
from scoring.rubric import TOTAL, Source
from scoring.statistics import query_mean


class RegradedItem(NamedTuple):
    """An item with another grade. round: its label."""

    query_id: str
    round: str
    before: Grade
    after: Grade


class Regraded(msgspec.Struct, frozen=True, kw_only=True):
    """items: with another grade, by query. evened: the pairs, where such items count with the later grade before too.

    by_cut_text: a side has no hashes of its texts, so that equal answers were told by what is kept of them.
    """

    items: tuple[RegradedItem, ...]
    evened: tuple[Pair, ...]
    by_cut_text: bool


def find_regraded(shared: Sequence[Pair], basis: Basis, *, has_other_rules: bool = False) -> Regraded:
    """The regraded items of the shared queries. basis: of the later run.

    has_other_rules: what passes may be decided otherwise, so that an equal answer passes on both sides as in the later.
    """
    has_hashes = [any(answer.text_hash for pair in shared for answer in pair[side].answers) for side in (0, 1)]
    items: list[RegradedItem] = []
    evened: list[Pair] = []
    for pair in shared:
        found = _later_answers(pair, by_hash=all(has_hashes))
        old = [
            (answer, later)
            for answer, later in zip(pair.before.answers, found, strict=True)
            if later is not None and later.grade[:2] != answer.grade[:2]
        ]
        items += (RegradedItem(pair.before.query_id, answer.round, answer.grade, later.grade) for answer, later in old)
        is_evened = old or (has_other_rules and _passes_otherwise(pair.before.answers, found))
        evened.append(Pair(with_grades(pair.before, found, basis), pair.after) if is_evened else pair)
    return Regraded(items=tuple(items), evened=tuple(evened), by_cut_text=bool(items) and not all(has_hashes))


def _passes_otherwise(answers: Iterable[Answer], later: Iterable[Answer | None]) -> bool:
    return any(same is not None and same.passes is not old.passes for old, same in zip(answers, later, strict=True))


def _later_answers(pair: Pair, *, by_hash: bool) -> list[Answer | None]:
    """Of each answer before the one after that says the same, None without."""
    texts = (pair.before.questions, pair.before.expected) == (pair.after.questions, pair.after.expected)
    if not by_hash and not texts:
        return [None] * len(pair.before.answers)
    waiting: defaultdict[tuple[str, str, str], list[Answer]] = defaultdict(list)
    for answer in reversed(pair.after.answers):
        waiting[_identity(answer, by_hash=by_hash)].append(answer)
    found: list[Answer | None] = []
    for answer in pair.before.answers:
        same = waiting.get(_identity(answer, by_hash=by_hash))
        found.append(same.pop() if same else None)
    return found


def _identity(answer: Answer, *, by_hash: bool) -> tuple[str, str, str]:
    return answer.round, answer.status, answer.text_hash if by_hash else answer.text


def with_grades(query: Query, later: Iterable[Answer | None], basis: Basis) -> Query:
    """The query with other grades in place of its own, where there are any."""
    later = tuple(later)
    answers = [
        answer if same is None else msgspec.structs.replace(answer, grade=same.grade, passes=same.passes)
        for answer, same in zip(query.answers, later, strict=True)
    ]
    values = dict(query.values)
    for at, metric in enumerate(GRADED):
        points = [answer.grade.points[at] for answer in answers]
        present = [one for one in points if one is not None]
        if present and metric in values:
            values[metric] = query_mean(present)
        elif any(one is not None and one.grade.points[at] is None for one in later):
            values.pop(metric, None)
    assessed = [answer.passes for answer in answers if answer.passes is not None]
    if assessed and PASS in values:
        values[PASS] = query_mean(list(map(float, assessed)))
    if TOTAL in values:
        moved = fsum(
            weight * (values.get(metric, 0.0) - query.values.get(metric, 0.0))
            for metric, weight in basis.weights.items()
        )
        values[TOTAL] += moved / fsum(basis.weights.values())
    return msgspec.structs.replace(
        query, values=values, passed=sum(assessed), assessed=len(assessed), answers=tuple(answers)
    )


class OneSided(msgspec.Struct, frozen=True):
    """pairs: without grades that one side alone has. items: of both sides that have one."""

    pairs: tuple[Pair, ...]
    items: int


def without_one_sided(shared: Sequence[Pair], basis: Basis) -> OneSided:
    """The shared queries as they are compared. basis: of the later run."""
    pairs: list[Pair] = []
    items = 0
    for pair in shared:
        both = _reviewed_places(pair.before) & _reviewed_places(pair.after)
        sides = [_before_review(query, both, basis) for query in pair]
        items += sum(n for _, n in sides)
        pairs.append(Pair(*(query for query, _ in sides)) if any(n for _, n in sides) else pair)
    return OneSided(tuple(pairs), items)


class GradedAnew(msgspec.Struct, frozen=True, omit_defaults=True):
    """Of the same inputs, how many items have other points since people, and since a judge, graded them anew.

    0 where they only confirmed what was there, None where they graded as before.
    """

    people: int | None = None
    judge: int | None = None


def graded_anew(before: Run, after: Run, shared: Sequence[Pair]) -> GradedAnew | None:
    """None where anything else may differ, or nothing does. shared: the queries with people's grades.

    The rules are the same.
    """
    if not before.inputs or (before.inputs, before.selection) != (after.inputs, after.selection):
        return None
    if not len(shared) == len(before.queries) == len(after.queries) or any(old.n != new.n for old, new in shared):
        return None
    both = [pair for old, new in shared for pair in zip(old.answers, new.answers, strict=True)]
    by_judge = [(old, new) for old, new in both if old.own_grade[:2] != new.own_grade[:2]]
    if not all(Source.JUDGE in (*old.own_grade.origins, *new.own_grade.origins) for old, new in by_judge):
        return None
    by_people = [
        (old, new)
        for old, new in both
        if old.own_grade[:2] == new.own_grade[:2] and (old.grade[:2], old.unreviewed) != (new.grade[:2], new.unreviewed)
    ]
    is_other_judge = before.grading_judge != after.grading_judge
    found = GradedAnew(
        _moved(by_people) if by_people else None, _moved(by_judge) if by_judge or is_other_judge else None
    )
    return None if found == GradedAnew() else found


def _moved(pairs: Iterable[tuple[Answer, Answer]]) -> int:
    return sum(old.grade.points != new.grade.points for old, new in pairs)


def _placed(answers: Iterable[Answer]) -> Iterable[tuple[tuple[str, int], Answer]]:
    """Each answer with its round and its number in it."""
    counted: Counter[str] = Counter()
    for answer in answers:
        counted[answer.round] += 1
        yield (answer.round, counted[answer.round]), answer


def _reviewed_places(query: Query) -> set[tuple[str, int]]:
    return {place for place, answer in _placed(query.answers) if answer.unreviewed is not None}


def _before_review(query: Query, kept: set[tuple[str, int]], basis: Basis) -> tuple[Query, int]:
    """The query without people's grades but those of `kept`, and how many were taken out."""
    earlier = [
        msgspec.structs.replace(answer, grade=answer.unreviewed, passes=answer.unreviewed_passes, unreviewed=None)
        if answer.unreviewed is not None and place not in kept
        else None
        for place, answer in _placed(query.answers)
    ]
    n = sum(answer is not None for answer in earlier)
    return (with_grades(query, earlier, basis), n) if n else (query, 0)
