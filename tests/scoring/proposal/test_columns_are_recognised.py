"""Columns are recognised by name and content, in English and Korean, as people and tools call them."""

from collections.abc import Mapping, Sequence

import pytest

from scoring.proposal.model import Proposal, Question, Sample, ScoreKind
from scoring.proposal.numbers import show_scale
from scoring.proposal.proposing import NoProposalError, propose
from scoring.rubric import Scale

ANSWER = "an answer of more than twenty characters"


def proposal_of(columns: Mapping[str, Sequence[str]], answers: dict[Question, str] | None = None) -> Proposal:
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    sample = Sample(list(columns), rows)
    return propose(sample, file_name="bot_1.csv", extensions=(".csv",), answers=answers)


def fields(proposal: Proposal) -> dict[str, str]:
    return {one.header: one.field for one in proposal.columns if one.field and not one.is_doubtful}


@pytest.mark.parametrize(
    ("header", "cells", "field"),
    [
        ("case_id", ("a", "b"), "query_id"),
        ("Test Case ID", ("a", "b"), "query_id"),
        ("id", ("1", "2"), "query_id"),
        ("#", ("1", "2"), "query_id"),
        ("문항번호", ("1", "2"), "query_id"),
        ("trial", ("1", "1"), "round"),
        ("Attempt No", ("1", "1"), "round"),
        ("epoch", ("1", "1"), "round"),
        ("회차", ("1", "1"), "round"),
        ("방/반복", ("1/1", "1/2"), "round"),
        ("user_input", ("what?", "who?"), "question"),
        ("프롬프트", ("무엇", "누구"), "question"),
        ("vars.question", ("what?", "who?"), "question"),
        ("q", ("what?", "who?"), "question"),
        ("ground_truth", ("x", "y"), "expected"),
        ("expected.answer", ("x", "y"), "expected"),
        ("모범답안", ("가", "나"), "expected"),
        ("exception", ("", "timeout"), "error"),
        ("status", ("success", "timed_out"), "error"),
        ("상태", ("성공", "실패"), "error"),
        ("duration_s", ("1.5", "300"), "response_seconds"),
        ("elapsed", ("1.5", "2.25"), "response_seconds"),
        ("elapsed", ("1500", "2250"), "latency_ms"),
        ("latency_sec", ("1500", "2250"), "response_seconds"),
        ("latency", ("1.5s", "900 ms"), "response_seconds"),
        ("metrics.latency_ms", ("812", "5"), "latency_ms"),
        ("응답시간(초)", ("1.5", "2"), "response_seconds"),
        ("rating", ("4", "5"), "llm_score"),
        ("judge score", ("0.5", "1"), "llm_score"),
        ("scores.task_success", ("0.5", "1"), "llm_score"),
        ("평점", ("4", "5"), "llm_score"),
        ("passed", ("1", "0"), "llm_score"),
        ("passed", ("true", "FALSE"), "intent_verdict"),
        ("verdict", ("Partially correct", "correct"), "intent_verdict"),
        ("판정", ("상", "하"), "intent_verdict"),
        ("difficulty", ("easy", "hard"), "track"),
        ("난이도", ("쉬움", "어려움"), "track"),
        ("topic", ("billing", "account"), "category"),
        ("유형", ("가", "나"), "category"),
        ("model_name", ("m-1", "m-1"), "llm_model"),
        ("created_at", ("2026-01-02 10:00:00", "2026-01-02T10:00:00Z"), "executed_at"),
        ("reviewer comment", ("fine", "bad"), "llm_comment"),
    ],
)
def test_a_column_is_known_by_its_name(header: str, cells: tuple[str, ...], field: str) -> None:
    proposal = proposal_of({"response": (ANSWER, ANSWER), header: cells})
    assert fields(proposal).get(header) == field
    (column,) = (one for one in proposal.columns if one.header == header)
    assert column.reason.code in {"named", "named-partly"}


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("score", ("high", "unclear")),  # neither numbers nor words that are known
        ("score", ("-4", "5")),
        ("score", ("812", "9000")),
        ("status", ("shipped", "open")),
        ("latency", ("fast", "slow")),
        ("round", tuple(str(number) for number in range(51))),
    ],
)
def test_a_name_whose_cells_do_not_fit_is_doubtful(header: str, cells: tuple[str, ...]) -> None:
    proposal = proposal_of({"response": [ANSWER] * len(cells), header: cells})
    (column,) = (one for one in proposal.columns if one.header == header)
    assert (column.is_doubtful, column.reason.code) == (True, "misfit")
    assert header not in fields(proposal)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (("answer", "output"), {"answer": "expected", "output": "response"}),
        (("answer", "question"), {"answer": "response", "question": "question"}),
        (("reference", "answer", "output"), {"reference": "expected", "output": "response"}),
        (("prompt", "completion", "ideal"), {"prompt": "question", "completion": "response", "ideal": "expected"}),
        (("질문", "정답", "답변"), {"질문": "question", "정답": "expected", "답변": "response"}),
    ],
)
def test_columns_of_text_are_told_apart(headers: tuple[str, ...], expected: dict[str, str]) -> None:
    assert fields(proposal_of({header: (ANSWER, f"{header} {ANSWER}") for header in headers})) == expected


