"""Checks: the five operators at their edges, weights, malformed and hostile ones, and what never changes a score."""

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.checks.checks import NONE, Amount, Check, Fault, Tally, passes, read_check_list, run_checks
from scoring.checks.comparing import Budget
from scoring.json_values import parse_path
from scoring.rubric import Operator

Json = Any
MISSING = object()


def holds(op: str, found: Json, wanted: Json) -> bool:
    """Does one check of `field` pass on {"field": found}?"""
    (check,) = read_check_list([{"path": "field", "op": op, "value": wanted}], ()).checks
    assert check.fault == "", check
    return passes(check, {} if found is MISSING else {"field": found}, Budget())


@pytest.mark.parametrize(
    ("found", "wanted", "expected"),
    [
        pytest.param("ACTION", "ACTION", True, id="text"),
        pytest.param("ACTION", "action", False, id="case-counts"),
        pytest.param(" ACTION ", "ACTION", True, id="trimmed"),
        pytest.param("블라인드", "블라인드", True, id="NFD-and-NFC"),
        pytest.param(6127, "6127", True, id="number-and-text"),
        pytest.param("6127", 6127.0, True, id="text-and-float"),
        pytest.param("1e1", 10, True, id="exponent"),
        pytest.param("007", 7, True, id="zeros-before"),
        pytest.param("6,127", 6127, False, id="thousands-mark-is-no-number"),
        pytest.param(90071992547409931, "90071992547409932", False, id="long-ids-stay-apart"),
        pytest.param(0.1, "0.1", True, id="shortest-decimal"),
        pytest.param(True, "true", True, id="true"),
        pytest.param("TRUE", True, True, id="true-in-any-case"),
        pytest.param(False, "false", True, id="false"),
        pytest.param(1, True, False, id="true-is-not-1"),
        pytest.param(None, "null", False, id="null-field"),
        pytest.param(MISSING, "x", False, id="missing-field"),
        pytest.param([1, 2], [1, 2], True, id="lists"),
        pytest.param({"b": 1, "a": 2}, {"a": 2, "b": 1}, True, id="order-of-keys"),
        pytest.param([1], 1, False, id="list-is-not-its-element"),
        pytest.param(float("nan"), "nan", True, id="nan-as-text"),
        pytest.param("", "", True, id="blank-is-a-value"),
        pytest.param(" ", "", True, id="white-space-is-blank"),
        pytest.param("x", "", False, id="text-is-not-blank"),
        pytest.param(0, "", False, id="zero-is-not-blank"),
        pytest.param([], "", False, id="empty-list-is-no-blank-text"),
        pytest.param(None, "", False, id="null-is-missing-not-blank"),
        pytest.param(MISSING, "", False, id="missing-is-not-blank"),
        pytest.param(10**3000, "1", False, id="huge-number"),
        pytest.param("1e-99999999999999999999", 0, False, id="absurd-exponent"),
    ],
)
def test_eq(found: Json, wanted: Json, expected: bool) -> None:
    assert holds("eq", found, wanted) is expected


@pytest.mark.parametrize(
    ("found", "wanted", "expected"),
    [
        pytest.param("PLAN_SAVE", "SAVE", True, id="substring"),
        pytest.param("PLAN_SAVE", "save", False, id="case-counts"),
        pytest.param(["A", "B"], "B", True, id="element"),
        pytest.param(["AB"], "B", False, id="no-part-of-an-element"),
        pytest.param([1, 2], "2", True, id="element-by-value"),
        pytest.param(6127, "12", True, id="digits"),
        pytest.param({"a": "B"}, "B", False, id="object"),
        pytest.param(None, "B", False, id="null"),
    ],
)
def test_contains(found: Json, wanted: Json, expected: bool) -> None:
    assert holds("contains", found, wanted) is expected


