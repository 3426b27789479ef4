"""Checks behind a marker in the expected result: `@check key=value`, `@check title length >= 3`, `@check calls search`.

Decides where a check starts and ends and what its key, operator and value are (docs/scoring.md#marked-checks). What it
then finds is decided by `scoring.checks.checks`.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import lru_cache, partial

from msgspec.structs import replace

from scoring.checks.checks import ANY, Amount, Check, Fault, ReadChecks, nearest_operator, value_fault
from scoring.checks.operands import QUOTES, unquoted
from scoring.json_values import Path, parse_path
from scoring.rubric import ON_CALLS, CheckRule, Operator
from scoring.text import normalise

UNLIMITED = sys.maxsize
LINE_BREAK = re.compile(r"\r\n|\r|\n")
GUARDED = ("@\u200b", "@")  # as it comes when it was copied from a Markdown page that guards against mentions
_KEY = "{key}"

_SIGNS: Mapping[str, Operator] = {
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
_WORDS: Mapping[str, Operator] = {one.spelling: one for one in Operator if one is not Operator.IN}
_AMOUNTS = ("length", "count")  # whose value may start with a sign of its own


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(word.replace(" ", r"\s+") for word in sorted(words, key=len, reverse=True))


_ON_CALLS = _alternatives(word for word, operator in _WORDS.items() if operator in ON_CALLS)
_ON_KEYS = _alternatives(word for word, operator in _WORDS.items() if operator not in ON_CALLS and word not in _AMOUNTS)
_HEAD = re.compile(
    rf"""\s*(?P<negated>not\s+(?![=<>≠≥≤]|!=))?
    (?:(?P<call>{_ON_CALLS})\s+(?![=<>≠≥≤]|!=)
    |(?P<key>[^\s=<>≠≥≤]+)\s+(?:(?P<amount>{"|".join(_AMOUNTS)})(?:\s+|(?=[=<>≠≥≤])|$)
                              |(?P<word>{_ON_KEYS})(?:\s+|$)(?![=<>≠≥≤]|!=))
    |(?P<keyed>(?:(?!!=)[^=＝<>≠≥≤])*)(?P<sign>!==?|===?|<>|>=|<=|[=＝<>≠≥≤])\s*)""",
    re.VERBOSE,
)
# A word at the start of a line, and behind it a key with a sign.
_WORD_BEFORE = re.compile(
    r"[\s*>-]*(?P<at>[@＠]?)[ \t]?(?P<word>\w+)[ \t]*[:：]?[ \t]+[\w.*\[\]]+[ \t]*(?:!=|[=＝<>≠≥≤])"
)
_LIKE_MARKER = frozenset({"체크", "확인", "검사", "검증", "assert", "verify", "expect", "test"})
_LEAST_LIKENESS = 0.7
_LONGEST_UNREAD = 200
# A key, a word in place of an operator, perhaps of several words, and a value.
_WORD_AMONG = re.compile(r"\s*(?:not\s+)?(?P<key>[\w.*\[\]]+)\s+(?P<rest>\S+(?:\s+\S+){1,40})")
_MOST_WORDS = 3  # of an operator
_DECODER = json.JSONDecoder()
_TOOL = re.compile(r"[^\s{]*\s*")  # the name of a tool before its arguments


def read_marked_checks(text: str, rule: CheckRule, *, limit: int = UNLIMITED) -> ReadChecks:
    """Every check behind the marker, in order; of more than `limit` the first ones, and how many are left out.

    Checks end at a line break, at `;` or at the next marker. Behind `;` the marker may be left out; what stands
    before the first marker of a line is prose. One pair of quotes around a value is taken off, and what is inside
    belongs to the value, as does a list or an object in JSON.
    """
    checks: list[Check] = []
    ignored = left_out = 0
    text = text.replace(*GUARDED)
    if "@" in text or "＠" in text:
        text = _other_markers(rule.marker).sub(partial(_as_marker, marker=rule.marker), text)
    for line in LINE_BREAK.split(text):
        parts = [*_marked_parts(line, rule.marker)]
        if not parts and (unread := _nearly_marked(line, rule.marker)) is not None and len(checks) < limit:
            checks.append(unread)
        for written in parts:
            head = _HEAD.match(written)
            if _key_of(head, written).startswith(tuple(rule.ignored)):
                ignored += 1
            elif len(checks) < limit:
                checks.append(_marked_check(head, written, rule))
            else:
                left_out += 1
    return ReadChecks(tuple(checks), ignored, left_out)


@lru_cache(maxsize=16)
def _other_markers(marker: str) -> re.Pattern[str]:
    """The marker as phones and spreadsheets make it: in any case, with a full-width sign, a space or a colon."""
    name = re.escape(marker.lstrip("@"))
    return re.compile(rf"(?<![\w.@＠])[@＠][ \t]?{name}s?(?:[ \t]*[:：]|(?![\w-]))[ \t]*", re.IGNORECASE)


def _as_marker(found: re.Match[str], *, marker: str) -> str:
    return found[0] if found[0].rstrip() == marker else f"{marker} "


def _nearly_marked(line: str, marker: str) -> Check | None:
    """The line as a check that does not count, if it starts with what may be meant as the marker."""
    found = _WORD_BEFORE.match(line)
    if found is None:
        return None
    word, name = found["word"].casefold(), marker.lstrip("@").casefold()
    is_near = word == name or (bool(found["at"]) and (word in _LIKE_MARKER or _is_like(word, name)))
    if not is_near:
        return None
    written = normalise(line)
    return Check(name=written[:_LONGEST_UNREAD], operator=None, fault=Fault.NO_OPERATOR, nearest=marker)


def _is_like(word: str, name: str) -> bool:
    return len(word) <= _LONGEST_UNREAD and SequenceMatcher(None, word, name).ratio() >= _LEAST_LIKENESS


def _marked_parts(line: str, marker: str) -> Iterator[str]:
    """Texts of the checks of a line, quotes still on. A marker with nothing behind it is an empty text."""
    places = _Places(line)
    start = places.of(marker, 0)
    while start < len(line):
        position = start + len(marker)
        is_first = True
        while True:
            end = _end_of_check(line, places, position, marker)
            written = line[position:end].strip()
            if written or is_first:
                yield written
            is_first = False
            if not line.startswith(";", end):
                break
            position = end + 1
        start = end


class _Places:
    """Where signs stand in a line, asked for from left to right: each sign's search goes over the line once."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._next: dict[str, int] = {}

    def of(self, sign: str, start: int) -> int:
        """The first place at `start` or behind it, the end of the line when there is none. Never asks back."""
        found = self._next.get(sign, -1)
        if found < start:
            found = self._line.find(sign, start)
            found = self._next[sign] = found if found >= 0 else len(self._line)
        return found


