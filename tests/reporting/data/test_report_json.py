"""report.json: full precision, the published schema, nothing that steers a terminal."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from reporting.data.report_json import Report, build_report, schema
from reporting.store import COMMIT_MARK, FileMark, encode_json
from scoring import Problem, group_problems
from scoring.results import SetResult, find_insights, merge
from scoring.rubric import Status
from scoring.sets import SetId
from tests.inner import FindingLog
from tests.paths import ROOT
from tests.reporting.results import SHA, make_item, make_part, make_result, make_rubric

DOCS = ROOT / "docs"
UPDATE = "`make docs` publishes it"


def encode(result: SetResult) -> bytes:
    files = {"items.csv": FileMark(10, SHA)}
    return encode_json(build_report(result, find_insights(result), SetId("s", "k"), language="ko", files=files))


def rich_result() -> SetResult:
    """A set in which nearly every optional part of a report is there."""
    failed: dict[str, Any] = {
        "status": Status.ERROR, "intent": 0.0, "accuracy": 0.0, "stability": 0.0, "error": "Timeout after 60000ms"
    }  # fmt: skip
    items = [
        make_item(2, query_id="A", executed_at="2026-01-01 10:00:00", llm_model="m", llm_status="완료"),
        make_item(3, query_id="A", round="2/1", **failed, seconds=70.1, track=3),
        make_item(4, query_id="B", track=None, seconds=None, category="기타", latency=0.0),
        make_item(5, query_id="C", intent=1 / 3, intent_source="recorded", recorded="0.33", failure_word="실패"),
        make_item(6, query_id="D", round="연습", recorded="높음", recorded_issue="not-a-number"),
    ]
    problem = Problem(code="cell-count", row=9, found="x" * 1000, values={"expected": "14", "found": "2"})
    refused = Problem(code="empty-file")
    parts = [
        ("a.csv", make_part(*items, rows=7, blank_rows=1, unusable_rows=1, findings=group_problems([problem]),
                            counts={"payload:truncated": 1, "restored-date": 1}, restored_rounds=("1/1",))),
        ("b.csv", make_part(refused=True, problems=(refused,))),
    ]  # fmt: skip
    return merge(parts, make_rubric())


def test_the_published_schema_is_the_one_in_force() -> None:
    assert (DOCS / "report.schema.json").read_bytes() == encode_json(schema()), UPDATE


@pytest.mark.parametrize("result", [rich_result(), make_result()], ids=["rich", "plain"])
def test_reports_follow_the_schema(result: SetResult) -> None:
    published = json.loads((DOCS / "report.schema.json").read_bytes())
    assert list(violations(json.loads(encode(result)), published, published)) == []
    msgspec.json.decode(encode(result), type=Report)


def test_the_check_of_the_schema_finds_what_is_wrong() -> None:
    published = json.loads((DOCS / "report.schema.json").read_bytes())
    report = json.loads(encode(make_result()))
    del report["headline"]["n"]
    report["groups"][0]["statuses"][0]["fine"] = "many"
    report["rounds"] = {"1/1": 1}
    assert len(list(violations(report, published, published))) == 3


def test_every_field_is_explained() -> None:
    text = (DOCS / "report-schema.md").read_text(encoding="utf-8")
    published = json.loads((DOCS / "report.schema.json").read_bytes())
    names = {name for definition in published["$defs"].values() for name in definition.get("properties", {})}
    assert {name for name in names if f"`{name}`" not in text} == set()


def test_figures_have_full_precision_and_their_n() -> None:
    report = json.loads(encode(rich_result()))
    intent = report["groups"][0]["metrics"]["intent"]
    assert (intent["rounds"][0]["value"], intent["rounds"][0]["n"]) == ((5 + 5 + 1 / 3) / 3, 3)
    assert intent["set"]["n"] == 5
    assert report["row_sum"] == {"rows": 7, "items": 5, "duplicates": 0, "blank_rows": 1, "unusable_rows": 1}
    assert report["headline"]["metrics"]["intent"] == intent["set"]["value"]
    assert report["insights"]["disagreeing_queries"][0]["query_id"] == "A"
    assert [(finding["code"], finding["severity"], finding["count"]) for finding in report["findings"]] == [
        ("empty-file", "refused", 1),
        ("cell-count", "error", 1),
        ("small-round", "note", 2),
        ("scores-0-to-1", "note", 1),
        ("checklist-unticked", "note", 4),
    ]
    assert report["findings"][1]["places"] == [{"file": "a.csv", "row": 9, "column": None, "found": "x" * 499 + "…"}]


def test_repeatability_has_its_classes_and_lists() -> None:
    found = json.loads(encode(rich_result()))["repeatability"]
    assert [found[name] for name in ("always", "sometimes", "never", "left_out", "by_points")] == [3, 1, 0, 0, False]
    assert found["flaky"] == [{"query_id": "A", "passed": 1, "n": 2}]
    assert found["never_passing"] == []
    assert [(entry["k"], entry["queries"], entry["left_out"]) for entry in found["reliability"]] == [
        (1, 4, 0), (2, 1, 3), (3, 0, 4),
    ]  # fmt: skip
    assert found["reliability"][0]["all_pass"]["value"] == (0.5 + 3) / 4
    assert set(found["reliability"][0]["any_passes"]["interval"]) == {"low", "high"}
    assert found["reliability"][2]["all_pass"] == {"value": None, "interval": None}


def test_findings_have_their_first_places() -> None:
    log = FindingLog()
    for row in range(2, 200):
        log.add(Problem(code="seconds-zero", row=row, column="latency_ms", found="0"))
    (finding,) = json.loads(encode(make_result(findings=log.findings())))["findings"]
    assert (finding["count"], [place["row"] for place in finding["places"]]) == (198, [2, 3, 4, 5, 6])
    assert finding["text"].endswith("[seconds-zero]")


def test_no_answer_of_an_item_stands_in_it() -> None:
    data = encode(
        make_result(make_item(question="질문 글", response="응답 글", message="메시지 글", expected="기대 글"))
    )
    assert not [text for text in ("질문 글", "응답 글", "메시지 글", "기대 글") if text.encode() in data]


def test_texts_that_steer_a_terminal_are_escaped_and_keep_their_value() -> None:
    hostile = "a\x1b[31m\x7f\x9b\u202e\u2028\ufeffb"
    items = [make_item(2, question=hostile, query_id="A"), make_item(3, query_id="A", round="2/1", question=hostile)]
    items[1].status = Status.ERROR
    data = encode(make_result(*items)).decode()
    assert data.isascii() or not set("\x1b\x7f\x9b\u202e\u2028\ufeff") & set(data)
    assert json.loads(data)["insights"]["disagreeing_queries"][0]["question"] == hostile


@pytest.mark.parametrize("content", [None, b"", b"{}", b"[]", b'{"format_version": 1, "key": "k", "files": {}}'])
def test_a_commit_mark_that_cannot_be_read_is_none(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "report.json"
    if content is not None:
        path.write_bytes(content)
    assert COMMIT_MARK.read(tmp_path) is None


_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict,
    "null": type(None),
}  # fmt: skip


_KNOWN = {
    "$ref", "$defs", "$schema", "title", "description", "type", "properties", "required", "items", "enum", "anyOf",
    "additionalProperties", "default",
}  # fmt: skip


def violations(value: Any, rule: dict[str, Any], root: dict[str, Any], at: str = "$") -> Iterator[str]:
    """What in `value` breaks the schema; knows the keywords that the published schema uses, and no others."""
    assert set(rule) <= _KNOWN, set(rule) - _KNOWN
    if "$ref" in rule:
        rule = root["$defs"][rule["$ref"].rpartition("/")[2]]
    if "anyOf" in rule and all(any(violations(value, option, root, at)) for option in rule["anyOf"]):
        yield f"{at}: no option fits"
    if "enum" in rule and value not in rule["enum"]:
        yield f"{at}: {value!r} is none of {rule['enum']}"
    kind = _TYPES[rule["type"]] if "type" in rule else object
    if not isinstance(value, kind) or (isinstance(value, bool) and rule.get("type") == "integer"):
        yield f"{at}: {value!r} is no {rule['type']}"
    elif isinstance(value, dict):
        yield from _of_object(value, rule, root, at)
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from violations(part, rule.get("items", {}), root, f"{at}[{index}]")


def _of_object(value: dict[str, Any], rule: dict[str, Any], root: dict[str, Any], at: str) -> Iterator[str]:
    yield from (f"{at}: {name} is missing" for name in rule.get("required", []) if name not in value)
    others = rule.get("additionalProperties", {})
    for name, part in value.items():
        yield from violations(part, rule.get("properties", {}).get(name, others), root, f"{at}.{name}")
