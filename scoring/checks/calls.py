"""Checks on the tool calls of an answer: which were made, in which order, with which arguments.

Where a payload has its calls is said by the rubric document (docs/scoring.md#tool-calls).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from scoring.checks.budget import Budget, cost_of
from scoring.checks.operands import CallPattern, Operand
from scoring.json_path import find_values, parse_path
from scoring.json_values import are_equal, as_text
from scoring.rubric.rules import CallRule, Operator


class Call(NamedTuple):
    """A tool call. arguments: {} where it has none, or none that can be read."""

    name: str
    arguments: dict[str, object]


def find_calls(payload: object, rule: CallRule, open_json: Callable[[str], object]) -> tuple[Call, ...] | None:
    """Calls in their order, from the first path with a value; None where the payload has none at any.

    open_json: the value of a JSON text, for arguments that are written as one.
    """
    for path in rule.paths:
        found = _values(payload, path)
        if found:
            calls = [one for value in found for one in (value if isinstance(value, list) else [value])]
            return tuple(call for call in (_call(one, rule, open_json) for one in calls) if call is not None)
    return None


def calls_pass(operator: Operator, operand: Operand, calls: Sequence[Call], budget: Budget) -> bool:
    """Does an operator on calls pass? operand: what it reads of its value. Raises TooManyComparisonsError."""
    if isinstance(operand, CallPattern):
        return any(call.name == operand.name and _has(call.arguments, operand.arguments, budget) for call in calls)
    assert type(operand) is tuple, operand
    budget.take(len(calls) + len(operand))
    made: list[object] = [call.name for call in calls]
    if operator is Operator.IN_ORDER:
        rest = iter(made)
        return all(name in rest for name in operand)
    return set(operand) <= set(made) if operator is Operator.CALLS else set(operand).isdisjoint(made)


def _has(arguments: dict[str, object], wanted: dict[str, object], budget: Budget) -> bool:
    """Has a call these arguments, with equal values? It may have others."""
    for name, value in wanted.items():
        if name not in arguments:
            return False
        budget.take(cost_of(value) + cost_of(arguments[name]))
        if not are_equal(arguments[name], value):
            return False
    return True


def _call(value: object, rule: CallRule, open_json: Callable[[str], object]) -> Call | None:
    """A call from an object, or from a text that is a name alone."""
    if isinstance(value, str):
        return Call(as_text(value), {})
    name = next(iter(_values(value, rule.name)), None)
    if not isinstance(name, str):
        return None
    arguments = next(iter(_values(value, rule.arguments)), None)
    opened = open_json(arguments) if isinstance(arguments, str) else arguments
    return Call(as_text(name), opened if isinstance(opened, dict) else {})


def _values(root: object, written: str) -> list[object]:
    path = parse_path(written)
    assert path is not None, written  # the document was refused otherwise
    return find_values(root, path)
