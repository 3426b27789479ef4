"""Operators at their edges, each row as a check in JSON and as `@check` in prose; both give the same."""

import unicodedata

import pytest

from scoring.checks.checks import Check, Fault, run_checks
from scoring.checks.written_checks import read_marked_checks
from scoring.rubric import CheckRule
from tests.scoring.checks.operators import BAD, MISSING, NO, RULE, YES, Json, assert_both, from_json, from_text, outcome


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
