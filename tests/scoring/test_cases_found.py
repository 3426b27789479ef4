"""The cases of tests/cases_found by item, and inputs of the same kinds in other forms."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.results.model import SetResult
from tests.paths import ROOT
from tests.scoring.files import csv_text, payload, score_shipped

FOLDER = ROOT / "tests" / "cases_found"
HEADER = ("Query ID", "방/반복", "기대결과", "accuracyChecks", "Raw JSON")


@pytest.mark.parametrize(
    ("file", "accuracy", "counts"),
    [
        ("nested_json_string/plan_agent_o5b_nested.csv", [5, 5, 5], {"json-in-ui": 1}),
        ("nested_json_string/url_agent_o5_nested.csv", [5, 5], {"json-in-ui": 2}),
        ("apostrophe_prefix/resume_agent_c1_quoteprefix.csv", [5, 5, 5], {}),
        ("error_zero/resume_agent_c8_payerr.csv", [5] * 7, {}),
        ("plan_negated_check/plan_agent_negated.csv", [0, 0, 5, 0], {}),
        ("url_in_prose/url_agent_prose.csv", [5] * 8, {}),
    ],
)
def test_case(file: str, accuracy: list[float], counts: dict[str, int]) -> None:
    result = score_shipped(FOLDER / file)
    assert [item.accuracy for item in result.items] == accuracy
    assert dict(result.counts) == counts


def scored(tmp_path: Path, profile: str, *rows: tuple[str, str]) -> SetResult:
    """The set of these expected results (or lists of checks, for h_recruit) and payloads."""
    path = tmp_path / f"{profile}_x.csv"
    cells = [
        (f"Q{n}", "1/1", "" if profile == "h_recruit" else wanted, wanted if profile == "h_recruit" else "", raw)
        for n, (wanted, raw) in enumerate(rows)
    ]
    path.write_text(csv_text(cells, header=HEADER), encoding="utf-8", newline="")
    return score_shipped(path)


def screen(*items: Any, **fields: Any) -> str:
    return payload(dataUIList=list(items), **fields)


def test_addresses_in_other_forms(tmp_path: Path) -> None:
    button = screen({"uiValue": {"value": [{"buttonUrl": "https://h.example/hr/notice/?lang=ko&dataKey=공고"}]}})
    escaped = screen({"buttonUrl": "/hr/notice?lang=ko&amp;dataKey=%EA%B3%B5%EA%B3%A0"})
    result = scored(
        tmp_path,
        "url_agent",
        ("1) 공고 화면 【/hr/notice?dataKey=공고】을(를) 연다", button),
        ("지원자(`/hr/people?dataKey=P1`)가 아니라 **/hr/notice?dataKey=공고**로 가야 한다.", escaped),
        ("지원자 화면(/hr/people?dataKey=P1)으로 이동하지 않아야 한다", button),
    )
    assert [item.accuracy for item in result.items] == [5, 5, 0]
    assert result.counts["not-assessable"] == 1


def test_negated_and_counted_lines_in_other_forms(tmp_path: Path) -> None:
    shown = screen({"uiValue": {"formType": "SELECT"}}, {"formType": "SELECT"}, {"uiValue": {"formType": "ACTION"}})
    result = scored(
        tmp_path,
        "plan_agent",
        ("formType 값이 “SELECT”인 항목이 두 개 이상 존재하는가\nformType 값이 ACTION인 것이 있으면 안 된다", shown),
        ("- formType 값이 “LINK”인 항목은 하나도 없어야 한다\n- formType 값이 SELECT가 아닌가", shown),
        ('formType 값이 "SELECT"인 항목이 정확히 2개 존재하는가\n모든 formType 값이 "SELECT"인가', shown),
        ('assistantMessage에 "12명"이 포함되어 있지 않은가', shown),
    )
    assert [item.accuracy for item in result.items] == [3, 3, 0, 0]
    assert result.counts == {"prose-unread": 2, "not-assessable": 1}


def test_nested_json_in_other_forms(tmp_path: Path) -> None:
    check = json.dumps([{"path": "dataUIList[*].uiValue.value.nodeId", "op": "eq", "value": 6127}])
    item = {"uiValue": {"formType": "ACTION", "value": {"nodeId": "6127"}}}
    result = scored(
        tmp_path,
        "h_recruit",
        (check, screen(json.dumps(item))),
        (check, payload("", dataUIList=json.dumps([{"uiValue": json.dumps(item["uiValue"])}]))),
        (check, screen({"uiValue": '{"formType": "ACTION", '})),
    )
    assert [item.accuracy for item in result.items] == [5, 5, 0]
    assert result.counts["json-in-ui"] == 2
    signatures = [item.details.signature for item in result.items if item.details]
    assert signatures == ["formType=ACTION value.nodeId=6127"] * 2 + ["()"]


def test_explicit_empty_value_is_compared(tmp_path: Path) -> None:
    check = json.dumps([{"path": "setting.period", "op": "eq", "value": ""}])
    settings: list[dict[str, Any]] = [{"period": ""}, {"period": "1년"}, {"period": None}, {}]
    result = scored(tmp_path, "h_recruit", *((check, screen(setting=setting)) for setting in settings))
    assert [item.accuracy for item in result.items] == [5, 0, 0, 0]
    assert result.counts.get("checks-faulty", 0) == 0