@pytest.mark.parametrize(
    ("found", "wanted", "expected"),
    [
        pytest.param("A", ["A", "B"], True, id="one-of"),
        pytest.param(1, ["1"], True, id="by-value"),
        pytest.param("C", ["A", "B"], False, id="none-of"),
        pytest.param("A", [], False, id="empty-list"),
        pytest.param("A", "A", False, id="no-list"),
        pytest.param("A", "ABC", False, id="text-is-no-list"),
        pytest.param(MISSING, ["A"], False, id="missing"),
    ],
)
def test_in(found: Json, wanted: Json, expected: bool) -> None:
    assert holds("in", found, wanted) is expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param("x", True, id="text"),
        pytest.param(0, True, id="zero"),
        pytest.param(False, True, id="false"),
        pytest.param([0], True, id="list"),
        pytest.param("", False, id="empty-text"),
        pytest.param("  ", False, id="blank"),
        pytest.param("nan", False, id="spelled-out-blank"),
        pytest.param([], False, id="empty-list"),
        pytest.param({}, False, id="empty-object"),
        pytest.param(None, False, id="null"),
        pytest.param(MISSING, False, id="missing"),
    ],
)
def test_exists(found: Json, expected: bool) -> None:
    assert holds("exists", found, None) is expected


@pytest.mark.parametrize(
    ("found", "wanted", "expected"),
    [
        pytest.param("PLAN_SAVE", "^PLAN_", True, id="anchored"),
        pytest.param("xPLAN_SAVE", "^PLAN_", False, id="anchor-fails"),
        pytest.param("공고를 저장", "저장$", True, id="hangul"),
        pytest.param("저장", "저장", True, id="NFD-and-NFC"),
        pytest.param(6127, r"^\d{4}$", True, id="number"),
        pytest.param("a\nb", "^b$", False, id="one-line"),
        pytest.param("abc", "(?i)ABC", True, id="flag"),
        pytest.param(["abc"], "abc", False, id="list"),
        pytest.param(MISSING, ".*", False, id="missing"),
    ],
)
def test_regex(found: Json, wanted: Json, expected: bool) -> None:
    assert holds("regex", found, wanted) is expected


@pytest.mark.parametrize(
    "pattern", ["(", "(?=a)", r"(a)\1", "a{1001}", "*", "x" * 2000, "\ud800"], ids=lambda pattern: ascii(pattern)[:12]
)
def test_pattern_that_re2_cannot_take_is_a_failed_check_and_named(
    pattern: str, capfd: pytest.CaptureFixture[str]
) -> None:
    checks = read_check_list([{"path": "a", "op": "regex", "value": pattern, "weight": 3}], ()).checks
    tally = run_checks(checks, {"a": "aaaa"})
    assert (float(tally.passed), float(tally.total)) == (0, 3)
    assert [failure.fault for failure in tally.failures] == [Fault.PATTERN]
    assert capfd.readouterr().err == ""