def _end_of_check(line: str, places: _Places, start: int, marker: str) -> int:
    """Where the check ends that starts at `start`: at `;`, at a marker or at the end of the line."""
    stop = min(places.of(";", start), places.of(marker, start))
    end = _end_of_value(line, places, start, stop)
    return stop if end <= stop else min(places.of(";", end), places.of(marker, end))


def _end_of_value(line: str, places: _Places, start: int, stop: int) -> int:
    """Where a value in quotes or in JSON ends, which may have a `;` inside; `start` for any other."""
    head = _HEAD.match(line, start, stop)
    if head is None:
        return start
    value = head.end()
    if head["call"]:
        tool = _TOOL.match(line, value, stop)
        value = tool.end() if tool is not None and line.startswith("{", tool.end()) else value
    sign = line[value : value + 1]
    if sign in {"{", "["}:
        try:
            return _DECODER.raw_decode(line, value)[1]
        except (ValueError, RecursionError):
            return start
    closing = QUOTES.get(sign)
    closed = places.of(closing, value + 1) if closing is not None else len(line)
    return closed + 1 if closed < len(line) else start


def _key_of(head: re.Match[str] | None, written: str) -> str:
    """The key of a check, with what is behind it; "" for a check on tool calls."""
    if head is None:
        return written
    return "" if head["call"] else written[head.end("negated") if head["negated"] else 0 :].lstrip()


def _marked_check(head: re.Match[str] | None, written: str, rule: CheckRule) -> Check:
    if head is None:
        nearest = _nearest_among(written)
        if nearest:
            return Check(name=normalise(written), operator=None, fault=Fault.NO_OPERATOR, nearest=nearest)
        return Check(name=normalise(written), operator=Operator.EQ, value="", fault=Fault.NO_EQUALS)
    key = (head["key"] or head["keyed"] or "").strip()
    value = unquoted(written[head.end() :].strip())
    if head["sign"]:
        operator = _SIGNS[head["sign"]]
        if operator is Operator.EQ and key.endswith(rule.contains_suffix) and len(key) > len(rule.contains_suffix):
            key, operator = key.removesuffix(rule.contains_suffix), Operator.CONTAINS
    else:
        operator = _WORDS[" ".join((head["call"] or head["amount"] or head["word"]).split())]
    check = check_of(key, operator, value, rule, is_negated=bool(head["negated"]))
    return (
        replace(check, fault=Fault.WRONG_VALUE) if operator is Operator.EXISTS and value and not check.fault else check
    )


def _nearest_among(written: str) -> str:
    """The operator that words behind the key probably mean, where there is one and a value; "" otherwise."""
    found = _WORD_AMONG.match(written)
    words = found["rest"].split()[: _MOST_WORDS + 1] if found is not None else []
    near = (nearest_operator(" ".join(words[:n])) for n in range(min(_MOST_WORDS, len(words) - 1), 0, -1))
    return next(filter(None, near), "")


def check_of(
    key: str, operator: Operator, value: str, rule: CheckRule, *, amount: Amount = ANY, is_negated: bool = False
) -> Check:
    """A check whose key is looked up where the document says; its value is written as text."""
    key, value = normalise(key), normalise(value)
    is_on_calls = operator in ON_CALLS
    paths = _paths_of(key, rule.lookup) if key else ()
    fault = ""
    if not key and not is_on_calls:
        fault = Fault.NO_KEY
    elif not value and operator is not Operator.EXISTS:
        fault = Fault.NO_VALUE
    elif not paths and not is_on_calls:
        fault = Fault.NO_KEY
    elif value:
        fault = value_fault(operator, value, has_calls=rule.calls is not None)
    return Check(
        name=key,
        operator=operator,
        value=value,
        paths=() if fault else paths,
        fault=fault,
        amount=amount,
        is_negated=is_negated,
    )


@lru_cache(maxsize=4096)
def _paths_of(key: str, lookup: tuple[str, ...]) -> tuple[Path, ...]:
    paths = [parse_path(template.replace(_KEY, key)) for template in lookup]
    return tuple(path for path in paths if path is not None)
