"""Forms of operators: `not` before any, of the message, marked in a text, and as a failed check names them."""

import pytest

from scoring.checks.checks import Fault, run_checks
from scoring.checks.written_checks import read_marked_checks
from scoring.rubric import Operator
from tests.scoring.checks.operators import BAD, MISSING, NO, RULE, YES, Json, assert_both, from_json, from_text, outcome


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
        ("a==1", [("a", Operator.EQ, "1")]),
        ("a === 1", [("a", Operator.EQ, "1")]),
        ("a＝1", [("a", Operator.EQ, "1")]),
        ("a<>1", [("a", Operator.NE, "1")]),
        ("a!==1", [("a", Operator.NE, "1")]),
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


@pytest.mark.parametrize(
    "marker",
    [
        "@Check",
        "@CHECK",
        "@check:",
        "@Check :",
        "＠check",
        "＠Check：",
        "@ check",
        "@checks",
        "@Checks:",
        "@\u200bCheck",
        "- @Check",
    ],
)
def test_the_marker_is_read_as_phones_and_spreadsheets_write_it(marker: str) -> None:
    read = read_marked_checks(f"앞 줄\n{marker} a=1; b=2 {marker} c=3", RULE)
    assert [(check.name, check.operator, check.value) for check in read.checks] == [
        ("a", Operator.EQ, "1"),
        ("b", Operator.EQ, "2" if not marker.startswith("-") else "2 -"),
        ("c", Operator.EQ, "3"),
    ]


@pytest.mark.parametrize(
    "line",
    ["a@check.com 참고", "@checker a", "@check-in 화면", "@Checklist=1", "kim@Check a=1", "점검 목록", "@kim a=1"],
)
def test_other_words_are_no_marker(line: str) -> None:
    assert all(not check.counts or "@check" in line for check in read_marked_checks(line, RULE).checks)
    assert read_marked_checks("@kim a=1\n점검 a=1\ncheck that a is shown", RULE).checks == ()


@pytest.mark.parametrize(
    "line",
    [
        "@chekc a=1",
        "@chek a != 1",
        "@체크 a=1",
        "@확인: a=1",
        "@assert a>=1",
        "check a=1",
        "Check: a=1",
        "* @verify a=1",
    ],
)
def test_a_line_that_starts_nearly_like_the_marker_is_named_and_does_not_count(line: str) -> None:
    (check,) = read_marked_checks(line, RULE).checks
    assert (check.name, check.fault, check.nearest, check.counts) == (line, Fault.NO_OPERATOR, "@check", False)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("a is B", "eq"),
        ("a equals B", "eq"),
        ("not a equals B", "eq"),
        ("a is not B", "ne"),
        ("a includes 가 나", "contains"),
        ("a starts with B", "regex"),
        ("a greater than 3", "gt"),
        ("a 포함 B", "contains"),
        ("a conntains B", "contains"),
    ],
)
def test_words_for_an_operator_that_is_not_known_name_the_nearest(text: str, nearest: str) -> None:
    (check,) = read_marked_checks(f"@check {text}", RULE).checks
    assert (check.name, check.fault, check.nearest) == (text, Fault.NO_OPERATOR, nearest)


@pytest.mark.parametrize("text", ["grade", "grade A", "등급이 A인 지원자"])
def test_a_check_without_any_operator_is_malformed_and_fails(text: str) -> None:
    (check,) = read_marked_checks(f"@check {text}", RULE).checks
    assert (check.fault, check.counts) == (Fault.NO_EQUALS, True)