def test_pattern_that_explodes_elsewhere_takes_linear_time() -> None:
    # Python's own engine would need 2^30 steps for each of these.
    hostile = [{"path": "a", "op": "regex", "value": "(a+)+$"}, {"path": "a", "op": "regex", "value": "(a|a)*b"}]
    tally = run_checks(read_check_list(hostile, ()).checks, {"a": "a" * 20_000 + "!"})
    assert (float(tally.passed), float(tally.total)) == (0, 2)


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        pytest.param({"op": "eq", "value": 1}, Fault.NO_PATH, id="no-path"),
        pytest.param({"path": "", "op": "eq", "value": 1}, Fault.NO_PATH, id="blank-path"),
        pytest.param({"path": 3, "op": "eq", "value": 1}, Fault.NO_PATH, id="path-is-a-number"),
        pytest.param({"path": "a[", "op": "eq", "value": 1}, Fault.NO_PATH, id="bad-path"),
        pytest.param({"path": "a", "op": "eq"}, Fault.NO_VALUE, id="no-value"),
        pytest.param({"path": "a", "op": "contains", "value": " "}, Fault.NO_VALUE, id="blank-value"),
        pytest.param({"path": "a", "op": "regex", "value": ""}, Fault.NO_VALUE, id="blank-pattern"),
        pytest.param({"path": "a", "op": "in", "value": ""}, Fault.NO_VALUE, id="blank-is-no-list"),
        pytest.param({"path": "a", "op": "in", "value": None}, Fault.NO_VALUE, id="null-value"),
        pytest.param({"path": "a", "op": "eq", "value": None}, Fault.NO_VALUE, id="null-is-no-value"),
        pytest.param({"path": "a", "op": "eq", "value": 1, "weight": 0}, Fault.WEIGHT, id="weight-0"),
        pytest.param({"path": "a", "op": "eq", "value": 1, "weight": -1}, Fault.WEIGHT, id="weight-below-0"),
        pytest.param({"path": "a", "op": "eq", "value": 1, "weight": "2"}, Fault.WEIGHT, id="weight-is-text"),
        pytest.param({"path": "a", "op": "eq", "value": 1, "weight": True}, Fault.WEIGHT, id="weight-is-true"),
        pytest.param({"path": "a", "op": "eq", "value": 1, "weight": math.nan}, Fault.WEIGHT, id="weight-is-nan"),
        pytest.param({"path": "a", "op": "eq", "value": 1, "weight": 1e17}, Fault.WEIGHT, id="weight-too-large"),
        pytest.param({"path": "a", "op": "eq", "value": 1, "weight": 1e-300}, Fault.WEIGHT, id="weight-too-small"),
        pytest.param({"path": "a", "op": "eq", "value": 1, "weight": math.inf}, Fault.WEIGHT, id="weight-is-infinite"),
        pytest.param("a=1", Fault.NOT_AN_OBJECT, id="text"),
        pytest.param(None, Fault.NOT_AN_OBJECT, id="null"),
        pytest.param([], Fault.NOT_AN_OBJECT, id="list"),
    ],
)
def test_malformed_check_fails_with_weight_1(entry: Json, fault: str) -> None:
    tally = run_checks(read_check_list([entry], ()).checks, {"a": 1})
    assert (float(tally.passed), float(tally.total)) == (0, 1)
    (failure,) = tally.failures
    assert failure.fault == fault


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("equals", "eq"),
        ("==", "eq"),
        (None, "eq"),
        ("is not", "ne"),
        ("greater than", "gt"),
        (">=", "ge"),
        ("at most", "le"),
        ("Includes", "contains"),
        ("contain", "contains"),
        ("startsWith", "regex"),
        ("oneof", "one of"),
        ("one_off", "one of"),
        ("not-empty", "exists"),
        ("jsonschema", "json schema"),
        ("포함", "contains"),
        ("이상", "ge"),
        ("not like", "not contains"),
        ("sounds like", ""),
        (["eq"], ""),
        (7, ""),
    ],
)
def test_a_check_of_an_unknown_operator_does_not_count_and_names_the_nearest(written: Json, nearest: str) -> None:
    (check,) = read_check_list([{"path": "a", "op": written, "value": 1}], ()).checks
    assert (check.fault, check.nearest, check.counts) == (Fault.NO_OPERATOR, nearest, False)
    assert run_checks([check], {"a": 1}).ratio is None
    (sound,) = read_check_list([{"path": "a", "op": "eq", "value": 1}], ()).checks
    assert run_checks([check, sound], {"a": 1}).ratio == 1


@pytest.mark.parametrize(
    ("entry", "absent"),
    [
        ({"path": "b", "op": "eq", "value": 1}, {"b"}),
        ({"path": "b", "op": "exists"}, {"b"}),
        ({"path": "n", "op": "eq", "value": 1}, {"n"}),  # null is no value
        ({"path": "a", "op": "eq", "value": 2}, set()),
        ({"path": "a", "op": "eq", "value": 1}, set()),
        ({"path": "b", "op": "not exists"}, set()),
        ({"path": "b", "op": "count", "value": 1}, set()),  # may ask for none
        ({"path": "b", "op": "between", "value": [3, 1]}, set()),  # malformed
    ],
)
def test_checks_without_any_value_at_their_path_are_told(entry: Json, absent: set[str]) -> None:
    checks = read_check_list([entry], ()).checks
    assert run_checks(checks, {"a": 1, "n": None}).absent == absent


@pytest.mark.parametrize(
    ("schema", "value", "found"),
    [
        ({"required": ["city"]}, {"nights": 2}, '{1} (/: required ["city"] ← {1})'),
        ({"properties": {"nights": {"minimum": 3}}}, {"nights": 2}, "{1} (/nights: minimum 3 ← 2)"),
        ({"type": "array"}, "x", "x (/: type array ← x)"),
        ({"items": {"enum": ["a"]}}, ["a", "b"], '[2] (/1: enum ["a"] ← b)'),
        ({"pattern": "^P"}, "Q", "Q (/: pattern ^P ← Q)"),
    ],
)
def test_a_failed_schema_names_the_rule_and_the_place(schema: Json, value: Json, found: str) -> None:
    (check,) = read_check_list([{"path": "trip", "op": "json schema", "value": schema}], ()).checks
    (failure,) = run_checks([check], {"trip": value}).failures
    assert failure.found == found


