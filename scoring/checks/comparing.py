"""Compares the values that a check finds with what it wants, each within the budget of its item.

What a value of an operator looks like is decided by `scoring.checks.operands`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scoring.checks.budget import Budget, cost_of
from scoring.checks.json_schema import Schema
from scoring.checks.operands import Bounds, read_operand
from scoring.checks.patterns import PATTERN_STEPS, is_found, program_size
from scoring.json_values import are_equal, as_text, exact_number, is_nothing
from scoring.rubric.rules import Operator

Holds = Callable[[object], bool]

_SHORT = 200  # characters


def holder(operator: Operator, wanted: object, budget: Budget) -> Holds:
    """Does a value pass? What the operator has to compare is taken from the budget first.

    wanted: a value that the operator takes. Raises TooManyComparisonsError, and so does the function.
    """
    operand = read_operand(operator, wanted)
    if operator in _COMPARE:
        return _compared(operator, wanted if operand is None else list(operand), budget)
    if operator is Operator.EXISTS:
        return lambda found: not is_nothing(found)
    if operator is Operator.COUNT:
        return lambda _: True  # how many there are is asked for by the amount
    if isinstance(operand, Bounds):
        return _measured(operand, budget, by_length=operator is Operator.LENGTH)
    if isinstance(operand, Schema):
        return _validated(operand, budget)
    return _searched((as_text(wanted),) if operand is None else tuple(map(as_text, operand)), budget)


def _compared(operator: Operator, wanted: object, budget: Budget) -> Holds:
    """A short value compared with a short one has been paid for by the path that found it."""
    compare = _COMPARE[operator]
    times = len(wanted) if compare is _is_in and isinstance(wanted, list) else 1
    own = cost_of(wanted)
    is_dear = own > 1 or times > 1

    def holds(found: object) -> bool:
        if is_dear or isinstance(found, list | dict) or (type(found) is str and len(found) > _SHORT):
            elements = len(found) if operator is Operator.CONTAINS and isinstance(found, list) else 1
            budget.take((elements + cost_of(found)) * times + elements * own)
        return compare(found, wanted)

    return holds


def _measured(bounds: Bounds, budget: Budget, *, by_length: bool) -> Holds:
    """Is the number within the bounds, or the length of a text, a list or an object?"""

    def holds(found: object) -> bool:
        if type(found) is str and len(found) > _SHORT:
            budget.take(cost_of(found))
        if by_length:
            return bounds.hold(len(found if isinstance(found, list | dict) else as_text(found)))
        number = exact_number(found)
        return number is not None and bounds.hold(number)

    return holds


def _searched(patterns: tuple[str, ...], budget: Budget) -> Holds:
    """Are all patterns found in the text?"""
    size = sum(map(program_size, patterns))

    def holds(found: object) -> bool:
        budget.take(len(patterns) + (len(found) * size // PATTERN_STEPS if isinstance(found, str) else 0))
        if isinstance(found, list | dict):
            return False
        text = as_text(found)
        return all(is_found(pattern, text) for pattern in patterns)

    return holds


def _validated(schema: Schema, budget: Budget) -> Holds:
    def holds(found: object) -> bool:
        budget.take(schema.cost(found))
        return schema.fits(found)

    return holds


def _is_unequal(found: object, wanted: object) -> bool:
    return not are_equal(found, wanted)


def _is_in(found: object, wanted: object) -> bool:
    return isinstance(wanted, list) and any(are_equal(found, one) for one in wanted)


def _contains(found: object, wanted: object) -> bool:
    if isinstance(found, list):
        return any(are_equal(element, wanted) for element in found)
    needle = as_text(wanted)
    return not isinstance(found, dict) and bool(needle) and needle in as_text(found)


_COMPARE: Mapping[Operator, Callable[[object, object], bool]] = {
    Operator.EQ: are_equal,
    Operator.NE: _is_unequal,
    Operator.IN: _is_in,
    Operator.ONE_OF: _is_in,
    Operator.CONTAINS: _contains,
}
