"""Checks with one operator, written as JSON and as `@check`, and what they give."""

import json
from typing import Any

from scoring.checks.checks import Check, read_check_list, run_checks
from scoring.checks.written_checks import read_marked_checks
from scoring.rubric import Bands, CheckRule

Json = Any
MISSING = object()
RULE = CheckRule(
    sources=(),
    field="accuracyChecks",
    marker="@check",
    contains_suffix="Contains",
    lookup=("list[*].{key}", "{key}"),
    ignored=("assistantMessage",),
    status_points={},
    bands=Bands(edges=(), points=(0.0,), missing=0.0),
)
YES, NO, BAD = "passes", "fails", "malformed"


def outcome(check: Check, payload: Json) -> str:
    tally = run_checks([check], payload)
    assert tally.total == 1
    if check.fault:
        assert tally.passed == 0
        return BAD
    return YES if tally.passed else NO


def from_json(op: str, value: Json, path: str = "a", *, ignored: tuple[str, ...] = ()) -> Check:
    entry = {"path": path, "op": op, "value": value, "weight": 1}
    (check,) = read_check_list(json.loads(json.dumps([entry])), ignored).checks
    return check


def from_text(written: str) -> Check:
    (check,) = read_marked_checks(f"설명 @check {written}", RULE).checks
    return check


def assert_both(op: str, value: Json, text: str, found: Json, expected: str) -> None:
    payload = {} if found is MISSING else {"a": found}
    assert outcome(from_json(op, value), payload) == expected, "JSON"
    assert outcome(from_text(text), payload) == expected, "@check"