def test_exists_needs_no_value_and_operators_are_known_in_any_case() -> None:
    checks = read_check_list([{"path": "a", "op": " Exists "}], ()).checks
    assert run_checks(checks, {"a": 1}).passed == 1


def test_paths_under_the_message_are_ignored_and_counted() -> None:
    entries = [
        {"path": "assistantMessage", "op": "contains", "value": "x"},
        {"path": "assistantMessage.text", "op": "contains", "value": "x"},
        {"path": "assistantMessageId", "op": "eq", "value": "x"},
    ]
    read = read_check_list(entries, ("assistantMessage",))
    assert read.ignored == 2
    assert [check.name for check in read.checks] == ["assistantMessageId"]


@pytest.mark.parametrize(
    ("weights", "passed", "ratio"),
    [
        ([1], [True], 1.0),
        ([3, 1, 4], [True, True, False], 0.5),
        ([0.7, 0.1, 0.2], [True, True, False], 0.8),  # 0.7 + 0.1 is below 0.8 in floats
        ([0.1] * 10, [True] * 10, 1.0),
        ([1e6, 1e-6], [True, False], 1 - 1e-12),  # not all passed: never 1
        ([1e-6, 1e6], [True, False], 1e-6 / (1e6 + 1e-6)),  # one passed: never 0
        ([1, 1], [False, False], 0.0),
    ],
)
def test_ratio_is_exact(weights: list[float], passed: list[bool], ratio: float) -> None:
    entries = [
        {"path": "a", "op": "eq", "value": 1 if does_pass else 2, "weight": weight}
        for weight, does_pass in zip(weights, passed, strict=True)
    ]
    assert run_checks(read_check_list(entries, ()).checks, {"a": 1}).ratio == ratio


SCREEN = {
    "dataUIList": [
        {"uiValue": {"kind": "A"}, "kind": "A"},  # one item, whatever is found in it
        {"kind": "A"},
        None,
        {"uiValue": {"kind": "B", "tags": ["x", "y"]}},
    ],
    "kind": "A",
    "texts": ["저장했습니다", {"more": "삭제"}],
}


def counted(key: str, value: str, amount: Amount, operator: Operator = Operator.EQ) -> Check:
    paths = [parse_path(text) for text in (f"dataUIList[*].uiValue.{key}", f"dataUIList[*].{key}", key)]
    return Check(name=key, operator=operator, value=value, paths=tuple(filter(None, paths)), amount=amount)


@pytest.mark.parametrize(
    ("value", "amount", "expected"),
    [
        pytest.param("A", Amount(3, 3), True, id="exactly"),  # two items and the payload's own field
        pytest.param("A", Amount(2, 2), False, id="too-many"),
        pytest.param("A", Amount(3), True, id="or-more"),
        pytest.param("A", Amount(4), False, id="too-few"),
        pytest.param("A", Amount(0, 3), True, id="or-fewer"),
        pytest.param("A", Amount(0, 2), False, id="more-than-that"),
        pytest.param("B", NONE, False, id="there-is-one"),
        pytest.param("C", NONE, True, id="there-is-none"),
    ],
)
def test_amount_counts_items(value: str, amount: Amount, expected: bool) -> None:
    assert passes(counted("kind", value, amount), SCREEN, Budget()) is expected


@pytest.mark.parametrize(("value", "expected"), [("저장", False), ("삭제", False), ("수정", True)])
def test_text_inside_a_list_is_not_absent(value: str, expected: bool) -> None:
    assert passes(counted("texts", value, NONE, Operator.CONTAINS), SCREEN, Budget()) is expected


def test_failed_amount_is_named() -> None:
    tally = run_checks(
        [counted("kind", "A", NONE), counted("kind", "A", Amount(4)), counted("kind", "A", Amount(0, 1))], SCREEN
    )
    assert [failure.operator for failure in tally.failures] == ["eq ×0", "eq ≥4", "eq ≤1"]


