"""Documents that say where the values of an answer are in its payload."""

import json
from typing import Any

import pytest

from reporting.wording import describe
from scoring.items.part import Item
from scoring.items.spool.part_file import Part
from scoring.rubric import Rubric, Status, decode_rubric, encode_rubric
from scoring.rubric.document import parse_rubric
from tests.inner import SHIPPED_FOLDER
from tests.scoring.documents import SHIPPED, problems_of, replaced
from tests.scoring.files import csv_text, resume_rubric, row, score_bytes

H_RECRUIT = (SHIPPED_FOLDER / "h-recruit.md").read_text(encoding="utf-8")


def resume_with(payload: str) -> Rubric:
    return parse_rubric(replaced(SHIPPED, "max_rounds: 50", f"payload: {payload}\nmax_rounds: 50"), source="x.md")


def answered(rubric: Rubric, *payloads: object) -> Part:
    rows = [row(Query_ID=f"Q-{n}", Raw_JSON=json.dumps(value)) for n, value in enumerate(payloads)]
    return score_bytes(csv_text(rows).encode(), rubric=rubric)


def seen(item: Item) -> tuple[str, Status, float | None]:
    return item.message, item.status, item.seconds


def never_found(part: Part) -> list[tuple[int, str, str]]:
    found = [finding for finding in part.findings if finding.code == "path-never-found"]
    return [(one.count, place.values["key"], place.values["paths"]) for one in found for place in one.places]


def test_document_reads_the_values_where_it_says_they_are() -> None:
    rubric = resume_with("{ message: ['answer.text', out], ui: [], error: answer.fault, seconds: took.s }")
    part = answered(
        rubric,
        {"answer": {"text": "a"}, "took": {"s": 3}},
        {"out": "b", "took": {"s": 9}, "error": "not read"},
        {"answer": {"fault": "quota"}, "dataUIList": [{"a": 1}]},
    )
    assert [seen(item) for item in part.items] == [
        ("a", Status.OK, 3.0),
        ("b", Status.OK, 9.0),
        ("", Status.ERROR, None),
    ]
    assert [item.latency for item in part.items] == [5, 3, 0]
    assert never_found(part) == []


def test_names_at_the_top_give_what_paths_give() -> None:
    plain = resume_with("{ message: output, seconds: took, milliseconds: [], error: fault }")
    general = resume_with("{ message: [output, output], seconds: took, milliseconds: [], error: fault }")
    payloads: list[object] = [{"output": "a", "took": 1.5}, {"output": 7, "took": "x"}, {"fault": "y"}]
    payloads.append({"dataUIList": [{}]})
    assert [seen(item) for item in answered(plain, *payloads).items] == [
        seen(item) for item in answered(general, *payloads).items
    ]


def test_path_that_no_payload_has_is_a_finding_with_key_and_path() -> None:
    part = answered(resume_with("{ message: answr, seconds: [responseTimeSec] }"), {"answer": "a"}, {"answer": "b"})
    assert never_found(part) == [(4, "payload.message", "answr"), (4, "payload.seconds", "responseTimeSec")]
    (finding,) = (one for one in part.findings if one.code == "path-never-found")
    assert "`payload.message`" in describe(finding.places[0])
    assert "answr" in describe(finding.places[0])


def h_recruit(**fields: str) -> Rubric:
    text = H_RECRUIT
    for old, new in fields.items():
        text = replaced(text, f"field: {old}\n" if f"field: {old}\n" in text else f"field: {old} ", f"field: {new}\n")
    return parse_rubric(text, source="h-recruit.md")


def h_part(rubric: Rubric, *payloads: dict[str, Any]) -> Part:
    rows = [[f"Q{n}", "1/1", json.dumps(value)] for n, value in enumerate(payloads)]
    return score_bytes(csv_text(rows, header=["Query ID", "방/반복", "Raw JSON"]).encode(), "h_recruit_x.csv", rubric)


def test_verdict_label_class_and_checks_are_at_their_paths() -> None:
    rubric = h_recruit(
        intent_verdict="[eval.intent, verdict]",
        intent_label="eval.label",
        latencyClass="eval.class",
        accuracyChecks="eval.checks",
    )
    checks = [{"path": "grade", "op": "eq", "value": "A"}]
    part = h_part(
        rubric,
        {"assistantMessage": "x", "grade": "A", "eval": {"intent": "GOOD", "label": "move", "class": "multi"}},
        {"assistantMessage": "x", "grade": "A", "verdict": "weak", "eval": {"checks": checks}},
    )
    first, second = part.items
    assert first.details is not None
    assert second.details is not None
    assert (first.intent, first.details.label, first.details.latency_class) == (4, "MOVE", "multi")
    assert (second.intent, second.accuracy, second.details.check_source) == (2, 5, "payload")
    assert never_found(part) == []


@pytest.mark.parametrize(("good", "bad"), [(True, False), ("true", "false"), (1, 0)])
@pytest.mark.parametrize("field", ["intent_verdict", "done"])
def test_false_is_a_verdict_as_true_is(field: str, good: object, bad: object) -> None:
    text = replaced(H_RECRUIT, "field: intent_verdict ", f"field: {field} ")
    text = replaced(text, "error: FAILED, empty: FAILED", "error: WEAK, empty: WEAK")
    text = text.replace("| PERFECT ", f"| {good} ".lower()).replace("| FAILED ", f"| {bad} ".lower())
    rubric = parse_rubric(text, source="h-recruit.md")
    part = h_part(rubric, *({"assistantMessage": "x", field: value} for value in (good, bad)))
    assert [(item.intent, item.intent_source) for item in part.items] == [(5, "payload"), (0, "payload")]


def test_field_of_a_rule_that_no_payload_has_is_a_finding_unless_it_is_the_usual_one() -> None:
    part = h_part(h_recruit(intent_verdict="eval.intent"), {"assistantMessage": "x"}, {"assistantMessage": "y"})
    assert never_found(part) == [(2, "metrics.intent.verdict.field", "eval.intent")]
    assert never_found(h_part(h_recruit(), {"assistantMessage": "x"})) == []


def test_documents_without_paths_keep_their_digest() -> None:
    assert b"payload_paths" not in encode_rubric(resume_rubric())
    changed = resume_with("{ message: out }")
    assert changed.digest != resume_rubric().digest
    assert decode_rubric(encode_rubric(changed)) == changed
    several = h_recruit(intent_verdict="[a.b, c]")
    assert decode_rubric(encode_rubric(several)) == several
    assert h_recruit(intent_verdict="[intent_verdict]") == h_recruit()


@pytest.mark.parametrize(
    ("payload", "code", "found"),
    [
        ("{ message: ['a..b'] }", "rubric-path", "a..b"),
        ("{ ui: '[0]' }", "rubric-path", "[0]"),
        ("{ text: a }", "rubric-key-unknown", "text"),
        ("{ message: 3 }", "rubric-value-type", "3"),
        ("{ message: [''] }", "rubric-word-empty", ""),
        ("answer", "rubric-value-type", "answer"),
    ],
)
def test_paths_that_are_none_are_refused(payload: str, code: str, found: str) -> None:
    text = replaced(SHIPPED, "max_rounds: 50", f"payload: {payload}\nmax_rounds: 50")
    assert (code, found) in [(problem.code, problem.found) for problem in problems_of(text)]


def test_field_without_a_path_is_refused() -> None:
    problems = problems_of(H_RECRUIT.replace("field: intent_label", "field: []"))
    assert [problem.code for problem in problems] == ["rubric-list-empty"]
