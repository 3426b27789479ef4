"""What differs between two answers, word by word, at a bounded cost."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from typing import NamedTuple

MAX_WORDS = 400  # of an answer; longer ones are compared as far
_MOST_PAIRS = 20_000  # of equal words on both sides: the cost of a step of the search
_WORDS = re.compile(r"\S+\s*|\s+")


class Piece(NamedTuple):
    """A piece of a text, and whether the other text lacks it."""

    text: str
    is_changed: bool


class Sides(NamedTuple):
    """Both texts in pieces; joined, the pieces of a side are its text."""

    before: tuple[Piece, ...]
    after: tuple[Piece, ...]


def differing_words(before: str, after: str) -> Sides:
    """The two texts with the words that differ.

    Where a word recurs so often that the search would take long, all between the common start and end counts as
    changed; so does what lies beyond MAX_WORDS.
    """
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    inner_old, inner_new = old[start : len(old) - end], new[start : len(new) - end]
    old_flags, new_flags = _changed(inner_old, inner_new)
    return Sides(_pieces(old, start, old_flags), _pieces(new, start, new_flags))


def _common(old: list[str], new: list[str]) -> int:
    """Number of words that both start with."""
    for at, (one, other) in enumerate(zip(old, new, strict=False)):
        if one.split() != other.split():
            return at
    return min(len(old), len(new))


def _changed(old: list[str], new: list[str]) -> tuple[list[bool], list[bool]]:
    """Of each word whether the other side lacks it."""
    flags = [True] * len(old), [True] * len(new)
    one, other = [word.strip() for word in old[:MAX_WORDS]], [word.strip() for word in new[:MAX_WORDS]]
    numbers = Counter(other)
    if sum(times * numbers[word] for word, times in Counter(one).items()) > _MOST_PAIRS:
        return flags
    for found in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks():
        flags[0][found.a : found.a + found.size] = [False] * found.size
        flags[1][found.b : found.b + found.size] = [False] * found.size
    return flags


def _pieces(words: list[str], start: int, changed: list[bool]) -> tuple[Piece, ...]:
    """The words, neighbours of one kind together."""
    flags = [False] * start + changed
    flags += [False] * (len(words) - len(flags))
    pieces: list[tuple[list[str], bool]] = []
    for word, is_changed in zip(words, flags, strict=True):
        if pieces and pieces[-1][1] is is_changed:
            pieces[-1][0].append(word)
        else:
            pieces.append(([word], is_changed))
    return tuple([Piece("".join(group), is_changed) for group, is_changed in pieces])
