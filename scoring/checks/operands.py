"""What operators compare with: the value of a check, read from JSON or from text (docs/scoring.md#check-operators).

A value that an operator can't take makes the check malformed. Numbers are exact decimals, as for `eq`.
"""

import json
import re
from collections.abc import Callable, Mapping
from decimal import ROUND_UP, Context, Decimal
from typing import NamedTuple

from scoring.checks.json_schema import Schema, read_schema
from scoring.json_values import as_text, exact_number
from scoring.rubric import ON_CALLS, WITHOUT_VALUE, Operator

_MAX_BRACKETS = 500  # of JSON in a text, so that it nests no deeper than a payload may
QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_SIGN = re.compile("(>=|<=|[>≥<≤=])(.*)", re.DOTALL)
_MOST_CALLS = re.compile(r"([0-9]{1,6})(?:\s+(\S{1,200}))?")
_RANGE = re.compile(r"\.\.|\sand\s")
_TOLERANCE = re.compile(r"±|\+-|\+/-")
_TOLERANCES = frozenset({"absolute", "relative"})
# Numbers have at most 400 digits, so that their sums and products are exact here; beyond that a tolerance never grows.
_EXACT = Context(prec=2_000, rounding=ROUND_UP, Emin=-999_999_999_999, Emax=999_999_999_999, traps=[])


class Bounds(NamedTuple):
    """An interval of numbers. low, high: None where it is open. takes_low, takes_high: does the edge belong to it?"""

    low: Decimal | None
    high: Decimal | None
    takes_low: bool = True
    takes_high: bool = True

    def hold(self, number: Decimal | int) -> bool:
        """Is the number in the interval?"""
        if self.low is not None and (number < self.low or (number == self.low and not self.takes_low)):
            return False
        return self.high is None or number < self.high or (number == self.high and self.takes_high)


class CallPattern(NamedTuple):
    """A tool call that is looked for. arguments: those that a call has to have, with equal values."""

    name: str
    arguments: dict[str, object]


class ArgumentCheck(NamedTuple):
    """A check in place of the value of an argument: `{"op": "contains", "value": "Seoul"}`."""

    operator: Operator
    value: object
    is_negated: bool


class MostCalls(NamedTuple):
    """So many calls at most, of any tool, or of the one of this name."""

    most: int
    name: str


Operand = Bounds | CallPattern | MostCalls | Schema | tuple[object, ...]


def read_operand(operator: Operator, value: object) -> Operand | None:
    """The value of a check as its operator takes it; None where it can't, and for operators that take any value."""
    reader = _READERS.get(operator)
    return None if reader is None else reader(value)


def takes(operator: Operator, value: object) -> bool:
    """Is this a value that the operator can take?"""
    return operator not in _READERS or read_operand(operator, value) is not None


