"""Compares what a check finds, in a payload or in tool calls, with what it wants, within the budget of its item.

Elements of a payload, checks and values of a list multiply: without a limit (docs/limits.md), a file of 100 KB takes
minutes. What a value of an operator looks like is decided by `scoring.checks.operands`. Where a payload has its calls
is said by the rubric document (docs/scoring.md#tool-calls).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from scoring.checks.json_schema import Schema
from scoring.checks.operands import ArgumentCheck, Bounds, CallPattern, MostCalls, Operand, read_operand
from scoring.json_values import are_equal, as_text, exact_number, find_values, is_nothing, open_json, parse_path
from scoring.problems import ScorewatchError
from scoring.rubric import PATTERN_STEPS, CallRule, Operator, is_found, program_size

MAX_COMPARISONS = 250_000  # of one item; 20 checks of 50 UI items at 7 places are 7,000
# A short row may ask for less, else a file of many of them takes minutes.
LEAST_COMPARISONS = 10_000
COMPARISONS_OF_CHARACTER = 50  # more for every character of the cells of the row
_TEXT_STEP = 256  # characters of a text that cost as much as one comparison
_JSON_STEP = 32  # the same of a list or object, which is written as JSON to be compared
Holds = Callable[[object], bool]
_SHORT = 200  # characters


class TooManyComparisonsError(ScorewatchError):
    """The checks of an item ask for more than the limit. found: comparisons so far."""

    def __init__(self, found: int, limit: int) -> None:
        super().__init__(found, limit)
        self.found = found
        self.limit = limit


class Budget:
    """Comparisons that are left for one item. characters: of its row; None takes the most."""

    def __init__(self, characters: int | None = None) -> None:
        self._limit = MAX_COMPARISONS
        if characters is not None:
            self._limit = min(self._limit, LEAST_COMPARISONS + COMPARISONS_OF_CHARACTER * characters)
        self._left = self._limit

    @property
    def is_spent(self) -> bool:
        """Was more taken than there was?"""
        return self._left < 0

    def take(self, n: int) -> None:
        """Spend n comparisons. Raises TooManyComparisonsError when that is more than what is left."""
        self._left -= n
        if self._left < 0:
            raise TooManyComparisonsError(self._limit - self._left, self._limit)


def cost_of(value: object) -> int:
    """What a comparison with a value costs: 1, and more for a long text, a list or an object."""
    if isinstance(value, str):
        return 1 + len(value) // _TEXT_STEP
    return 1 + len(repr(value)) // _JSON_STEP if isinstance(value, list | dict) else 1


def holder(operator: Operator, wanted: object, budget: Budget) -> Holds:
    """Does a value pass? What the operator has to compare is taken from the budget first.

    wanted: a value that the operator takes. Raises TooManyComparisonsError, and so does the function.
    """
    operand = read_operand(operator, wanted)
    if operator in _COMPARE:
        return _compared(operator, wanted if operand is None else list(operand), budget)
    if operator is Operator.EXISTS:
        return lambda found: not is_nothing(found)
    if operator is Operator.IS_JSON:
        return _is_json(budget)
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
            is_searched = operator in {Operator.CONTAINS, Operator.ICONTAINS} and isinstance(found, list)
            elements = len(found) if is_searched and isinstance(found, list) else 1
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


def _is_json(budget: Budget) -> Holds:
    """Is the value an object or a list, or a text of one?"""

    def holds(found: object) -> bool:
        budget.take(cost_of(found))
        return isinstance(found, dict | list) or (isinstance(found, str) and isinstance(open_json(found), dict | list))

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


def _contains_in_any_case(found: object, wanted: object) -> bool:
    if isinstance(found, list):
        return any(as_text(element).casefold() == as_text(wanted).casefold() for element in found)
    needle = as_text(wanted).casefold()
    return not isinstance(found, dict) and bool(needle) and needle in as_text(found).casefold()


_COMPARE: Mapping[Operator, Callable[[object, object], bool]] = {
    Operator.EQ: are_equal,
    Operator.NE: _is_unequal,
    Operator.IN: _is_in,
    Operator.ONE_OF: _is_in,
    Operator.CONTAINS: _contains,
    Operator.ICONTAINS: _contains_in_any_case,
}


class Call(NamedTuple):
    """A tool call. arguments: {} where it has none, or none that can be read."""

    name: str
    arguments: dict[str, object]


def find_calls(payload: object, rule: CallRule, open_json: Callable[[str], object]) -> tuple[Call, ...] | None:
    """Calls in their order, from the first path with a value; None where the payload has none at any.

    open_json: the value of a JSON text, for arguments that are written as one.
    """
    for path in rule.paths:
        found = _found_values(payload, path)
        if found:
            calls = [one for value in found for one in (value if isinstance(value, list) else [value])]
            return tuple(call for call in (_call(one, rule, open_json) for one in calls) if call is not None)
    return None


def calls_pass(operator: Operator, operand: Operand, calls: Sequence[Call], budget: Budget) -> bool:
    """Does an operator on calls pass? operand: what it reads of its value. Raises TooManyComparisonsError."""
    if isinstance(operand, CallPattern):
        return any(call.name == operand.name and _has(call.arguments, operand.arguments, budget) for call in calls)
    if isinstance(operand, MostCalls):
        return sum(operand.name in {"", call.name} for call in calls) <= operand.most
    assert type(operand) is tuple, operand
    budget.take(len(calls) + len(operand))
    made: list[object] = [call.name for call in calls]
    if operator is Operator.IN_ORDER:
        rest = iter(made)
        return all(name in rest for name in operand)
    return set(operand) <= set(made) if operator is Operator.CALLS else set(operand).isdisjoint(made)


def _has(arguments: dict[str, object], wanted: dict[str, object], budget: Budget) -> bool:
    """Has a call these arguments, with equal values or such that pass a check? It may have others."""
    for name, value in wanted.items():
        if name not in arguments:
            return False
        budget.take(cost_of(value) + cost_of(arguments[name]))
        if isinstance(value, ArgumentCheck):
            if holder(value.operator, value.value, budget)(arguments[name]) is value.is_negated:
                return False
        elif not are_equal(arguments[name], value):
            return False
    return True


def _call(value: object, rule: CallRule, open_json: Callable[[str], object]) -> Call | None:
    """A call from an object, or from a text that is a name alone."""
    if isinstance(value, str):
        return Call(as_text(value), {})
    name = next(iter(_found_values(value, rule.name)), None)
    if not isinstance(name, str):
        return None
    arguments = next(iter(_found_values(value, rule.arguments)), None)
    opened = open_json(arguments) if isinstance(arguments, str) else arguments
    return Call(as_text(name), opened if isinstance(opened, dict) else {})


def _found_values(root: object, written: str) -> list[object]:
    path = parse_path(written)
    assert path is not None, written  # the document was refused otherwise
    return find_values(root, path)
