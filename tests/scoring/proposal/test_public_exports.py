"""Shapes of result files that people publish: a document for each reads what the file says."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from scoring.proposal.proposing import NoProposalError
from tests.scoring.proposal.test_foreign_exports import fields, proposal_of, scored


def lines_of(records: Sequence[Mapping[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def test_keys_with_dots_mean_what_paths_do() -> None:
    """Azure AI evaluation."""
    records = [
        {
            "inputs.ground_truth": "Rome, which is the capital of Italy and its largest city.",
            "inputs.query": f"What is the capital of country {at}?",
            "inputs.response": "It is Rome.",
            "outputs.relevance.relevance": 4.0,
            "outputs.relevance.relevance_result": verdict,
        }
        for at, verdict in enumerate(("pass", "pass", "fail"))
    ]
    found = fields(proposal_of(lines_of(records), "rows.jsonl"))
    assert (found["question"], found["expected"], found["response"]) == (
        '["inputs.query"]',
        '["inputs.ground_truth"]',
        '["inputs.response"]',
    )


@pytest.mark.parametrize(
    ("record", "code"),
    [
        (
            {"ts": "2026-06-18", "results": [{"eval": "a", "passed": True}, {"eval": "b", "passed": False}]},
            "records-nested",
        ),
        ({"task": "limiter", "tests_passed": 3, "trace": [{"step": 1, "loop": False}]}, "no-answers"),
    ],
)
def test_where_results_are_is_said_where_records_have_no_answers(record: dict[str, Any], code: str) -> None:
    with pytest.raises(NoProposalError) as refusal:
        proposal_of(lines_of([record, record]), "rows.jsonl")
    assert refusal.value.reason.code == code


@pytest.mark.parametrize("said", ["Expected output to contain one of the words", "Not the right policy"])
def test_errors_that_the_comment_repeats_are_reasons_beside_errors_of_calls(said: str) -> None:
    """A failed assertion of promptfoo has its reason under `error`, and a failed call its error there and below."""
    records = [
        {
            "vars": {"question": f"What is {at}?"},
            "error": error,
            "response": {"output": f"It is described on page {at}."} if at < 3 else {"error": error},
            "gradingResult": None if at > 2 else {"reason": said if error else "All assertions passed"},
            "success": not error,
        }
        for at, error in enumerate(
            ("", "", "Expected output to contain one of the words", "Error 429: limit", "Error 429: limit")
        )
    ]
    data = lines_of(records)
    proposal = proposal_of(data, "rows.jsonl")
    is_repeated = said.startswith("Expected")
    assert fields(proposal)["error"] == ("response.error" if is_repeated else "error")
    answered = [item.status == "ok" for item in scored(proposal, data, "rows.jsonl").items]
    assert answered == [True, True, is_repeated, False, False]
    assert ("error-blames" in {one.code for one in proposal.doubts}) is is_repeated


@pytest.mark.parametrize(
    ("names", "answer"),
    [
        (("output_1", "output_2"), "output_1"),
        (("answer_a", "answer_b"), "answer_a"),
        (("answer_1", "answer_2", "answer_3"), "raw.message.content"),  # choices
    ],
)
def test_of_two_answers_to_compare_one_is_asked_about(names: tuple[str, ...], answer: str) -> None:
    """Annotations of pairs hold what the judge wrote, too."""
    texts = {name: f"A text of some words, {name}." for name in names}
    records = [{"instruction": f"What is {at}?", **texts, "raw": {"message": {"content": "m"}}} for at in range(3)]
    proposal = proposal_of(lines_of(records), "rows.jsonl")
    assert fields(proposal)["response"] == answer
    assert ("answers-alike" in {one.code for one in proposal.doubts}) is (len(names) == 2)


@pytest.mark.parametrize(
    ("questions", "answers", "code"),
    [
        (3, ["FILL_IN_THE_ANSWER_OF_YOUR_SYSTEM"] * 3, "answers-equal"),
        (3, ["x" * 300, "x" * 300 + "y", "x" * 300], ""),
        (1, ["It is described on page 4 of the guide."] * 3, ""),  # three runs
        (
            3,
            ["Agent API error: RateLimitError: Error code: 429 " + "x" * 300, "It is 4.", "It is 5."],
            "answers-errors",
        ),
        (3, ["The error API error: 4 means that a limit was reached.", "It is 4.", "It is 5."], ""),
    ],
)
def test_answers_that_are_none_are_said(questions: int, answers: list[str], code: str) -> None:
    records = [{"question": f"What is {at % questions}?", "answer": answer} for at, answer in enumerate(answers)]
    codes = [one.code for one in proposal_of(lines_of(records), "rows.jsonl").doubts]
    assert [one for one in codes if one in {"answers-equal", "answers-errors"}] == ([code] if code else [])


@pytest.mark.parametrize(
    ("columns", "decides"),
    [
        ({"BLEU_Score": 0.4}, None),
        ({"BLEU_Score": 0.4, "ROUGE1_F": 0.5, "Semantic_Similarity": 0.9}, None),
        ({"semantic_similarity": 0.8, "threshold": 0.7}, "semantic_similarity"),
        ({"cypher_relevancy_score": 0.9, "fluency score": 0.7}, None),
        ({"cypher_relevancy_score": 0.9, "execution_accuracy": True}, "execution_accuracy"),
        ({"arguments_correct": True, "behavior_correct": True, "task_completed": True}, "task_completed"),
        ({"relevancy score": 0.9}, "relevancy score"),  # the only one
        ({"relevancy score": 0.9, "judge score": 0.8}, "judge score"),
    ],
)
def test_an_aspect_and_an_overlap_of_texts_pass_nothing(columns: dict[str, Any], decides: str | None) -> None:
    records = [
        {
            "question": f"What is {at}?",
            "answer": f"It is described on page {at} of the guide.",
            **{
                name: value if value is True else value - at / 100 * (name != "threshold")
                for name, value in columns.items()
            },
        }
        for at in range(4)
    ]
    found = fields(proposal_of(lines_of(records), "rows.jsonl"))
    assert found.get("intent_verdict", found.get("llm_score")) == decides


@pytest.mark.parametrize(
    ("expected", "actual", "answer"),
    [
        ("expected_result", "actual_result", "actual_result"),
        ("gold_decision", "decision", "decision"),
        ("expected_verdict", "final_verdict", "final_verdict"),
        ("expected_intent", "intent_id", None),
    ],
)
def test_what_came_in_place_of_what_was_expected_is_the_answer(expected: str, actual: str, answer: str | None) -> None:
    records = [{"query": f"What is {at}?", expected: "hold", actual: "pass", "match": False} for at in range(3)]
    if answer is None:
        with pytest.raises(NoProposalError):
            proposal_of(lines_of(records), "rows.jsonl")
        return
    found = fields(proposal_of(lines_of(records), "rows.jsonl"))
    assert (found["response"], found["expected"], found["intent_verdict"]) == (answer, expected, "match")