def opened(value: object) -> object:
    """The list or object in a JSON text; the same value when it is no such text."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    if value.count("[") + value.count("{") > _MAX_BRACKETS:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def unquoted(text: str) -> str:
    """The text without one pair of quotation marks around it."""
    if len(text) > 1 and QUOTES.get(text[0]) == text[-1]:
        return text[1:-1].strip()
    return text


def _at_least(value: object) -> Bounds | None:
    number = exact_number(value)
    return None if number is None else Bounds(number, None)


def _above(value: object) -> Bounds | None:
    number = exact_number(value)
    return None if number is None else Bounds(number, None, takes_low=False)


def _at_most(value: object) -> Bounds | None:
    number = exact_number(value)
    return None if number is None else Bounds(None, number)


def _below(value: object) -> Bounds | None:
    number = exact_number(value)
    return None if number is None else Bounds(None, number, takes_high=False)


def _exactly(value: object) -> Bounds | None:
    number = exact_number(value)
    return None if number is None else Bounds(number, number)


_SIGNS: Mapping[str, Callable[[object], Bounds | None]] = {
    ">=": _at_least,
    "≥": _at_least,
    ">": _above,
    "<=": _at_most,
    "≤": _at_most,
    "<": _below,
    "=": _exactly,
}


def _between(value: object) -> Bounds | None:
    """`[1, 5]`, `1..5` or `1 and 5`, edges included."""
    value = opened(value)
    edges = _RANGE.split(value) if isinstance(value, str) else value
    if not isinstance(edges, list) or len(edges) != 2:
        return None
    low, high = map(exact_number, edges)
    return None if low is None or high is None or low > high else Bounds(low, high)


def _amount(value: object) -> Bounds | None:
    """A whole number, with a sign before it (`>= 2`) or as a range; nothing below 0."""
    signed = _SIGN.fullmatch(value.strip()) if isinstance(value, str) else None
    bounds = _SIGNS[signed[1]](signed[2]) if signed is not None else _exactly(value) or _between(value)
    if bounds is None or not all(edge is None or _is_amount(edge) for edge in (bounds.low, bounds.high)):
        return None
    return bounds


def _is_amount(number: Decimal) -> bool:
    return number >= 0 and number == number.to_integral_value()


def _near(value: object) -> Bounds | None:
    """`10 ± 0.5`, `10 ± 5%` or `{"value": 10, "absolute": 0.5, "relative": 0.05}`: within either, edges included."""
    value = opened(value)
    if isinstance(value, str):
        number, *written = map(str.strip, _TOLERANCE.split(value))
        if len(written) != 1:
            return None
        percent = written[0].removesuffix("%")
        tolerance = exact_number(percent)
        relative = tolerance is not None and percent != written[0]
        tolerances = (None, _EXACT.scaleb(tolerance, -2)) if relative and tolerance is not None else (tolerance, None)
        return _around(exact_number(number), *tolerances)
    if not isinstance(value, dict) or not {"value"} < value.keys() <= {"value"} | _TOLERANCES:
        return None
    given = {name: exact_number(value[name]) for name in _TOLERANCES & value.keys()}
    if None in given.values():
        return None
    return _around(exact_number(value["value"]), given.get("absolute"), given.get("relative"))


def _around(number: Decimal | None, absolute: Decimal | None, relative: Decimal | None) -> Bounds | None:
    tolerances = [one for one in (absolute, relative) if one is not None]
    if number is None or not tolerances or min(tolerances) < 0:
        return None
    share = _EXACT.multiply(abs(number), relative) if relative is not None else Decimal(0)
    tolerance = max(absolute or Decimal(0), share)
    return Bounds(_EXACT.subtract(number, tolerance), _EXACT.add(number, tolerance))


def _choices(value: object) -> tuple[object, ...] | None:
    """A list that is not empty; a text is divided at commas."""
    value = opened(value)
    if isinstance(value, str):
        value = [unquoted(part.strip()) for part in value.split(",") if part.strip()]
    return tuple(value) if isinstance(value, list) and value else None


def _texts(value: object) -> tuple[object, ...] | None:
    """Names of calls: a list of texts that are not empty; a text is divided at commas."""
    choices = _choices(value)
    is_named = choices is not None and all(isinstance(one, str) and one.strip() for one in choices)
    return tuple(map(as_text, choices)) if choices is not None and is_named else None


def _patterns(value: object) -> tuple[object, ...] | None:
    """A list of patterns; a text is one pattern, commas and all, unless it is a JSON list."""
    listed = opened(value)
    patterns = listed if isinstance(listed, list) else [value]
    is_written = all(isinstance(one, str) and one.strip() for one in patterns)
    return tuple(map(as_text, patterns)) if patterns and is_written else None


def _schema(value: object) -> Schema | None:
    return read_schema(opened(value))


def _call(value: object) -> CallPattern | None:
    """`{"name": "search", "arguments": {"city": "Seoul"}}` or `search {"city": "Seoul"}`."""
    if isinstance(value, str) and not value.lstrip().startswith("{"):
        name, brace, rest = value.partition("{")
        value = {"name": name.strip(), "arguments": opened(brace + rest)}
    value = opened(value)
    if not isinstance(value, dict) or value.keys() != {"name", "arguments"}:
        return None
    name, arguments = value["name"], opened(value["arguments"])
    if not isinstance(name, str) or not name.strip() or not isinstance(arguments, dict) or not arguments:
        return None
    checked = {key: _argument(one) for key, one in arguments.items()}
    return None if _MALFORMED in checked.values() else CallPattern(as_text(name), checked)


def _argument(value: object) -> object:
    """A value to be equal to, or a check of one, `_MALFORMED` where that cannot be read."""
    if not isinstance(value, dict) or "op" not in value:
        return value
    words = str(value["op"]).casefold().replace("_", " ").replace("-", " ").split()
    is_negated = words[:1] == ["not"]
    operator = _ON_VALUES.get(" ".join(words[is_negated:]))
    if operator is None or not value.keys() <= {"op", "value"}:
        return _MALFORMED
    is_fit = "value" in value and value["value"] is not None and takes(operator, value["value"])
    return (
        ArgumentCheck(operator, value.get("value"), is_negated) if is_fit or operator in WITHOUT_VALUE else _MALFORMED
    )


def _most(value: object) -> MostCalls | None:
    """`3`, `3 calls` or `3 search`."""
    found = _MOST_CALLS.fullmatch(as_text(value))
    return None if found is None else MostCalls(int(found[1]), "" if found[2] in {None, "call", "calls"} else found[2])


_MALFORMED = object()
_ON_VALUES = {operator.spelling: operator for operator in Operator if operator not in {*ON_CALLS, Operator.COUNT}}


_READERS: Mapping[Operator, Callable[[object], Operand | None]] = {
    Operator.GT: _above,
    Operator.GE: _at_least,
    Operator.LT: _below,
    Operator.LE: _at_most,
    Operator.BETWEEN: _between,
    Operator.APPROX: _near,
    Operator.LENGTH: _amount,
    Operator.COUNT: _amount,
    Operator.ONE_OF: _choices,
    Operator.MATCHES_ALL: _patterns,
    Operator.JSON_SCHEMA: _schema,
    Operator.CALLS: _texts,
    Operator.NEVER_CALLS: _texts,
    Operator.IN_ORDER: _texts,
    Operator.ARGUMENTS: _call,
    Operator.MOST_CALLS: _most,
}
