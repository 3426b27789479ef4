"""Operators at their edges, each row as a check in JSON and as `@check` in prose; both give the same."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest

from scoring.checks.checks import Check, Fault, read_check_list, run_checks
from scoring.checks.marked import read_marked_checks
from scoring.rubric.points import Bands
from scoring.rubric.rules import CheckRule, Operator

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


@pytest.mark.parametrize(
    ("value", "text", "found", "expected"),
    [
        ("A", "a!=A", "B", YES),
        ("A", "a != A", "A", NO),
        ("A", "a≠'A'", " A ", NO),
        ("A", "a ne A", "B", YES),
        (1, "a!=1", "1.0", NO),
        ("1e-99999999999999999999", "a!=1e-99999999999999999999", 0, YES),
        (90071992547409931, "a!=90071992547409931", 90071992547409932, YES),
        (True, "a!=true", True, NO),
        ("A", "a!=A", None, NO),  # a missing field passes no operator
        ("A", "a!=A", MISSING, NO),
        ("A", "a!=A", [], YES),
        (None, "a!=", "B", BAD),
    ],
)
def test_ne(value: Json, text: str, found: Json, expected: str) -> None:
    assert_both("ne", value, text, found, expected)


@pytest.mark.parametrize(
    ("op", "sign", "passing"),
    [("gt", ">", [3]), ("ge", ">=", [2, 3]), ("lt", "<", [1]), ("le", "<=", [1, 2])],
)
@pytest.mark.parametrize(
    ("edge", "around"),
    [
        (2, (1.999, 2.0, 2.001)),
        ("2", ("1.9", "2.00", "2.1")),
        (-1, (-1.5, "-1e0", 0)),
        (0.1, (0.09, "0.10", 0.30000000000000004)),
        (90071992547409931, (90071992547409930, "90071992547409931", 90071992547409932)),
        ("1e308", (0, 1e308, "1.1e308")),
    ],
)
def test_order_is_exact(op: str, sign: str, passing: list[int], edge: Json, around: tuple[Json, ...]) -> None:
    for place, found in enumerate(around, start=1):
        expected = YES if place in passing else NO
        for written in (f"a{sign}{edge}", f"a {sign} '{edge}'", f"a {op} {edge}"):
            assert_both(op, edge, written, found, expected)


@pytest.mark.parametrize("op", ["gt", "ge", "lt", "le"])
@pytest.mark.parametrize(
    ("value", "found", "expected"),
    [
        (1, "abc", NO),
        (1, True, NO),
        (1, "6,127", NO),
        (1, [1, 2], NO),
        (1, {"b": 1}, NO),
        (1, "", NO),
        (1, None, NO),
        (1, MISSING, NO),
        (1, float("nan"), NO),
        (1, float("inf"), NO),
        pytest.param(1, 10**3000, NO, id="no-number-that-a-payload-can-have"),
        ("x", 1, BAD),
        ("1,000", 1, BAD),
        ("nan", 1, BAD),
        ("1e400", 1, BAD),
        ("1e999999999999999999999", 1, BAD),
        ("", 1, BAD),
    ],
)
def test_order_of_what_is_no_number(op: str, value: Json, found: Json, expected: str) -> None:
    assert_both(op, value, f"a {op} {value}", found, expected)


@pytest.mark.parametrize("value", [True, [1], {"x": 1}, None])
def test_order_takes_numbers_alone(value: Json) -> None:
    assert outcome(from_json("gt", value), {"a": 5}) == BAD


@pytest.mark.parametrize(
    ("value", "text", "found", "expected"),
    [
        ([1, 5], "a between 1..5", 1, YES),
        ([1, 5], "a between 1 and 5", 5, YES),
        ([1, 5], "a between [1, 5]", "5.0", YES),
        ([1, 5], "a between 1 .. 5", 0.9999, NO),
        ([1, 5], "a between 1..5", 5.0001, NO),
        ("1..5", "a between '1..5'", 3, YES),
        (["1", "5"], 'a between ["1", "5"]', 3, YES),
        ([5, 5], "a between 5..5", 5, YES),
        ([-5, -1], "a between -5..-1", -3, YES),
        ([0.1, 0.3], "a between 0.1..0.3", 0.30000000000000004, NO),
        ([1, 5], "a between 1..5", "three", NO),
        ([1, 5], "a between 1..5", MISSING, NO),
        ([5, 1], "a between 5..1", 3, BAD),
        ([1], "a between 1", 3, BAD),
        ([1, 2, 3], "a between 1..2..3", 3, BAD),
        ([1, "x"], "a between 1 and x", 3, BAD),
        ([1, None], "a between 1..", 3, BAD),
        ([1, [2]], "a between [1, [2]]", 3, BAD),
        ("", "a between", 3, BAD),
    ],
)
def test_between(value: Json, text: str, found: Json, expected: str) -> None:
    assert_both("between", value, text, found, expected)


@pytest.mark.parametrize(
    ("value", "text", "found", "expected"),
    [
        ({"value": 10, "absolute": 0.5}, "a approx 10 ± 0.5", 10.5, YES),
        ({"value": 10, "absolute": 0.5}, "a approx 10±0.5", 9.5, YES),
        ("10 ± 0.5", "a approx 10 +- 0.5", 10.51, NO),
        ("10 +/- 0.5", "a approx 10 +/- 0.5", "9.49", NO),
        ({"value": 0.3, "absolute": 0.1}, "a approx 0.3 ± 0.1", 0.4, YES),  # 0.4 - 0.3 is above 0.1 in floats
        ({"value": 0.3, "absolute": 0.1}, "a approx 0.3 ± 0.1", 0.2, YES),
        ({"value": 10, "absolute": 0}, "a approx 10 ± 0", "10.0", YES),
        ({"value": 200, "relative": 0.05}, "a approx 200 ± 5%", 190, YES),
        ({"value": 200, "relative": 0.05}, "a approx 200 ± 5%", 210, YES),
        ({"value": 200, "relative": 0.05}, "a approx 200 ± 5 %", 189.999, NO),
        ({"value": -200, "relative": 0.05}, "a approx -200 ± 5%", -210, YES),
        ({"value": 0, "relative": 0.05}, "a approx 0 ± 5%", 0.001, NO),
        ({"value": 200, "absolute": 20, "relative": 0.05}, "a approx 200 ± 10%", 220, YES),  # the wider one
        ({"value": 200, "absolute": 1, "relative": 0.1}, "a approx 200 ± 10%", 220, YES),
        ({"value": "1e308", "relative": 1}, "a approx 1e308 ± 100%", "1.7e308", YES),
        ({"value": 1, "absolute": "1e-99999999"}, "a approx 1 ± 1e-99999999", 1, YES),
        ({"value": 1, "absolute": "1e-99999999"}, "a approx 1 ± 1e-99999999", "1.1", NO),
        ({"value": 10, "absolute": 1}, "a approx 10 ± 1", "ten", NO),
        ({"value": 10, "absolute": 1}, "a approx 10 ± 1", [10], NO),
        ({"value": 10, "absolute": 1}, "a approx 10 ± 1", MISSING, NO),
        (10, "a approx 10", 10, BAD),
        ({"value": 10}, "a approx 10 ±", 10, BAD),
        ({"value": 10, "absolute": -1}, "a approx 10 ± -1", 10, BAD),
        ({"value": 10, "absolute": "x"}, "a approx 10 ± x", 10, BAD),
        ({"absolute": 1}, "a approx ± 1", 10, BAD),
        ({"value": 10, "tolerance": 1}, "a approx 10 ± 1 ± 1", 10, BAD),
        ({"value": 10, "absolute": None}, "a approx 10 ± %", 10, BAD),
        ({"value": "x", "absolute": 1}, "a approx x ± 1", 10, BAD),
    ],
)
def test_approx(value: Json, text: str, found: Json, expected: str) -> None:
    assert_both("approx", value, text, found, expected)


@pytest.mark.parametrize(
    ("value", "text", "found", "expected"),
    [
        (2, "a length 2", "가나", YES),
        (2, "a length 2", unicodedata.normalize("NFD", "가나"), YES),
        (2, "a length = 2", " ab ", YES),
        (2, "a length 2", ["x", None], YES),
        (2, "a length 2", {"x": 1, "y": 2}, YES),
        (4, "a length 4", 6127, YES),
        (0, "a length 0", "", YES),
        (0, "a length 0", [], YES),
        (0, "a length 0", MISSING, NO),
        (">= 3", "a length >= 3", "ab", NO),
        (">= 3", "a length>=3", "abc", YES),
        ("> 3", "a length > 3", "abc", NO),
        ("<= 3", "a length ≤ 3", "abc", YES),
        ("< 3", "a length < 3", "abc", NO),
        ([2, 4], "a length 2..4", "abcd", YES),
        ([2, 4], "a length 2 and 4", "abcde", NO),
        ("2.0", "a length 2.0", "ab", YES),
        (2.5, "a length 2.5", "ab", BAD),
        (-1, "a length -1", "ab", BAD),
        ("many", "a length many", "ab", BAD),
        ([4, 2], "a length 4..2", "ab", BAD),
        ("> x", "a length > x", "ab", BAD),
        ({"x": 1}, 'a length {"x": 1}', "ab", BAD),
        ("", "a length", "ab", BAD),
    ],
)
def test_length(value: Json, text: str, found: Json, expected: str) -> None:
    assert_both("length", value, text, found, expected)


@pytest.mark.parametrize(
    ("path", "key", "value", "payload", "expected"),
    [
        ("list[*].k", "k", "2", {"list": [{"k": 1}, {"k": ""}, {"k": None}, {}]}, YES),  # null is nothing, blank is not
        ("list[*].k", "k", "0", {"list": []}, YES),
        ("list[*].k", "k", "0", {}, YES),
        ("list[*].k", "k", "0", {"list": [{"k": 1}]}, NO),
        ("list[*].k", "k", ">= 1", {}, NO),
        ("list[*].k", "k", ">= 1", {"list": [{"k": 1}]}, YES),
        ("list[*].k", "k", "1..2", {"list": [{"k": 1}] * 3}, NO),
        ("list[*].k[*]", "k[*]", "3", {"list": [{"k": [1, 2]}, {"k": [3]}]}, YES),  # elements of the last list
        ("list[*].k", "k", "1", {"list": {"k": 1}}, NO),
        ("k", "k", "1", {"k": [1, 2]}, YES),  # one value, a list
        ("list[*].k", "k", "x", {"list": []}, BAD),
        ("list[*].k", "k", "-1", {"list": []}, BAD),
        ("list[*].k", "k", "1.5", {"list": []}, BAD),
    ],
)
def test_count(path: str, key: str, value: str, payload: Json, expected: str) -> None:
    assert outcome(from_json("count", value, path), payload) == expected
    assert outcome(from_text(f"{key} count {value}"), payload) == expected


def test_count_of_a_key_that_an_element_has_at_two_places_is_one() -> None:
    rule = CheckRule(
        sources=(),
        field="",
        marker="@check",
        contains_suffix="Contains",
        lookup=("list[*].in.{key}", "list[*].{key}"),
        ignored=(),
        status_points={},
        bands=RULE.bands,
    )
    (check,) = read_marked_checks("@check k count 2", rule).checks
    assert outcome(check, {"list": [{"in": {"k": 1}, "k": 1}, {"k": 2}]}) == YES


@pytest.mark.parametrize(
    ("value", "text", "found", "expected"),
    [
        (["A", "B"], "a one of A, B", "B", YES),
        (["A", "B"], 'a one of ["A", "B"]', " A ", YES),
        (["A", "B; C"], 'a one of ["A", "B; C"]', "B; C", YES),
        (["A", "B"], "a one of 'A', \"B\"", "B", YES),
        (["A", "B"], "a one of A, B", "b", NO),
        (["A, B"], 'a one of ["A, B"]', "A", NO),
        ([1, 2], "a one of 1, 2", "2.0", YES),
        ([90071992547409931], "a one of 90071992547409931", 90071992547409932, NO),
        ([True], "a one of true", True, YES),
        ([[1]], "a one of [[1]]", [1], YES),
        ("A", "a one of A", "A", YES),
        ("A,,B", "a one of A,,B", "B", YES),
        (["A"], "a one of A", MISSING, NO),
        ([], "a one of []", "A", BAD),
        (" , ", "a one of ,", "A", BAD),
        (1, 'a one of {"x": 1}', "A", BAD),
    ],
)
def test_one_of(value: Json, text: str, found: Json, expected: str) -> None:
    assert_both("one of", value, text, found, expected)


@pytest.mark.parametrize(
    ("value", "text", "found", "expected"),
    [
        (["^A", "B$"], 'a matches all ["^A", "B$"]', "A-B", YES),
        (["^A", "B$"], 'a matches all ["^A", "B$"]', "A-B-C", NO),
        (["^A", "B$"], 'a  matches  all ["^A", "B$"]', "BA", NO),
        ("a{1,2}b", "a matches all a{1,2}b", "aab", YES),  # a text is one pattern
        (["저장"], "a matches all 저장", "저장했습니다", YES),
        (["^[0-9]+$"], "a matches all ^[0-9]+$", 6127, YES),
        (["[;]"], 'a matches all ["[;]"]', "x;y", YES),
        (["x"], "a matches all x", ["x"], NO),
        (["x"], "a matches all x", MISSING, NO),
        ([], "a matches all []", "x", BAD),
        ([1], "a matches all [1]", "x", BAD),
        (["x", ""], 'a matches all ["x", ""]', "x", BAD),
        ({"x": 1}, "a matches all ", "x", BAD),
    ],
)
def test_matches_all(value: Json, text: str, found: Json, expected: str) -> None:
    assert_both("matches all", value, text, found, expected)


@pytest.mark.parametrize("check", [from_json("matches all", ["x", "(?=x)"]), from_text('a matches all ["x", "(?=x)"]')])
def test_pattern_that_re2_refuses_fails_with_its_weight(check: Check) -> None:
    tally = run_checks([check], {"a": "x"})
    assert (check.fault, [failure.fault for failure in tally.failures]) == ("", [Fault.PATTERN])


@pytest.mark.parametrize(
    ("op", "value", "text", "found", "expected"),
    [
        ("not", "A", "not a=A", "B", YES),
        ("not", "A", "not a=A", "A", NO),
        ("not eq", "A", "not a = A", MISSING, YES),  # nothing is found, so nothing is equal
        ("not contains", "x", "not aContains=x", "axb", NO),
        ("not contains", "x", "not a contains x", "abc", YES),
        ("not exists", None, "not a exists", MISSING, YES),
        ("not exists", None, "not a exists", "", YES),
        ("not exists", None, "not a exists", 0, NO),
        ("not gt", 5, "not a>5", 5, YES),
        ("not gt", 5, "not a > 5", 6, NO),
        ("not between", [1, 5], "not a between 1..5", 6, YES),
        ("not one of", ["A", "B"], "not a one of A, B", "C", YES),
        ("not regex", "^A", "not a regex ^A", "BA", YES),
        ("not matches all", ["A", "B"], 'not a matches all ["A", "B"]', "A", YES),
        ("not length", 2, "not a length 2", "abc", YES),
        ("not ne", "A", "not a!=A", "A", YES),
        ("NOT_Matches-All", ["A"], "not a matches all A", "A", NO),
        ("not gt", "x", "not a>x", 1, BAD),  # a malformed check never passes
        ("not eq", None, "not a=", 1, BAD),
        ("not not eq", "A", "not", "B", BAD),
        ("not like", "A", "not a", "B", BAD),
    ],
)
def test_not(op: str, value: Json, text: str, found: Json, expected: str) -> None:
    assert_both(op, value, text, found, expected)


def test_not_is_about_every_value_that_ne_is_about_any() -> None:
    payload = {"list": [{"k": "A"}, {"k": "B"}]}
    for op, text, expected in (("ne", "k!=A", YES), ("not eq", "not k=A", NO), ("not eq", "not k=A", NO)):
        assert outcome(from_json(op, "A", "list[*].k"), payload) == expected
        assert outcome(from_text(text), payload) == expected


def test_not_before_an_object_with_an_operator_is_malformed() -> None:
    """It looks like a check in a check, which would pass for ever."""
    assert from_json("not", {"op": "contains", "value": "x"}).fault == Fault.WRONG_VALUE


def test_checks_of_the_message_are_ignored_whatever_the_operator() -> None:
    text = "@check assistantMessage length > 3; not assistantMessage=x; assistantMessage one of a, b; a>1"
    read = read_marked_checks(text, RULE)
    assert (read.ignored, [check.name for check in read.checks]) == (3, ["a"])


@pytest.mark.parametrize(
    ("text", "checks"),
    [
        ("a=b>c", [("a", Operator.EQ, "b>c")]),
        ("a==1", [("a", Operator.EQ, "=1")]),
        ("a=>1", [("a", Operator.EQ, ">1")]),
        ("a=!b", [("a", Operator.EQ, "!b")]),
        ("a!b=1", [("a!b", Operator.EQ, "1")]),
        ("not=A", [("not", Operator.EQ, "A")]),
        ("not = A", [("not", Operator.EQ, "A")]),
        ("calls=3", [("calls", Operator.EQ, "3")]),
        ("count > 3", [("count", Operator.GT, "3")]),
        ("length length > 3", [("length", Operator.LENGTH, "> 3")]),
        ("등급 이름=A", [("등급 이름", Operator.EQ, "A")]),
        ("a in order=1", [("a in order", Operator.EQ, "1")]),
        ("a>=1; b<2", [("a", Operator.GE, "1"), ("b", Operator.LT, "2")]),
        ("a one of x, y; b=1", [("a", Operator.ONE_OF, "x, y"), ("b", Operator.EQ, "1")]),
        ('a one of ["x;y", "@check"]; b=1', [("a", Operator.ONE_OF, '["x;y", "@check"]'), ("b", Operator.EQ, "1")]),
        ("a between 1..2 @check b=1", [("a", Operator.BETWEEN, "1..2"), ("b", Operator.EQ, "1")]),
        ('a contains "x; y"', [("a", Operator.CONTAINS, "x; y")]),
        ("a=[x;b=1", [("a", Operator.EQ, "[x"), ("b", Operator.EQ, "1")]),
    ],
)
def test_where_a_marked_check_starts_and_ends(text: str, checks: list[tuple[str, Operator, str]]) -> None:
    read = read_marked_checks(f"@check {text}", RULE)
    assert [(check.name, check.operator, check.value) for check in read.checks] == checks


@pytest.mark.parametrize(
    ("op", "value", "shown"),
    [("not_contains", "x", "not contains"), ("matches all", ["x"], "matches-all"), ("not", 1, "not eq")],
)
def test_failed_check_names_its_operator(op: str, value: Json, shown: str) -> None:
    (failure,) = run_checks(
        [from_json(op, value)], {"a": [] if op == "matches all" else "1x1" if value == "x" else 1}
    ).failures
    assert failure.operator == shown