def test_without_a_name_the_longest_text_holds_the_answers() -> None:
    columns = {"A": ("what is the weather?", "and tomorrow, please?"), "B": (ANSWER, ANSWER), "C": ("1", "2")}
    proposal = proposal_of(columns)
    assert fields(proposal) == {"B": "response"}
    (choice,) = proposal.open_choices
    assert (choice.question, choice.default, choice.options) == (Question.ANSWER, "B", ("B", "A"))
    assert fields(proposal_of(columns, {Question.ANSWER: "A"})) == {"A": "response"}


@pytest.mark.parametrize(
    ("cells", "scales"),
    [
        (("1", "5"), ("1-5", "0-5", "1-10", "0-10")),
        (("0", "5"), ("0-5", "0-10")),
        (("0", "1"), ("0-1", "0-5")),
        (("1", "1"), ("0-1", "1-5", "0-5")),
        (("0.25", "1.0"), ()),  # shares
        (("3", "9"), ("1-10", "0-10", "0-100")),
        (("55", "98.5"), ()),  # no other scale goes as far
    ],
)
def test_the_scale_is_asked_for_where_numbers_do_not_tell_it(cells: tuple[str, str], scales: tuple[str, ...]) -> None:
    proposal = proposal_of({"response": (ANSWER, ANSWER), "score": cells})
    asked = {choice.question: choice for choice in proposal.open_choices}
    assert (asked[Question.SCALE].options if Question.SCALE in asked else ()) == scales
    assert (proposal.score, proposal.is_sure) == ((ScoreKind.NONE, False) if scales else (ScoreKind.NUMBER, True))


@pytest.mark.parametrize(
    ("cells", "scale", "passes"),
    [
        (("1", "5"), Scale(1, 5), 4),
        (("0", "5"), Scale(0, 5), 3),
        (("0", "4.5"), Scale(0, 5), 3),
        (("0", "1"), Scale(0, 1), 1),
        (("0.2", "1"), Scale(0, 1), 0.6),
        (("0", "10"), Scale(0, 10), 6),
        (("40", "100"), Scale(0, 100), 60),
    ],
)
def test_what_passes_is_sixty_percent_of_the_scale(cells: tuple[str, str], scale: Scale, passes: float) -> None:
    proposal = proposal_of({"response": (ANSWER, ANSWER), "score": cells}, {Question.SCALE: show_scale(scale)})
    assert (proposal.scale, proposal.pass_points) == (scale, passes)


