"""Operators without case, on JSON, on the number of calls and on arguments; checks of every item; names of checks."""

import io
import json
from typing import Any

import pytest

from scoring.checks.checks import Fault, read_check_list, run_checks
from scoring.checks.comparing import Call
from scoring.checks.written_checks import read_marked_checks
from scoring.items import score_file
from scoring.problems import RubricError
from scoring.results import SetResult, merge
from scoring.rubric import CallRule, CheckRule, Operator
from scoring.rubric.document import parse_rubric

RULE = CheckRule(calls=CallRule(paths=("calls",)))
CALLS = (Call("search", {"city": "Seoul, KR", "nights": 3}), Call("search", {}), Call("book", {"id": "7"}))
PAYLOAD = {"title": "Hotels in SEOUL", "raw": '{"a": 1}', "tags": ["New", "Cheap"], "made": {"a": 1}}


def outcome(op: str, value: object = None, path: str = "") -> str:
    entry = {"op": op, "path": path} | ({} if value is None else {"value": value})
    (check,) = read_check_list([entry], (), has_calls=True).checks
    if check.fault:
        return check.fault
    return "passes" if run_checks([check], PAYLOAD, CALLS).ratio == 1 else "fails"


@pytest.mark.parametrize(
    ("op", "path", "value", "expected"),
    [
        ("icontains", "title", "seoul", "passes"),
        ("icontains", "title", "Busan", "fails"),
        ("contains", "title", "seoul", "fails"),
        ("icontains", "tags", "CHEAP", "passes"),
        ("icontains", "tags", "che", "fails"),  # an element is equal, as with contains
        ("not icontains", "title", "busan", "passes"),
        ("is json", "raw", None, "passes"),
        ("is json", "made", None, "passes"),
        ("is json", "title", None, "fails"),
        ("is json", "none", None, "fails"),
        ("most calls", "", 3, "passes"),
        ("most calls", "", 2, "fails"),
        ("most calls", "", "2 search", "passes"),
        ("most calls", "", "1 search", "fails"),
        ("most calls", "", "0 pay", "passes"),
        ("most calls", "", "few", Fault.WRONG_VALUE),
        ("arguments", "", {"name": "search", "arguments": {"city": {"op": "icontains", "value": "seoul"}}}, "passes"),
        ("arguments", "", {"name": "search", "arguments": {"nights": {"op": "between", "value": [1, 2]}}}, "fails"),
        ("arguments", "", {"name": "search", "arguments": {"nights": {"op": "not eq", "value": 4}}}, "passes"),
        ("arguments", "", {"name": "book", "arguments": {"id": {"op": "exists"}}}, "passes"),
        ("arguments", "", {"name": "book", "arguments": {"id": {"op": "nearly", "value": 1}}}, Fault.WRONG_VALUE),
        ("arguments", "", {"name": "book", "arguments": {"id": {"op": "calls", "value": "x"}}}, Fault.WRONG_VALUE),
        ("arguments", "", {"name": "book", "arguments": {"id": {"op": "eq"}}}, Fault.WRONG_VALUE),
        ("arguments", "", {"name": "book", "arguments": {"id": None}}, "fails"),
    ],
)
def test_operator(op: str, path: str, value: object, expected: str) -> None:
    assert outcome(op, value, path) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("@check title icontains seoul", True),
        ("@check title is json", False),
        ("@check raw is json", True),
        ("@check at most 3 calls", True),
        ("@check at most 2 calls", False),
        ("@check at most 1 search calls; title exists", False),
        ("@check title exists; at most 1 book call", True),
        ('@check arguments search {"city": {"op": "icontains", "value": "SEOUL"}}', True),
    ],
)
def test_the_same_behind_the_marker(written: str, expected: bool) -> None:
    checks = read_marked_checks(written, RULE).checks
    assert not any(check.fault for check in checks)
    assert (run_checks(checks, PAYLOAD, CALLS).ratio == 1) is expected


