"""Files in the shapes of other tools (tests/cases_found/foreign_exports): each is right, or what is missing is said."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from reporting import write_document
from scoring.items import score_file
from scoring.problems import InputError
from scoring.proposal.model import Proposal
from scoring.proposal.proposing import NoProposalError, propose
from scoring.proposal.sample import read_sample
from scoring.results import SetResult, merge
from scoring.rubric.document import parse_rubric
from tests.inner import EXTENSIONS
from tests.paths import ROOT
from tests.scoring.files import score_shipped
from texts import texts

FOLDER = ROOT / "tests" / "cases_found" / "foreign_exports"


def proposal_of(data: bytes, name: str) -> Proposal:
    return propose(read_sample(io.BytesIO(data), name), file_name=name, extensions=EXTENSIONS)


def scored(proposal: Proposal, data: bytes, name: str) -> SetResult:
    rubric = parse_rubric(write_document(proposal, file_name=name, t=texts("en")), source="new.md")
    return merge([(name, score_file(io.BytesIO(data), name=name, rubric=rubric))], rubric)


def fields(proposal: Proposal) -> dict[str, str]:
    """Field -> column or path, with the paths of the answer."""
    found = {one.field: one.header for one in proposal.columns if one.field and not one.is_doubtful}
    return found | ({"response": proposal.payload.paths["message"][0]} if proposal.payload is not None else {})


def passed(result: SetResult) -> tuple[int, int] | None:
    """How many pass, of how many."""
    return None if result.passed is None else (round((result.passed.value or 0) * result.passed.n), result.passed.n)


@pytest.mark.parametrize(
    ("name", "expected", "figures"),
    [
        (
            "ideal.csv",
            {"response": "Assistant reply", "expected": "Ideal answer", "intent_verdict": "Passed?"},
            (2, 3),
        ),
        (
            "support_bot_run7.csv",
            {
                "query_id": "Test ID",
                "round": "Run",
                "response": "Assistant reply",
                "expected": "Ideal answer",
                "intent_verdict": "Passed?",
                "response_seconds": "Latency (s)",
                "error": "Error message",
            },
            (20, 30),
        ),
        ("helm.jsonl", {"response": "result.completions[*].text", "expected": "references[*].text"}, None),
        ("scale.csv", {"intent_verdict": "pass"}, (0, 3)),
        ("events.json", {"response": "output.completion", "intent_verdict": "scores.choice.value"}, (3, 3)),
        ("bfcl.jsonl", {"response": "result", "response_seconds": "latency"}, None),
        ("survey_export.xlsx", {"response": "Assistant answer", "intent_verdict": "Is the answer correct?"}, (6, 12)),
        ("samples_lm.jsonl", {"response": "filtered_resps", "expected": "target", "llm_score": "acc"}, (1, 2)),
        ("deepeval_run.json", {"response": "actualOutput", "expected": "expectedOutput"}, (1, 2)),
    ],
)
def test_an_export_is_understood(name: str, expected: dict[str, str], figures: tuple[int, int] | None) -> None:
    data = (FOLDER / name).read_bytes()
    proposal = proposal_of(data, name)
    assert expected.items() <= fields(proposal).items()
    assert "llm_score" in expected or "llm_score" not in fields(proposal)
    assert proposal.is_sure
    assert passed(scored(proposal, data, name)) == figures


@pytest.mark.parametrize("name", ["ones.csv", "runa.csv", "runb.csv", "words.csv", "lists.json"])
def test_a_scale_that_no_name_tells_is_asked_for(name: str) -> None:
    data = (FOLDER / name).read_bytes()
    proposal = proposal_of(data, name)
    assert [doubt.code for doubt in proposal.doubts if doubt.code == "scale-unknown"]
    assert (proposal.is_sure, passed(scored(proposal, data, name))) == (False, None)


def test_the_list_that_holds_most_has_the_records() -> None:
    proposal = proposal_of((FOLDER / "lists.json").read_bytes(), "lists.json")
    assert (proposal.records, proposal.rows, fields(proposal)["response"]) == ("results", 2, "answer")
    items = [{"question": "a?", "answer": "x"}]
    twice = proposal_of(json.dumps({"a": items, "b": items}).encode(), "x.json")
    assert [(doubt.code, doubt.values) for doubt in twice.doubts][:1] == [("lists-alike", {"list": "a", "others": "b"})]
    assert not twice.is_sure


def test_words_of_answers_decide_nothing_beside_a_score() -> None:
    data = (FOLDER / "words.csv").read_bytes().replace(b"score", b"rating")
    result = scored(proposal_of(data, "words.csv"), data, "words.csv")
    assert [(item.status, item.failure_word) for item in result.items] == [("ok", "")] * 3
    assert passed(result) == (2, 3)


@pytest.mark.parametrize("name", ["map.json", "split.json"])
def test_a_shape_that_is_not_read_is_refused_with_its_name(name: str) -> None:
    with pytest.raises(InputError) as refusal:
        proposal_of((FOLDER / name).read_bytes(), name)
    assert [problem.code for problem in refusal.value.problems] == ["records-not-found"]


def test_records_that_all_failed_tell_no_place_of_an_answer() -> None:
    with pytest.raises(NoProposalError) as refusal:
        proposal_of((FOLDER / "inspect_allerr.json").read_bytes(), "x.json")
    assert refusal.value.reason == ("all-failed", {"column": "error", "rows": "3"})


@pytest.mark.parametrize(
    ("name", "statuses", "errors", "verdicts"),
    [
        ("promptfoo_all.json", {"error"}, 4, {"false"}),
        ("promptfoo_some.json", {"error", "ok"}, 2, {"false", "true"}),
        ("inspect_allerr.json", {"error"}, 3, {"I"}),
        ("inspect_polite.json", {"ok"}, 0, {"C"}),
    ],
)
def test_shipped_documents_read_what_the_tool_says(
    name: str, statuses: set[str], errors: int, verdicts: set[str]
) -> None:
    result = score_shipped(FOLDER / name)
    assert {item.status for item in result.items} == statuses
    assert sum(bool(item.error) for item in result.items) == errors
    assert {item.details.verdict for item in result.items if item.details is not None} == verdicts
    assert "passed-unanswered" not in {finding.code for finding in result.findings}


def test_items_that_pass_without_an_answer_are_a_finding(tmp_path: Path) -> None:
    sample: dict[str, Any] = {"id": 1, "epoch": 1, "input": "q", "output": {}, "scores": {"match": {"value": "C"}}}
    path = tmp_path / "inspect_x.json"
    path.write_text(json.dumps({"samples": [sample, {**sample, "id": 2}]}), encoding="utf-8")
    found = {finding.code: finding.count for finding in score_shipped(path).findings}
    assert found["passed-unanswered"] == 2
    path.write_text(json.dumps({"samples": [sample, {**sample, "output": {"completion": "x"}}]}), encoding="utf-8")
    assert "passed-unanswered" not in {finding.code for finding in score_shipped(path).findings}
