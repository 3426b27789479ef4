"""Files in the shapes of other tools (tests/cases_found/foreign_exports): each is right, or what is missing is said."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from reporting import write_document
from scoring.items import score_file
from scoring.problems import InputError
from scoring.proposal.model import Proposal, Question
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


@pytest.mark.parametrize(
    ("data", "records", "key"),
    [
        ((FOLDER / "split.json").read_bytes(), "", ""),
        ((FOLDER / "map.json").read_bytes(), "$", "id"),
        (b'{"run": %b, "meta": {"a": 1}}' % (FOLDER / "split.json").read_bytes(), "run", ""),
        (b'{"my.runs": %b, "meta": {"a": 1}}' % (FOLDER / "map.json").read_bytes(), '["my.runs"]', "id"),
    ],
)
def test_tables_and_maps_of_records_are_understood(data: bytes, records: str, key: str) -> None:
    proposal = proposal_of(data, "x.json")
    assert (proposal.records, proposal.key, proposal.rows) == (records, key, 2)
    assert {"query_id": "id", "question": "question", "response": "answer"}.items() <= fields(proposal).items()
    assert [item.message for item in scored(proposal, data, "x.json").items] == ["x", "y"]
    opening = write_document(proposal, file_name="x.json", t=texts("en"))
    assert ("under each name" in opening) is bool(key)


def test_objects_that_only_look_alike_are_no_map_of_records() -> None:
    with pytest.raises(InputError) as refusal:
        proposal_of(b'{"input": {"tokens": 1}, "output": {"tokens": 2}}', "x.json")
    assert [problem.code for problem in refusal.value.problems] == ["records-not-found"]


def test_a_code_for_the_reason_of_a_failure_is_no_error() -> None:
    records = [{"input": "q", "output": f"{ANSWER} {n}", "success": not n, "failureReason": n} for n in (0, 1)]
    data = json.dumps(records).encode()
    proposal = proposal_of(data, "x.json")
    assert "error" not in fields(proposal)
    assert passed(scored(proposal, data, "x.json")) == (1, 2)


def test_what_stands_below_an_error_is_no_answer() -> None:
    failed = {"id": 1, "error": {"message": "boom", "traceback": "a long text of several words"}}
    with pytest.raises(NoProposalError) as refusal:
        proposal_of(json.dumps([failed, failed]).encode(), "x.json")
    assert refusal.value.reason.code == "all-failed"


def test_a_score_in_a_list_may_have_brackets_in_its_name() -> None:
    metrics = [{"name": "Tone [GEval]", "score": 0.5}]
    data = json.dumps([{"input": "q", "output": f"{ANSWER} {n}", "metrics": metrics} for n in range(2)]).encode()
    measures = scored(proposal_of(data, "x.json"), data, "x.json").groups[0].measures
    assert {name: found.set.mean for name, found in measures.items()} == {"score.tone-geval": 0.5}


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


ANSWER = "An answer of several words"
FEEDBACK = [{"name": "hallucination_metric", "value": 1.0}, {"name": "relevance", "value": 0.1}]


@pytest.mark.parametrize(
    ("records", "expected", "absent"),
    [
        (  # the answer of an example is the expected one
            [
                {
                    "inputs": {"example": {"answer": "gold"}},
                    "output": {"output": {"answer": ANSWER}},
                    "ok": {"correct": True},
                }
            ],
            {"response": "output.output.answer", "expected": "inputs.example.answer"},
            (),
        ),
        (  # what was said may be among the inputs, where it is called so
            [{"inputs": {"query": "q", "response": ANSWER, "ground_truth": "g"}}],
            {"response": "inputs.response", "question": "inputs.query", "expected": "inputs.ground_truth"},
            (),
        ),
        (  # one aspect says nothing about the whole, and a list may have numbers of which less is better
            [{"input": "q", "output": ANSWER, "feedback_scores": FEEDBACK}],
            {"response": "output", "question": "input"},
            ("llm_score", "intent_verdict"),
        ),
        (
            [{"case": 1, "response_text": ANSWER, "http_status": 200, "success": True}],
            {"response": "response_text"},
            ("llm_score", "intent_verdict"),
        ),
        ([{"instance_id": "x", "model_patch": "diff --git", "resolved": True}], {"intent_verdict": "resolved"}, ()),
        (
            [{"inputs": "q?", "outputs": ANSWER, "answer_correctness/v1/justification": f"{ANSWER} {ANSWER}"}],
            {"response": "outputs", "question": "inputs"},
            (),
        ),
    ],
)
def test_records_of_other_tools(
    records: list[dict[str, Any]], expected: dict[str, str], absent: tuple[str, ...]
) -> None:
    proposal = proposal_of(json.dumps([*records, *records]).encode(), "x.json")
    assert expected.items() <= fields(proposal).items()
    assert not set(absent) & set(fields(proposal))
    assert proposal.is_sure is all(doubt.code != "no-pass" for doubt in proposal.doubts)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"id,Model A answer,Model B answer\n1,{ANSWER},{ANSWER} too\n2,{ANSWER} a,{ANSWER} b\n", "answers-alike"),
        (f"id,remark one,said here\n1,{ANSWER},{ANSWER} too\n2,{ANSWER} a,{ANSWER} b\n", "answer-guessed"),
    ],
)
def test_an_answer_that_no_name_tells_is_asked_for(text: str, code: str) -> None:
    proposal = proposal_of(text.encode(), "x.csv")
    assert code in {doubt.code for doubt in proposal.doubts}
    assert (proposal.is_sure, proposal.open_choices[0].question) == (False, Question.ANSWER)


def test_records_that_are_no_items_are_said() -> None:
    records = [{"spec": {"a": 1}}, *({"sample_id": n, "data": {"sampled": ANSWER, "correct": True}} for n in range(2))]
    proposal = proposal_of("".join(json.dumps(one) + "\n" for one in records).encode(), "x.jsonl")
    assert ("records-other", {"rows": "1"}) in proposal.doubts
    assert not proposal.is_sure


def test_scores_of_a_list_become_named_scores() -> None:
    data = (FOLDER / "deepeval_run.json").read_bytes()
    result = scored(proposal_of(data, "deepeval_run.json"), data, "deepeval_run.json")
    figures = {name: found.set for name, found in result.groups[0].measures.items()}
    assert {name: (one.n, one.mean) for name, one in figures.items()} == {
        "score.answer-relevancy": (2, 0.5),
        "score.faithfulness": (1, 0.2),
    }


@pytest.mark.parametrize(
    ("name", "is_main"),
    [("data.score", True), ("grading.score", True), ("scores.tone.score", False), ("scores.correctness", True)],
)
def test_a_score_below_another_name_is_of_the_whole_unless_it_is_one_of_several(name: str, is_main: bool) -> None:
    record: Any = {"input": "q", "output": ANSWER}
    *above, last = name.split(".")
    inner = record
    for step in above:
        inner = inner.setdefault(step, {})
    inner[last] = 0.5
    proposal = proposal_of(json.dumps([record, record]).encode(), "x.json")
    assert (fields(proposal).get("llm_score") == name) is is_main
    assert any(measure.path == name for measure in proposal.measures) is not is_main


def test_every_score_of_a_file_counts() -> None:
    data = (FOLDER / "ragas_2026.csv").read_bytes()
    proposal = proposal_of(data, "ragas_2026.csv")
    assert next(iter(proposal.doubts)).code == "no-pass"
    figures = scored(proposal, data, "ragas_2026.csv").groups[0].measures
    assert {name: (found.set.n, found.set.missing) for name, found in figures.items()} == {
        "score.faithfulness": (2, 1),
        "score.answer-relevancy": (3, 0),
        "score.context-precision": (2, 1),
    }


def test_words_for_what_was_not_assessed_are_no_verdicts() -> None:
    data = (ROOT / "tests" / "cases_found" / "new_verdicts_with_blocked" / "eval.csv").read_bytes()
    proposal = proposal_of(data, "eval.csv")
    assert fields(proposal)["intent_verdict"] == "result"
    result = scored(proposal, data, "eval.csv")
    assert passed(result) == (21, 28)
    assert [(one.code, one.count) for one in result.findings if one.code == "verdict-unknown"] == [
        ("verdict-unknown", 12)
    ]
    assert [(one.code, one.values["words"]) for one in proposal.doubts if "words" in one.code] == [
        ("words-unassessed", "BLOCKED, N/A")
    ]
    other = data.replace(b"BLOCKED", b"whatever")
    proposal = proposal_of(other, "eval.csv")
    assert passed(scored(proposal, other, "eval.csv")) == (21, 28)
    assert ("words-unknown", {"column": "result", "words": "whatever", "rows": "6"}) in proposal.doubts
    assert not proposal.is_sure


def test_what_is_said_of_a_part_decides_nothing_about_the_answer() -> None:
    rows = [f"What is {n}?,get_price,True,{4 + n % 2},{ANSWER} {n}" for n in range(4)]
    data = "\n".join(["question,expected_tools,tool_selection_correct,overall,response", *rows]).encode()
    proposal = proposal_of(data, "x.csv")
    assert {"expected", "intent_verdict"}.isdisjoint(fields(proposal))
    assert not proposal.is_sure  # the scale of `overall` is asked for
    whole = proposal_of(data.replace(b"tool_selection_correct", b"answer_correct"), "x.csv")
    assert fields(whole)["intent_verdict"] == "answer_correct"


@pytest.mark.parametrize(
    ("scores", "written"),
    [
        ({"faithfulness": 0.5, "answer_relevancy": 0.75}, 'payload: ["scores.*"], scale: [0, 1], better: by name'),
        ({"tone": {"score": 0.5}, "faithfulness": {"score": 1.0}}, 'payload: ["scores.*.score"]'),
        ([{"name": "Faithfulness", "score": 0.5}, {"name": "Bias", "score": 0.25}], '"scores[name=*].score"'),
        ({"faithfulness": 0.5, "answer_relevancy": 0.75, "tokens": 812}, "payload: [scores.faithfulness]"),
        ({"faithfulness": 0.5, "answer_relevancy": 0.75, "correct": "yes"}, "payload: [scores.faithfulness]"),
        ({"faithfulness": 0.5}, "payload: [scores.faithfulness]"),
    ],
)
def test_scores_of_one_map_are_written_as_one_line(scores: object, written: str) -> None:
    records = [{"question": f"q{at}?", "answer": f"{ANSWER} {at}", "scores": scores} for at in range(4)]
    data = json.dumps(records).encode()
    document = write_document(proposal_of(data, "x.json"), file_name="x.json", t=texts("en"))
    (line,) = [one for one in document.splitlines() if one.startswith("  - {") and "scale: [0, 1]" in one][:1]
    assert written in line
    means = [one.set.mean for one in scored(proposal_of(data, "x.json"), data, "x.json").groups[0].measures.values()]
    assert 0.5 in means


def test_yes_and_no_under_the_name_of_a_score_are_levels() -> None:
    rows = [f"What is {at}?,{ANSWER} {at},{at > 2},{at > 1}" for at in range(4)]
    data = "\n".join(["question,answer,exact_match,overall", *rows]).encode()
    proposal = proposal_of(data, "x.csv")
    assert fields(proposal)["intent_verdict"] == "overall"
    assert passed(scored(proposal, data, "x.csv")) == (2, 4)
    numbers = data.replace(b"True", b"1").replace(b"False", b"0")
    assert not proposal_of(numbers, "x.csv").is_sure  # their scale is asked for


@pytest.mark.parametrize(
    ("column", "good", "bad"),
    [
        ("Pass/Fail", "PASS", "FAIL"),
        ("적합 여부", "적합", "부적합"),
        ("최종 판단", "합격", "불합격"),
        ("match", "True", "False"),
        ("정답여부", "1", "0"),
    ],
)
def test_what_says_whether_an_answer_is_right_decides_before_a_score(column: str, good: str, bad: str) -> None:
    rows = [f"What is {at}?,{ANSWER} {at},{10 * at},{good if at % 2 else bad}" for at in range(6)]
    data = "\n".join([f"question,answer,score (%),{column}", *rows]).encode()
    proposal = proposal_of(data, "x.csv")
    assert proposal.is_sure
    assert passed(scored(proposal, data, "x.csv")) == (3, 6)


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("score (%),turn_result", "verdict-unused"),
        ("score (%),assessment", "verdict-unused"),
        ("score (%),결과", "verdict-unused"),
        ("weight,turn_result", "verdict-unnamed"),
        ("weight,format_check", "no-score"),
        ("weight,api_status", "no-score"),
    ],
)
def test_a_verdict_that_decides_nothing_is_said(header: str, code: str) -> None:
    words = (
        ("correct", "partly", "partly")
        if "assessment" in header
        else ("OK", "NG")
        if "결과" in header
        else ("PASS", "FAIL")
    )
    rows = [f"What is {at}?,{ANSWER} {at},{10 * at},{words[at % len(words)]}" for at in range(6)]
    proposal = proposal_of("\n".join([f"question,answer,{header}", *rows]).encode(), "x.csv")
    assert next(iter(proposal.doubts)).code == code
    assert proposal.is_sure is (code == "no-score")


TABLE = f"id,question,answer,passed\n1,a?,{ANSWER} 1,yes\n2,b?,{ANSWER} 2,no\n"


@pytest.mark.parametrize("above", ["", "입력,,출력,평가\n", "입력,질문,답변,평가\n"])
def test_a_header_below_the_first_row_is_said(above: str) -> None:
    proposal = proposal_of(f"{above}{TABLE}".encode(), "x.csv")
    said = [one.values["cells"] for one in proposal.doubts if one.code == "header-below"]
    assert (said, proposal.is_sure) == (["id, question, answer"] if above else [], not above)


@pytest.mark.parametrize("above", ["# run of 2026-11-02\n", "Report of the bot,,,\n", "# run, with gpt\n# a, b, c\n"])
def test_lines_above_the_header_are_named(above: str) -> None:
    with pytest.raises(NoProposalError) as refusal:
        proposal_of(f"{above}{TABLE}".encode(), "x.csv")
    assert refusal.value.reason == ("header-elsewhere", {"cells": "id, question, answer"})


@pytest.mark.parametrize(
    ("header", "limits", "passes", "is_sure"),
    [
        ("score (0-1),threshold", ("0.8", "0.8"), 2, True),
        ("score (0-1),other", ("0.8", "0.8"), 4, True),
        ("점수(100점 만점),합격점수", ("70", "70"), 0, True),  # all are below 1
        ("score (0-1),threshold", ("0.8", "0.5"), 4, False),
        ("score (0-1),threshold", ("8", "8"), 4, True),  # of something else
        ("score (0-1),tone.threshold", ("0.8", "0.8"), 4, True),
    ],
)
def test_a_passing_limit_beside_the_score_decides(
    header: str, limits: tuple[str, str], passes: int, is_sure: bool
) -> None:
    rows = [f"What is {at}?,{ANSWER} {at},{0.1 + 0.2 * (at % 5):.1f},{limits[at % 2]}" for at in range(10)]
    data = "\n".join([f"question,answer,{header}", *rows]).encode()
    proposal = proposal_of(data, "x.csv")
    assert proposal.is_sure is is_sure
    assert passed(scored(proposal, data, "x.csv")) == (passes, 10)
    assert ("limits-differ" in {one.code for one in proposal.doubts}) is not is_sure


@pytest.mark.parametrize(
    ("first", "again", "said"),
    [
        (",rate limit,,", True, True),  # an error
        (",,,", True, True),  # no answer
        ("무응답,,,", True, True),
        (f"{ANSWER},,fail,", True, True),
        (f"{ANSWER},,pass,", True, False),
        (f"{ANSWER},none,pass,", True, False),
        (",rate limit,,", False, False),  # every question is asked twice
    ],
)
def test_rows_that_only_follow_failures_are_said_to_look_like_retries(first: str, again: bool, said: bool) -> None:
    asked = [f"{at},2,a?,{ANSWER} {at},,pass," for at in range(4)]
    tried = [f"{at},1,a?,{first}" for at in range(1 if again else 4)]
    data = "\n".join(["id,attempt,question,answer,error,result,", *tried, *asked]).encode()
    proposal = proposal_of(data, "x.csv")
    found = [one for one in proposal.doubts if one.code == "retries"]
    assert (found, proposal.is_sure) == ([("retries", {"column": "id", "rows": "1"})] if said else [], not said)


@pytest.mark.parametrize(
    ("text", "is_error"),
    [
        ("Error: 503 Service Unavailable", True),
        ("[ERROR] upstream closed", True),
        ("openai.RateLimitError: slow down", True),
        ("HTTP 502", True),
        ("504 Gateway Timeout", True),
        ("Timed out", True),
        ("오류: 응답을 받지 못했습니다", True),
        ("Error messages are shown at the top.", False),
        ("500 points are needed.", False),
        ("Timeout settings are under Network.", False),
        ("오류가 나면 다시 켜세요.", False),
    ],
)
def test_answers_that_are_messages_of_errors_are_said(text: str, is_error: bool) -> None:
    rows = [f"{at},a?,{text if at else ANSWER},{at > 1}" for at in range(4)]
    proposal = proposal_of("\n".join(["id,question,answer,passed", *rows]).encode(), "x.csv")
    found = [one for one in proposal.doubts if one.code == "answers-errors"]
    assert found == ([("answers-errors", {"rows": "3", "text": text})] if is_error else [])
    assert proposal.is_sure is not is_error
    beside = [f"{at},a?,{text if at else ANSWER},{at > 1},{'broke' if at else ''}" for at in range(4)]
    told = proposal_of("\n".join(["id,question,answer,passed,error", *beside]).encode(), "x.csv")
    assert "answers-errors" not in {one.code for one in told.doubts}


@pytest.mark.parametrize(
    ("header", "is_lowest"),
    [
        ("grade (1=best, 6=worst)", True),
        ("평점(1: 매우 좋음, 5: 매우 나쁨)", True),
        ("score (lower is better)", True),
        ("grade (1=worst, 5=best)", False),
        ("score (5=best, 1=worst)", False),
    ],
)
def test_a_number_of_which_the_lowest_is_best_is_no_score(header: str, is_lowest: bool) -> None:
    rows = [f"{at},a?,{ANSWER} {at},{at % 5 + 1}" for at in range(10)]
    proposal = proposal_of("\n".join([f'id,question,answer,"{header}"', *rows]).encode(), "x.csv")
    assert any(not one.is_better_higher for one in proposal.measures) is is_lowest


@pytest.mark.parametrize(
    ("header", "cells", "others"),
    [
        ("verdict,human judgement", ("pass,fail", "fail,fail"), "human judgement"),
        ("verdict,human judgement", ("pass,pass", "fail,fail"), ""),
        ("판정,재판정", ("통과,", "통과,실패"), "재판정"),
        ("1차 판정,최종 판정", ("통과,통과", "통과,실패"), ""),
        ("judges.a.verdict,judges.b.verdict", ("pass,fail", "fail,fail"), "judges.b.verdict"),
        ("verdict,format_check", ("pass,fail", "fail,fail"), ""),
        ("outcome,setup.outcome", ("passed,passed", "failed,passed"), ""),
        ("verdict,run_status", ("pass,success", "fail,success"), ""),
    ],
)
def test_a_second_verdict_that_differs_is_said(header: str, cells: tuple[str, str], others: str) -> None:
    rows = [f"{at},a?,{ANSWER} {at},{cells[at % 2]}" for at in range(8)]
    proposal = proposal_of("\n".join([f"id,question,answer,{header}", *rows]).encode(), "x.csv")
    said = [one.values["others"] for one in proposal.doubts if one.code == "truths-differ"]
    assert (said, proposal.is_sure) == ([others] if others else [], not others)


@pytest.mark.parametrize(
    ("header", "cells", "passes"),
    [
        ("score (%)", ("0.25", "0.75"), 1),
        ("정확도(%)", ("0", "1", "0.75"), 2),
        ("score (%)", ("25", "75"), 1),
        ("score (%)", ("0", "1"), 0),  # as it says
        ("점수(100점 만점)", ("0.25", "0.75"), 0),
    ],
)
def test_fractions_of_one_under_a_percentage_are_shares(header: str, cells: tuple[str, ...], passes: int) -> None:
    rows = [f"{at},a?,{ANSWER} {at},{cell}" for at, cell in enumerate(cells)]
    data = "\n".join([f"id,question,answer,{header}", *rows]).encode()
    assert passed(scored(proposal_of(data, "x.csv"), data, "x.csv")) == (passes, len(cells))


@pytest.mark.parametrize(
    ("kinds", "asked", "is_said"),
    [
        (("GENERATION", "SPAN"), ("a?", "a?"), True),
        (("sampling", "match"), ("a?", "a?"), True),
        (("GENERATION", "GENERATION"), ("a?", "b?"), False),
        (("tool", "retrieval"), ("a?", "b?"), False),  # what questions are about
        (("easy", "hard"), ("a?", "a?"), False),
    ],
)
def test_records_of_several_kinds_that_have_one_question_are_said(
    kinds: tuple[str, str], asked: tuple[str, str], is_said: bool
) -> None:
    rows = [(at, n) for at in range(4) for n in (0, 1)]
    records = [{"id": f"{at}{n}", "type": kinds[n], "input": f"{at} {asked[n]}", "output": ANSWER} for at, n in rows]
    proposal = proposal_of("".join(json.dumps(one) + "\n" for one in records).encode(), "x.jsonl")
    said = [one.values for one in proposal.doubts if one.code == "kinds-mixed"]
    named = {"column": "type", "agents": ", ".join(kinds), "path": "type", "first": kinds[0]}
    assert (said, proposal.is_sure) == ([named] if is_said else [], not is_said)


@pytest.mark.parametrize(
    ("header", "cells", "is_said"),
    [
        ("success,score (0-1)", ("True,0.9", "True,0.1"), True),
        ("success,score (0-1)", ("True,0.9", "True,0.8"), False),
        ("success,score (0-1)", ("True,0.9", "False,0.1"), False),
        ("success,tone (0-1)", ("True,0.9", "True,0.1"), False),
        ("passed,score (0-1)", ("True,0.9", "True,0.1"), False),
    ],
)
def test_a_success_of_all_beside_low_scores_is_said(header: str, cells: tuple[str, str], is_said: bool) -> None:
    rows = [f"{at},a?,{ANSWER} {at},{cells[at % 2]}" for at in range(4)]
    proposal = proposal_of("\n".join([f"id,question,answer,{header}", *rows]).encode(), "x.csv")
    assert ("success-of-all" in {one.code for one in proposal.doubts}) is is_said
    assert proposal.is_sure is not is_said


@pytest.mark.parametrize(
    ("header", "cells", "are_kinds"),
    [
        ("error type", (f"{ANSWER},hallucination", f"{ANSWER},"), True),
        ("오류 유형", (f"{ANSWER},환각", f"{ANSWER},없음"), True),
        ("error type", (",Timeout", f"{ANSWER},"), False),
        ("error", (f"{ANSWER},hallucination", f"{ANSWER},"), False),
        ("오류 유형", (f"{ANSWER},없음", f"{ANSWER},없음"), False),
    ],
)
def test_kinds_of_faults_of_answers_are_no_errors(header: str, cells: tuple[str, str], are_kinds: bool) -> None:
    rows = [f"{at},a?,{at % 2},{cells[at % 2]}" for at in range(4)]
    proposal = proposal_of("\n".join([f"id,question,passed,answer,{header}", *rows]).encode(), "x.csv")
    assert ("error-kinds" in {one.code for one in proposal.doubts}) is are_kinds
    assert (fields(proposal).get("error"), proposal.is_sure) == (None if are_kinds else header, not are_kinds)


@pytest.mark.parametrize(
    ("header", "cells", "rows"),
    [
        ("응답여부", ("Y", "N"), "2"),
        ("answered", ("true", "false"), "2"),
        ("미답변", ("0", "1"), "2"),
        ("is_fallback", ("no", "Yes"), "2"),
        ("응답여부", ("Y", "Y"), ""),
        ("fallback", ("queue a", "queue b"), ""),
    ],
)
def test_answers_that_are_said_to_be_none_are_said(header: str, cells: tuple[str, str], rows: str) -> None:
    lines = [f"{at},a?,{ANSWER} {at},{at < 2},{cells[at % 2]}" for at in range(4)]
    proposal = proposal_of("\n".join([f"id,question,answer,passed,{header}", *lines]).encode(), "x.csv")
    said = [one.values for one in proposal.doubts if one.code == "answered-otherwise"]
    assert (said, proposal.is_sure) == ([{"column": header, "rows": rows}] if rows else [], not rows)
    none = [f"{at},a?,{'N/A' if at % 2 else ANSWER},{at < 2},{cells[at % 2]}" for at in range(4)]
    assert proposal_of("\n".join([f"id,question,answer,passed,{header}", *none]).encode(), "x.csv").is_sure


@pytest.mark.parametrize(
    ("header", "taken", "others"),
    [
        ("answer,llm_output", "answer", "answer, llm_output"),
        ("agent answer,bot answer", "agent answer", "agent answer, bot answer"),
        ("상담원 답변,AI 답변", "상담원 답변", "상담원 답변, AI 답변"),
        ("corrected reply,bot reply", "bot reply", ""),
        ("expected answer,answer", "answer", ""),
        ("comment,answer", "answer", ""),
    ],
)
def test_answers_under_two_names_are_asked_about(header: str, taken: str, others: str) -> None:
    rows = [f"{at},a?,{at < 2},What it is to say {at}.,{f'{ANSWER} {at}' if at % 4 else ''}" for at in range(8)]
    proposal = proposal_of("\n".join([f"id,question,passed,{header}", *rows]).encode(), "x.csv")
    said = [one.values["others"] for one in proposal.doubts if one.code == "answers-alike"]
    assert (fields(proposal)["response"], said) == (taken, [others] if others else [])
    assert proposal.is_sure is not bool(others)
