"""Puts levels that a judge picked for named scores into the items of a set (docs/scoring.md#judge).

The value of a score is the number of its level. What passes is decided again, by all the scores of an item.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from scoring.items import UNANSWERED, Item, details_of
from scoring.rubric import Level, Rubric, VerdictRule, is_by_scores, is_score, passing_by_scores


class ScoreLevels:
    """Where the judged scores of a rubric are among the measures and the scores of its items."""

    def __init__(self, rubric: Rubric) -> None:
        scores = [one.name for one in rubric.measures if is_score(one.name)]
        self._n = len(scores)
        names = [one.name for one in rubric.measures]
        self._at = {rule.metric: (names.index(rule.metric), scores.index(rule.metric)) for rule in rubric.judged_scores}
        passing = rubric.pass_points
        self._passes = None
        if passing is not None and is_by_scores(passing):
            self._passes = passing_by_scores(rubric.measures, passing)

    def changed(self, item: Item, rule: VerdictRule, level: Level | None, reason: str, _why: str) -> Item:
        """The item with this level of a score, or without one, and with the reason."""
        details = details_of(item)
        at, number = self._at[rule.metric]
        measures = list(details.measures)
        measures[at] = None if level is None else level.points
        reasons = list(details.score_reasons or [""] * self._n)
        reasons[number] = reason
        return replace(item, details=replace(details, measures=tuple(measures), score_reasons=tuple(reasons)))

    def passed(self, items: Sequence[Item]) -> list[Item]:
        """The items, each with what its scores decide."""
        if self._passes is None or not self._at:
            return list(items)
        return [self._decided(item) for item in items]

    def _decided(self, item: Item) -> Item:
        assert self._passes is not None
        details = details_of(item)
        passed = self._passes(details.measures, item.status not in UNANSWERED)
        return item if passed is details.passed else replace(item, details=replace(details, passed=passed))
