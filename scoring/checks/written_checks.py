"""Checks in the expected result: behind a marker (`@check title length >= 3`), and prose that a pattern reads.

Decides where a check starts and ends and what its key, operator and value are (docs/scoring.md#marked-checks). What it
then finds is decided by `scoring.checks.checks`.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import lru_cache, partial
from typing import Any, NamedTuple

from msgspec.structs import replace

from scoring.checks.checks import ANY, NONE, Amount, Check, Fault, ReadChecks, value_fault
from scoring.checks.operands import QUOTES, unquoted
from scoring.json_values import Path, parse_path
from scoring.rubric import (
    ON_CALLS,
    SIGNS,
    WITHOUT_VALUE,
    WORDS,
    CheckRule,
    Operator,
    TextPattern,
    compiled_pattern,
    head_between,
    nearest_among,
    with_operators_first,
    written_check,
)
from scoring.text import CellMemo, normalise

UNLIMITED = sys.maxsize
LINE_BREAK = re.compile(r"\r\n|\r|\n")
GUARDED = ("@\u200b", "@")  # as it comes when it was copied from a Markdown page that guards against mentions
_KEY = "{key}"

# A word at the start of a line, and behind it a key with a sign.
_WORD_BEFORE = re.compile(
    r"[\s*>-]*(?P<at>[@＠]?)[ \t]?(?P<word>\w+)[ \t]*[:：]?[ \t]+[\w.*\[\]]+[ \t]*(?:!=|[=＝<>≠≥≤])"
)
_LIKE_MARKER = frozenset({"체크", "확인", "검사", "검증", "assert", "verify", "expect", "test"})
_LEAST_LIKENESS = 0.7
_LONGEST_UNREAD = 200
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
        parts = [*_marked_parts(with_operators_first(line), rule.marker)]
        if not parts and (unread := _nearly_marked(line, rule.marker)) is not None and len(checks) < limit:
            checks.append(unread)
        for written in map(written_check, parts):
            if _key_of(written.head, written.text).startswith(tuple(rule.ignored)):
                ignored += 1
            elif len(checks) < limit:
                check = _marked_check(written.head, written.text, rule)
                checks.append(replace(check, called=normalise(written.called)) if written.called else check)
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
    head = head_between(line, start, stop)
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
        nearest = nearest_among(written)
        if nearest:
            return Check(name=normalise(written), operator=None, fault=Fault.NO_OPERATOR, nearest=nearest)
        return Check(name=normalise(written), operator=Operator.EQ, value="", fault=Fault.NO_EQUALS)
    key = (head["key"] or head["keyed"] or "").strip()
    value = unquoted(written[head.end() :].strip())
    if head["sign"]:
        operator = SIGNS[head["sign"]]
        if operator is Operator.EQ and key.endswith(rule.contains_suffix) and len(key) > len(rule.contains_suffix):
            key, operator = key.removesuffix(rule.contains_suffix), Operator.CONTAINS
    else:
        operator = WORDS[" ".join((head["call"] or head["amount"] or head["word"]).split())]
    check = check_of(key, operator, value, rule, is_negated=bool(head["negated"]))
    return replace(check, fault=Fault.WRONG_VALUE) if operator in WITHOUT_VALUE and value and not check.fault else check


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
    elif not value and operator not in WITHOUT_VALUE:
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


# Groups of a declared pattern that say how many UI items are asked for.
_ABSENT = "absent"
_COUNT = "count"
_BOUNDS: dict[str, Callable[[int], Amount]] = {
    "or_more": Amount,
    "more_than": lambda n: Amount(n + 1),
    "or_fewer": lambda n: Amount(0, n),
    "fewer_than": lambda n: Amount(0, max(n - 1, 0)),
}
_NUMERALS = {
    word: n for n, word in enumerate(("한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열"), 1)
}
_DIGITS = re.compile("[0-9]{1,6}")
# What turns a line around or asks for an amount: a line with such a word before its key is not read.
_UNEXPLAINED = compiled_pattern(
    r"(?i)없|않|아니|아닌|말아|말 ?것|금지|제외|불가|실패|오답|미포함|미존재|미노출"
    r"|(?:면|서는?) ?안 ?[되된돼]|지 ?(?:못|마|말)|≠|!="
    r"|(?:[0-9]|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|여러) ?(?:개|건|가지|종류|명)|하나(?:[^라]|라[^도]|$)|둘"
    r"|모두|모든|전부|각각|[가-힣]마다|또는|혹은|최소|최대|적어도|많아야|정확히|유일|이상|이하|초과|미만|(?:항목|것|값)만"
    r"|\b(?:not|none|never|without|cannot|all|every|each|only|exactly|at least|at most|more than|fewer|less)\b"
    r"|\bno\b(?:[^.]|$)|n['’]t\b"
)
_IS_UNEXPLAINED: CellMemo[bool] = CellMemo(lambda text: _UNEXPLAINED.search(text) is not None, limit=1_000)

# Ends of a line that say what they seem to say. A list of words that turn a line around would never be complete
# (`안 보이는가`, `빠져 있는가`), so a line with any other end is not read.
_MUST = "한다|합니다|함|해요|하는가|하는지"
_BE = rf"(?:는가|는지|다|습니다|음|나요|을 것|었는가|었는지|어야 (?:{_MUST}))"
_DO = rf"(?:하는가|하는지|한다|합니다|함|하나요|할 것|했는가|했는지|(?:해|하여)야 (?:{_MUST}))"
_DONE = (
    r"(?:되는가|되는지|된다|됩니다|됨|되나요|될 것|되었는가|되었는지|됐는가|됐는지"
    rf"|(?:되어|돼)야 (?:{_MUST})|(?:되어|돼) ?있{_BE})"
)
_SEEN = (
    rf"존재(?:{_DO})?|있{_BE}|(?:언급|포함|표시|노출|출력|반환|제공|생성|추가|설정)(?:{_DO}|{_DONE})"
    r"|나타(?:나는가|나는지|난다|납니다|남|나나요|났는가|났는지)|나오(?:는가|는지|나요)|나온다|나옵니다|나옴|나왔는가"
    rf"|보이(?:는가|는지|나요)|보인다|보입니다|보임|보였는가|(?:나타나|나와|보여)야 (?:{_MUST})"
)
_UNSEEN = (
    rf"없{_BE}|않(?:는가|은가|는지|은지|는다|습니다|음|나요|을 것|았는가|아야 (?:{_MUST}))"
    rf"|아닌(?:가|지)|아니(?:다|어야 (?:{_MUST}))|안 ?(?:된다|됩니다|됨|돼요?|되는가|되는지)"
)
_THING = "(?:화면 )?(?:항목|것|값|요소|버튼|링크|카드|메뉴|화면|목록|필드|노드|데이터|컴포넌트|UI)"
_ADVERB = "(?:하나라도|실제로|정상적으로|제대로|올바르게|잘|함께|(?:화면|목록|응답|결과|답변)에)"
_VERIFIED = f"(?:확인|검증|점검|체크)(?:{_DO})?"
_STOPS = " \t.?!…~,;:)*_`\"'”’。？！"
_ENDING = compiled_pattern(
    (
        rf"(?:인(?:가|지)|인 ?{_THING}(?:[이가은는을를도]|으로|로)?(?: {_ADVERB})* ?(?:{_SEEN}|맞{_BE}|{_VERIFIED})"
        rf"|{_SEEN}|{_UNSEEN})요?(?: ?여부)?[를을]?(?: ?{_VERIFIED})?$"
    )
    .replace(" ?", r"\s*")
    .replace(" ", r"\s+")
)
_ENDING_OF: CellMemo[Any] = CellMemo(_ENDING.search, limit=1_000)


class ReadText(NamedTuple):
    """checks, ignored, left_out: as in `ReadChecks`. unread: lines of prose that no declared pattern reads."""

    checks: tuple[Check, ...]
    ignored: int
    unread: tuple[str, ...]
    left_out: int = 0


def read_prose_checks(text: str, rule: CheckRule, *, limit: int = UNLIMITED) -> ReadText:
    """A check for each line that a declared pattern reads, the first pattern that does.

    Of more than `limit` the first ones count, and how many are left out is given.
    Lines with the marker are not looked at.
    """
    checks: list[Check] = []
    unread: list[str] = []
    ignored = left_out = 0
    for line in map(normalise, LINE_BREAK.split(text.replace(*GUARDED))):
        if not line or rule.marker in line:
            continue
        check = next(filter(None, (_prose_check(line, pattern, rule) for pattern in rule.patterns)), None)
        if check is None:
            unread.append(line)
        elif check.name.startswith(tuple(rule.ignored)):
            ignored += 1
        elif len(checks) < limit:
            checks.append(check)
        else:
            left_out += 1
    return ReadText(tuple(checks), ignored, tuple(unread), left_out)


def _prose_check(line: str, pattern: TextPattern, rule: CheckRule) -> Check | None:
    """The check that a pattern finds in a line; None also when the rest of the line may change what it says."""
    match = compiled_pattern(pattern.pattern).search(line)
    if match is None or _IS_UNEXPLAINED[line[: match.start()]] or not _reaches_end(line, match.end()):
        return None
    groups = {name: (text or "").strip() for name, text in match.groupdict().items()}
    key, value = pattern.key or groups.get("key", ""), pattern.value or groups.get("value", "")
    amount = _amount(groups)
    if amount is None:
        return None
    return check_of(key, pattern.operator, value, rule, amount=amount)


def _reaches_end(line: str, end: int) -> bool:
    """Does a match that ends at `end` read the line to its end, or into an ending that is known?"""
    line = line.rstrip(_STOPS)
    if len(line) <= end:
        return True
    ending = _ENDING_OF[line]
    return ending is not None and ending.start() < end


def _amount(groups: Mapping[str, str]) -> Amount | None:
    """How many UI items the groups of a pattern ask for; None for a count that is no number."""
    if groups.get(_ABSENT):
        return NONE
    written = groups.get(_COUNT, "")
    if not written:
        return ANY
    n = int(written) if _DIGITS.fullmatch(written) else _NUMERALS.get(written)
    if n is None:
        return None
    bound = next((bound for name, bound in _BOUNDS.items() if groups.get(name)), None)
    return bound(n) if bound is not None else Amount(n, n)