def test_answers_decide_score_scale_and_what_passes() -> None:
    columns = {"response": (ANSWER, ANSWER), "rating": ("2", "4"), "correct": ("yes", "no")}
    words = proposal_of(columns)  # whether it is right goes before a guessed threshold
    assert (words.score, [level.name for level in words.levels]) == (ScoreKind.WORD, ["yes", "no"])
    assert [choice.question for choice in words.open_choices] == [Question.SCORE]  # of two levels one passes
    three = proposal_of({"response": (ANSWER,) * 3, "grade": ("good", "partial", "bad")})
    assert [choice.question for choice in three.open_choices] == [Question.PASSES]
    number = proposal_of(columns, {Question.SCORE: "rating"})
    assert [choice.question for choice in number.open_choices] == [Question.SCALE]
    none = proposal_of(columns, {Question.SCORE: "-"})
    assert (none.score, none.pass_points, none.open_choices) == (ScoreKind.NONE, None, ())
    chosen = {Question.SCORE: "rating", Question.SCALE: "0-10", Question.PASSES: "7"}
    numbers = proposal_of(columns, chosen)
    assert (numbers.scale, numbers.pass_points) == (Scale(0, 10), 7)
    assert proposal_of(columns, {**chosen, Question.PASSES: "11"}).pass_points == 6  # not on the scale


@pytest.mark.parametrize(
    ("header", "cells", "scale"),
    [
        ("Judge grade", ("5", "2"), Scale(1, 5)),
        ("rating", ("4", "2"), None),  # nothing reaches 5
        ("rating", ("5", "0"), None),
        ("stars", ("5", "4.5"), Scale(1, 5)),
        ("별점", ("5", "1"), Scale(1, 5)),
        ("faithfulness", ("1", "1"), Scale(0, 1)),
        ("faithfulness", ("4", "5"), None),
        ("answer_correctness/v1/score", ("5", "4"), Scale(1, 5)),  # of MLflow
        ("answer_correctness", ("0.5", "0.25"), Scale(0, 1)),
        ("scores.exact_match.score", ("1", "0"), Scale(0, 1)),
        ("score (0-10)", ("1", "1"), Scale(0, 10)),
        ("score [1~7]", ("1", "2"), Scale(1, 7)),
        ("How helpful was it? (1-5)", ("1", "4"), Scale(1, 5)),
        ("score out of 10", ("1", "4"), Scale(0, 10)),
        ("점수(10점 만점)", ("1", "4"), Scale(0, 10)),
        ("score (%)", ("1", "1"), Scale(0, 100)),
        ("score (5-1)", ("1", "1"), None),
    ],
)
def test_a_scale_is_that_of_the_name(header: str, cells: tuple[str, str], scale: Scale | None) -> None:
    proposal = proposal_of({"response": (ANSWER, ANSWER), header: cells})
    assert (proposal.scale if proposal.is_sure else None) == scale
    assert (proposal.score is ScoreKind.NUMBER) is (scale is not None)