def test_prose_with_the_words_of_an_operator_stays_prose() -> None:
    assert read_marked_checks("there are at most 3 calls a day", RULE).checks == ()


def test_a_check_may_have_a_name() -> None:
    (check,) = read_check_list([{"name": "도시", "path": "title", "op": "contains", "value": "Busan"}], ()).checks
    assert [failure.name for failure in run_checks([check], PAYLOAD).failures] == ["도시"]


@pytest.mark.parametrize(
    ("written", "called", "operator", "ratio"),
    [
        ("@check [도시 확인] city=서울", "도시 확인", "eq", 1),
        ("@check [도시 확인] city=부산", "도시 확인", "eq", 0),
        ("@check [at least] n >= 3", "at least", "ge", 1),
        ("@check [a;b] not cityContains=부", "", "", 0),  # `;` ends a check, also in a name
        ("@check ['city']=서울", "['city']", "eq", 0),  # no name without a space behind it
        ('@check ["n.m"] = 1', '["n.m"]', "eq", 1),
        ("@check [] city=서울", "[] city", "eq", 0),
    ],
)
def test_a_marked_check_may_have_a_name(written: str, called: str, operator: str, ratio: int) -> None:
    checks = read_marked_checks(written, RULE).checks
    assert not called or (checks[0].shown, str(checks[0].operator)) == (called, operator)
    tally = run_checks(checks, {"city": "서울", "n": 4, "n.m": 1})
    assert tally.ratio == ratio
    assert not called or ratio or tally.failures[0].name == called


def test_a_named_check_of_json_ends_where_its_value_does() -> None:
    read = read_marked_checks('@check [search] calls search {"q": "a;b"}; [n] n=1', RULE)
    assert [(check.called, check.operator) for check in read.checks] == [
        ("search", Operator.CALLS),
        ("n", Operator.EQ),
    ]


def scored(every: str, answers: list[dict[str, Any]]) -> SetResult:
    rubric = parse_rubric(
        f"""---
profile: x
title: x
files: ["x*.jsonl"]
columns:
  - {{ name: query_id, title: id, paths: [id] }}
  - {{ name: raw_json, title: raw, paths: [$], required: true }}
payload: {{ message: answer }}
metrics:
  accuracy:
    headings: [Accuracy]
    checks: {{ sources: [marked], all: {every}, calls: {{ paths: [calls] }} }}
---

## Accuracy

| condition | points |
| --- | ---: |
| `error` | 0 |
| no checks | 0 |
| ratio = 1 | 5 |
| 0.5 <= ratio < 1 | 3 |
| ratio < 0.5 | 0 |
""",
        source="x.md",
    )
    data = "".join(json.dumps(answer) + "\n" for answer in answers).encode()
    return merge([("x.jsonl", score_file(io.BytesIO(data), name="x.jsonl", rubric=rubric))], rubric)


def test_checks_of_every_item() -> None:
    result = scored(
        '["answer icontains SEOUL", "at most 1 calls"]',
        [
            {"id": 1, "answer": "In Seoul."},
            {"id": 2, "answer": "In Busan.", "calls": [{"name": "a"}]},
            {"id": 3, "answer": "Busan", "calls": [{"name": "a"}, {"name": "b"}]},
        ],
    )
    assert [item.accuracy for item in result.items] == [5, 3, 0]


@pytest.mark.parametrize(
    ("check", "nearest"),
    [
        ("answer contians Seoul", "contains"),
        ("[city] answer icontain Seoul", "icontains"),
        ("answer is fine", "eq"),
        ("answer sounds fine", "eq, ne, gt, ge"),
    ],
)
def test_an_unknown_operator_of_a_document_is_refused_with_the_nearest(check: str, nearest: str) -> None:
    with pytest.raises(RubricError) as error:
        scored(f'["answer icontains seoul", "{check}"]', [])
    (problem,) = error.value.problems
    assert (problem.code, problem.line, problem.found) == ("rubric-check-unknown", 12, check)
    assert problem.values["nearest"].startswith(nearest)
