"""What could not be decided, or was without being sure, is said with what it depends on."""

from collections.abc import Mapping, Sequence

import pytest

from scoring.proposal.model import Question, ScoreKind
from tests.scoring.proposal.test_columns_are_recognised import ANSWER, fields, proposal_of


def test_a_verdict_in_unknown_words_beside_a_number_is_named() -> None:
    cells = {"response": [ANSWER] * 3, "판정": ("양호", "불량", "적합"), "점수(100점)": ("95", "40", "70")}
    proposal = proposal_of(cells)
    assert fields(proposal)["점수(100점)"] == "llm_score"
    told = [one.values for one in proposal.doubts if one.code == "verdict-unused"]
    assert told == [{"column": "판정", "values": "양호, 불량, 적합", "used": "점수(100점)"}]
    assert not proposal.is_sure
    chosen = proposal_of(cells, {Question.SCORE: "점수(100점)"})
    assert "verdict-unused" not in {one.code for one in chosen.doubts}


def test_rows_that_are_equal_in_every_cell_are_told() -> None:
    proposal = proposal_of({"id": ("a", "b", "a"), "response": (ANSWER, ANSWER, ANSWER)})
    assert ("rows-equal", {"rows": "1", "cells": f"a, {ANSWER}"}) in proposal.doubts
    proposal = proposal_of({"id": ("a", "b", "c"), "response": (ANSWER, ANSWER, ANSWER)})
    assert "rows-equal" not in {one.code for one in proposal.doubts}


@pytest.mark.parametrize(
    ("asked", "doubt"),
    [
        (("what?", "who?", "when?", ""), ("no-ids-question", {"column": "question"})),
        (
            ("what?", "what? ", "who?", "what?"),
            ("questions-recur", {"column": "question", "questions": "1", "rows": "3"}),
        ),
        (("what?", "what?", "", ""), ("questions-recur", {"column": "question", "questions": "1", "rows": "2"})),
        (("x" * 300 + "a", "x" * 300 + "b", "", ""), ("no-ids-question", {"column": "question"})),
    ],
    ids=["once", "again", "blank-ones-do-not-recur", "only-as-long"],
)
def test_without_ids_it_is_said_whether_questions_recur(
    asked: tuple[str, ...], doubt: tuple[str, dict[str, str]]
) -> None:
    proposal = proposal_of({"question": asked, "answer": [f"{ANSWER} {at}" for at in range(4)]})
    codes = {"no-ids", "no-ids-question", "questions-recur"}
    assert [one for one in proposal.doubts if one.code in codes] == [doubt]


@pytest.mark.parametrize(
    ("header", "codes"), [("duration", {"milliseconds"}), ("duration_ms", set()), ("응답 시간(ms)", set())]
)
def test_a_unit_that_only_the_numbers_tell_is_said(header: str, codes: set[str]) -> None:
    proposal = proposal_of({"response": (ANSWER, ANSWER), header: ("1500", "2250")})
    assert {doubt.code for doubt in proposal.doubts} & {"milliseconds"} == codes


@pytest.mark.parametrize("header", ["채점(O/X/△)", "채점 (O, X, △)", "채점"])
def test_marks_under_a_name_with_a_remark_decide_or_are_named(header: str) -> None:
    columns = {"answer": (ANSWER, ANSWER + ".", ANSWER + "!"), header: ("O", "△", "X")}
    proposal = proposal_of(columns)
    assert [(one.name, one.points) for one in proposal.levels] == [("o", 5), ("△", 2.5), ("x", 0)]
    beside = proposal_of(columns | {"점수(5점)": ("5", "3", "1")})
    assert [one.values["column"] for one in beside.doubts if one.code == "verdict-unused"] == [header]
    assert not beside.is_sure