@pytest.mark.parametrize(
    "header",
    [
        *("ideal", "Ideal answer", "gold", "reference_answer", "Expected answer", "target_response", "Wanted reply"),
        *("ground truth", "정답", "모범 답안", "correct answer", "answer_id", "Answer ID", "events", "event.message"),
        *("provider.message", "answer length", "response language", "Is the answer correct?"),
    ],
)
def test_what_is_no_answer_whatever_its_name_says(header: str) -> None:
    proposal = proposal_of({"Assistant says": (ANSWER, f"{ANSWER} too"), header: (f"{ANSWER} {ANSWER}", ANSWER * 3)})
    assert fields(proposal)["Assistant says"] == "response"


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("hallucination", ("0.9", "0.1")),
        ("hallucination", ("true", "false")),
        ("toxicity_score", ("0.9", "0.1")),
        ("risk score", ("0.9", "0.1")),
        ("error rate", ("0.9", "0.1")),
        ("edit_distance_score", ("0.9", "0.1")),
        ("bias", ("0.9", "0.1")),
        ("환각점수", ("0.9", "0.1")),
        ("scores.hallucination.score", ("0.9", "0.1")),
        ("toxicity/v1/score", ("0.9", "0.1")),
        ("위험 점수", ("0.9", "0.1")),
        ("confidence score", ("0.9", "0.1")),
        ("score threshold", ("0.9", "0.1")),
        ("expected score", ("0.9", "0.1")),
        ("request_success", ("true", "false")),
        ("http.success", ("true", "false")),
        ("api_success", ("1", "0")),
        ("http_ok", ("true", "false")),
        ("request_success_flag", ("true", "false")),
        ("API 호출 성공 여부", ("true", "false")),
        ("tool_success", ("true", "false")),
        ("status_code", ("200", "500")),
        ("http_status", ("200", "500")),
        ("metrics.faithfulness.threshold", ("0.7", "0.8")),
        ("metrics.faithfulness.weight", ("0.7", "0.8")),
        ("provider.label", ("my-bot", "my-bot")),
        ("correct", ("B", "A")),  # the right choice of a question
    ],
)
def test_what_is_no_score_whatever_its_name_says(header: str, cells: tuple[str, str]) -> None:
    proposal = proposal_of({"response": (ANSWER, ANSWER), header: cells})
    assert (proposal.score, proposal.has_unsure_score) == (ScoreKind.NONE, False)
    assert fields(proposal).get(header) in {None, "expected"}
    better = [one.is_better_higher for one in proposal.measures if not one.is_doubtful]
    assert not any(better)


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("pass", ("False", "False")),
        ("Passed?", ("yes", "no")),
        ("success", ("1", "0")),
        ("Is the answer correct?", ("Yes", "Partly")),
        ("정답여부", ("정답", "오답")),
        ("정답 여부", ("true", "false")),
        ("성공 여부", ("Y", "N")),
        ("목표 달성 성공", ("성공", "실패")),
        ("task_success", ("true", "false")),
        ("task_success", ("1", "0")),
        ("solved", ("true", "false")),
        ("is_resolved", ("True", "False")),
        ("해결 여부", ("Y", "N")),
        ("matches_expected", ("True", "False")),
        ("Pass/Fail", ("✅", "❌")),
        ("grades.task_success", ("false", "true")),
        ("goalPassed", ("true", "false")),
        ("answer_correct", ("True", "False")),
        ("정오", ("O", "X")),
        ("정오 여부", ("○", "△")),
        ("O/X", ("o", "x")),
    ],
)
def test_whether_it_passed_goes_before_a_guessed_threshold(header: str, cells: tuple[str, str]) -> None:
    proposal = proposal_of({"response": (ANSWER, ANSWER), "rating": ("5", "2"), header: cells})
    assert fields(proposal)[header] in {"intent_verdict", "llm_score"}
    assert [one.title for one in proposal.measures] == ["rating"]


@pytest.mark.parametrize("header", ["execute_success", "exit_success", "실행 성공"])
def test_that_it_ran_does_not_stand_for_that_it_is_right(header: str) -> None:
    ran = {"response": [f"{ANSWER} {at}" for at in range(4)], header: ("true", "true", "true", "false")}
    assert fields(proposal_of(ran))[header] in {"llm_score", "intent_verdict"}
    graded = proposal_of({**ran, "answer_correct": ("", "", "", "true")})
    assert (graded.score, [one.code for one in graded.doubts][:1]) == (ScoreKind.NONE, ["no-pass"])


def test_how_long_grading_took_is_no_response_time() -> None:
    scored = {"response": (ANSWER, ANSWER), "metrics.tone.score": ("0.5", "1.0")}
    assert "response_seconds" in fields(proposal_of({**scored, "metrics.duration_seconds": ("1.5", "2.5")})).values()
    graded = fields(proposal_of({**scored, "metrics.tone.duration_seconds": ("1.5", "2.5")}))
    assert "response_seconds" not in graded.values()


def test_a_number_does_not_stand_for_words_of_right_and_wrong_that_are_not_known() -> None:
    proposal = proposal_of({"response": [ANSWER] * 3, "점수(100점)": ("95", "40", "70"), "정오": ("O", "X", "글쎄")})
    told = [one.values for one in proposal.doubts if one.code == "score-misfit"]
    assert told == [{"column": "정오", "values": "O, X, 글쎄"}]
    assert proposal.score is ScoreKind.NONE


