"""Columns of numbers from 0 to 1 that are no score although the document takes its scores from columns."""

from collections.abc import Iterator, Sequence

from scoring.items.spool import Items
from scoring.rubric import Rubric, ScoreRule, normalise_header
from scoring.text import Memo, is_blank, number

_SCALE = 0, 1


def unread_scores(rubric: Rubric, titles: Sequence[str], files: Sequence[Items]) -> Iterator[str]:
    """The titles of such columns. titles: of the further columns of all files, in the order of the cells of items."""
    if not any(one.column and _is_from_0_to_1(one.score) for one in rubric.measures):
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


def _is_from_0_to_1(rule: object) -> bool:
    return isinstance(rule, ScoreRule) and (rule.lowest, rule.highest) == _SCALE


def _fits(cell: str) -> bool | None:
    """Is it a number from 0 to 1? None for a blank cell."""
    if is_blank(cell):
        return None
    value = number(cell)
    return value is not None and _SCALE[0] <= value <= _SCALE[1]
