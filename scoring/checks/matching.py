"""Does an answer match the expected one (docs/scoring.md#match)? For files with an expected value and no score.

Texts are compared after NFC, without case, with white space collapsed and without punctuation at the ends; strictly, as
they are written.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal

from scoring.json_values import exact_number, open_json
from scoring.rubric import MatchRule
from scoring.text import normalise

Match = Callable[[str, str], float | None]  # answer, expected -> 0 to 1; None where the expected value cannot be read

_ENDS = " \t\n\r.,:;!?'\"`*_()[]{}<>。、，：；！？“”‘’「」『』《》…"
_NUMBER = re.compile(r"[-+]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15})(?:\.[0-9]{1,15})?(?:[eE][-+]?[0-9]{1,3})?")
# `B`, `(B)`, `B.`, `B) text`, and behind `Answer:`; the word before it says which letter is meant.
_CHOICE = re.compile(r"[(\[]?([A-Za-z가-힣]|[0-9]{1,2})[)\].:,]?(?:\s.*)?", re.DOTALL)
_ALONE = re.compile(r"[(\[]?([A-Za-z가-힣]|[0-9]{1,2})[)\]]?[.:]?")
_NAMED = re.compile(
    r"(?:answer|choice|option|정답|답|선택)\s*(?:is|:|=|：|은|는)?\s*(?:is\s+)?[(\[*]*([A-Za-z]|[0-9]{1,2})(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_MOST_TOKENS = 20_000  # of a text whose words are compared


def matcher(rule: MatchRule) -> Match:
    """The comparison that a document asks for."""
    match = _MATCHES[rule.kind]
    return lambda answer, expected: match(answer, expected, rule)


def plain(text: str, rule: MatchRule) -> str:
    """The form in which texts are compared."""
    text = normalise(text)
    return text if rule.strict else " ".join(text.casefold().split()).strip(_ENDS)


def _exact(answer: str, expected: str, rule: MatchRule) -> float:
    return float(plain(answer, rule) == plain(expected, rule))


def _includes(answer: str, expected: str, rule: MatchRule) -> float | None:
    wanted = plain(expected, rule)
    return float(wanted in plain(answer, rule)) if wanted else None


def _number(answer: str, expected: str, rule: MatchRule) -> float | None:
    wanted, found = exact_number(expected.replace(",", "").strip()), _last_number(answer)
    if wanted is None:
        return None
    return float(found is not None and abs(found - wanted) <= Decimal(repr(rule.tolerance)))


def _last_number(text: str) -> Decimal | None:
    """The number that a text is, or the last one in it."""
    found = _NUMBER.findall(text)
    return exact_number(found[-1].replace(",", "")) if found else None


def _choice(answer: str, expected: str, _: MatchRule) -> float | None:
    wanted = choice_in(expected)
    return None if wanted is None else float(choice_in(answer) == wanted)


def choice_in(text: str) -> str | None:
    """The choice that a text names: alone, first with a sign behind it, or behind `Answer:`; None without one."""
    text = normalise(text).strip(" \t\n*_`\"'")
    if found := _ALONE.fullmatch(text):
        return found[1].casefold()
    if named := _NAMED.findall(text):
        return str(named[-1]).casefold()
    found = _CHOICE.fullmatch(text)
    is_told = found is not None and text[found.end(1) : found.end(1) + 1] in {")", "]", ".", ":", ","}
    return found[1].casefold() if found is not None and is_told else None


def _one_of(answer: str, expected: str, rule: MatchRule) -> float | None:
    opened = open_json(expected) if expected.lstrip().startswith("[") else None
    listed = opened if isinstance(opened, list) else re.split(r"\n|\s\|\s", expected)
    wanted = {plain(str(one), rule) for one in listed} - {""}
    return float(plain(answer, rule) in wanted) if wanted else None


def _f1(answer: str, expected: str, rule: MatchRule) -> float | None:
    """Of the words that both have, each as often as both have it."""
    given, wanted = (Counter(_WORD.findall(plain(text, rule))[:_MOST_TOKENS]) for text in (answer, expected))
    if not wanted:
        return None
    common = (given & wanted).total()
    return 2 * common / (given.total() + wanted.total())


def _json(answer: str, expected: str, _: MatchRule) -> float | None:
    wanted = _opened(expected)
    return None if wanted is None else float(_opened(answer) == wanted)


def _opened(text: str) -> str | None:
    """A JSON value in one spelling, also one inside a block of code; None for anything else."""
    text = text.strip()
    if text.startswith("```"):
        text = text.partition("\n")[2].rpartition("```")[0]
    value = open_json(text)
    return None if value is None else json.dumps(value, sort_keys=True)


_MATCHES: Mapping[str, Callable[[str, str, MatchRule], float | None]] = {
    "exact": _exact,
    "includes": _includes,
    "number": _number,
    "choice": _choice,
    "one of": _one_of,
    "f1": _f1,
    "json": _json,
}
