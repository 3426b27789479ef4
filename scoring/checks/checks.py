"""Declared checks: does an answer show what was expected (docs/scoring.md#accuracy-by-checks)?

A check names a path into the payload, an operator and a value. `scoring.items.profile_rules` decides where checks come
from, `scoring.checks.check_text` reads those that are written as text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import re2

from scoring.checks.budget import Budget, cost_of
from scoring.json_path import EACH, Path, find_values, parse_path
from scoring.json_values import are_equal, as_text, is_nothing
from scoring.rubric.rules import Operator
from scoring.text import normalise

_OPERATORS = {operator.value: operator for operator in Operator}
_PATTERN_MEMORY = 8 << 20  # bytes that one compiled pattern may take
_LONGEST_PATTERN = 1_000
LEAST_WEIGHT, MOST_WEIGHT = 1e-6, 1e6  # 1,000 of them (the most of an item) differ within the 53 bits of a float
_PATTERN_STEPS = 4096  # characters x instructions of a pattern that take as long as one comparison
_SHORT = 200  # characters


class Fault:
    """Why a check is malformed."""

    NOT_AN_OBJECT = "not-an-object"
    NO_PATH = "no-path"
    NO_OPERATOR = "unknown-op"
    NO_VALUE = "no-value"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check. paths: where to look; it passes when any value at any of them does, or as many as `amount` says.

    name: the path or key as written. fault: a `Fault` of a malformed check, which fails; "" otherwise.
    weight: above 0, the exact value of its shortest decimal.
    """

    name: str
    operator: Operator | None
    value: object = None
    paths: tuple[Path, ...] = ()
    weight: Fraction = Fraction(1)
    fault: str = ""
    amount: Amount = ANY


class Failure(NamedTuple):
    """A check that failed. operator: with the amount, if one is asked for (`eq ×0`). value: as text.

    fault: of a malformed check or of a pattern that RE2 can't take.
    """

    name: str
    operator: str
    value: str
    fault: str


class Tally(NamedTuple):
    """passed, total: weights. failures: in the order of the checks."""

    passed: Fraction
    total: Fraction
    failures: tuple[Failure, ...]

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


def read_check_list(entries: Sequence[object], ignored: Sequence[str]) -> ReadChecks:
    """Checks of a JSON list; ignored: first names of paths that are no checks."""
    checks = []
    skipped = 0
    for entry in entries:
        check = _read_entry(entry)
        if check.paths and check.paths[0][0] in ignored:
            skipped += 1
        else:
            checks.append(check)
    return ReadChecks(tuple(checks), skipped)


def run_checks(checks: Sequence[Check], payload: object) -> Tally:
    """Evaluate every check against a payload (None or {} when there is none: all but nothing is found).

    Raises TooManyComparisonsError.
    """
    passed = total = Fraction(0)
    failures = []
    budget = Budget()
    for check in checks:
        total += check.weight
        fault = check.fault or _pattern_fault(check)
        if not fault and passes(check, payload, budget):
            passed += check.weight
        else:
            operator = check.operator.value if check.operator is not None else ""
            asked = f"{operator} {check.amount}".strip()
            failures.append(Failure(check.name, asked, as_text(check.value), fault))
    return Tally(passed, total, tuple(failures))


def passes(check: Check, payload: object, budget: Budget) -> bool:
    """Does any value at any path pass, or as many as asked for? A missing or null field never does.

    Raises TooManyComparisonsError.
    """
    if check.fault or check.operator is None:
        return False
    if check.amount == ANY:
        holds = _holder(check.operator, check.value, budget)
        return any(holds(value) for path in check.paths for value in find_values(payload, path, budget.take))
    least, most = check.amount
    found = _count(check, check.operator, payload, budget)
    return least <= found and (most is None or found <= most)


def is_pattern(text: str) -> bool:
    """Can RE2 take this pattern?"""
    return _compiled(text) is not None


