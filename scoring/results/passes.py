"""Which items pass, and in which pairs of rounds a query ends alike (docs/scoring.md#pass-rate, #5-consistency)."""

from collections import defaultdict
from collections.abc import Container, Iterable
from math import comb
from typing import NamedTuple

from scoring.items import details_of
from scoring.results.item_table import Scored
from scoring.rubric import REASON_NO_CHECKS, RUBRICS, PassRule, Rubric, Status, is_by_scores


class Passes(NamedTuple):
    """assessed: items that take part. below: indices of those that do not pass, in order."""

    assessed: int
    below: tuple[int, ...]

    @property
    def passed(self) -> int:
        """Number of items that pass."""
        return self.assessed - len(self.below)


class Agreeing(NamedTuple):
    """Pairs of rounds of one query."""

    both_pass: int
    both_fail: int
    mismatch: int


def find_passes(items: Iterable[Scored], rubric: Rubric) -> Passes:
    """Items that pass, see `passes_of`; those without anything to check, or without a level, take no part."""
    outcomes = passes_of(items, rubric)
    below = tuple([index for index, passed in enumerate(outcomes) if passed is False])
    return Passes(len(outcomes) - outcomes.count(None), below)


def passes_of(items: Iterable[Scored], rubric: Rubric) -> list[bool | None]:
    """Whether each item passes: by the points that the document names, else by its status; None if it takes no part."""
    rule = rubric.pass_points
    if rule is None:
        passing = frozenset(rubric.pass_statuses)
        return [item.status in passing for item in items]
    if is_by_scores(rule):
        return [details_of(item).passed for item in items]
    return [passes_by_points(item, rule) for item in items]


def needs_person(grades: Iterable[tuple[float | None, float]], *, is_answered: bool, admits_failure: bool) -> bool:
    """Should a person look at an item: an answer that says it failed, without a grade, or with the lowest one?

    grades: points of the metrics that grade what an answer says, each with the lowest of its scale.
    """
    return is_answered and (admits_failure or any(points is None or points <= lowest for points, lowest in grades))


def passes_by_points(item: Scored, rule: PassRule) -> bool | None:
    """Whether an item has the points that pass; None where there is nothing to check, or no level."""
    details = details_of(item)
    points: float | None
    if is_by_scores(rule):
        return details.passed
    if rule.metric == RUBRICS:
        points = details.rubrics
    elif rule.metric == "accuracy" and details.accuracy_reason == REASON_NO_CHECKS:
        points = None
    else:
        points = getattr(item, rule.metric)
    return None if points is None else points >= rule.points


def passes_in_round(item: Scored | None, rule: PassRule | None, passing: Container[Status]) -> bool | None:
    """Does the item pass, as rounds are compared? By its points where there is a rule; None without such points."""
    if item is None:
        return None
    if rule is None:
        return item.status in passing
    points: float | None = getattr(item, rule.metric)
    return None if points is None else points >= rule.points


def agreeing_pairs(outcomes: Iterable[tuple[int, bool | None]]) -> Agreeing | None:
    """Pairs of rounds of one query in which every item of both passes, or none does; None with fewer than two rounds.

    outcomes: of each item the index of its round and whether it passes; an item without an outcome is left out.
    """
    by_round: defaultdict[int, set[bool]] = defaultdict(set)
    for at, passed in outcomes:
        if passed is not None:
            by_round[at].add(passed)
    n = len(by_round)
    if n < 2:
        return None
    found = list(by_round.values())
    both_pass, both_fail = comb(found.count({True}), 2), comb(found.count({False}), 2)
    return Agreeing(both_pass, both_fail, comb(n, 2) - both_pass - both_fail)
