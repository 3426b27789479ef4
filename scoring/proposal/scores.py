"""The column that says how good the answers are, and its scale or the points of its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scoring.proposal.columns import Assigned, candidates, title_of
from scoring.proposal.facts import Facts
from scoring.proposal.model import Answers, Choice, LevelGuess, Question, Scale, ScoreKind
from scoring.proposal.scales import WORD_SCALE, is_sure, levels_of_scale, levels_of_words, passing, scales_of

NONE = "-"  # the option that takes no column


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
        return Score(ScoreKind.NONE, WORD_SCALE, (), passing(WORD_SCALE, are_whole=True), tuple(choices))
    if "llm_score" not in assigned:
        levels = levels_of_words(chosen.facts.values)
        return Score(ScoreKind.WORD, WORD_SCALE, levels, passing(WORD_SCALE, are_whole=True), tuple(choices))
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