@pytest.mark.parametrize(
    ("held", "code"), [("보류", "words-unassessed"), ("hold", "words-unassessed"), ("글쎄", "words-unknown")]
)
def test_a_verdict_goes_before_a_number_whatever_else_its_cells_say(held: str, code: str) -> None:
    cells = {"response": [ANSWER] * 4, "판정": ("적합", "부적합", held, "적합"), "정확도(5점)": ("5", "1", "3", "4")}
    proposal = proposal_of(cells)
    assert fields(proposal)["판정"] == "intent_verdict"
    assert [one.title for one in proposal.measures] == ["정확도(5점)"]
    assert (code, {"column": "판정", "words": held, "rows": "1"}) in proposal.doubts
    assert proposal.is_sure is (code == "words-unassessed")


def test_cells_that_keep_a_score_from_being_one_are_named() -> None:
    proposal = proposal_of({"response": [ANSWER] * 4, "정확도(5점)": ("5", "-", "미평가", "4")})
    (column,) = (one for one in proposal.columns if one.header == "정확도(5점)")
    assert column.reason == ("misfit-cells", {"cells": "-, 미평가"})


def test_what_was_not_graded_yet_is_no_level() -> None:
    proposal = proposal_of({"response": [ANSWER] * 4, "정오": ("O", "△", "X", "채점 전")})
    assert [(level.name, level.points) for level in proposal.levels] == [("o", 5), ("△", 2.5), ("x", 0)]


@pytest.mark.parametrize("header", ["오류내용", "오류 사유", "에러내용", "실패사유"])
def test_how_a_column_of_errors_is_called(header: str) -> None:
    proposal = proposal_of({"response": (ANSWER, "", ANSWER), header: ("", "HTTP 502 Bad Gateway", "")})
    assert fields(proposal)[header] == "error"


def test_a_word_that_never_occurs_is_the_other_end_of_the_levels() -> None:
    proposal = proposal_of({"response": (ANSWER, ANSWER), "verdict": ("PASS", "PASS")})
    assert [(level.name, level.points) for level in proposal.levels] == [("pass", 5), ("fail", 0)]


ROUNDS = {"id": ("a", "b", "a", "b"), "output": [ANSWER] * 4}


def test_rounds_are_compared_where_questions_repeat() -> None:
    proposal = proposal_of({**ROUNDS, "trial": ("1", "1", "2", "2")})
    assert proposal.has_rounds
    assert {one.header for one in proposal.columns if one.is_required} == {"id", "trial", "output"}


def test_the_first_rows_may_all_be_of_one_round() -> None:
    assert proposal_of({"id": ("a", "b"), "output": [ANSWER] * 2, "trial": ("1", "1")}).has_rounds


def test_ids_of_rows_are_not_those_of_questions() -> None:
    columns = {
        "id": ("1", "2", "3", "4"),
        "task_id": ROUNDS["id"],
        "trial": ("1", "1", "2", "2"),
        "output": [ANSWER] * 4,
    }
    assert fields(proposal_of(columns)) == {
        "id": "item_id",
        "task_id": "query_id",
        "trial": "round",
        "output": "response",
    }
    del columns["task_id"]
    proposal = proposal_of(columns)
    assert not proposal.has_rounds
    assert "ids-differ" in {doubt.code for doubt in proposal.doubts}


def test_a_blank_id_or_round_keeps_rounds_from_being_compared() -> None:
    proposal = proposal_of({**ROUNDS, "trial": ("1", "1", "2", "")})
    assert not proposal.has_rounds
    assert [one.header for one in proposal.columns if one.is_required] == ["output"]
    assert "rounds-blank" in {doubt.code for doubt in proposal.doubts}


def test_repeats_without_a_round_are_said_and_asked_about() -> None:
    proposal = proposal_of({**ROUNDS, "machine": ("m1", "m1", "m2", "m2")})
    (doubt,) = (doubt for doubt in proposal.doubts if doubt.code == "no-round")
    assert doubt.values == {"query": "id", "times": "2"}
    (choice,) = proposal.open_choices
    assert (choice.question, choice.default, choice.options) == (Question.ROUND, "-", ("machine", "-"))
    assert proposal_of({**ROUNDS, "machine": ("m1", "m1", "m2", "m2")}, {Question.ROUND: "machine"}).has_rounds


