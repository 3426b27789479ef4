"""The column that says how good the answers are, with its scale or points, and further numbers of a file.

Further numbers are no score and no time: tokens, cost, steps.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple

from msgspec.structs import replace

from scoring.proposal.columns import (
    Assigned,
    candidates,
    is_sure,
    levels_of_scale,
    levels_of_words,
    passing,
    scales_of,
    title_of,
)
from scoring.proposal.model import Answers, Choice, LevelGuess, MeasureGuess, Question, ScoreKind
from scoring.proposal.sample import Facts
from scoring.rubric import USUAL_SCALE, Scale, normalise_header

NONE = "-"  # the option that takes no column
MAX_MEASURES = 12
_LONGEST_NAME = 40
_LEAST_SHARE = 0.3  # of the rows that have one
_FEWEST_NUMBERS = 3  # different ones of a column whose name says nothing
_WON = re.compile("krw|원")
_USAGE = re.compile("(?:usage|tokens?)[^.]*[.]")  # above the name
_DOLLAR = re.compile("cost|price|usd|[$]|비용|요금")


class Score(NamedTuple):
    """How good answers are. passing: points from which on an item passes."""

    kind: ScoreKind
    scale: Scale
    levels: tuple[LevelGuess, ...]
    passing: float
    choices: tuple[Choice, ...]


def find_score(columns: Sequence[Facts], assigned: dict[str, Assigned], answers: Answers) -> Score:
    """The column that says how good answers are; of several a number goes before words."""
    taken = {one.facts.at for field, one in assigned.items() if field not in {"llm_score", "intent_verdict"}}
    named = [*candidates(columns, "llm_score"), *candidates(columns, "intent_verdict")]
    options = list(dict.fromkeys(title_of(facts.header) for _, facts, _ in named if facts.at not in taken))
    chosen = assigned.get("llm_score") or assigned.get("intent_verdict")
    choices: list[Choice] = []
    if chosen is not None and len(options) > 1:
        default = title_of(chosen.facts.header)
        choices.append(Choice(question=Question.SCORE, default=default, options=(*options, NONE)))
    if chosen is None:
        return Score(ScoreKind.NONE, USUAL_SCALE, (), passing(USUAL_SCALE, are_whole=True), tuple(choices))
    if "llm_score" not in assigned:
        levels = levels_of_words(chosen.facts.values)
        return Score(ScoreKind.WORD, USUAL_SCALE, levels, passing(USUAL_SCALE, are_whole=True), tuple(choices))
    assigned.pop("intent_verdict", None)
    scales = scales_of(chosen.facts)
    shown = tuple(map(show_scale, scales))
    if not is_sure(chosen.facts) and len(scales) > 1:
        choices.append(Choice(question=Question.SCALE, default=shown[0], options=shown))
    answer = answers.get(Question.SCALE, shown[0])
    scale = scales[shown.index(answer)] if answer in shown else scales[0]
    points = passing(scale, are_whole=chosen.facts.are_whole)
    return Score(ScoreKind.NUMBER, scale, levels_of_scale(scale), points, tuple(choices))


def show_scale(scale: Scale) -> str:
    """`1-5`."""
    return f"{scale.lowest:g}-{scale.highest:g}"


class _Kind(NamedTuple):
    """What a name says of its numbers. decimals: None for as many as they need."""

    pattern: re.Pattern[str]
    unit: str
    decimals: int | None


# By the name in the form in which headers are compared; the first that is found in it.
_KINDS = (
    _Kind(re.compile("token|토큰"), "tokens", 0),
    _Kind(_DOLLAR, "USD", 4),
    _Kind(
        re.compile(r"^(?:num|n|number(?:of)?)?(?:steps?|turns?|toolcalls?|calls|actions?)(?:count)?$|단계수|호출수"),
        "",
        0,
    ),
)


def find_measures(columns: Sequence[Facts], assigned: Mapping[str, Assigned]) -> tuple[MeasureGuess, ...]:
    """Columns of numbers that no field has. Those whose name says nothing are doubtful.

    Further columns of scores are measures of which larger values are better.
    """
    taken = {one.facts.at for one in assigned.values()}
    scores = {facts.at for _, facts, _ in candidates(columns, "llm_score")}
    found: list[MeasureGuess] = []
    for facts in columns:
        if facts.at in taken or not facts.has_numbers or facts.share < _LEAST_SHARE or len(found) == MAX_MEASURES:
            continue
        kind = _kind(facts)
        is_score = kind is None and facts.at in scores
        if kind is None and not is_score and len(set(facts.numbers)) < _FEWEST_NUMBERS:
            continue
        found.append(
            MeasureGuess(
                name=_name(title_of(facts.header)),
                title=title_of(facts.header),
                unit="" if kind is None else kind.unit,
                decimals=None if kind is None or (kind.decimals == 0 and not facts.are_whole) else kind.decimals,
                is_better_higher=is_score,
                is_doubtful=kind is None and not is_score,
            )
        )
    return with_other_names(found)


def with_other_names(measures: Iterable[MeasureGuess]) -> tuple[MeasureGuess, ...]:
    """The measures, those with the name of an earlier one with a number behind it."""
    named: dict[str, MeasureGuess] = {}
    for one in measures:
        names = chain((one.name,), (f"{one.name}-{number}" for number in count(2)))
        name = next(name for name in names if name not in named)
        named[name] = replace(one, name=name)
    return tuple(named.values())


def _kind(facts: Facts) -> _Kind | None:
    name = normalise_header(facts.header.rpartition(".")[2])
    kind = next((one for one in _KINDS if one.pattern.search(name)), None)
    if kind is None and _USAGE.search(normalise_header(facts.header)):
        kind = _KINDS[0]
    return (
        kind._replace(unit="KRW", decimals=None)
        if kind is not None and kind.unit == "USD" and _WON.search(name)
        else kind
    )


def _name(title: str) -> str:
    """A name of lower case letters, digits and `-`."""
    last = title.rpartition(".")[2]
    divided = re.sub("([a-z])([A-Z])", r"\1-\2", last).casefold()
    return re.sub("[^a-z0-9]+", "-", divided).strip("-")[:_LONGEST_NAME].strip("-") or "measure"
