"""Takes grades of people that one side alone has out of the change: a person who disagrees is no better agent.

Such an item counts on that side as before the review. Where both sides' item is graded by people, their grades count.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from scoring.comparison.pairing import Pair
from scoring.comparison.regraded import with_grades
from scoring.comparison.run import Answer, Basis, Query


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
