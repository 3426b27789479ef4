"""Takes grades of people that one side alone has out of the change: a person who disagrees is no better agent.

Such an item counts on that side as before the review. Where both sides' item is graded by people, their grades count.
Two versions of the same inputs that people or a judge graded anew differ in nothing else, so that there is nothing to
test.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from scoring.comparison.pairing import Pair
from scoring.comparison.regraded import with_grades
from scoring.comparison.run import Answer, Basis, Query, Run
from scoring.rubric import Source


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
