"""JSON lines and documents, and columns of JSON: where in them the values of an answer are."""

import io
import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reporting import write_document
from scoring.items import score_file
from scoring.problems import InputError
from scoring.proposal.json_fields import Calls, flatten
from scoring.proposal.model import Proposal, Sample
from scoring.proposal.proposing import NoProposalError, propose
from scoring.proposal.sample import read_sample
from scoring.rubric import Rubric, meanings
from scoring.rubric.document import parse_rubric
from tests.examples import examples
from texts import texts

EXTENSIONS = (".jsonl", ".ndjson", ".json")
RECORD = {
    "id": "a",
    "input": {"messages": [{"role": "user", "content": "what?"}]},
    "output": {"content": "an answer", "tool_calls": [{"function": {"name": "search", "arguments": "{}"}}]},
    "expected": {"answer": "an answer"},
    "metrics": {"latency_ms": 812, "usage": {"total_tokens": 40}},
    "score": 0.5,
    "error": None,
}


def lines(*records: object) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode(errors="replace")


def proposal_of(data: bytes, name: str = "bot.jsonl") -> Proposal:
    return propose(read_sample(io.BytesIO(data), name), file_name=name, extensions=EXTENSIONS)


def rubric_of(proposal: Proposal, language: str = "en") -> Rubric:
    return parse_rubric(write_document(proposal, file_name="x", t=texts(language)), source="new.md")


def test_fields_of_records_are_found_by_path() -> None:
    proposal = proposal_of(lines(RECORD, {**RECORD, "id": "b", "score": 1, "error": {"code": 504}}))
    columns = {one.field: one.path for one in proposal.columns if one.field and not one.is_in_payload}
    assert columns == {
        "raw_json": "$",
        "query_id": "id",
        "question": "input.messages[*].content",
        "expected": "expected.answer",
        "llm_score": "score",
    }
    assert proposal.payload is not None
    assert proposal.payload.paths == {
        "message": ("output.content",),
        "error": ("error",),
        "milliseconds": ("metrics.latency_ms",),
    }
    assert proposal.payload.calls == Calls("output.tool_calls", "function.name", "function.arguments")
    assert [(one.name, one.path) for one in proposal.measures] == [("total-tokens", "metrics.usage.total_tokens")]


def test_the_document_of_a_json_file_scores_it() -> None:
    data = lines(RECORD, {**RECORD, "id": "b", "score": 1, "error": {"code": 504}, "output": {"content": ""}})
    rubric = rubric_of(proposal_of(data))
    part = score_file(io.BytesIO(data), name="bot.jsonl", rubric=rubric)
    assert [(item.query_id, item.status, item.seconds, item.intent) for item in part.items] == [
        ("a", "ok", 0.812, 0.5),
        ("b", "error", 0.812, 1.0),
    ]
    assert part.findings == ()


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ([RECORD, RECORD], ""),
        ({"version": 3, "results": {"items": [RECORD, RECORD], "prompts": [{"raw": "x"}]}}, "results.items"),
    ],
)
def test_the_longest_list_of_a_document_has_the_records(document: object, path: str) -> None:
    data = json.dumps(document).encode()
    proposal = proposal_of(data, "bot.json")
    assert (proposal.records, proposal.rows) == (path, 2)
    rubric = rubric_of(proposal)
    assert (rubric.records.paths if rubric.records is not None else ()) == ((path,) if path else ())
    assert len(score_file(io.BytesIO(data), name="bot.json", rubric=rubric).items) == 2


def test_a_name_at_the_top_needs_no_path() -> None:
    text = write_document(proposal_of(lines({"id": "a", "output": "an answer"})), file_name="x", t=texts("en"))
    assert "\n  - { name: query_id, title: id } #" in text


def test_records_that_are_no_objects_are_said() -> None:
    proposal = proposal_of(lines({"output": "an answer"}, [1], "x") + b"{]}\n" + lines({"output": "b"}))
    assert (proposal.rows, [doubt.values for doubt in proposal.doubts if doubt.code == "rows-left-out"]) == (
        2,
        [{"rows": "3"}],
    )


@pytest.mark.parametrize(
    ("data", "name"),
    [(b"", "x.jsonl"), (b"[]", "x.json"), (b'{"a": 1}', "x.json"), (b"{", "x.json"), (b"1\n", "x.ndjson")],
)
def test_a_file_without_records_gives_no_document(data: bytes, name: str) -> None:
    with pytest.raises((InputError, NoProposalError)):
        proposal_of(data, name)


def test_every_field_stands_in_the_document_with_how_often_it_is_filled() -> None:
    text = write_document(proposal_of(lines(RECORD, {"id": "b"})), file_name="x", t=texts("en"))
    assert "\n# Fields of a record (2 records):\n" in text
    assert "\n#   output.tool_calls[*].function.name: text, 50.0% filled\n" in text
    assert "\n#   id: text, 100.0% filled\n" in text


