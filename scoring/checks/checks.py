"""Declared checks: does an answer show what was expected (docs/scoring.md#accuracy-by-checks)?

A check names a path into the payload, an operator and a value. `scoring.items.profile_rules` decides where checks come
from, `scoring.checks.written_checks` reads those that are written as text.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from scoring.checks.comparing import Budget, Call, TooManyComparisonsError, calls_pass, holder
from scoring.checks.json_schema import Schema
from scoring.checks.operands import Bounds, read_operand, takes
from scoring.json_values import EACH, Path, as_text, find_values, parse_path
from scoring.rubric import NOT, ON_CALLS, WITHOUT_VALUE, Operator, is_pattern, nearest_operator, operator_of

_MOST_EXPLAINED = 20  # failed checks of an answer that say what it has
_MAX_FOUND = 5  # values that one of them names
_MAX_LOOKED_AT = 100
_MAX_CHARS = 500
_MAX_WANTED = 100  # characters of what a rule of a schema asks for
_EXPLAINING_COSTS = 10  # so that it takes a small part of the time of comparing
LEAST_WEIGHT, MOST_WEIGHT = 1e-6, 1e6  # 1,000 of them (the most of an item) differ within the 53 bits of a float


class Fault:
    """Why a check is malformed."""

    NOT_AN_OBJECT = "not-an-object"
    NO_PATH = "no-path"
    NO_OPERATOR = "unknown"  # its check does not count
    NO_VALUE = "no-value"
    WRONG_VALUE = "wrong-value"
    SCHEMA = "schema"
    NO_CALLS = "no-calls"
    WEIGHT = "weight"
    NO_EQUALS = "no-equals"
    NO_KEY = "no-key"
    PATTERN = "pattern"


class Amount(NamedTuple):
    """How many UI items (or other places) have to hold the value: `least` or more, and at most `most`."""

    least: int
    most: int | None = None

    def __str__(self) -> str:
        if self == ANY:
            return ""
        if self.most is None:
            return f"≥{self.least}"
        return f"×{self.most}" if self.least == self.most else f"≤{self.most}"


ANY = Amount(1)
NONE = Amount(0, 0)


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One check. paths: where to look; it passes when any value at any of them does, or as many as `amount` says.

    name: the path or key as written. called: what reports name instead, "" for that. fault: a `Fault` of a malformed
    check, which fails; "" otherwise. weight: above 0, the exact value of its shortest decimal. is_negated: it passes
    when it otherwise would not. nearest: what was probably meant by a spelling that is not known.
    """

    name: str
    operator: Operator | None
    value: object = None
    paths: tuple[Path, ...] = ()
    weight: Fraction = Fraction(1)
    fault: str = ""
    amount: Amount = ANY
    is_negated: bool = False
    nearest: str = ""
    called: str = ""

    @property
    def shown(self) -> str:
        """What a report calls it."""
        return self.called or self.name

    @property
    def counts(self) -> bool:
        """Does it take part? One whose operator or marker is not known does not."""
        return self.fault != Fault.NO_OPERATOR

    @property
    def wants_value(self) -> bool:
        """Can it only pass where a value is found at one of its paths?"""
        is_plain = not self.fault and not self.is_negated and self.amount == ANY
        return is_plain and bool(self.paths) and self.operator is not Operator.COUNT

    @property
    def shown_operator(self) -> str:
        """The operator with what turns it around and the amount that it asks for: `not contains`, `eq ×0`."""
        name = self.operator.value if self.operator is not None else ""
        return f"{NOT if self.is_negated else ''} {name} {self.amount}".strip()


class Failure(NamedTuple):
    """A check that failed. operator: as `Check.shown_operator`. value: as text.

    fault: of a malformed check or of a pattern that RE2 can't take. found: what the answer has in its place, as text:
    the first values, of a list or object its size; "" for nothing. A JSON Schema names the rule that failed there.
    """

    name: str
    operator: str
    value: str
    fault: str
    found: str = ""


class Tally(NamedTuple):
    """passed, total: weights. failures: in the order of the checks.

    absent: names of checks that failed because there is no value at any of their paths.
    """

    passed: Fraction
    total: Fraction
    failures: tuple[Failure, ...]
    absent: frozenset[str] = frozenset()

    @property
    def ratio(self) -> float | None:
        """Passed share in [0, 1], None without checks; 1 (0) only when all (none) passed, by the bounds of weights."""
        return float(self.passed / self.total) if self.total else None


