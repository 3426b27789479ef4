"""Runs that never took place are left out, not counted as failed answers; what ran at all is."""

from __future__ import annotations

from io import BytesIO

import pytest

from reporting import write_document
from scoring.items import score_file
from scoring.proposal.model import NoAnswer, NotRun, Question
from scoring.proposal.numbers import NONE
from scoring.proposal.proposing import propose
from scoring.proposal.sample import read_sample
from scoring.rubric.document import parse_rubric
from tests.inner import EXTENSIONS
from tests.scoring.proposal.test_columns_are_recognised import proposal_of
from texts import texts

ANSWERED = "an answer of more than twenty characters"


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("status", ("pending",)),
        ("run status", ("RUNNING", "Queued")),
        ("verdict", ("skipped",)),
        ("state", ("not_started",)),
        ("result.verdict", ("cancelled", "Canceled")),
        ("상태", ("대기", "실행 중")),
        ("결과", ("건너뜀",)),
        ("판정", ("미실행",)),
    ],
)
def test_word_for_a_run_that_never_took_place_leaves_its_rows_out(header: str, words: tuple[str, ...]) -> None:
    columns = {
        "id": ["1", "2", *(f"x{at}" for at in range(len(words)))],
        "output": [ANSWERED, "", *("" for _ in words)],
        header: ["pass", "fail", *words],
    }
    assert proposal_of(columns).not_run == (NotRun(header, words, len(words)),)


@pytest.mark.parametrize(
    ("field", "value"), [("output", "a late answer"), ("error", "timeout"), ("score", "0"), ("latency", "1.5")]
)
def test_word_of_a_row_that_ran_leaves_nothing_out(field: str, value: str) -> None:
    columns = {
        "id": ["1", "2", "3", "4"],
        "output": [ANSWERED, ANSWERED, "", ""],
        "error": ["", "-", "", ""],
        "score": ["0.5", "0.75", "", ""],
        "latency": ["2.5", "3", "0", ""],
        "status": ["success", "success", "cancelled", "cancelled"],
    }
    assert proposal_of(columns).not_run == (NotRun("status", ("cancelled",), 2),)
    columns[field] = [*columns[field][:3], value]
    assert proposal_of(columns).not_run == ()


@pytest.mark.parametrize(
    ("header", "word"), [("status", "blocked"), ("verdict", "N/A"), ("error", "cancelled"), ("note", "pending")]
)
def test_other_words_and_columns_say_nothing_of_it(header: str, word: str) -> None:
    columns = {"id": ["1", "2"], "output": [ANSWERED, ""], header: ["pass" if header != "error" else "", word]}
    assert proposal_of(columns).not_run == ()


def test_title_with_brackets_is_named_as_a_path() -> None:
    columns = {"id": ["1", "2"], "output": [ANSWERED, ""], "status [nightly]": ["ok", "skipped"]}
    assert [one.path for one in proposal_of(columns).not_run] == ['["status [nightly]"]']


def test_a_person_may_count_them_as_unanswered() -> None:
    columns = {
        "id": ["1", "2"],
        "output": [ANSWERED, ""],
        "status": ["done", "pending"],
        "verdict": ["pass", "skipped"],
    }
    asked = next(one for one in proposal_of(columns).open_choices if one.question is Question.NOT_RUN)
    assert asked.options == ("status: pending; verdict: skipped", NONE)
    kept = proposal_of(columns, {Question.NOT_RUN: NONE})
    assert (kept.not_run, kept.rows) == ((), 2)
    assert len(proposal_of(columns, {Question.NOT_RUN: asked.default}).not_run) == 2


def test_levels_are_told_by_the_other_words() -> None:
    columns = {
        "id": ["1", "2", "3"],
        "output": [ANSWERED, ANSWERED, ""],
        "verdict": ["pass", "fail", "queued"],
    }
    proposal = proposal_of(columns)
    assert [level.name for level in proposal.levels] == ["pass", "fail"]


@pytest.mark.parametrize("word", ["-", "—", "N/A", "(no response)", "무응답", "응답없음", "없음"])
def test_word_in_place_of_an_answer_is_told_and_counts_as_none(word: str) -> None:
    columns = {"id": ["1", "2", "3"], "output": [ANSWERED, word, word], "verdict": ["pass", "fail", "fail"]}
    proposal = proposal_of(columns)
    assert proposal.no_answer == (NoAnswer(word, 2),)
    (asked,) = [one for one in proposal.open_choices if one.question is Question.NO_ANSWER]
    assert asked.options == (f"{word} × 2", NONE)
    assert proposal_of(columns, {Question.NO_ANSWER: NONE}).no_answer == ()
    text = write_document(proposal, file_name="x", t=texts("en"))
    assert f"# Answers that only say that there is none count as empty: {word} × 2." in text
    assert parse_rubric(text, source="new.md").no_answer_words == (word,)
    assert proposal_of(columns | {"expected": ["yes", word, "no"]}).no_answer == ()  # a right answer


def test_what_only_holds_such_a_word_is_an_answer() -> None:
    columns = {"id": ["1", "2"], "output": [ANSWERED, "none - of these"], "verdict": ["pass", "fail"]}
    assert proposal_of(columns).no_answer == ()


def test_answer_that_is_none_is_none_in_records_and_in_tables() -> None:
    records = b'{"id":"1","answer":"It is two."}\n{"id":"2","answer":"-"}\n'
    table = b"id,answer\n1,It is two.\n2,-\n"
    for data, name in ((records, "bot.jsonl"), (table, "bot.csv")):
        proposal = propose(read_sample(BytesIO(data), name), file_name=name, extensions=EXTENSIONS)
        rubric = parse_rubric(write_document(proposal, file_name=name, t=texts("en")), source="new.md")
        part = score_file(BytesIO(data), name=name, rubric=rubric)
        assert [(str(item.status), item.message) for item in part.items][1] == ("empty", "-")