@pytest.mark.parametrize(
    ("records", "paths"),
    [
        ([{"output": "a"}, {"output": {"answer": "b"}}, {"output": {"answer": "c"}}], ("output.answer", "output")),
        ([{"answer": "a"}, {"reply": "b"}, {"answer": "c"}], ("reply", "answer")),
        ([{"output": "a", "reply": "b"}, {"output": "c"}], ("output",)),
        ([{"sample": {"output": [{"role": "x", "content": "a"}, {"content": "b"}]}}], ("sample.output[*].content",)),
        ([{"output": "a", "usage": {"output": 12}}], ("output",)),
        ([{"output": "a", "error": {"message": "late"}}], ("output",)),
    ],
)
def test_an_answer_may_be_at_several_paths(records: list[object], paths: tuple[str, ...]) -> None:
    data = lines(*records)
    proposal = proposal_of(data)
    assert proposal.payload is not None
    assert proposal.payload.paths["message"] == paths
    part = score_file(io.BytesIO(data), name="bot.jsonl", rubric=rubric_of(proposal))
    assert "empty" not in {item.status for item in part.items}


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("test_case.id", "query_id"),
        ("provider.id", ""),
        ("scores.model_graded_qa.value", "intent_verdict"),
        ("error.message", "error"),
        ("data.input.id", "question"),
    ],
)
def test_a_path_means_what_its_names_mean_together(path: str, field: str) -> None:
    meant = [spelling.field for spelling in meanings(path)]
    assert field in meant if field else not meant


def table(**columns: list[str]) -> Proposal:
    sample = Sample(list(columns), list(zip(*columns.values(), strict=True)))
    return propose(sample, file_name="x.csv", extensions=(".csv",))


def test_a_column_of_objects_with_the_answer_is_the_payload() -> None:
    cells = [json.dumps({"reply": {"text": "an answer"}, "took": 1.5}) for _ in range(3)]
    proposal = table(id=["a", "b", "c"], data=cells)
    assert proposal.payload is not None
    assert proposal.payload.paths == {"message": ("reply.text",), "seconds": ("took",)}
    rubric = rubric_of(proposal)
    assert [column.name for column in rubric.columns] == ["query_id", "raw_json"]
    assert rubric.has_metric("latency")


@pytest.mark.parametrize(
    ("payload", "is_used"),
    [
        ({"answer": "yes"}, False),  # nothing that the columns do not have
        ({"answer": "yes", "tool_calls": [{"name": "search"}]}, True),
        ({"tool_calls": [{"name": "search"}]}, False),  # no answer in it
        ({"answer": "yes", "latency_ms": 812}, True),
    ],
)
def test_a_column_of_objects_beside_the_answers_is_used_for_what_it_adds(
    payload: dict[str, Any], is_used: bool
) -> None:
    proposal = table(output=["an answer", "another"], trace_data=[json.dumps(payload)] * 2)
    assert (proposal.payload is not None) == is_used
    assert ("objects-unused" in {doubt.code for doubt in proposal.doubts}) != is_used


def test_checks_in_the_expected_answers_are_in_force() -> None:
    cells = [json.dumps({"answer": "yes", "tool_calls": [{"name": name}]}) for name in ("search", "book")]
    proposal = table(id=["a", "b"], expected=["@check calls search", "yes @check calls search"], data=cells)
    rubric = rubric_of(proposal)
    assert rubric.checks is not None
    assert rubric.checks.calls is not None
    assert rubric.checks.calls.paths == ("tool_calls",)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_commented_checks_are_read_when_the_comment_is_followed(language: str) -> None:
    cells = [json.dumps({"answer": "yes", "tool_calls": [{"name": "search", "args": {}}]})]
    text = write_document(table(id=["a"], data=cells), file_name="x", t=texts(language))
    start, end = text.index("  # accuracy:"), text.index("# where the tool" if language == "en" else "# 도구 호출이")
    followed = (
        text[:start] + text[start:end].replace("\n  # ", "\n  ").replace("  # accuracy:", "  accuracy:", 1) + text[end:]
    )
    before, _, table_of_accuracy = followed.rpartition("```\n|")
    rubric = parse_rubric(f"{before}|{table_of_accuracy.replace('```', '', 1)}", source="new.md")
    assert rubric.checks is not None
    assert rubric.checks.calls is not None


def test_turns_of_conversations() -> None:
    proposal = table(session_id=["s1", "s1", "s2"], turn=["1", "2", "1"], id=["a", "b", "c"], output=["an answer"] * 3)
    rubric = rubric_of(proposal)
    assert {"session", "turn"} <= {column.name for column in rubric.columns}
    assert rubric.sessions is not None
    alone = table(session_id=["s1", "s2", "s3"], turn=["1", "1", "1"], output=["an answer"] * 3)
    assert {column.name for column in rubric_of(alone).columns} == {"response"}


def test_a_field_that_no_path_can_name_is_left_out_and_one_with_dots_stands_in_brackets() -> None:
    names = {"a.b": 1, "[x]": 2, "\x07": 3, " c": 4, "e\u0301": 5, "ok": {"gen_ai.text": 6}}
    assert flatten([names]).paths == ('["a.b"]', '["[x]"]', 'ok["gen_ai.text"]')