UNTRUTHS = (
    "failed",
    "is_incorrect",
    "incorrect",
    "isWrong",
    "not_passed",
    "오답여부",
    "오답 (O/X)",
    "실패여부",
    "result.failed",
)


@pytest.mark.parametrize("header", UNTRUTHS)
@pytest.mark.parametrize(
    ("cells", "levels"),
    [
        (("true", "FALSE", "false"), [("false", 5), ("true", 0)]),
        (("Y", "N", ""), [("n", 5), ("y", 0)]),
        (("O", "X", "X"), [("x", 5), ("o", 0)]),
        (("1", "0", "0"), [("0", 5), ("1", 0)]),
        (("false", "false", "false"), [("false", 5), ("true", 0)]),  # nothing failed
    ],
)
def test_what_says_that_an_answer_is_not_right_decides_passing_turned(
    header: str, cells: tuple[str, ...], levels: list[tuple[str, float]]
) -> None:
    proposal = proposal_of({header: cells, "answer": [f"{ANSWER} {at}" for at in range(3)]})
    assert fields(proposal)[header] == "intent_verdict"
    assert [(level.name, level.points) for level in proposal.levels] == levels
    assert proposal.is_sure


@pytest.mark.parametrize(
    ("columns", "codes"),
    [
        ({"request_failed": ("true", "false", "false")}, {"no-score"}),
        ({"failed": ("true", "false", "false"), "status_code": ("500", "200", "200")}, {"no-score"}),
        ({"failed": ("3", "0", "1")}, {"no-score"}),  # how many
        ({"failed": ("1", "0", "0"), "passed": ("9", "10", "10")}, {"scale-unknown"}),
        ({"failed": ("true", "", "")}, {"score-misfit"}),  # are the others right?
        ({"failed": ("maybe", "no", "no")}, {"score-misfit"}),
        ({"failed": ("1.0", "0.0", "0.0")}, {"score-misfit"}),
        ({"tool.failed": ("true", "false", "false")}, {"no-score"}),
        ({"api.failed": ("true", "false", "false")}, {"no-score"}),
    ],
    ids=[
        "request",
        "beside-its-status",
        "counts",
        "beside-counts",
        "only-true",
        "unknown",
        "fractions",
        "part",
        "call",
    ],
)
def test_what_does_not_surely_say_that_an_answer_is_not_right_decides_nothing(
    columns: dict[str, tuple[str, ...]], codes: set[str]
) -> None:
    proposal = proposal_of({**columns, "answer": [f"{ANSWER} {at}" for at in range(3)]})
    assert proposal.score is ScoreKind.NONE
    told = {doubt.code for doubt in proposal.doubts}
    assert told & {"no-score", "score-misfit", "scale-unknown"} == codes


@pytest.mark.parametrize("passed", [("false", "true", "true"), ("0", "1", "1")])
@pytest.mark.parametrize(
    ("failed", "is_sure"), [(("Y", "N", "N"), True), (("1", "0", "0"), True), (("Y", "Y", "N"), False)]
)
def test_what_says_that_an_answer_is_right_goes_before_what_says_that_it_is_not(
    passed: tuple[str, ...], failed: tuple[str, ...], is_sure: bool
) -> None:
    proposal = proposal_of({"failed": failed, "passed": passed, "answer": [f"{ANSWER} {at}" for at in range(3)]})
    assert "failed" not in fields(proposal)
    assert fields(proposal)["passed"] in {"intent_verdict", "llm_score"}
    told = [doubt for doubt in proposal.doubts if doubt.code in {"truths-differ", "verdict-unused"}]
    assert told == ([] if is_sure else [("truths-differ", {"column": "passed", "others": "failed"})])


def test_columns_of_one_name_are_left_out() -> None:
    sample = Sample(["output", "Score", "score"], [[ANSWER, "1", "2"]])
    proposal = propose(sample, file_name="x.csv", extensions=(".csv",))
    assert fields(proposal) == {"output": "response"}
    assert [one.reason.code for one in proposal.columns] == ["named", "twice", "twice"]


