"""Checks with a JSON Schema: what fits, what is no schema that is taken, and that the work is paid for."""

import json
from typing import Any

import pytest

from scoring.checks import comparing
from scoring.checks.checks import Fault, passes, run_checks
from scoring.checks.comparing import Budget, TooManyComparisonsError
from scoring.checks.json_schema import MAX_DEPTH, MAX_PLACES, read_schema
from tests.scoring.checks.operators import BAD, MISSING, NO, YES, assert_both, from_json, from_text

Json = Any
CITY = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "pattern": "^[A-Z]"}}}
TRIP = {"$defs": {"city": CITY}, "type": "array", "minItems": 1, "items": {"$ref": "#/$defs/city"}}


@pytest.mark.parametrize(
    ("schema", "found", "expected"),
    [
        (CITY, {"name": "Seoul"}, YES),
        (CITY, {"name": "seoul"}, NO),
        (CITY, {"name": 1}, NO),
        (CITY, {}, NO),
        (CITY, "Seoul", NO),
        (CITY, None, NO),
        (CITY, MISSING, NO),
        (TRIP, [{"name": "Seoul"}, {"name": "Busan", "nights": 2}], YES),
        (TRIP, [{"name": "Seoul"}, {}], NO),
        (TRIP, [], NO),
        ({"additionalProperties": False, "properties": {"a": {}}}, {"a": 1, "b": 2}, NO),
        ({"enum": ["A;B", 1]}, "A;B", YES),
        ({"enum": [90071992547409931]}, 90071992547409932, NO),
        ({"maximum": 90071992547409931}, 90071992547409932, NO),
        ({"multipleOf": 0.01}, 19.99, YES),
        ({"type": "integer"}, 1.0, YES),
        ({"type": "number"}, "1", NO),
        ({"type": "number"}, float("nan"), NO),
        ({"type": "string", "format": "date"}, "2026-02-30", NO),
        ({"type": "string", "format": "date"}, "2026-02-28", YES),
        ({"anyOf": [{"type": "null"}, {"const": {"$id": 1}}]}, {"$id": 1}, YES),
        ({"properties": {"pattern": {"type": "string"}, "id": {"type": "string"}}}, {"pattern": "("}, YES),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "type": "array"}, [], YES),
        ({"$id": "https://host.example/city.json", "type": "array"}, [], YES),
        ({"type": "string"}, "\ud800", NO),  # half a character, which JSON can't hold
        ({"pattern": "(?=a)a"}, "a", BAD),  # RE2 takes no look-around
        ({"pattern": 1}, "a", BAD),
        ({"type": "text"}, "a", BAD),
        ({"format": "nope"}, "a", BAD),
        ({"format": "regex"}, "a", BAD),
        ({"$ref": "https://host.example/city.json"}, "a", BAD),
        ({"$ref": "#/$defs/none"}, "a", BAD),
        ({"$ref": "#city", "$defs": {"city": {"$anchor": "city"}}}, "a", BAD),
        ({"items": {"$ref": "#"}}, "a", BAD),  # a circle
        ({"allOf": [{"$id": "https://host.example/"}]}, "a", BAD),
        ({"$schema": "https://host.example/schema"}, "a", BAD),
        ({"patternProperties": {"a": True}}, {"a": 1}, BAD),
        ({"unevaluatedProperties": False}, {"a": 1}, BAD),
        ({"$dynamicRef": "#"}, {"a": 1}, BAD),
        ([CITY], "a", BAD),
    ],
)
def test_json_schema(schema: Json, found: Json, expected: str) -> None:
    assert_both("json schema", schema, f"a json schema {json.dumps(schema)}", found, expected)


@pytest.mark.parametrize(
    ("schema", "expected"), [(True, YES), (False, NO), (1, BAD), ("{", BAD), ('{"type": "a"}', BAD)]
)
def test_value_that_is_no_object(schema: Json, expected: str) -> None:
    check = from_json("json schema", schema)
    assert (run_checks([check], {"a": 1}).passed == 1, bool(check.fault)) == (expected == YES, expected == BAD)


def test_schema_that_is_not_taken_is_malformed() -> None:
    assert from_text('a json schema {"$ref": "#/none"}').fault == Fault.SCHEMA


def doubling(levels: int) -> Json:
    """Each definition refers to the next one twice: 2 ** levels places in a few lines."""
    refs = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**refs, f"d{levels}": {"type": "integer"}}}


def chain(links: int) -> Json:
    refs = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in reversed(range(links))}
    return {"$defs": {f"d{links}": {"type": "integer"}, **refs}, "$ref": "#/$defs/d0"}


def nested(levels: int) -> Json:
    schema: Json = {"type": "integer"}
    for _ in range(levels):
        schema = {"not": schema}
    return schema


@pytest.mark.parametrize(
    ("schema", "is_taken"),
    [
        pytest.param(doubling(5), True, id="doubling"),
        pytest.param(doubling(40), False, id="doubling-for-ever"),
        pytest.param(chain(20), True, id="chain"),
        pytest.param(chain(MAX_DEPTH), False, id="long-chain"),
        pytest.param(chain(5_000), False, id="chain-that-would-fill-the-stack"),
        pytest.param(nested(MAX_DEPTH - 1), True, id="nested"),
        pytest.param(nested(MAX_DEPTH), False, id="too-deep"),
        pytest.param({"enum": list(range(MAX_PLACES - 2))}, True, id="large"),
        pytest.param({"enum": list(range(MAX_PLACES))}, False, id="too-large"),
        pytest.param({"const": "a" * 32 * MAX_PLACES}, False, id="too-long"),
    ],
)
def test_size_of_a_schema_is_limited(schema: Json, is_taken: bool) -> None:
    assert (read_schema(schema) is not None) is is_taken


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"items": {"anyOf": [{"const": n} for n in range(400)]}}, [399] * 2_000),
        ({"items": {"allOf": [{"pattern": "a"}] * 20}}, ["bba"] * 1_000),
        ({"pattern": "(a|b)*a(a|b){200}x"}, "ab" * 400_000),
        ({"items": {"allOf": [{"format": "idn-hostname"}] * 20}}, ["예약.example"] * 1_000),
        ({"items": {"allOf": [{"multipleOf": 0.01}] * 20}}, [1] * 250),
        ({"items": {"allOf": [{"multipleOf": 5e-324}] * 10}}, [1.7e308] * 20),
        ({"items": {"allOf": [{"uniqueItems": True}] * 50}}, [[{"a": n} for n in range(14)]] * 10),
        ({"allOf": [{"propertyNames": {"not": {"const": "x"}}}] * 100}, {str(n): n for n in range(400)}),
        ({"items": {"allOf": [{"maximum": 10**600}] * 2}}, [1] * 300),
        ({"items": {"allOf": [{"maximum": 1e308}] * 10}}, [10**4000] * 20),
    ],
    ids=["places", "patterns", "long-text", "formats", "divide", "fractions", "unique", "names", "limits", "numbers"],
)
def test_validating_spends_the_budget_before_it_starts(schema: Json, found: Json) -> None:
    check = from_json("json schema", schema)
    with pytest.raises(TooManyComparisonsError):
        passes(check, {"a": found}, Budget())


def test_schema_of_real_use_is_far_below_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MAX_COMPARISONS", comparing.MAX_COMPARISONS // 10)
    assert passes(from_json("json schema", TRIP), {"a": [{"name": "Seoul", "nights": 2}] * 100}, Budget())
