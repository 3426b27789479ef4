"""Reads a rule of a gate. Any text gives a rule or a RuleError with a column (docs/gate.md).

The text is split into words, numbers, operators and quoted texts first, each with its column.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from scoring.gate.rules import (
    ANSWERED_RATE,
    COUNTS,
    EVERYTHING,
    FAILING,
    FAILING_EXCEPT_KNOWN,
    LATENCY,
    MEASURE_STATISTICS,
    PASS_RATE,
    SHARES,
    SHARES_OF_PEOPLE,
    STATISTICS,
    EveryQuery,
    Limit,
    NotWorse,
    Operator,
    Rule,
    Scope,
    Unit,
    Value,
    is_of_the_set,
    reviewed_scales,
)
from scoring.rubric import SCORE_OF_ANY_KEY, group_key, is_measure, is_score, normalise_header
from scoring.text import is_blank, normalise

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
_TRACK, _CATEGORY, _SLICE = "track", "category", "slice"
_SCOPES = (_TRACK, _CATEGORY, _SLICE)
_UNASSIGNED = ("unassigned", "미지정")  # items of no track or category
_SPELLINGS = {"==": Operator.EQUAL, "≥": Operator.AT_LEAST, "≤": Operator.AT_MOST}
_OPERATORS = tuple(str(operator) for operator in Operator)
_WITHOUT = ("not", "worse", "than", "baseline")
_FAILING = tuple(FAILING.split())
_LARGEST = 1e9  # a number of a rule
_LARGEST_MEASURED = 1e18  # of a measure: its sum over many items
_MINUS = "-"


class TokenKind(StrEnum):
    """What a token is. END: the end of the rule, where something was still expected."""

    NUMBER = "number"
    OPERATOR = "operator"
    WORD = "word"
    TEXT = "text"
    MARK = "mark"
    END = "end"


class Token(NamedTuple):
    """column: of its first character, from 1. text: as written; of a quoted text what is between the quotes."""

    kind: TokenKind
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
        kind = TokenKind(match.lastgroup)
        found.append(Token(kind, match[0][1:-1] if kind is TokenKind.TEXT else match[0], at + 1))
        at = match.end()
    found.append(Token(TokenKind.END, "", len(text) + 1))
    return found


def parse_rule(text: str, scales: Mapping[str, float], measures: Sequence[str] = ()) -> Rule:
    """The rule that a text says. scales: names of the metrics that it may name, each with its highest value.

    measures: names of the measures that it may name (`measure.cost`). Raises RuleError.
    """
    return _Reader(text, scales, measures).rule()


class _Reader:
    """Reads the tokens of one rule from left to right."""

    def __init__(self, text: str, scales: Mapping[str, float], measures: Sequence[str]) -> None:
        self._text = text.strip()
        self._tokens = tokens(text)
        self._at = 0
        self._scales = {**scales, **reviewed_scales(scales)}
        self._compared = (*scales, *measures, PASS_RATE, ANSWERED_RATE)
        self._values = (*scales, *SHARES, *COUNTS, *measures, *SHARES_OF_PEOPLE, *reviewed_scales(scales))

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def rule(self) -> Rule:
        scope_at = self._next
        scope = self._scope()
        if self._is_word("every"):
            rule: Rule = self._every_query(scope)
        elif self._is_word("not"):
            rule = self._not_worse(scope, "", Unit.POINTS)
        else:
            at = self._next
            value = self._value(scope)
            if scope != EVERYTHING and is_of_the_set(value.name):
                raise RuleError("whole-set", scope_at.column, scope_at.text, facts={"name": value.name})
            if self._is_word("not"):
                if value.name not in self._compared and not is_score(value.name):
                    raise self._unknown(at, self._compared)
                rule = self._not_worse(scope, value.name, value.unit)
            else:
                rule = self._limit(scope, value)
        if self._next.kind is not TokenKind.END:
            raise self._unexpected("#end")
        counts_queries = isinstance(rule, Limit) and rule.value.name in {FAILING, FAILING_EXCEPT_KNOWN}
        if scope.kind == _SLICE and (counts_queries or isinstance(rule, EveryQuery)):
            raise RuleError("slice-limit", scope_at.column, scope_at.text)
        return rule

    def _scope(self) -> Scope:
        """`track 3:`, `track easy:`, `track "very hard":`, `category "x":`, `slice language "en":` or nothing."""
        word = self._next.text.lower()
        if self._next.kind is not TokenKind.WORD or word not in _SCOPES:
            return EVERYTHING
        self._at += 1
        if word == _SLICE:
            token = self._next
            kind = TokenKind.TEXT if token.kind is TokenKind.TEXT else TokenKind.WORD
            column = normalise_header(self._group(kind, "#text"))
            if self._is_unassigned():
                self._at += 1
                scope = Scope(_SLICE, "", column)
            else:
                scope = Scope(_SLICE, self._group(TokenKind.TEXT, "#text", _UNASSIGNED[0]), column)
        elif word == _TRACK:
            token = self._next
            if self._is_unassigned():
                self._at += 1
                scope = Scope(_TRACK, group_key(None))
            elif token.kind in {TokenKind.WORD, TokenKind.TEXT}:
                scope = Scope(_TRACK, group_key(self._group(token.kind)))
            else:
                scope = Scope(_TRACK, group_key(self._whole_number("#track", _UNASSIGNED[0])))
        elif self._is_unassigned():
            self._at += 1
            scope = Scope(_CATEGORY, "")
        else:
            scope = Scope(_CATEGORY, self._group(TokenKind.TEXT, "#text", _UNASSIGNED[0]))
        if self._next.text != ":":
            raise self._unexpected(":")
        self._at += 1
        return scope

    def _is_unassigned(self) -> bool:
        return self._next.kind is TokenKind.WORD and self._next.text.lower() in _UNASSIGNED

    def _group(self, kind: TokenKind, *fits: str) -> str:
        """The name of a track or category. A blank one is a slip: items of none are `unassigned`."""
        token = self._take(kind, *fits)
        name = normalise(token.text)
        if is_blank(name):
            raise RuleError("nameless", token.column, token.text, fits=(_UNASSIGNED[0],))
        return name

    def _value(self, scope: Scope) -> Value:
        names = self._values
        starts = (_FAILING[0], "every", "not", *(_SCOPES if scope == EVERYTHING else ()))
        token = self._next
        if token.kind is not TokenKind.WORD:
            raise self._unexpected(*names, *starts)
        name = token.text.lower()
        if name == _FAILING[0]:
            for word in _FAILING:
                self._word(word)
            return Value(FAILING_EXCEPT_KNOWN if self._excepts_known() else FAILING, Unit.COUNT)
        if name not in names and not (is_measure(name) and SCORE_OF_ANY_KEY in names):
            raise self._unknown(token, (*names, *starts))
        self._at += 1
        if is_measure(name):
            return self._statistic(name, Unit.MEASURE, MEASURE_STATISTICS) or Value(name, Unit.MEASURE)
        if name.partition(".")[0] == LATENCY and (value := self._statistic(name, Unit.SECONDS, STATISTICS)):
            return value
        unit = Unit.SHARE if name in (*SHARES, *SHARES_OF_PEOPLE) else Unit.COUNT if name in COUNTS else Unit.POINTS
        return Value(name, unit)

    def _statistic(self, name: str, unit: Unit, names: tuple[str, ...]) -> Value | None:
        """`latency p95`; None where no statistic follows."""
        token = self._next
        if token.kind is not TokenKind.WORD or token.text.lower() == _WITHOUT[0]:
            return None
        if token.text.lower() not in names:
            raise self._unknown(token, names)
        self._at += 1
        return Value(f"{name} {token.text.lower()}", unit)

    def _limit(self, scope: Scope, value: Value) -> Limit:
        if is_measure(value.name) and not is_score(value.name) and " " not in value.name:
            raise self._unexpected(*MEASURE_STATISTICS, _WITHOUT[0])
        operator = self._take(TokenKind.OPERATOR, *_OPERATORS)
        is_negative = value.unit is Unit.MEASURE and self._next.text == _MINUS
        self._at += is_negative
        limit = self._amount(value) * (-1 if is_negative else 1)
        spelled = _SPELLINGS.get(operator.text) or Operator(operator.text)
        return Limit(text=self._text, scope=scope, value=value, operator=spelled, limit=limit)

    def _amount(self, value: Value) -> float:
        """A number in the unit of the value. One that no value can reach is a slip, and refused."""
        token = self._take(TokenKind.NUMBER, "#number")
        number = self._number(token, _LARGEST_MEASURED if value.unit is Unit.MEASURE else _LARGEST)
        percent = self._next if self._next.text == "%" else None
        if percent is not None:
            self._at += 1
            if value.unit is not Unit.SHARE:
                raise RuleError("percent", percent.column, "%", facts={"name": value.name})
            number = float(f"{token.text}e-2")  # 85 / 100, rounded once
        if value.unit is Unit.SHARE and number > 1:
            raise RuleError("share", token.column, token.text, likely="" if percent else f"{token.text} %")
        top = self._scales.get(value.name)
        if value.unit is Unit.POINTS and top is not None and number > top:
            raise RuleError("scale", token.column, token.text, facts={"name": value.name, "top": f"{top:g}"})
        if value.unit is Unit.COUNT and not number.is_integer():
            raise RuleError("whole-number", token.column, token.text, fits=("#whole-number",))
        return number

    def _every_query(self, scope: Scope) -> EveryQuery:
        for word in ("every", "query", "passes"):
            self._word(word)
        operator = self._take(TokenKind.OPERATOR, str(Operator.AT_LEAST))
        if (_SPELLINGS.get(operator.text) or operator.text) != Operator.AT_LEAST:
            raise RuleError("expected", operator.column, operator.text, fits=(str(Operator.AT_LEAST),))
        at = self._next
        passes = self._whole_number("#whole-number")
        self._word("of")
        of = self._whole_number("#whole-number")
        if not 1 <= passes <= of:
            raise RuleError("k-of-n", at.column, at.text, facts={"passes": str(passes), "of": str(of)})
        known = self._excepts_known()
        return EveryQuery(text=self._text, scope=scope, passes=passes, of=of, except_known=known)

    def _excepts_known(self) -> bool:
        """`except known`, or nothing."""
        if not self._is_word("except"):
            return False
        self._at += 1
        self._word("known")
        return True

    def _not_worse(self, scope: Scope, name: str, unit: Unit) -> NotWorse:
        for word in _WITHOUT:
            self._word(word)
        margin = None
        if self._is_word("by"):
            self._at += 1
            margin = self._margin(Value(name, unit))
        return NotWorse(text=self._text, scope=scope, name=name, margin=margin)

    def _margin(self, value: Value) -> float:
        """A margin that nothing can exceed is a slip. Without a name it is about every metric that has points."""
        at = self._next
        margin = self._amount(value)
        tops = self._scales.values() if not value.name else ()
        if tops and margin > max(tops):
            raise RuleError("margin", at.column, at.text, facts={"top": f"{max(tops):g}"})
        return margin

    @staticmethod
    def _number(token: Token, largest: float = _LARGEST) -> float:
        number = float(token.text)
        if number > largest:
            raise RuleError("large", token.column, token.text, facts={"limit": f"{largest:,.0f}"})
        return number

    def _whole_number(self, *fits: str) -> int:
        token = self._take(TokenKind.NUMBER, *fits)
        number = self._number(token)
        if not number.is_integer():
            raise RuleError("whole-number", token.column, token.text, fits=("#whole-number",))
        return int(number)

    def _is_word(self, word: str) -> bool:
        return self._next.kind is TokenKind.WORD and self._next.text.lower() == word

    def _word(self, word: str) -> None:
        if not self._is_word(word):
            raise self._unexpected(word)
        self._at += 1

    def _take(self, kind: TokenKind, *fits: str) -> Token:
        token = self._next
        if token.kind is not kind:
            raise self._unexpected(*fits)
        self._at += 1
        return token

    def _unexpected(self, *fits: str) -> RuleError:
        token = self._next
        if token.text == _MINUS:
            return RuleError("character", token.column, token.text)
        return RuleError("expected", token.column, token.text, fits=fits, likely=_likely(token.text, fits))

    @staticmethod
    def _unknown(token: Token, names: tuple[str, ...]) -> RuleError:
        return RuleError("unknown", token.column, token.text, fits=names, likely=_likely(token.text, names))


def _likely(found: str, names: tuple[str, ...]) -> str:
    """The name that was most likely meant, "" when none is similar."""
    written = [name for name in names if not name.startswith("#")]
    close = difflib.get_close_matches(found.lower(), written, n=1, cutoff=0.6)
    return close[0] if close else ""