@pytest.mark.parametrize(
    ("header", "cells", "is_told"),
    [
        ("score", ("4/5", "3/5"), True),
        ("score", ("80%", "55%"), True),
        ("score", ("0.5", "-1"), True),
        ("grade", ("A", "B+"), True),
        ("result", ("pass", "error"), True),
        ("label", ("billing", "travel"), False),  # no grade at all
        ("result", ("It says that 3 of 5 are open", "none"), False),
        ("status", ("success", "error"), False),  # of the call
    ],
)
def test_a_grade_that_cannot_be_read_is_named_and_nothing_is_sure(
    header: str, cells: tuple[str, str], is_told: bool
) -> None:
    proposal = proposal_of({"answer": (ANSWER, ANSWER + "."), header: cells})
    told = [one.values["column"] for one in proposal.doubts if one.code == "score-misfit"]
    assert (told, proposal.is_sure, proposal.score) == ([header] * is_told, not is_told, ScoreKind.NONE)


@pytest.mark.parametrize(("header", "unit"), [("latency_ms", "1200"), ("time_s", "1.2")])
def test_times_of_0_without_an_answer_are_told(header: str, unit: str) -> None:
    columns = {"answer": (ANSWER, "", ""), header: (unit, "0", "0.0")}
    proposal = proposal_of(columns)
    assert [one.values for one in proposal.doubts if one.code == "times-zero"] == [{"column": header, "rows": "2"}]
    assert not proposal.is_sure
    assert proposal_of(columns | {"answer": (ANSWER, ANSWER + ".", "an answer")}).is_sure


def test_a_guessed_limit_and_scores_that_might_decide_as_well_are_told() -> None:
    def told(
        columns: Mapping[str, Sequence[str]], answers: dict[Question, str] | None = None
    ) -> dict[str, dict[str, str]]:
        proposal = proposal_of({"answer": (ANSWER, ANSWER + "."), **columns}, answers)
        return {one.code: dict(one.values) for one in proposal.doubts if one.code in {"pass-guessed", "score-chosen"}}

    both = {"llm_score (1-5)": ("4", "2"), "human_score (1-5)": ("5", "3")}
    assert told(both) == {
        "pass-guessed": {"column": "llm_score (1-5)", "points": "4"},
        "score-chosen": {"column": "llm_score (1-5)", "others": "human_score (1-5)"},
    }
    assert told(both, {Question.SCORE: "human_score (1-5)", Question.PASSES: "3"}) == {}
    assert told({"score (1-5)": ("4", "2"), "threshold": ("3", "3")}) == {}
    assert told({"score (1-5)": ("4", "2"), "passed": ("true", "false")}) == {}


def test_empty_lists_in_place_of_answers_are_told() -> None:
    columns = {"question": ("a", "b", "c"), "answer": (ANSWER, " []", '{"rows": []}'), "passed": ("true",) * 3}
    told = [one.values for one in proposal_of(columns).doubts if one.code == "answers-hollow"]
    assert told == [{"rows": "2", "text": "[]"}]


@pytest.mark.parametrize(
    ("failed", "means"),
    [
        ({"answer": ""}, "latency_ms 2500 → 2000, faithfulness 0.6 → 0.8"),
        ({"answer": "무응답"}, "latency_ms 2500 → 2000, faithfulness 0.6 → 0.8"),
        ({"error": "timed out"}, "latency_ms 2500 → 2000, faithfulness 0.6 → 0.8"),
        ({"answer": "", "latency_ms": "2000"}, "faithfulness 0.6 → 0.8"),
        ({"answer": "", "latency_ms": "0", "faithfulness": ""}, ""),  # 0 is told on its own
        ({"answer": "", "latency_ms": "", "faithfulness": ""}, ""),
        ({"error": "none"}, ""),
    ],
)
def test_times_and_scores_of_rows_without_an_answer_are_told(failed: dict[str, str], means: str) -> None:
    fine = {"answer": ANSWER, "error": "-", "passed": "true", "latency_ms": "2000", "faithfulness": "0.8"}
    rows = [fine, fine | {"answer": ANSWER + "!"}, fine | {"error": "OK"}]
    last = fine | {"answer": ANSWER + "?", "error": "", "latency_ms": "4000", "faithfulness": "0"} | failed
    proposal = proposal_of({name: tuple(row[name] for row in (*rows, last)) for name in fine})
    assert [one.values["means"] for one in proposal.doubts if one.code == "failed-count"] == [means] * bool(means)
