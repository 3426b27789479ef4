"""Columns of numbers from 0 to 1 that are no score although the document takes its scores from columns."""

from collections.abc import Iterator, Sequence

from scoring.items.spool import Items
from scoring.json_values import ANY_KEY
from scoring.rubric import Measure, Rubric, ScoreRule, normalise_header
from scoring.text import Memo, is_blank, number

_SCALE: tuple[float, float] = 0, 1


def unread_scores(rubric: Rubric, titles: Sequence[str], files: Sequence[Items]) -> Iterator[str]:
    """The titles of such columns. titles: of the further columns of all files, in the order of the cells of items."""
    if not any(map(_is_of_column, rubric.measures)):
        return
    declared = set(map(normalise_header, rubric.slices))
    may_be = {at for at, title in enumerate(titles) if normalise_header(title) not in declared}
    filled: set[int] = set()
    fits = Memo(_fits)
    for items in files:
        for row in items.column("extra"):
            for at in tuple(may_be):
                if (is_score := fits[row[at]]) is False:
                    may_be.remove(at)
                elif is_score:
                    filled.add(at)
            if not may_be:
                return
    yield from (titles[at] for at in sorted(may_be & filled))


def _is_of_column(measure: Measure) -> bool:
    """Is it a score from 0 to 1 that a column has by its own name, or by any, and none of a map in records?"""
    rule = measure.score
    if not isinstance(rule, ScoreRule) or not measure.column or (rule.lowest, rule.highest) != _SCALE:
        return False
    return measure.column in {ANY_KEY, rule.key} or not (rule.key or ANY_KEY in measure.column)


def _fits(cell: str) -> bool | None:
    """Is it a number from 0 to 1? None for a blank cell."""
    if is_blank(cell):
        return None
    value = number(cell)
    return value is not None and _SCALE[0] <= value <= _SCALE[1]
