"""Any header and any cells give a document that is read without a fault, or a reason why there is none."""

import csv
import io
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reporting import reason_text, write_document
from scoring.items import score_file
from scoring.problems import InputError
from scoring.proposal.model import Question, Sample
from scoring.proposal.proposing import NoProposalError, propose
from scoring.proposal.sample import read_sample
from scoring.rubric import with_keys
from scoring.rubric.document import parse_rubric
from tests.examples import examples
from texts import Texts, texts

EXTENSIONS = (".csv", ".tsv", ".xlsx")
KNOWN = st.sampled_from(
    [
        *("id", "question", "answer", "score", "passed", "round", "error", "status", "latency", "duration_ms", "질문"),
        *("답변", "회차", "점수", "난이도", "metadata", "reference", "응답시간(초)", "model", "comment", "date"),
    ]
)
NASTY = st.sampled_from(
    [
        *('"', "'", "---", "a\n---\nb", "|", "a | b", "a: b # c", "{x}", "[1, 2]", "*a", "&a", "!x", "%", "@check a=1"),
        *("null", "- x", "true", "1", "# h", "```", "<b>", "\\", "a\tb", "\u200b", "\u202ex", "\x07", "\x85", "\ue000"),
        *(
            "\U0001f600",
            "가" * 300,
            "${x}",
            "{{ t }}",
            "{file}",
            "A:B",
            "=1+1",
            "İ",
            "ﬁ",
            "ß",
            "\u3164",
            "…",
            "-",
            "? x",
        ),
    ]
)
HEADERS = st.lists(KNOWN | NASTY | st.text(max_size=12), min_size=1, max_size=6)
CELLS = st.one_of(
    st.sampled_from(
        ("", "1", "5", "0.5", "85%", "true", "fail", "ok", "error", "1/1", '{"a": {"b": 1}}', "4.2s", "nan")
    )
    | st.sampled_from(("a long answer that says a lot of things", "-3", "1e400", "2026-01-02 10:00:00", "[]", "{")),
    NASTY,
    st.text(max_size=20),
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    header = draw(HEADERS)
    row = st.lists(CELLS, min_size=len(header), max_size=len(header))
    return header, draw(st.lists(row, min_size=0, max_size=6))


@pytest.mark.parametrize("language", ["ko", "en"])
@settings(max_examples=examples(80), deadline=None)
@example(table=(["answer", "a\n---\nb"], [["x", "y"]]), name="x.csv")
@example(table=(["answer", "true", "0x1 tokens"], [["x", "1", "2"], ["y", "2", "3"], ["z", "3", "4"]]), name="null.csv")
@example(table=(["answer"], [["x"]]), name="0.csv")
@example(table=(["answer", 'q": [1]'], [["x", "y"]]), name="[a]!*?\\.csv")
@given(table=tables(), name=st.text(max_size=20).map(lambda stem: f"{stem.replace('/', '')}.csv"))
def test_a_document_is_always_read(table: tuple[list[str], list[list[str]]], name: str, language: str) -> None:
    t = texts(language)
    header, rows = table
    try:
        proposal = propose(Sample(header, rows), file_name=name, extensions=EXTENSIONS)
    except NoProposalError as refusal:
        assert_is_said(refusal, t)
        return
    rubric = parse_rubric(write_document(proposal, file_name=name, t=t), source="new.md")
    assert (rubric.profile, rubric.floor, rubric.scale) == (proposal.profile, *proposal.scale)
    wanted = {(one.field, one.title) for one in proposal.columns if one.field and not one.is_doubtful}
    assert {(one.name, one.title) for one in rubric.columns} == wanted


def assert_is_said(refusal: NoProposalError, t: Texts) -> None:
    said = reason_text(refusal.reason, t)
    assert said.isprintable()
    assert said != refusal.reason.code


@settings(max_examples=examples(80), deadline=None)
@given(table=tables())
def test_every_row_of_the_file_becomes_an_item_by_its_document(table: tuple[list[str], list[list[str]]]) -> None:
    header, rows = table
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    data = text.getvalue().encode("utf-8", errors="replace")
    try:
        sample = read_sample(io.BytesIO(data), "x.csv")
        proposal = propose(sample, file_name="x.csv", extensions=EXTENSIONS)
    except (InputError, NoProposalError):
        return
    rubric = parse_rubric(write_document(proposal, file_name="x.csv", t=texts("en")), source="new.md")
    part = score_file(io.BytesIO(data), name="x.csv", rubric=rubric)
    refusals = {problem.code for problem in part.problems}
    assert refusals <= {"no-usable-rows", "header-only", "nul-byte"}, part.problems
    if not part.refused:
        assert part.rows == len(part.items) + part.duplicates + part.blank_rows + part.unusable_rows


@settings(max_examples=examples(100), deadline=None)
@given(table=tables(), data=st.data())
def test_any_answers_to_the_questions_give_a_document(
    table: tuple[list[str], list[list[str]]], data: st.DataObject
) -> None:
    header, rows = table
    answers: dict[Question, str] = {}
    try:
        proposal = propose(Sample(header, rows), file_name="x.csv", extensions=EXTENSIONS)
        while proposal.open_choices:
            choice = proposal.open_choices[0]
            assert choice.default in choice.options or not choice.options
            answer = data.draw(st.sampled_from(choice.options)) if choice.options else choice.default
            answers[choice.question] = answer
            proposal = propose(Sample(header, rows), file_name="x.csv", extensions=EXTENSIONS, answers=answers)
    except NoProposalError:
        return
    parse_rubric(write_document(proposal, file_name="x.csv", t=texts("ko")), source="new.md")


def test_a_thousand_columns_of_scores_give_a_document_of_fifty() -> None:
    names = [f"score {'가' * 170} {at} faithfulness" for at in range(998)]
    rows = "".join(f"q{at},an answer,{','.join(['0.5'] * len(names))}\n" for at in range(3))
    data = f"id,output,{','.join(names)}\n{rows}".encode()
    proposal = propose(read_sample(io.BytesIO(data), "x.csv"), file_name="x.csv", extensions=(".csv",))
    rubric = parse_rubric(write_document(proposal, file_name="x.csv", t=texts("ko")), source="x.md")
    assert len(rubric.measures) == 50
    assert len({measure.name for measure in rubric.measures}) == 50


def test_hostile_names_of_scores_stay_names() -> None:
    named = ["a] }\n---\n", "</script>", "=1+1", "x[0].y", "pass: all", "${x}", "total"]
    record = {"input": "q", "output": "an answer", "scores": [{"name": name, "score": 0.5} for name in named]}
    data = json.dumps([record, record]).encode()
    proposal = propose(read_sample(io.BytesIO(data), "x.json"), file_name="x.json", extensions=(".json",))
    rubric = parse_rubric(write_document(proposal, file_name="x.json", t=texts("en")), source="x.md")
    part = score_file(io.BytesIO(data), name="x.json", rubric=rubric)
    assert {measure.name for measure in with_keys(rubric, part.score_keys).measures} >= {
        "score.script",
        "score.score-pass-all",
        "score.score-total",
    }
    assert all(item.details is not None and 0.5 in item.details.measures for item in part.items)