def test_no_checks_have_no_ratio() -> None:
    assert Tally(Fraction(0), Fraction(0), ()).ratio is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "path": st.sampled_from(["a", "a.b", "a[*]", "a[*].b", "a[0].c", "b", ""]) | VALUES,
        "op": st.sampled_from(["eq", "contains", "in", "regex", "exists", "nope"]) | VALUES,
        "value": VALUES,
        "weight": st.sampled_from([1, 2, 0.5, 0, -1, None, "x"]),
    },
)


@given(entries=st.lists(ENTRIES, max_size=6), payload=st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3))
def test_any_list_gives_a_ratio_between_0_and_1(entries: list[Json], payload: dict[str, Json]) -> None:
    tally = run_checks(read_check_list(entries, ()).checks, payload)
    assert tally.ratio is None or 0 <= tally.ratio <= 1
    assert all(isinstance(text, str) for failure in tally.failures for text in failure)


@given(entries=st.lists(ENTRIES, min_size=1, max_size=6), payload=st.dictionaries(st.sampled_from("abc"), VALUES))
def test_a_passing_check_more_never_lowers_the_ratio(entries: list[Json], payload: dict[str, Json]) -> None:
    more = [*entries, {"path": "sure", "op": "eq", "value": "1"}]
    before = run_checks(read_check_list(entries, ()).checks, {**payload, "sure": 1}).ratio
    after = run_checks(read_check_list(more, ()).checks, {**payload, "sure": 1}).ratio
    assert after is not None
    assert after >= (before or 0)


@given(
    weights=st.lists(st.sampled_from([1, 2, 3, 0.25, 10]), min_size=1, max_size=5),
    factor=st.sampled_from([2, 10, 0.5, 1000]),
    data=st.data(),
)
def test_weights_are_free_of_scale(weights: list[float], factor: float, data: st.DataObject) -> None:
    wanted = [data.draw(st.sampled_from([1, 2])) for _ in weights]

    def ratio(scale: float) -> float | None:
        entries = [
            {"path": "a", "op": "eq", "value": value, "weight": weight * scale}
            for weight, value in zip(weights, wanted, strict=True)
        ]
        return run_checks(read_check_list(json.loads(json.dumps(entries)), ()).checks, {"a": 1}).ratio

    assert ratio(factor) == ratio(1)


@pytest.mark.parametrize(
    ("payload", "found"),
    [
        pytest.param({"a": "x"}, "x", id="value"),
        pytest.param({"a": 6.50}, "6.5", id="number"),
        pytest.param({"a": None}, "", id="null"),
        pytest.param({}, "", id="nothing"),
        pytest.param({"a": [1, 2]}, "[2]", id="list-by-its-size"),
        pytest.param({"a": {"b": 1}}, "{1}", id="object-by-its-size"),
        pytest.param({"a": "z" * 900}, "z" * 500, id="cut"),
    ],
)
def test_a_failed_check_names_what_the_answer_has(payload: Json, found: str) -> None:
    tally = run_checks(read_check_list([{"path": "a", "op": "eq", "value": "other"}], ()).checks, payload)
    assert [failure.found for failure in tally.failures] == [found]


def test_values_of_a_failed_check_are_named_once_in_text_order_and_only_some() -> None:
    checks = read_check_list([{"path": "a[*].b", "op": "eq", "value": "x"}], ()).checks
    few = run_checks(checks, {"a": [{"b": text} for text in "cabca"]})
    assert few.failures[0].found == "a, b, c"
    more = run_checks(checks, {"a": [{"b": n} for n in range(10, 90)]})
    assert more.failures[0].found == "10, 11, 12, 13, 14, …"
    many = run_checks(checks, {"a": [{"b": n} for n in range(101)]})
    assert many.failures[0].found == "[>100]"


def test_only_the_first_failed_checks_are_explained() -> None:
    checks = read_check_list([{"path": "a", "op": "eq", "value": n} for n in range(30)], ()).checks
    found = [failure.found for failure in run_checks(checks, {"a": "x"}).failures]
    assert found == ["x"] * 20 + [""] * 10
