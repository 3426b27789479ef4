"""The words of a name, and whether they are in a list of `texts/data/words.toml` (`ruled-out`)."""

import re
from collections.abc import Sequence
from functools import cache

from texts import words

_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[가-힣]+|[0-9]+")
_HANGUL = re.compile("[가-힣]")


def words_of(name: str) -> list[str]:
    """`answerScore_2` -> answer, score, 2; case counts for none of them."""
    return [piece.casefold() for piece in _PIECES.findall(name)]


def has_word(found: Sequence[str], kind: str) -> bool:
    """Is any of these words in the list? Hangul has no spaces in names: parts count."""
    listed = _listed(kind)
    return any(
        word in listed or (_HANGUL.match(word) is not None and any(len(one) > 1 and one in word for one in listed))
        for word in found
    )


def is_lower_better(found: Sequence[str]) -> bool:
    """Do the words of a name say that less is better: hallucination, toxicity, risk, and none that turns it round?"""
    return has_word(found, "lower") and not any(word in _listed("lower-undone") for word in found)


@cache
def _listed(kind: str) -> frozenset[str]:
    return frozenset(words("ruled-out")[kind])
