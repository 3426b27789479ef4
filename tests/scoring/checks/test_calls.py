"""Checks on tool calls, each row as a check in JSON and as `@check`; and where a payload has its calls."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from scoring.checks.checks import Check, Fault, read_check_list, run_checks
from scoring.checks.comparing import Call, find_calls
from scoring.checks.written_checks import read_marked_checks
from scoring.json_values import open_json
from scoring.rubric import CallRule
from tests.scoring.checks.operators import BAD, NO, RULE, YES

Json = Any
CALLS = CallRule(paths=("steps[*].toolCalls", "tool_calls[*]"), name="name", arguments="arguments")
MADE = (
    Call("search", {"city": "Seoul", "nights": 2, "filter": {"stars": [4, 5]}}),
    Call("book", {"id": "H-1"}),
    Call("search", {}),
)


def outcome(check: Check) -> str:
    if check.fault:
        return BAD
    return YES if run_checks([check], {}, MADE).passed else NO


@pytest.mark.parametrize(
    ("op", "value", "text", "expected"),
    [
        ("calls", "search", "calls search", YES),
        ("calls", ["search", "book"], "calls search, book", YES),
        ("calls", ["search", "book"], 'calls ["book", "search"]', YES),
        ("calls", ["search", "pay"], "calls search, pay", NO),
        ("calls", "Search", "calls Search", NO),
        ("calls", "sea", "calls sea", NO),
        ("not calls", "pay", "not calls pay", YES),
        ("never calls", "pay", "never calls pay", YES),
        ("never_calls", ["pay", "book"], "never  calls pay, book", NO),
        ("in order", ["search", "book"], "in order search, book", YES),
        ("in order", ["search", "book", "search"], "in order search, book, search", YES),
        ("in order", ["search", "search"], "in order search, search", YES),  # others may be between
        ("in order", ["book", "book"], "in order book, book", NO),
        ("in order", ["book", "search", "book"], "in order book, search, book", NO),
        ("in-order", "book", "in order book", YES),
        ("arguments", {"name": "search", "arguments": {"city": "Seoul"}}, 'arguments search {"city": "Seoul"}', YES),
        ("arguments", {"name": "search", "arguments": {"nights": "2"}}, 'arguments search {"nights": "2.0"}', YES),
        ("arguments", {"name": "search", "arguments": {"city": "Busan"}}, 'arguments search {"city": "Busan"}', NO),
        ("arguments", {"name": "book", "arguments": {"city": "Seoul"}}, 'arguments book {"city": "Seoul"}', NO),
        ("arguments", {"name": "search", "arguments": {"page": None}}, 'arguments search {"page": null}', NO),
        (
            "arguments",
            {"name": "search", "arguments": {"city": "Seoul", "nights": 3}},
            'arguments search {"city": "Seoul", "nights": 3}',
            NO,
        ),
        (
            "arguments",
            {"name": "search", "arguments": {"filter": {"stars": [4, 5]}}},
            'arguments {"name": "search", "arguments": {"filter": {"stars": [4, 5]}}}',
            YES,
        ),
        ("calls", [], "calls []", BAD),
        ("calls", [1], "calls [1]", BAD),
        ("calls", {"x": 1}, 'calls {"x": 1}', BAD),
        ("in order", ["search", ""], 'in order ["search", ""]', BAD),
        ("never calls", " , ", "never calls ,", BAD),
        ("arguments", "search", "arguments search", BAD),
        ("arguments", {"name": "search", "arguments": {}}, "arguments search {}", BAD),
        ("arguments", {"name": "", "arguments": {"a": 1}}, 'arguments {"a": 1}', BAD),
        ("arguments", {"name": "search", "arguments": [1]}, "arguments search [1]", BAD),
        ("arguments", {"name": "search", "arguments": "{"}, 'arguments search {"a": ', BAD),
    ],
)
def test_checks_on_calls(op: str, value: Json, text: str, expected: str) -> None:
    entries = json.loads(json.dumps([{"op": op, "value": value}]))
    (check,) = read_check_list(entries, (), has_calls=True).checks
    assert outcome(check) == expected, "JSON"
    (check,) = read_marked_checks(f"@check {text}", replace(RULE, calls=CALLS)).checks
    assert outcome(check) == expected, "@check"


@pytest.mark.parametrize(("text", "expected"), [("calls search", NO), ("never calls search", YES), ("in order a", NO)])
def test_an_answer_without_calls_calls_nothing(text: str, expected: str) -> None:
    (check,) = read_marked_checks(f"@check {text}", replace(RULE, calls=CALLS)).checks
    assert bool(run_checks([check], {"tool_calls": []}).passed) is (expected == YES)


@pytest.mark.parametrize("op", ["calls", "never calls", "in order", "not calls"])
def test_document_without_a_place_of_calls_makes_them_malformed(op: str) -> None:
    (listed,) = read_check_list([{"op": op, "value": "search", "weight": 5}], ()).checks
    (marked,) = read_marked_checks(f"@check {op} search", RULE).checks
    assert (listed.fault, marked.fault) == (Fault.NO_CALLS, Fault.NO_CALLS)
    assert listed.weight == 1


@pytest.mark.parametrize(
    ("payload", "names"),
    [
        ({"tool_calls": [{"name": "a"}, {"name": "b"}]}, ["a", "b"]),
        ({"steps": [{"toolCalls": [{"name": "a"}]}, {}, {"toolCalls": [{"name": "b"}]}]}, ["a", "b"]),
        ({"steps": [{"toolCalls": {"name": "a"}}]}, ["a"]),  # one call in place of a list
        ({"steps": [{"toolCalls": []}], "tool_calls": [{"name": "b"}]}, []),  # the first path that is there counts
        ({"steps": "x", "tool_calls": ["a", " b "]}, ["a", "b"]),  # names alone
        ({"tool_calls": [{"name": 1}, {}, None, 7, {"name": "b"}]}, ["b"]),
        ({"tool_calls": []}, None),
        ({}, None),
        (None, None),
    ],
)
def test_where_calls_are_found(payload: Json, names: list[str] | None) -> None:
    calls = find_calls(payload, CALLS, open_json)
    assert (None if calls is None else [call.name for call in calls]) == names


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ({"a": 1}, {"a": 1}),
        ('{"a": 1}', {"a": 1}),  # as several interfaces write them
        ("[1]", {}),
        ("{", {}),
        (None, {}),
        ([1], {}),
        ("[" * 100_000, {}),
    ],
)
def test_arguments_of_a_call(written: Json, arguments: Json) -> None:
    rule = CallRule(paths=("calls[*]",), name="function.name", arguments="function.arguments")
    calls = find_calls({"calls": [{"function": {"name": "search", "arguments": written}}]}, rule, open_json)
    assert calls == (Call("search", arguments),)
