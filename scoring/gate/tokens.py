"""Splits the text of a rule into words, numbers, operators and quoted texts, each with its column."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

MOST_CHARACTERS = 500  # of a rule
_TOKEN = re.compile(
    r"""(?P<number>[0-9]+(?:\.[0-9]+)?)
      | (?P<operator>>=|<=|==|>|<|=|≥|≤)
      | (?P<word>[^\W\d][\w.-]*)
      | (?P<text>"[^"]*"|'[^']*')
      | (?P<mark>[:%-])""",
    re.VERBOSE,
)
_QUOTES = "\"'"


class Kind(StrEnum):
    """What a token is. END: the end of the rule, where something was still expected."""

    NUMBER = "number"
    OPERATOR = "operator"
    WORD = "word"
    TEXT = "text"
    MARK = "mark"
    END = "end"


class Token(NamedTuple):
    """column: of its first character, from 1. text: as written; of a quoted text what is between the quotes."""

    kind: Kind
    text: str
    column: int


class RuleError(Exception):
    """A rule that cannot be read.

    code: what is wrong, a slug with a text of its own. column: from 1. found: what is written there, "" at the end.
    fits: what could be written there instead; one that starts with "#" names a kind of text ("#number").
    likely: the name that was most likely meant, "" when none is similar. facts: further values of the code's text.
    """

    def __init__(
        self,
        code: str,
        column: int,
        found: str = "",
        *,
        fits: tuple[str, ...] = (),
        likely: str = "",
        facts: dict[str, str] | None = None,
    ) -> None:
        super().__init__(code, column, found)
        self.code = code
        self.column = column
        self.found = found
        self.fits = fits
        self.likely = likely
        self.facts = facts or {}


def tokens(text: str) -> list[Token]:
    """The tokens of a rule, an END last. Raises RuleError for a character that starts no token."""
    if len(text) > MOST_CHARACTERS:
        raise RuleError("too-long", MOST_CHARACTERS + 1, facts={"limit": str(MOST_CHARACTERS)})
    found = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise RuleError("unclosed" if text[at] in _QUOTES else "character", at + 1, text[at])
        assert match.lastgroup is not None, "every alternative has a name"
        kind = Kind(match.lastgroup)
        found.append(Token(kind, match[0][1:-1] if kind is Kind.TEXT else match[0], at + 1))
        at = match.end()
    found.append(Token(Kind.END, "", len(text) + 1))
    return found