class ReadChecks(NamedTuple):
    """checks: in order, malformed ones included. ignored: number of those about what is no matter of checks.

    left_out: number of those behind a limit.
    """

    checks: tuple[Check, ...]
    ignored: int
    left_out: int = 0


def read_check_list(entries: Sequence[object], ignored: Sequence[str], *, has_calls: bool = False) -> ReadChecks:
    """Checks of a JSON list.

    ignored: first names of paths that are no checks. has_calls: does the document name a place of tool calls?
    """
    checks = []
    skipped = 0
    for entry in entries:
        check = _read_entry(entry, has_calls=has_calls)
        if check.paths and check.paths[0][0] in ignored:
            skipped += 1
        else:
            checks.append(check)
    return ReadChecks(tuple(checks), skipped)


def run_checks(
    checks: Sequence[Check], payload: object, calls: Sequence[Call] = (), *, characters: int | None = None
) -> Tally:
    """Evaluate every check against a payload (None or {} when there is none: nothing is found) and its tool calls.

    characters: of the row, which limit what its checks may ask for. Raises TooManyComparisonsError.
    """
    passed = total = Fraction(0)
    failures: list[Failure] = []
    absent: set[str] = set()
    budget, explaining = Budget(characters), Budget(characters)
    for check in checks:
        if not check.counts:
            continue
        total += check.weight
        fault = check.fault or _pattern_fault(check)
        if not fault and passes(check, payload, budget, calls):
            passed += check.weight
        else:
            is_explained = len(failures) < _MOST_EXPLAINED
            found = _found(check, payload, explaining, calls) if is_explained else ""
            failures.append(Failure(check.shown, check.shown_operator, as_text(check.value), fault, found or ""))
            if is_explained and found is None and not fault and check.wants_value:
                absent.add(check.name)
    return Tally(passed, total, tuple(failures), frozenset(absent))


def passes(check: Check, payload: object, budget: Budget, calls: Sequence[Call] = ()) -> bool:
    """Does any value at any path pass, or as many as asked for? Where nothing is found, only `not` or an amount passes.

    Raises TooManyComparisonsError.
    """
    if check.fault or check.operator is None:
        return False
    return _holds(check, check.operator, payload, budget, calls) is not check.is_negated


def _found(check: Check, payload: object, budget: Budget, calls: Sequence[Call]) -> str | None:
    """The different values at the first path that has any, in text order; of a check on tool calls their names.

    None where there is no value. Of many values that there are many, and of a JSON Schema the rule that the first one
    breaks. "" once the budget is spent; it is not that of comparing, so that no file is refused for what explains its
    failures.
    """
    if budget.is_spent:
        return ""
    values: Sequence[object] = [call.name for call in calls[: _MAX_LOOKED_AT + 1]] if check.operator in ON_CALLS else ()
    broken = ""
    try:
        for path in check.paths:
            values = values or find_values(payload, path, lambda n: budget.take(_EXPLAINING_COSTS * n))
        if check.operator is Operator.JSON_SCHEMA and values and not check.fault:
            broken = _broken_rule(check, values[0], budget)
    except TooManyComparisonsError:
        return ""
    if not values:
        return None
    if len(values) > _MAX_LOOKED_AT:
        return f"[>{_MAX_LOOKED_AT}]"
    texts = sorted({_brief(value) for value in values})
    return ", ".join(texts[:_MAX_FOUND] + ["…"] * (len(texts) > _MAX_FOUND)) + broken


def _broken_rule(check: Check, value: object, budget: Budget) -> str:
    schema = read_operand(Operator.JSON_SCHEMA, check.value)
    assert isinstance(schema, Schema)
    budget.take(schema.cost(value))
    rule = schema.broken_rule(value)
    return (
        ""
        if rule is None
        else f" ({rule.place}: {rule.keyword} {as_text(rule.wanted)[:_MAX_WANTED]} ← {_brief(rule.found)})"
    )


def _brief(value: object) -> str:
    """A value as text; a list or object, whose text may be long, by its size."""
    if isinstance(value, list):
        return f"[{len(value)}]"
    return f"{{{len(value)}}}" if isinstance(value, dict) else as_text(value)[:_MAX_CHARS]


def value_fault(operator: Operator, value: object, *, has_calls: bool) -> str:
    """The `Fault` of a value that is there but that the operator can't take; "" where it can."""
    if operator in ON_CALLS and not has_calls:
        return Fault.NO_CALLS
    if takes(operator, value):
        return ""
    return Fault.SCHEMA if operator is Operator.JSON_SCHEMA else Fault.WRONG_VALUE


