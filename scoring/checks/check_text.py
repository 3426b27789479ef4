"""Checks written as lines of prose in the expected result, by the patterns that a document declares.

What a check then finds is decided by `scoring.checks.checks`.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from scoring.checks.checks import ANY, NONE, Amount, Check
from scoring.checks.marked import GUARDED, LINE_BREAK, UNLIMITED, check_of
from scoring.rubric import CheckRule, TextPattern, compiled_pattern
from scoring.text import CellMemo, normalise

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
