"""Scores of a map in a set: those of all its files, in the order in which they appear (docs/scoring.md#scores).

Each file has the scores that its first records tell; its items get a place for those of the other files.

Named as well: columns of numbers from 0 to 1 that are no score although the document takes its scores from columns.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

from msgspec.structs import replace

from scoring.findings import FindingLog
from scoring.items import Item, details_of
from scoring.items.spool import Items, Part
from scoring.json_values import ANY_KEY
from scoring.problems import Problem
from scoring.rubric import Measure, Rubric, ScoreRule, keys_of, normalise_header, with_keys
from scoring.text import Memo, cut, is_blank, number, showable


def rubric_of_parts(declared: Rubric, parts: Sequence[tuple[str, Part]]) -> Rubric:
    """The rubric with a score for each key of the files, as many as there may be; as it is without a map."""
    return with_keys(declared, dict.fromkeys(chain.from_iterable(part.score_keys for _, part in parts)))


def with_places(
    items: Sequence[Items], parts: Sequence[tuple[str, Part]], declared: Rubric, rubric: Rubric, log: FindingLog
) -> list[Items]:
    """The items of each file, with a value or none for each measure of `rubric`, which is that of all the parts."""
    keys, wanted = set(keys_of(rubric)), _layout(rubric.measures)
    made = []
    for of_file, (name, part) in zip(items, parts, strict=True):
        for key in part.score_keys:
            if key not in keys:
                log.add(Problem(code="score-key-unused", source=name, found=cut(showable(key))))
        layout = _layout(with_keys(declared, part.score_keys).measures)
        placed = partial(_placed, layout=layout, wanted=wanted)
        made.append(of_file if list(layout) == list(wanted) or not of_file else of_file.edited(placed))
    return made


def _layout(measures: Sequence[Measure]) -> dict[tuple[str, str], bool]:
    """What tells each measure from the others, by its place; is it a score?"""
    rules = ((one.name, one.score if isinstance(one.score, ScoreRule) else None) for one in measures)
    return {
        ("key", rule.key) if rule and rule.key else ("name", name): rule is not None and rule.has_points
        for name, rule in rules
    }


def _placed(item: Item, *, layout: dict[tuple[str, str], bool], wanted: dict[tuple[str, str], bool]) -> Item:
    details = details_of(item)
    values = dict(zip(layout, details.measures, strict=True))
    scores = [name for name, is_score in layout.items() if is_score]
    reasons = dict(zip(scores, details.score_reasons, strict=False))  # of a file without a reason there are none
    said = tuple(reasons.get(name, "") for name, is_score in wanted.items() if is_score) if reasons else ()
    return replace(
        item, details=replace(details, measures=tuple(values.get(name) for name in wanted), score_reasons=said)
    )


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
