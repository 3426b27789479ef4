"""Scores of a map in a set: those of all its files, in the order in which they appear (docs/scoring.md#scores).

Each file has the scores that its first records tell; its items get a place for those of the other files.
"""

from collections.abc import Sequence
from functools import partial
from itertools import chain

from msgspec.structs import replace

from scoring.findings import FindingLog
from scoring.items import Item, details_of
from scoring.items.spool import Items, Part
from scoring.problems import Problem
from scoring.rubric import Measure, Rubric, ScoreRule, keys_of, with_keys
from scoring.text import cut, showable


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
    return {("key", rule.key) if rule and rule.key else ("name", name): rule is not None for name, rule in rules}


def _placed(item: Item, *, layout: dict[tuple[str, str], bool], wanted: dict[tuple[str, str], bool]) -> Item:
    details = details_of(item)
    values = dict(zip(layout, details.measures, strict=True))
    scores = [name for name, is_score in layout.items() if is_score]
    reasons = dict(zip(scores, details.score_reasons, strict=False))  # of a file without a reason there are none
    said = tuple(reasons.get(name, "") for name, is_score in wanted.items() if is_score) if reasons else ()
    return replace(
        item, details=replace(details, measures=tuple(values.get(name) for name in wanted), score_reasons=said)
    )
