"""Finds the tool calls of a payload at the places that a rubric document names (docs/scoring.md#tool-calls)."""

from __future__ import annotations

from scoring.checks.calls import Call
from scoring.items.payload import open_json
from scoring.json_path import find_values, parse_path
from scoring.json_values import as_text
from scoring.rubric.rules import CallRule


def find_calls(payload: object, rule: CallRule) -> tuple[Call, ...] | None:
    """Calls in their order, from the first path with a list or a call; None where the payload has none of the paths."""
    for path in rule.paths:
        found = _values(payload, path)
        if found:
            calls = [one for value in found for one in (value if isinstance(value, list) else [value])]
            return tuple(call for call in (_call(one, rule) for one in calls) if call is not None)
    return None


def _call(value: object, rule: CallRule) -> Call | None:
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
