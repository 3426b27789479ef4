"""Checks written as text: `@check` in every spelling, look-up order, lines of prose."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from config import shipped_rubrics
from scoring.checks import written_checks
from scoring.checks.checks import ANY, NONE, Amount, Fault, run_checks
from scoring.checks.written_checks import read_marked_checks, read_prose_checks
from scoring.rubric import Bands, CheckRule, Operator, TextPattern

RULE = CheckRule(
    sources=(),
    field="accuracyChecks",
    marker="@check",
    contains_suffix="Contains",
    lookup=("dataUIList[*].uiValue.{key}", "dataUIList[*].{key}", "setting.{key}", "{key}"),
    ignored=("assistantMessage",),
    patterns=(
        TextPattern(pattern='(?P<key>[A-Za-z]+) 값이 "(?P<value>[^"]+)"인', operator=Operator.EQ),
        TextPattern(pattern="(?P<key>[A-Za-z]+) 값이 (?P<value>[a-z0-9]+)인가", operator=Operator.EQ),
        TextPattern(pattern='메시지에 "(?P<value>[^"]+)"와 관련된 내용', operator=Operator.CONTAINS, key="message"),
        TextPattern(pattern="(?P<key>[A-Za-z]+)이 있는가", operator=Operator.EXISTS),
    ),
    status_points={},
    bands=Bands(edges=(), points=(), missing=0.0),
)
EQ, CONTAINS = Operator.EQ, Operator.CONTAINS


@pytest.mark.parametrize(
    ("text", "checks"),
    [
        pytest.param("", [], id="empty"),
        pytest.param("자유 서술 a=b", [], id="prose"),
        pytest.param("@check a=b", [("a", EQ, "b")], id="one"),
        pytest.param("@check a = b ", [("a", EQ, "b")], id="spaces"),
        pytest.param("@\u200bcheck a=b", [("a", EQ, "b")], id="copied-with-its-guard"),
        pytest.param("@checka=b", [("a", EQ, "b")], id="no-space"),
        pytest.param("@check a=b; c=d", [("a", EQ, "b"), ("c", EQ, "d")], id="semicolon"),
        pytest.param("@check a=b;; ;@check c=d;", [("a", EQ, "b"), ("c", EQ, "d")], id="empty-parts"),
        pytest.param("@check a=b @check c=d", [("a", EQ, "b"), ("c", EQ, "d")], id="next-marker"),
        pytest.param("@check a=b\nc=d\n@check e=f", [("a", EQ, "b"), ("e", EQ, "f")], id="line-of-prose"),
        pytest.param(
            "@check a=b\r\n@check c=d\r@check e=f", [("a", EQ, "b"), ("c", EQ, "d"), ("e", EQ, "f")], id="breaks"
        ),
        pytest.param("설명 @check a=b", [("a", EQ, "b")], id="prose-before"),
        pytest.param("@check a='x;y'", [("a", EQ, "x;y")], id="semicolon-in-quotes"),
        pytest.param('@check a="x @check y"; c=d', [("a", EQ, "x @check y"), ("c", EQ, "d")], id="marker-in-quotes"),
        pytest.param("@check a=“x;y”", [("a", EQ, "x;y")], id="typographic-quotes"),
        pytest.param("@check a='x", [("a", EQ, "'x")], id="open-quote"),
        pytest.param("@check a='x; b=y'", [("a", EQ, "x; b=y")], id="quotes-over-a-pair"),
        pytest.param("@check a=\"'x'\"", [("a", EQ, "'x'")], id="one-pair-only"),
        pytest.param("@check a=x'y'", [("a", EQ, "x'y'")], id="quotes-inside"),
        pytest.param("@check a=b=c", [("a", EQ, "b=c")], id="second-equals"),
        pytest.param("@check aContains=b", [("a", CONTAINS, "b")], id="contains"),
        pytest.param("@check Contains=b", [("Contains", EQ, "b")], id="suffix-alone"),
        pytest.param("@check value.nodeId=1", [("value.nodeId", EQ, "1")], id="dotted-key"),
    ],
)
def test_marked_checks(text: str, checks: list[tuple[str, Operator, str]]) -> None:
    read = read_marked_checks(text, RULE)
    assert [(check.name, check.operator, check.value) for check in read.checks] == checks
    assert [check.fault for check in read.checks] == [""] * len(checks)
    assert read.ignored == 0


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("@check", Fault.NO_EQUALS),
        ("@check formType", Fault.NO_EQUALS),
        ("@check ; ", Fault.NO_EQUALS),
        ("@check =b", Fault.NO_KEY),
        ("@check a=", Fault.NO_VALUE),
        ("@check a=''", Fault.NO_VALUE),
        ("@check a..b=1", Fault.NO_KEY),
        ("@check a[=1", Fault.NO_KEY),
    ],
)
def test_malformed_marked_check_fails_with_weight_1(text: str, fault: str) -> None:
    (check,) = read_marked_checks(text, RULE).checks
    assert check.fault == fault
    tally = run_checks([check], {"a": "", "b": 1})
    assert (float(tally.passed), float(tally.total)) == (0, 1)


def test_checks_of_the_message_are_ignored_and_counted() -> None:
    text = "@check assistantMessageContains=저장; assistantMessage=x; assistantMessage; dataKey=A"
    read = read_marked_checks(text, RULE)
    assert read.ignored == 3
    assert [check.name for check in read.checks] == ["dataKey"]


@pytest.mark.parametrize(
    "payload",
    [
        {"dataUIList": [{"uiValue": {"k": "no"}}, {"uiValue": {"k": "v"}}]},
        {"dataUIList": [{"k": "v"}]},
        {"setting": {"k": "v"}},
        {"k": "v"},
        {"dataUIList": [{"uiValue": {"k": "no"}}], "k": "v"},  # any value found passes
    ],
)
def test_key_is_looked_up_everywhere_the_document_says(payload: dict[str, object]) -> None:
    (check,) = read_marked_checks("@check k=v", RULE).checks
    assert run_checks([check], payload).ratio == 1
    assert run_checks([check], {"filterType": {"k": "v"}}).ratio == 0  # RULE does not name it


@pytest.mark.parametrize(
    ("line", "check"),
    [
        ('formType 값이 "SELECT"인 항목이 존재하는가', ("formType", EQ, "SELECT")),
        ("1) multiSelectAllowYn 값이 true인가?", ("multiSelectAllowYn", EQ, "true")),
        ('메시지에 "블라인드"와 관련된 내용', ("message", CONTAINS, "블라인드")),
        ("planId이 있는가", ("planId", Operator.EXISTS, "")),
    ],
)
def test_line_of_prose_that_a_pattern_knows_is_a_check(line: str, check: tuple[str, Operator, str]) -> None:
    read = read_prose_checks(f"\n{line}\n", RULE)
    assert [(found.name, found.operator, found.value) for found in read.checks] == [check]
    assert (read.ignored, read.unread, read.checks[0].fault) == (0, (), "")


def test_other_lines_are_counted_and_marked_ones_left_alone() -> None:
    read = read_prose_checks('설명\n@check a=b\n\nassistantMessage 값이 "x"인\n또 설명', RULE)
    assert (read.checks, read.ignored, read.unread) == ((), 1, ("설명", "또 설명"))


@pytest.mark.parametrize(
    "line",
    [
        'formType 값이 "SELECT"인 항목이 존재하지 않는가',
        'formType 값이 "SELECT"인 항목이 없어야 한다',
        'formType 값이 "SELECT"인 항목이 있으면 안 된다',
        'formType 값이 "SELECT"인 항목이 2개 존재하는가',
        'formType 값이 "SELECT"인 항목만 존재하는가',
        'formType 값이 "SELECT"인 항목 또는 버튼이 존재하는가',
        '모든 항목의 formType 값이 "SELECT"인가',
        'not formType 값이 "SELECT"인',
        "planId이 있는가? 아니면 실패",
    ],
)
def test_line_whose_rest_may_change_what_it_says_is_not_read(line: str) -> None:
    assert read_prose_checks(line, RULE) == ((), 0, (line,), 0)


@pytest.mark.parametrize(
    "line",
    [
        'formType 값이 "없음"인가',
        'formType 값이 "not 2개"인가',
        'formType 값이 "SELECT"인 항목이 하나라도 존재하는가',
        'No. 2: formType 값이 "SELECT"인',
        '등급 표시: formType 값이 "SELECT"인',
    ],
)
def test_other_words_and_values_do_not_stop_a_line_from_being_read(line: str) -> None:
    assert len(read_prose_checks(line, RULE).checks) == 1


@pytest.mark.parametrize(
    ("line", "amount"),
    [
        ("planId 0개", Amount(0, 0)),
        ("planId 2개", Amount(2, 2)),
        ("planId 두개", Amount(2, 2)),
        ("planId 2개 이상", Amount(2)),
        ("planId 1개 이상", ANY),
        ("planId 2개 초과", Amount(3)),
        ("planId 2개 이하", Amount(0, 2)),
        ("planId 2개 미만", Amount(0, 1)),
        ("planId 없다", NONE),
        ("planId 여러개", None),
        ("planId 9999999개", None),
    ],
)
def test_groups_of_a_pattern_say_how_many(line: str, amount: Amount | None) -> None:
    counted = (
        "(?P<key>[A-Za-z]+) (?:(?P<absent>없)|(?P<count>[0-9]+|[가-힣]+)개"
        "(?: (?P<or_more>이상)| (?P<more_than>초과)| (?P<or_fewer>이하)| (?P<fewer_than>미만))?)"
    )
    rule = replace(RULE, patterns=(TextPattern(pattern=counted, operator=Operator.EXISTS),))
    read = read_prose_checks(line, rule)
    assert [check.amount for check in read.checks] == ([] if amount is None else [amount])
    assert len(read.unread) == (amount is None)


(PLAN,) = (rubric.checks for rubric in shipped_rubrics() if rubric.checks and rubric.profile == "plan-agent")


@pytest.mark.parametrize(
    ("line", "amount"),
    [
        ('formType 값이 "A"인가', ANY),
        ("formType 값이 A인지 확인한다.", ANY),
        ('formType 값이 "A"인 항목이 존재하는가?', ANY),
        ('formType 값이 "A"인 항목이  존재해야 합니다', ANY),
        ('formType 값이 "A"인 항목이 있다', ANY),
        ('formType 값이 "A"인 것이 있는지 확인', ANY),
        ('formType 값이 "A"인 버튼이 화면에 보이는가', ANY),
        ('formType 값이 "A"인 항목이 나타나야 한다', ANY),
        ('formType 값이 "A"인 항목이 포함되어 있는가', ANY),
        ('formType 값이 "A"인 항목을 반환한다', ANY),
        ('formType 값이 "A"인 항목 존재 여부 확인', ANY),
        ("formType 값이 존재하는가", ANY),
        ('formType에 "A"가 포함되어 있는가', ANY),
        ('formType 값이 "A"인 항목이 0개인가', NONE),
        ('formType 값이 "A"인 항목이 열 개 존재하는가', Amount(10, 10)),
        ('formType 값이 "A"인 항목이 여섯 개 이상 있어야 한다', Amount(6)),
        ('formType 값이 "A"인 항목의 개수가 3개인가', Amount(3, 3)),
        ('formType 값이 "A"인 항목이 없어야 한다', NONE),
        ('formType 값이 "A"인 항목이 보이지 않아야 한다', NONE),
        ('formType 값이 "A"인 것이 있으면 안 됩니다', NONE),
        ("formType 값이 A가 아닌가", NONE),
        ("formType 값이 비어 있는가", NONE),
    ],
)
def test_endings_that_plan_agent_reads(line: str, amount: Amount) -> None:
    (check,) = read_prose_checks(line, PLAN).checks
    assert (check.name, check.amount, check.fault) == ("formType", amount, "")


@pytest.mark.parametrize(
    "line",
    [
        'formType 값이 "A"인 항목이 안 보이는가',
        'formType 값이 "A"인 항목이 못 나오는가',
        'formType 값이 "A"인 항목이 빠져 있는가',
        'formType 값이 "A"인 항목이 사라졌는가',
        'formType 값이 "A"인 항목이 삭제되었는가',
        'formType 값이 "A"인 항목이 미노출되는가',
        'formType 값이 "A"인 항목이 숨겨져 있어야 한다',
        'formType 값이 "A"인 항목을 빼고 보여야 한다',
        'formType 값이 "A"인 항목 수가 3인가',
        'formType 값이 "A"인 항목이 1~3개 존재하는가',
        'formType 값이 "A"인 항목이 열한 개 존재하는가',
        'formType 값이 "A"인 항목이 스무 개 존재하는가',
        'formType 값이 "A"인 항목이 여러 개인가',
        'formType 값이 "A"인 항목이 2개 이상 있는 것은 곤란',
        'formType 값이 "A"인 항목이 존재하는가라고 묻지 말 것',
        'formType 값이 "A"인 항목이 존재하는가? 그렇다면 감점',
        'formType 값이 "A"인 것은 금지',
        'formType 값이 "A"인 경우 감점',
        'formType 값이 "A"인',
        'formType 값이 "A"인 항목',
        'formType 값이 "A"가 아닌 항목이 존재하는가',
        'formType 값이 "A"인 항목이 없으면 감점',
        'formType 값이 "A"인 항목이 있으면 안 되는 것은 아니다',
        "formType 값이 존재하는가는 보지 않는다",
        'formType에 "A"가 포함되어 있는가를 묻지 않음',
        '다음이면 실패: formType 값이 "A"인가',
    ],
)
def test_any_other_ending_is_left_unread(line: str) -> None:
    assert read_prose_checks(line, PLAN) == ((), 0, (line,), 0)


@pytest.mark.parametrize("part", ["a;", ";", "@check a=1", "@check a=' ;", '@check a="b;', "@check a='b' 'c", "= "])
def test_signs_are_looked_for_once_over_the_line(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0

    class Line(str):
        __slots__ = ()

        def find(self, *wanted: Any) -> int:
            nonlocal looked_at
            found = super().find(*wanted)
            looked_at += (found if found >= 0 else len(self)) - wanted[1] + 1
            return found

    class Lines:
        def split(self, text: str) -> list[str]:
            return [Line(text)]

    monkeypatch.setattr(written_checks, "LINE_BREAK", Lines())
    line = "@check " + part * 2_000
    read_marked_checks(line, RULE)
    assert 0 < looked_at < 6 * len(line)


def test_checks_behind_the_limit_are_counted_and_not_read() -> None:
    marked = read_marked_checks("@check a=1;assistantMessage=1;b=1;c=1\n@check d=1;assistantMessage=1", RULE, limit=2)
    assert ([check.name for check in marked.checks], marked.ignored, marked.left_out) == (["a", "b"], 2, 2)
    prose = read_prose_checks("planId이 있는가\nformType이 있는가\n설명\nkey이 있는가", RULE, limit=1)
    assert ([check.name for check in prose.checks], prose.unread, prose.left_out) == (["planId"], ("설명",), 2)


@given(text=st.text(alphabet="@check ab=;'\"\n“”", max_size=40))
def test_any_text_gives_checks_that_can_be_run(text: str) -> None:
    for check in read_marked_checks(text, RULE).checks:
        assert check.fault or (check.paths and check.value)
        run_checks([check], {"a": ["b"]})