@pytest.mark.parametrize(
    ("header", "rows", "code"),
    [
        (["a", "A"], [["x", "y"]], "columns-twice"),
        (["", "_"], [["x", "y"]], "no-columns"),
        (["\x07", "b" * 201], [["x", "y"]], "no-columns"),
        (["id", "score"], [["1", "2"]], "no-answers"),
        (["id", "answer"], [], "no-rows"),
    ],
)
def test_why_there_is_no_document(header: list[str], rows: list[list[str]], code: str) -> None:
    with pytest.raises(NoProposalError) as refusal:
        propose(Sample(header, rows), file_name="x.csv", extensions=(".csv",))
    assert refusal.value.reason.code == code


@pytest.mark.parametrize(
    ("seconds", "edges"),
    [
        (("0.4", "2"), (5, 8, 10, 15, 20)),
        (("20", "20"), (5, 8, 10, 15, 20)),
        (("20.5", "20.5"), (20, 30, 40, 50, 60)),
        (("90", "200"), (60, 120, 180, 240, 300)),
        (("900", "900"), (60, 120, 180, 240, 300)),
    ],
)
def test_bands_reach_the_median(seconds: tuple[str, str], edges: tuple[float, ...]) -> None:
    found = proposal_of({"response": (ANSWER, ANSWER), "duration_s": seconds}).seconds
    assert found is not None
    assert found.edges == edges


@pytest.mark.parametrize(
    ("answer", "languages"),
    [("a plain answer", (False, True)), ("그냥 답변입니다", (True, False)), ("GPU 사용량은 80%", (True, True))],
)
def test_words_are_of_the_languages_of_the_answers(answer: str, languages: tuple[bool, bool]) -> None:
    proposal = proposal_of({"response": (answer, answer)})
    assert (proposal.is_hangul, proposal.is_latin) == languages


@pytest.mark.parametrize(
    ("header", "cells", "measure"),
    [
        ("total_tokens", ("812", "40"), ("total-tokens", "tokens", 0, False)),
        ("avg tokens", ("81.5", "40"), ("avg-tokens", "tokens", None, False)),
        ("cost_usd", ("0.01", "0.2"), ("cost-usd", "USD", 4, False)),
        ("비용(원)", ("12", "20"), ("measure", "KRW", None, False)),
        ("num_steps", ("3", "4"), ("num-steps", "", 0, False)),
        ("relevance", ("0.3", "0.4"), ("relevance", "", None, True)),
    ],
)
def test_a_number_that_is_no_score_and_no_time_is_a_measure(
    header: str, cells: tuple[str, str], measure: tuple[object, ...]
) -> None:
    proposal = proposal_of({"response": (ANSWER, ANSWER), "score": ("1", "0"), header: cells})
    (found,) = proposal.measures
    assert (found.name, found.unit, found.decimals, found.is_better_higher) == measure
    assert (found.title, found.is_doubtful) == (header, False)


def test_a_number_whose_name_says_nothing_is_a_doubtful_measure() -> None:
    columns = {"response": [ANSWER] * 3, "clicks": ("1", "2", "3"), "flag": ("0", "1", "0")}
    assert [(one.name, one.is_doubtful) for one in proposal_of(columns).measures] == [("clicks", True)]


def test_measures_have_different_names() -> None:
    columns = {"response": (ANSWER, ANSWER), "tokens": ("1", "2"), "Tokens!": ("1", "2"), "토큰": ("1", "2")}
    assert [one.name for one in proposal_of(columns).measures] == ["tokens", "tokens-2", "measure"]


def test_an_error_column_without_errors_is_one_all_the_same() -> None:
    assert fields(proposal_of({"response": (ANSWER, ANSWER), "error": ("", "")}))["error"] == "error"


@pytest.mark.parametrize("header", ["user_id", "conversation_id", "span_id"])
def test_the_id_of_something_else_is_no_id_of_a_question(header: str) -> None:
    assert header not in fields(proposal_of({"response": (ANSWER, ANSWER), header: ("a", "b")}))