def _read_entry(entry: object) -> Check:
    if not isinstance(entry, dict):
        return Check(name=as_text(entry), operator=None, fault=Fault.NOT_AN_OBJECT)
    written, name = entry.get("op"), as_text(entry.get("path"))
    operator = _OPERATORS.get(written.strip().casefold()) if isinstance(written, str) else None
    path = parse_path(name) if isinstance(entry.get("path"), str) else None
    weight = _weight(entry.get("weight"))
    value = entry.get("value")
    fault = ""
    if path is None:
        fault = Fault.NO_PATH
    elif operator is None:
        fault = Fault.NO_OPERATOR
    elif operator is not Operator.EXISTS and not _is_value(value, operator):
        fault = Fault.NO_VALUE
    elif weight is None:
        fault = Fault.WEIGHT
    return Check(
        name=name,
        operator=operator,
        value=None if operator is Operator.EXISTS else value,
        paths=(path,) if path is not None else (),
        weight=Fraction(1) if fault or weight is None else weight,
        fault=fault,
    )


def _is_value(value: object, operator: Operator) -> bool:
    """An empty text is a value to be equal to; every text contains it and every pattern of it matches."""
    return value is not None and (operator is Operator.EQ or not isinstance(value, str) or bool(value.strip()))


def _count(check: Check, operator: Operator, payload: object, budget: Budget) -> int:
    """Number of places that hold the value. An element of a list is one place, whatever is found in it."""
    holds = _holder(operator, check.value, budget)
    places: set[tuple[Path, int]] = set()
    for path in check.paths:
        at = path.index(EACH) if EACH in path else len(path)
        for index, element in enumerate(find_values(payload, path[: at + 1], budget.take)):
            if any(
                holds(value) or _mentions(operator, value, check.value)
                for value in find_values(element, path[at + 1 :], budget.take)
            ):
                places.add((path[:at], index))
    return len(places)


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


def _holder(operator: Operator, wanted: object, budget: Budget) -> Callable[[object], bool]:
    """Does a value pass? What the operator has to compare is taken from the budget first.

    A short value compared with a short one has been paid for by the path that found it.
    """
    if operator is Operator.EXISTS:
        return lambda found: not is_nothing(found)
    compare = _COMPARE[operator]
    times = len(wanted) if operator is Operator.IN and isinstance(wanted, list) else 1
    own = cost_of(wanted)
    is_dear = own > 1 or times > 1 or operator is Operator.REGEX

    def holds(found: object) -> bool:
        if is_dear or isinstance(found, list | dict) or (type(found) is str and len(found) > _SHORT):
            budget.take(_comparisons(operator, found, wanted, own, times))
        return compare(found, wanted)

    return holds


def _comparisons(operator: Operator, found: object, wanted: object, own: int, times: int) -> int:
    """How many comparisons one value takes. own: cost of the wanted one; times: its elements that are compared."""
    if operator is Operator.REGEX:
        pattern = _compiled(as_text(wanted))
        steps = 0 if pattern is None or not isinstance(found, str) else len(found) * pattern.programsize
        return 1 + steps // _PATTERN_STEPS
    elements = len(found) if operator is Operator.CONTAINS and isinstance(found, list) else 1
    return (elements + cost_of(found)) * times + elements * own


def _is_in(found: object, wanted: object) -> bool:
    return isinstance(wanted, list) and any(are_equal(found, one) for one in wanted)


def _contains(found: object, wanted: object) -> bool:
    if isinstance(found, list):
        return any(are_equal(element, wanted) for element in found)
    needle = as_text(wanted)
    return not isinstance(found, dict) and bool(needle) and needle in as_text(found)


def _matches(found: object, wanted: object) -> bool:
    pattern = _compiled(as_text(wanted))
    if pattern is None or isinstance(found, list | dict):
        return False
    return pattern.search(as_text(found).encode(errors="replace")) is not None


_COMPARE: Mapping[Operator, Callable[[object, object], bool]] = {
    Operator.EQ: are_equal,
    Operator.IN: _is_in,
    Operator.CONTAINS: _contains,
    Operator.REGEX: _matches,
}


def _pattern_fault(check: Check) -> str:
    if check.operator is Operator.REGEX and _compiled(as_text(check.value)) is None:
        return Fault.PATTERN
    return ""


@lru_cache(maxsize=512)
def _compiled(text: str) -> Any:
    """The pattern over bytes (RE2 has no types); None when RE2 refuses it.

    Matching takes time linear in the text, whatever the pattern.
    """
    if len(text) > _LONGEST_PATTERN:
        return None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _PATTERN_MEMORY
    try:
        return re2.compile(normalise(text).encode(), options)
    except (re2.error, UnicodeEncodeError):
        return None
