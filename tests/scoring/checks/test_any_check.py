"""Whatever checks and payloads hold: every check passes, fails or is malformed, and ends within the budget."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from scoring.checks import comparing, written_checks
from scoring.checks.checks import ReadChecks, read_check_list, run_checks
from scoring.checks.comparing import TooManyComparisonsError, find_calls
from scoring.checks.written_checks import read_marked_checks
from scoring.json_values import open_json
from scoring.rubric import CallRule, Operator
from tests.examples import examples
from tests.scoring.checks.operators import RULE
from tests.scoring.steps import steps

Json = Any
CALLS = CallRule(paths=("calls[*]", "a[*]"), name="name", arguments="b")
MARKED = replace(RULE, calls=CALLS)
NUMBERS = st.sampled_from(
    ["1", "-0", "1e308", "1e-99999999999", "1..5", "5..1", "1 ± 5%", ">= 2", "0e99999", "1 and 2"]
)
TEXTS = (
    st.text(max_size=8) | st.sampled_from(["\ud800", "é", "nan", "A, B", '["A"]', "[[", '{"type": "array"}']) | NUMBERS
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
NAMES = st.sampled_from(["a", "b", "name", "calls", "type", "items", "$ref", "pattern", "value", "absolute", "op"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=10,
)
SCHEMAS = st.recursive(
    st.booleans()
    | st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["array", "object", "string", "number", "nope", ["null", "string"]]),
            "pattern": TEXTS,
            "minimum": SCALARS,
            "enum": st.lists(VALUES, max_size=3),
            "$ref": st.sampled_from(["#", "#/$defs/a", "#/items", "x"]),
            "format": st.sampled_from(["date", "email", "nope", "regex"]),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {}, optional={"items": inner, "anyOf": st.lists(inner, min_size=1, max_size=3), "not": inner, "$defs": VALUES}
    ),
    max_leaves=8,
)
OPERATORS = st.sampled_from([one.spelling for one in Operator])
ENTRIES = st.fixed_dictionaries(
    {
        "op": OPERATORS | OPERATORS.map(lambda name: f"not {name}") | VALUES,
        "value": VALUES | SCHEMAS | st.fixed_dictionaries({"name": TEXTS, "arguments": VALUES}),
    },
    optional={"path": st.sampled_from(["a", "a.b", "a[*]", "a[*].b[*]", "b[0]", "b"]) | VALUES, "weight": SCALARS},
)
PAYLOADS = st.dictionaries(NAMES, VALUES, max_size=4)


def outcomes(read: ReadChecks, payload: Json) -> None:
    """Every check alone: all of it passes or nothing, a malformed one weighs 1, an unknown one nothing."""
    calls = find_calls(payload, CALLS, open_json) or ()
    for check in read.checks:
        tally = run_checks([check], payload, calls)
        if not check.counts:
            assert tally.total == 0
            assert not tally.failures
            continue
        assert tally.total == check.weight
        assert tally.passed in {0, check.weight}
        assert bool(tally.failures) is (tally.passed == 0)
        if check.fault:
            assert tally.passed == 0
            assert tally.total == 1
    both = run_checks(read.checks, payload, calls)
    assert not read.checks or 0 <= (both.ratio or 0.0) <= 1


@given(entries=st.lists(ENTRIES, max_size=4), payload=PAYLOADS)
def test_any_check_on_any_payload_passes_fails_or_is_malformed(entries: list[Json], payload: Json) -> None:
    outcomes(read_check_list(entries, (), has_calls=True), payload)


PARTS = st.sampled_from(
    [
        "@check ",
        "not ",
        "a",
        "b",
        " ",
        "=",
        "!=",
        ">",
        "≤",
        "; ",
        "\n",
        '"',
        "'",
        "[",
        "{",
        "}",
        ",",
        "1",
        "..",
        "±",
        "%",
    ]
)
WRITTEN = st.lists(PARTS | OPERATORS.map(lambda name: f" {name} ") | TEXTS, max_size=16).map("".join)


@given(text=WRITTEN, payload=PAYLOADS)
def test_any_text_behind_the_marker_passes_fails_or_is_malformed(text: str, payload: Json) -> None:
    outcomes(read_marked_checks(f"@check {text}", MARKED), payload)


LARGE = st.sampled_from(
    [
        "ab" * 200_000,
        ["x"] * 20_000,
        [{"b": "y" * 50}] * 5_000,
        {f"k{n}": n for n in range(20_000)},
        [[[1] * 50] * 50] * 20,
        "1" * 300,
    ]
)
DEMANDS = st.sampled_from(
    [
        {"op": "json schema", "value": {"items": {"anyOf": [{"const": n} for n in range(800)] + [True]}}},
        {"op": "json schema", "value": {"allOf": [{"pattern": "(a|b)*a(a|b){90}x"}] * 30}},
        {"op": "one of", "value": ["z" * 300] * 900},
        {"op": "matches all", "value": ["(a|b)*a(a|b){200}x"] * 50},
        {"op": "approx", "value": {"value": "9" * 300, "relative": "1e-300"}},
        {"op": "between", "value": ["1e-99999999999", "1e308"]},
        {"op": "length", "value": "1..5"},
        {"op": "count", "value": ">= 1"},
        {"op": "not contains", "value": "z"},
        {"op": "calls", "value": ["z"] * 1_000},
        {"op": "arguments", "value": {"name": "x", "arguments": {"z": [1] * 1_000}}},
    ]
)


@settings(max_examples=examples(20))
@given(demand=DEMANDS, path=st.sampled_from(["a", "a[*]", "a[*][*]", "a[*].b"]), value=LARGE)
def test_large_values_end_within_the_budget(demand: Json, path: str, value: Json) -> None:
    payload = {"a": value}
    checks = read_check_list([{**demand, "path": path}] * 10, (), has_calls=True).checks
    assert not any(check.fault for check in checks)
    calls = find_calls(payload, CALLS, open_json) or ()

    def run() -> None:
        with contextlib.suppress(TooManyComparisonsError):
            run_checks(checks, payload, calls)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing, "MAX_COMPARISONS", 20_000)
        # Beside the budget: the places of one path, looked at before they are paid for, and the value of each check.
        assert steps(run) < 20 * (comparing.MAX_COMPARISONS + 20_000) + 10 * 20_000


class Decoder:
    """Counts the characters that the JSON decoder looks at."""

    looked_at = 0

    def raw_decode(self, line: str, start: int) -> tuple[object, int]:
        try:
            value, end = json.JSONDecoder().raw_decode(line, start)
        except json.JSONDecodeError as error:
            is_open = error.msg.startswith("Unterminated")  # its place is where the text starts
            self.looked_at += (len(line) if is_open else error.pos) - start + 1
            raise
        self.looked_at += end - start
        return value, end


@pytest.mark.parametrize(
    "part", ['a one of ["', 'a=["x","', 'a=[",",",', "a json schema {", "arguments x {[", 'a=["\\"', "a=[[", "a=[1,"]
)
@pytest.mark.parametrize("joint", ["; ", " @check ", ""])
def test_json_is_looked_for_once_over_the_line(part: str, joint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    decoder = Decoder()
    monkeypatch.setattr(written_checks, "_DECODER", decoder)
    line = "@check " + (part + joint) * 500
    read_marked_checks(line, MARKED)
    assert 0 < decoder.looked_at < 4 * len(line)


def test_json_of_a_payload_keeps_its_checks() -> None:
    """An entry is the same before and after JSON, so a column and a payload field give the same checks."""
    entries = [{"path": "a", "op": op.spelling, "value": "1"} for op in Operator]
    assert read_check_list(json.loads(json.dumps(entries)), ()) == read_check_list(entries, ())
