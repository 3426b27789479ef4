"""Finds items that say the same in both runs but have another grade, and takes the grade out of the change.

An equal answer is neither better nor worse: in the difference it counts with the grade of the later run on both sides.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import fsum
from typing import NamedTuple

import msgspec

from scoring.comparison.pairing import Pair
from scoring.comparison.run import GRADED, Answer, Basis, Grade, Query
from scoring.results import PASS
from scoring.rubric import TOTAL
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


def find_regraded(shared: Sequence[Pair], basis: Basis) -> Regraded:
    """The regraded items of the shared queries. basis: of the later run."""
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
        evened.append(Pair(with_grades(pair.before, found, basis), pair.after) if old else pair)
    return Regraded(items=tuple(items), evened=tuple(evened), by_cut_text=bool(items) and not all(has_hashes))


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