@pytest.mark.parametrize(
    ("cells", "tracks"),
    [
        (("hard", "easy", "Medium"), ("easy", "Medium", "hard")),
        (("상", "하", "중"), ("하", "중", "상")),
        (("zebra", "apple", "zebra"), ("zebra", "apple")),  # as they come
        (("Easy", "easy", "hard"), ("Easy", "hard")),
        (("1", "2", "3"), ()),
        (("Track 1", "트랙 2", "3"), ()),
        (("true", "no", "1.5"), ("true", "no", "1.5")),
        (("a\x07", "b", "c"), ()),
    ],
)
def test_tracks_that_are_words_have_an_order(cells: tuple[str, ...], tracks: tuple[str, ...]) -> None:
    assert proposal_of({"response": [ANSWER] * 3, "difficulty": cells}).tracks == tracks


def test_levels_of_a_log_are_no_tracks() -> None:
    columns = {"answer": (ANSWER, ANSWER + "."), "level": ("DEFAULT", "ERROR")}
    assert "track" not in fields(proposal_of(columns)).values()
    assert "track" in fields(proposal_of(columns | {"level": ("easy", "hard")})).values()


def test_a_status_is_a_level_where_it_says_that_something_passed() -> None:
    status = {"answer": (ANSWER, ANSWER + ".", "")}
    assert fields(proposal_of({**status, "status": ("passed", "failed", "skipped")}))["status"] == "intent_verdict"
    assert fields(proposal_of({**status, "status": ("success", "failed", "failed")}))["status"] == "error"


@pytest.mark.parametrize(
    ("header", "yes", "no"), [("error?", "Y", "N"), ("오류 여부", "예", "아니오"), ("error", "true", "x")]
)
def test_a_column_that_asks_whether_there_was_an_error_has_a_word_for_none(header: str, yes: str, no: str) -> None:
    proposal = proposal_of({"answer": (ANSWER, ANSWER + "."), header: (yes, no)})
    assert (fields(proposal)[header], proposal.fine_words) == ("error", (no.casefold(),))
    assert proposal_of({"answer": (ANSWER, ANSWER + "."), header: ("timed out", "no")}).fine_words == ()


def test_numbers_below_0_are_no_tokens_and_no_cost() -> None:
    proposal = proposal_of({"answer": (ANSWER, ANSWER + "."), "tokens": ("100", "-1"), "cost": ("0.25", "0.5")})
    assert [(one.title, one.is_doubtful) for one in proposal.measures] == [("tokens", True), ("cost", False)]


@pytest.mark.parametrize("header", ["hypothesis", "predicted_text", "generated_sql", "pred_sql", "llm_sql"])
def test_what_a_model_predicted_is_its_answer(header: str) -> None:
    assert fields(proposal_of({"audio_text": (ANSWER * 2, ANSWER * 3), header: (ANSWER, ANSWER)}))[header] == "response"


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("started_at", "ended_at"),
        ("start", "end"),
        ("startTime", "endTime"),
        ("시작 시각", "종료 시각"),
        ("요청 시각", "응답 시각"),
    ],
)
def test_two_columns_of_times_are_the_response_time(start: str, end: str) -> None:
    day, rows = "2026-01-01T00:00:0", ("0Z", "1.5Z")
    columns = {"response": (ANSWER, ANSWER), start: [f"{day}{row}" for row in rows]}
    columns[end] = [f"{day}{row}" for row in ("2Z", "2Z")]
    proposal = proposal_of(columns)
    assert proposal.ends is not None
    assert proposal.ends == (start, end, (2.0, 0.5))
    assert proposal.seconds is not None
    assert proposal_of(columns | {"latency_ms": ("812", "5")}).ends is None
    assert proposal_of({**columns, start: columns[end], end: columns[start]}).ends is None  # ends before it starts
    assert proposal_of({**columns, start: ("1", "2"), end: ("3", "4")}).ends is None  # places, and no times
