"""Checks on the tool calls of an answer: which were made, in which order, with which arguments.

Where a payload has its calls is said by the rubric document; `scoring.items.tool_calls` finds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scoring.checks.budget import Budget, cost_of
from scoring.checks.operands import CallPattern, Operand
from scoring.json_values import are_equal
from scoring.rubric.rules import Operator


class Call(NamedTuple):
    """A tool call. arguments: {} where it has none, or none that can be read."""

    name: str
    arguments: dict[str, object]


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
