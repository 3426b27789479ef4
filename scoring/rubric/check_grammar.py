"""How checks are written as text: the head of one, names of operators, and which of them a spelling probably means.

`scoring.checks.written_checks` makes checks of it (docs/scoring.md#marked-checks); a document whose own checks are
written otherwise is refused.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

from scoring.rubric.rules import ON_CALLS, Operator
from scoring.rubric.written import Fault
from texts import words

# Operators by their signs, and by their words.
SIGNS: Mapping[str, Operator] = {
    "=": Operator.EQ,
    "==": Operator.EQ,
    "===": Operator.EQ,
    "＝": Operator.EQ,
    "!=": Operator.NE,
    "!==": Operator.NE,
    "<>": Operator.NE,
    "≠": Operator.NE,
    ">": Operator.GT,
    ">=": Operator.GE,
    "≥": Operator.GE,
    "<": Operator.LT,
    "<=": Operator.LE,
    "≤": Operator.LE,
}
# `in` wants a list, which `one of` reads from text too.
WORDS: Mapping[str, Operator] = {one.spelling: one for one in Operator if one is not Operator.IN}
_AMOUNTS = ("length", "count")  # whose value may start with a sign of its own


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(word.replace(" ", r"\s+") for word in sorted(words, key=len, reverse=True))


_ON_CALLS = _alternatives(word for word, operator in WORDS.items() if operator in ON_CALLS)
_ON_KEYS = _alternatives(word for word, operator in WORDS.items() if operator not in ON_CALLS and word not in _AMOUNTS)
_HEAD = re.compile(
    rf"""\s*(?P<negated>not\s+(?![=<>≠≥≤]|!=))?
    (?:(?P<call>{_ON_CALLS})\s+(?![=<>≠≥≤]|!=)
    |(?P<key>[^\s=<>≠≥≤]+)\s+(?:(?P<amount>{"|".join(_AMOUNTS)})(?:\s+|(?=[=<>≠≥≤])|$)
                              |(?P<word>{_ON_KEYS})(?:\s+|$)(?![=<>≠≥≤]|!=))
    |(?P<keyed>(?:(?!!=)[^=＝<>≠≥≤])*)(?P<sign>!==?|===?|<>|>=|<=|[=＝<>≠≥≤])\s*)""",
    re.VERBOSE,
)
# A key, a word in place of an operator, perhaps of several words, and a value.
_WORD_AMONG = re.compile(r"\s*(?:not\s+)?(?P<key>[\w.*\[\]]+)\s+(?P<rest>\S+(?:\s+\S+){1,40})")
_AT_MOST = re.compile(r"(?P<before>(?:^|[\s;]))at most (?P<n>[0-9]{1,6}) (?:(?P<tool>[\w.-]{1,200}) )?calls?\b")
_MOST_WORDS = 3  # of an operator
_OPERATORS = {operator.spelling: operator for operator in Operator}
NOT = "not"
_LONGEST_OPERATOR, _LEAST_LIKENESS = 40, 0.7
_MEANT = {spelling: operator for operator, spellings in words("operators").items() for spelling in spellings}
_NAMED = re.compile(r"\s*\[(?!\s*\")(?P<name>[^\[\]]{1,200})\]\s+(?=\S)")


class Written(NamedTuple):
    """A check as text. called: its name, "" for none. text: the rest. head: what is before its value, None without."""

    called: str
    text: str
    head: re.Match[str] | None


def written_check(text: str) -> Written:
    """The parts of a check: `[city] trip.city = Seoul`."""
    named = _NAMED.match(text)
    rest = text[named.end() :] if named is not None else text
    return Written(named["name"].strip() if named is not None else "", rest, _HEAD.match(rest))


def faults_of(checks: Iterable[str], path: tuple[str | int, ...]) -> Iterator[Fault]:
    """The checks of a document that have no operator that is known, with what is near. path: of their list."""
    for at, text in enumerate(checks):
        check = written_check(with_operators_first(text))
        if check.head is None:
            nearest = nearest_among(check.text) or ", ".join(WORDS)
            yield Fault("rubric-check-unknown", (*path, at), text, {"nearest": nearest})


def head_between(line: str, start: int, stop: int) -> re.Match[str] | None:
    """The head of the check in a part of a line, behind its name."""
    named = _NAMED.match(line, start, stop)
    return _HEAD.match(line, named.end() if named is not None else start, stop)


def with_operators_first(line: str) -> str:
    """The line with `at most 3 search calls` as a check whose operator comes first: `most calls 3 search`."""
    return _AT_MOST.sub(_most_calls, line) if "most" in line else line


def _most_calls(found: re.Match[str]) -> str:
    return f"{found['before']}most calls {found['n']} {found['tool'] or ''}".rstrip()


def nearest_among(written: str) -> str:
    """The operator that words behind the key probably mean, where there is one and a value; "" otherwise."""
    found = _WORD_AMONG.match(written)
    words = found["rest"].split()[: _MOST_WORDS + 1] if found is not None else []
    near = (nearest_operator(" ".join(words[:n])) for n in range(min(_MOST_WORDS, len(words) - 1), 0, -1))
    return next(filter(None, near), "")


def nearest_operator(written: str) -> str:
    """The operator that a spelling probably means, as people write it; "" where none is near."""
    folded = " ".join(written.casefold().replace("_", " ").replace("-", " ").split())
    joined = folded.replace(" ", "")
    if joined in _MEANT:
        return _MEANT[joined]
    if folded.startswith(f"{NOT} "):
        near = [nearest_operator(folded.removeprefix(NOT))]
        return f"{NOT} {near[0]}" if near[0] else ""
    near = get_close_matches(folded[:_LONGEST_OPERATOR], list(_OPERATORS), 1, _LEAST_LIKENESS)
    return near[0] if near else ""


def operator_of(written: object) -> tuple[Operator | None, bool]:
    """The operator of a name in any case, words divided by spaces, `-` or `_`, and whether `not` is before it.

    `not` alone is `not eq`.
    """
    if not isinstance(written, str):
        return None, False
    words = written.casefold().replace("_", " ").replace("-", " ").split()
    is_negated = words[:1] == [NOT]
    name = " ".join(words[is_negated:])
    return _OPERATORS.get(name or (Operator.EQ if is_negated else "")), is_negated
