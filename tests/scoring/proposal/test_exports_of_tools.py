"""Exports of other tools give documents that are read, and that score what the tool says."""

from io import BytesIO
from pathlib import Path

import pytest

from reporting import write_document
from scoring.items import score_file
from scoring.proposal.proposing import NoProposalError, propose
from scoring.proposal.sample import read_sample
from scoring.rubric.document import parse_rubric
from tests.inner import EXTENSIONS
from tests.paths import ROOT
from texts import texts

EXPORTS = sorted(path for path in (ROOT / "tests" / "exports").iterdir() if path.suffix in EXTENSIONS)
WITHOUT_ANSWERS = {"openai_evals_graded.jsonl"}


@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.name)
@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_document_for_an_export_scores_it(path: Path, language: str) -> None:
    with path.open("rb") as stream:
        sample = read_sample(stream, path.name)
        if path.name in WITHOUT_ANSWERS:
            with pytest.raises(NoProposalError):
                propose(sample, file_name=path.name, extensions=EXTENSIONS)
            return
        proposal = propose(sample, file_name=path.name, extensions=EXTENSIONS)
        text = write_document(proposal, file_name=path.name, t=texts(language))
        part = score_file(stream, name=path.name, rubric=parse_rubric(text, source="new.md"))
    assert not part.refused
    assert "ok" in {item.status for item in part.items}


def test_a_csv_of_langsmith_has_its_first_feedback_as_score_and_others_as_measures() -> None:
    header = "id,name,run_type,status,error,start_time,end_time,latency,inputs.question,outputs.answer,"
    header += "reference.answer,feedback.correctness,feedback.helpfulness,total_tokens,metadata.category,session_id"
    scores = ((1, 4), (0.5, 1), ("", ""), (0.25, 5), (0, 2), (0.75, 3))
    lines = [
        f"r{at},bot,chain,success,,2026-05-12T07:00:0{at},2026-05-12T07:00:1{at},{at + 1}.5,How do I pay {at}?,"
        f"You pay by card {at}.,By card,{correct},{helpful},{at}33,billing,s"
        for at, (correct, helpful) in enumerate(scores)
    ]
    sample = read_sample(BytesIO("\n".join([header, *lines, ""]).encode()), "runs.csv")
    text = write_document(propose(sample, file_name="runs.csv", extensions=EXTENSIONS), file_name="runs.csv", t=texts())
    rubric = parse_rubric(text, source="new.md")
    titles = {column.name: column.title for column in rubric.columns}
    assert titles["response"] == "outputs.answer"
    assert titles["llm_score"] == "feedback.correctness"
    assert titles["category"] == "metadata.category"
    assert "feedback.helpfulness" in {measure.column for measure in rubric.measures}


@pytest.mark.parametrize(
    ("name", "columns", "messages"),
    [
        (
            "promptfoo_v3.json",
            {"query_id": "testIdx", "question": "testCase.vars.question", "intent_verdict": "success"},
            ("response.output",),
        ),
        (
            "inspect_v2.json",
            {
                "query_id": "id",
                "round": "epoch",
                "expected": "target",
                "intent_verdict": "scores.model_graded_qa.value",
            },
            ("output.completion",),
        ),
        ("langfuse_traces.json", {"query_id": "id", "question": "input.question"}, ("output.answer", "output")),
        (
            "phoenix_experiment.json",
            {"query_id": "example_id", "round": "repetition_number"},
            ("output.answer", "output"),
        ),
        ("openai_evals_api_items.jsonl", {"question": "datasource_item.question"}, ("sample.output[*].content",)),
    ],
)
def test_fields_of_tools_are_recognised(name: str, columns: dict[str, str], messages: tuple[str, ...]) -> None:
    with (ROOT / "tests" / "exports" / name).open("rb") as stream:
        proposal = propose(read_sample(stream, name), file_name=name, extensions=EXTENSIONS)
    assert columns.items() <= {one.field: one.path for one in proposal.columns if not one.is_doubtful}.items()
    assert proposal.payload is not None
    assert proposal.payload.paths["message"] == messages
