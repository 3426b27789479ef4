"""Tracks that are words: their order, from easy to hard where the words tell it."""

from __future__ import annotations

from scoring.items.rounds_and_tracks import read_track
from scoring.proposal.facts import Facts
from scoring.text import normalise

_LONGEST = 80  # characters of a track
_STEPS = (
    "easy simple basic beginner low trivial 쉬움 쉬운 하 초급 기초 낮음 기본",
    "medium moderate intermediate normal mid middle 보통 중 중급 중간",
    "hard difficult complex advanced high 어려움 어려운 상 고급 높음 심화 복합",
    "very_hard expert extreme 매우어려움 최상 최고급",
)


def names_of_tracks(facts: Facts) -> tuple[str, ...]:
    """The words of a column of tracks in their order; () where the tracks are numbers, or no document can name one.

    Words without a known order stay in the order in which they come.
    """
    spelled = {name.casefold(): name for name in reversed(list(map(normalise, facts.values)))}
    names = tuple(name for name in dict.fromkeys(map(normalise, facts.values)) if name in spelled.values())
    if all(read_track(name) is not None for name in names) or not all(map(_is_nameable, names)):
        return ()
    steps = [_step(name) for name in names]
    known = [step for step in steps if step is not None]
    if len(known) < len(names):
        return names
    return tuple(name for _, name in sorted(zip(known, names, strict=True), key=lambda pair: pair[0]))


def _is_nameable(name: str) -> bool:
    return name.isprintable() and len(name) <= _LONGEST


def _step(name: str) -> int | None:
    plain = "_".join(name.casefold().replace("-", " ").split())
    return next((at for at, words in enumerate(_STEPS) if plain in words.split()), None)