NAMES = st.sampled_from(["output", "answer", "content", "input", "id", "score", "error", "trial", "latency_ms"])
NAMES |= st.sampled_from(["tool_calls", "a.b", "[*]", "---", "x: y", '"', "{x}", "\x85", "#", "$", "가"]) | st.text(
    max_size=6
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10_000) | st.floats() | st.text(max_size=12) | st.just("@check a=1"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=6,
)


@settings(max_examples=examples(40), deadline=None)
@example(records=[{'"': "an answer that is long enough"}])
@example(records=[{"a\\b": "an answer that is long enough"}])
@given(records=st.lists(st.dictionaries(NAMES, VALUES, max_size=5) | VALUES, max_size=4))
def test_any_records_give_a_document_that_scores_them(records: list[object]) -> None:
    data = lines(*records)
    try:
        proposal = proposal_of(data)
    except (InputError, NoProposalError):
        return
    rubric = rubric_of(proposal)
    part = score_file(io.BytesIO(data), name="bot.jsonl", rubric=rubric)
    assert not part.refused, part.problems
    assert part.rows == len(part.items) + part.duplicates + part.blank_rows + part.unusable_rows


@settings(max_examples=examples(25), deadline=None)
@given(cells=st.lists(st.dictionaries(NAMES, VALUES, max_size=6), min_size=1, max_size=4))
def test_any_column_of_objects_gives_a_document(cells: list[dict[str, object]]) -> None:
    texts_of = [json.dumps(cell) for cell in cells]
    try:
        proposal = table(id=[str(at) for at in range(len(cells))], data=texts_of)
    except NoProposalError:
        return
    rubric_of(proposal, "ko")


@pytest.mark.parametrize("ms", [{"latencyMs": 0}, {"timing": {"took_ms": 0.0}}, {"timing": {"took_ms": "0"}}])
def test_a_time_of_0_of_a_call_without_an_answer_is_no_time(ms: dict[str, Any]) -> None:
    ran = json.loads(json.dumps(ms).replace('"0"', "1200").replace("0.0", "1200").replace(" 0", " 1200"))
    data = lines({"id": "a", "answer": "an answer", **ran}, {"id": "b", "answer": None, "error": "504", **ms})
    proposal = proposal_of(data)
    assert proposal.payload is not None
    (path,) = proposal.payload.paths["milliseconds"]
    assert path in {"$[latencyMs!=0].latencyMs", "timing[took_ms!=0].took_ms"}
    rubric = rubric_of(proposal)
    items = score_file(io.BytesIO(data), name="bot.jsonl", rubric=rubric).items
    assert [item.seconds for item in items] == [1.2, None]


WHY = 'Expected output to contain "x"'
TESTED = [
    {"error": WHY, "response": {"output": "an answer"}, "success": False},
    {"error": "", "response": {"output": "an answer"}, "success": True},
    {"error": WHY, "response": {"output": "an answer"}, "success": False},
    {"error": WHY, "response": {"output": "an answer"}, "success": False},
    {"error": "Error: socket hang up", "success": False},
    {"error": "429 Too Many Requests", "response": {"error": "429 Too Many Requests"}, "success": False},
]


def test_a_text_that_says_why_an_answer_failed_is_no_error() -> None:
    proposal = proposal_of(data := lines(*TESTED))
    assert ("error-blames", {"column": "error", "rows": "3"}) in proposal.doubts
    assert not proposal.is_sure
    assert proposal.payload is not None
    assert proposal.payload.paths["error"] == ("response.error", "$[response=].error")
    items = score_file(io.BytesIO(data), name="bot.jsonl", rubric=rubric_of(proposal)).items
    assert [str(item.status) for item in items] == ["ok"] * 4 + ["error"] * 2


def test_an_error_that_the_answer_repeats_and_one_without_an_answer_are_errors() -> None:
    failed = {"error": "The call timed out", "response": {"output": "The call timed out"}, "success": False}
    for records in ([*TESTED[-2:], TESTED[1]], [failed, TESTED[1]]):
        proposal = proposal_of(lines(*records))
        assert "error-blames" not in {one.code for one in proposal.doubts}
        assert proposal.payload is not None
        assert proposal.payload.paths["error"] == ("error",)


def test_every_number_of_a_map_of_scores_is_a_score_and_tokens_are_tokens() -> None:
    used = {"total": 1_500, "numRequests": 2}
    graded = [
        {"Accuracy": 1, "Politeness": 0.5},
        {"Accuracy": 0, "Politeness": 0.9},
        {"Accuracy": 1, "Politeness": 0.7},
    ]
    proposal = proposal_of(lines(*[{**TESTED[1], "namedScores": one, "tokensUsed": used} for one in graded]))
    found = {one.path: (one.is_better_higher, one.unit) for one in proposal.measures}
    assert found == {
        "namedScores.Accuracy": (True, ""),
        "namedScores.Politeness": (True, ""),
        "tokensUsed.total": (False, "tokens"),
        "tokensUsed.numRequests": (False, ""),
    }