def _holds(check: Check, operator: Operator, payload: object, budget: Budget, calls: Sequence[Call]) -> bool:
    if operator in ON_CALLS:
        operand = read_operand(operator, check.value)
        return operand is not None and calls_pass(operator, operand, calls, budget)
    if operator is Operator.COUNT:
        bounds = read_operand(operator, check.value)
        return isinstance(bounds, Bounds) and bounds.hold(_count(check, operator, payload, budget))
    if check.amount == ANY:
        holds = holder(operator, check.value, budget)
        return any(holds(value) for path in check.paths for value in find_values(payload, path, budget.take))
    least, most = check.amount
    found = _count(check, operator, payload, budget)
    return least <= found and (most is None or found <= most)


def _read_entry(entry: object, *, has_calls: bool) -> Check:
    if not isinstance(entry, dict):
        return Check(name=as_text(entry), operator=None, fault=Fault.NOT_AN_OBJECT)
    operator, is_negated = operator_of(entry.get("op"))
    is_on_calls = operator in ON_CALLS
    name = as_text(entry.get("path"))
    path = parse_path(name) if isinstance(entry.get("path"), str) else None
    weight = _weight(entry.get("weight"))
    value = None if operator in WITHOUT_VALUE else entry.get("value")
    fault = ""
    if path is None and not is_on_calls:
        fault = Fault.NO_PATH
    elif operator is None:
        fault = Fault.NO_OPERATOR
    elif operator not in WITHOUT_VALUE and not _is_value(value, operator):
        fault = Fault.NO_VALUE
    elif weight is None:
        fault = Fault.WEIGHT
    elif is_negated and isinstance(value, dict) and "op" in value:
        fault = Fault.WRONG_VALUE  # a check inside a check, which no value would ever equal
    else:
        fault = value_fault(operator, value, has_calls=has_calls)
    return Check(
        name=name,
        operator=operator,
        value=value,
        paths=(path,) if path is not None and not is_on_calls else (),
        weight=Fraction(1) if fault or weight is None else weight,
        fault=fault,
        is_negated=is_negated,
        nearest=nearest_operator(as_text(entry.get("op"))) if fault == Fault.NO_OPERATOR else "",
        called=as_text(entry["name"]) if isinstance(entry.get("name"), str) else "",
    )


def _is_value(value: object, operator: Operator) -> bool:
    """An empty text is a value to be equal to or not; every text contains it and every pattern of it matches."""
    is_compared = operator in {Operator.EQ, Operator.NE}
    return value is not None and (is_compared or not isinstance(value, str) or bool(value.strip()))


def _count(check: Check, operator: Operator, payload: object, budget: Budget) -> int:
    """Number of places that hold the value. An element of a list is one place, whatever is found in it.

    With several `[*]` in a path it is the first list whose elements count, and for `count` the last one.
    """
    holds = holder(operator, check.value, budget)
    places: set[tuple[Path, int]] = set()
    for path in check.paths:
        at = _last(path) if operator is Operator.COUNT else path.index(EACH) if EACH in path else len(path)
        for index, element in enumerate(find_values(payload, path[: at + 1], budget.take)):
            if any(
                holds(value) or _mentions(operator, value, check.value)
                for value in find_values(element, path[at + 1 :], budget.take)
            ):
                places.add((path[:at], index))
    return len(places)


def _last(path: Path) -> int:
    """Place of the last `[*]` of a path, its length without one."""
    return len(path) - 1 - path[::-1].index(EACH) if EACH in path else len(path)


def _mentions(operator: Operator, found: object, wanted: object) -> bool:
    """Does a list or an object contain the text anywhere? One that does must not count as being without it."""
    return operator is Operator.CONTAINS and isinstance(found, list | dict) and as_text(wanted) in as_text(found)


def _weight(value: object) -> Fraction | None:
    """A number above 0 that sums of floats keep apart from others; null and a missing weight are 1."""
    if value is None:
        return Fraction(1)
    if isinstance(value, bool) or not isinstance(value, int | float) or not LEAST_WEIGHT <= value <= MOST_WEIGHT:
        return None
    return Fraction(repr(value))


def _pattern_fault(check: Check) -> str:
    if check.operator is Operator.REGEX:
        return "" if is_pattern(as_text(check.value)) else Fault.PATTERN
    if check.operator is Operator.MATCHES_ALL:
        patterns = read_operand(check.operator, check.value)
        is_sound = isinstance(patterns, tuple) and all(is_pattern(as_text(pattern)) for pattern in patterns)
        return "" if is_sound else Fault.PATTERN
    return ""
