"""The scale of a column of scores, the points of a column of words, and what passes."""

import math
from collections.abc import Iterable, Sequence

from scoring.proposal.model import LevelGuess
from scoring.proposal.sample import FEW_VALUES, Facts
from scoring.rubric import USUAL_SCALE, Scale
from texts import words

_TOPS = (5.0, 10.0, 100.0)
_MOST_TOPS = 2  # that are likely: numbers up to 5 may be of 5 or of 10
_PASS_SHARE = 0.6  # of the scale, as 3 of 5
_FEWEST = 2  # points of a scale with a band for each
_LEVELS = ("good", "partly", "bad")


def scales_of(facts: Facts) -> tuple[Scale, ...]:
    """Scales that hold every number of the column, the likeliest first; () where none is usual.

    A column of whole numbers without any 0 is taken to start at 1.
    """
    if not facts.has_numbers:
        return ()
    low, high = min(facts.numbers), max(facts.numbers)
    if low < 0 or high > _TOPS[-1]:
        return ()
    tops = [1.0] if high <= 1 and not (facts.are_whole and low == high == 1) else []
    tops += [top for top in _TOPS if top >= high]
    starts_at_one = facts.are_whole and low >= 1
    scales = [
        Scale(low, top) for top in tops[:_MOST_TOPS] for low in ((1.0, 0.0) if starts_at_one and top > 1 else (0.0,))
    ]
    return tuple(scales)


def is_sure(facts: Facts) -> bool:
    """Can the scale be told from the numbers: fractions of 1, or whole numbers from 0 to the top of a usual scale?"""
    low, high = min(facts.numbers), max(facts.numbers)
    return low == 0 and high in {1.0, *_TOPS}


def levels_of_words(values: Iterable[str]) -> tuple[LevelGuess, ...]:
    """Points of the words of a column, from best to worst; () where some word is in no list of words.

    The best word scores the whole scale, the worst nothing, and the others lie between them at equal distances.
    """
    named = list(dict.fromkeys(value.casefold() for value in values))
    if not 0 < len(named) <= FEW_VALUES:
        return ()
    for ladder in words("ladders").values():
        steps = [step.split() for step in ladder]
        places = [next((at for at, step in enumerate(steps) if _plain(word) in step), None) for word in named]
        known = [place for place in places if place is not None]
        if len(known) < len(named):
            continue
        missing = {0, len(steps) - 1} - set(known)  # a file in which nothing failed names no word for it
        rungs = [(place, word) for place, word in zip(known, named, strict=True)]
        rungs += [(place, next(one for one in steps[place] if one not in named)) for place in missing]
        last = len(steps) - 1
        return tuple(
            LevelGuess(word, round(USUAL_SCALE.highest * (last - place) / last, 2)) for place, word in sorted(rungs)
        )
    return ()


def levels_of_scale(scale: Scale) -> tuple[LevelGuess, ...]:
    """Three levels over a scale, for items that a status or a judge gives one."""
    middle = (scale.lowest + scale.highest) / 2
    return tuple(
        LevelGuess(name, points, name)
        for name, points in zip(_LEVELS, (scale.highest, middle, scale.lowest), strict=True)
    )


def passing(scale: Scale, *, are_whole: bool) -> float:
    """Points at which an item passes: 60 % of the scale, rounded up where all points are whole numbers."""
    points = scale.lowest + _PASS_SHARE * (scale.highest - scale.lowest)
    return float(math.ceil(round(points, 6))) if are_whole else round(points, 2)


def bands_of(scale: Scale, edges: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Upper ends of bands, ascending, and the points of each band and of what is beyond, from the highest down.

    A scale of few whole points has a band for each, and so fewer of the edges, of which the last one stays.
    """
    width = scale.highest - scale.lowest
    if width == int(width) and _FEWEST <= width < len(edges):
        edges = (*edges[: int(width) - 1], edges[-1])
    steps = len(edges)
    return tuple(edges), tuple(round(scale.highest - width * step / steps, 4) for step in range(steps + 1))


def _plain(word: str) -> str:
    return "_".join(word.replace("-", " ").replace("_", " ").split())
