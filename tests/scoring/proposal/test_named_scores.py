"""Scores among others: true and false in lists, those that few or only later records have, and several that decide."""

import io
import json
from collections.abc import Iterable

import pytest

from reporting import write_document
from scoring.items import score_file
from scoring.proposal.model import Proposal, Question, Reason
from scoring.proposal.proposing import NoProposalError, propose
from scoring.proposal.sample import MAX_ROWS, read_sample
from scoring.results import SetResult, merge
from scoring.rubric.document import parse_rubric
from tests.inner import EXTENSIONS
from texts import texts


def proposed(
    records: Iterable[dict[str, object]], answers: dict[Question, str] | None = None
) -> tuple[Proposal, SetResult]:
    """What the document for these records says, and what it makes of them."""
    base = ({"id": f"q{at}", "question": f"What is {at}?", "answer": f"It is the number {at}."} for at in range(9_999))
    lines = [json.dumps(one | record) for one, record in zip(base, records, strict=False)]
    data, name = "\n".join(lines).encode(), "bot.jsonl"
    proposal = propose(read_sample(io.BytesIO(data), name), file_name=name, extensions=EXTENSIONS, answers=answers)
    rubric = parse_rubric(write_document(proposal, file_name=name, t=texts("en")), source="new.md")
    return proposal, merge([(name, score_file(io.BytesIO(data), name=name, rubric=rubric))], rubric)


def means(result: SetResult) -> dict[str, float | None]:
    return {name: one.set.mean for name, one in result.groups[0].measures.items()}


def doubts(proposal: Proposal) -> dict[str, dict[str, str]]:
    return {one.code: dict(one.values) for one in proposal.doubts}


@pytest.mark.parametrize(
    ("record", "name", "mean"),
    [
        ({"evals": [{"metric": "helpfulness", "value": 7}, {"metric": "grounded", "value": True}]}, "grounded", 1.0),
        ({"scores": {"grounded": False, "helpfulness": 7}}, "grounded", 0.0),
        ({"checks": [{"name": "hallucinated", "value": True}]}, "hallucinated", 1.0),  # shown as it is
    ],
)
def test_true_and_false_among_scores_are_a_score_of_0_and_1(record: dict[str, object], name: str, mean: float) -> None:
    proposal, result = proposed([record] * 4)
    assert means(result)[f"score.{name}"] == mean
    assert "no-pass" in doubts(proposal)
    assert {one.is_unscaled for one in proposal.measures if "helpfulness" in one.title} <= {True}
    assert {one.is_better_higher for one in proposal.measures if "hallucinated" in one.title} <= {False}


@pytest.mark.parametrize(
    "record",
    [
        {"attributes": [{"key": "stream", "value": True}]},
        {"metadata": {"is_premium": True}},
        {"metrics": {"cached": True, "latency_ms": 12}},
    ],
)
def test_true_and_false_that_are_no_scores_are_none(record: dict[str, object]) -> None:
    proposal, _ = proposed([record] * 4)
    assert [one.title for one in proposal.measures if one.scale is not None] == []


def test_a_score_that_few_records_have_is_one_and_of_a_late_one_no_map_is_told() -> None:
    records: list[dict[str, object]] = [{"scores": {"tone": 0.25, "style": at % 10 / 10}} for at in range(200)]
    proposal, _ = proposed(records)
    assert proposal.score_map == "scores.*"
    proposal, result = proposed([*records, {"scores": {"tone": 0.75, "style": 0.5, "depth": 0.5}}])
    assert (proposal.score_map, means(result)["score.depth"]) == ("", 0.5)
    assert "score-key-unused" not in {one.code for one in result.findings}


def test_a_score_that_no_record_looked_at_has_is_named() -> None:
    usual: dict[str, object] = {"scores": {"tone": 0.25, "style": 0.5}}
    late: dict[str, object] = {"scores": {"tone": 0.25, "style": 0.5, "depth": 0.5, "cost": 0.1}}
    proposal, _ = proposed([usual] * (MAX_ROWS + 1) + [late])
    assert doubts(proposal)["scores-late"] == {"rows": str(MAX_ROWS), "scores": "scores.depth"}
    assert not proposal.is_sure
    assert "scores-late" not in doubts(proposed([usual] * (MAX_ROWS + 2))[0])


def test_of_two_that_say_what_is_right_the_other_is_named_where_it_says_otherwise() -> None:
    def of(right: str) -> list[dict[str, object]]:
        found = zip("yyny", right, strict=True)
        return [{"scores": {"judge": {"passed": a == "y"}, "exact": {"correct": b == "y"}}} for a, b in found]

    proposal, result = proposed(of("nnny"))
    assert doubts(proposal)["truths-differ"] == {
        "column": "scores.judge.passed",
        "others": "scores.exact.correct",
    }
    assert (proposal.is_sure, means(result)["score.correct"]) == (False, 0.25)
    assert result.passed is not None
    assert result.passed.value == 0.75
    assert "truths-differ" in doubts(proposed(of("nyyy"))[0])  # of as many items, but of others
    assert "truths-differ" not in doubts(proposed(of("yyny"))[0])
    fewer = of("yyny")
    del fewer[0]["scores"]["exact"]  # type: ignore[attr-defined]
    assert "truths-differ" not in doubts(proposed(fewer)[0])
    assert "truths-differ" not in doubts(proposed(of("nnny"), {Question.SCORE: "scores.exact.correct"})[0])


def test_a_copy_of_a_score_is_shown_once_and_named() -> None:
    def of(tone: float, copy: float) -> dict[str, object]:
        return {"scores": {"tone": tone, "style": tone}, "result": {"scores": {"tone": copy}}}

    proposal, _ = proposed([of(0.25, 0.25), of(0.5, 0.5), of(0.75, 0.75)])
    assert [one.title for one in proposal.measures] == ["scores.tone", "scores.style"]
    copy = next(one for one in proposal.columns if one.title == "result.scores.tone")
    assert copy.reason == Reason("copy", {"column": "scores.tone"})
    proposal, _ = proposed([of(0.25, 0.25), of(0.5, 0.5), of(0.75, 0.5)])
    assert [one.title for one in proposal.measures] == ["scores.tone", "scores.style", "result.scores.tone"]


@pytest.mark.parametrize(
    ("record", "decides"),
    [
        ({"result": {"verdict": "PASS", "score": 85}}, "result.verdict"),
        ({"evals": {"tone": {"verdict": "PASS"}}, "passed": True}, "passed"),
    ],
)
def test_a_verdict_of_the_result_goes_before_a_number(record: dict[str, object], decides: str) -> None:
    proposal, _ = proposed([record, json.loads(json.dumps(record).replace("PASS", "FAIL").replace("85", "15"))])
    column = proposal.column("intent_verdict") or proposal.column("llm_score")
    assert column is not None
    assert column.title == decides


@pytest.mark.parametrize(
    ("column", "asked", "told"),
    [
        ("provider", "abab", True),
        ("model", "abab", True),
        ("provider.id", "abab", True),
        ("agent.name", "abab", True),
        ("agent.answer_kind", "abab", False),  # what it did
        ("에이전트", "abab", True),
        ("provider", "abcd", False),  # each question has one
        ("judge_model", "abab", False),
        ("category", "abab", False),
    ],
)
def test_several_agents_that_answered_the_same_questions_are_told_apart(column: str, asked: str, told: bool) -> None:
    rows = [f"{query},What is {query}?,It is {at}.,pass,{'xxyy'[at]}" for at, query in enumerate(asked)]
    data = "\n".join([f"id,question,answer,passed,{column}", *rows, ""]).encode()
    proposal = propose(read_sample(io.BytesIO(data), "bot.csv"), file_name="bot.csv", extensions=EXTENSIONS)
    values = {"column": column, "agents": "x, y", "path": column, "first": "x"}
    assert doubts(proposal).get("agents-mixed") == (values if told else None)
    assert proposal.is_sure is not told


@pytest.mark.parametrize(("extra", "by_status"), [({"scores": {"tone": 0.5}}, True), ({"passed": True}, False)])
def test_document_says_where_rounds_are_compared_by_the_status_alone(extra: dict[str, object], by_status: bool) -> None:
    records = [{"id": f"q{at % 2}", "round": at // 2} | extra for at in range(4)]
    proposal, result = proposed(records)
    text = write_document(proposal, file_name="bot.jsonl", t=texts("en"))
    assert ("only the status is compared" in text) is by_status
    assert ("Whether the same query is answered, or not" in text) is by_status
    assert (result.rubric.has_metric("consistency"), result.rubric.pass_rule is None) == (True, by_status)


def test_a_table_of_a_team_with_points_of_100_is_read_whole() -> None:
    header = "순번,업무구분,질문내용,챗봇 응답내용,정확성(100점),친절도(100점),합격여부,응답시간"
    rows = [
        "1,인사,연차는 며칠인가요,열다섯 날입니다,95,90,합격,1.2초",
        "2,인사,병가는 되나요,네 됩니다,80,70,합격,3.4초",
        "3,총무,주차는 되나요,,45,85,불합격,12초",
    ]
    data = "\n".join([header, *rows, ""]).encode("cp949")
    proposal = propose(read_sample(io.BytesIO(data), "평가.csv"), file_name="평가.csv", extensions=EXTENSIONS)
    fields = {one.field: one.header for one in proposal.columns if one.field}
    assert fields == {
        "query_id": "순번",
        "category": "업무구분",
        "question": "질문내용",
        "response": "챗봇 응답내용",
        "intent_verdict": "합격여부",
        "response_seconds": "응답시간",
    }
    assert [(one.title, one.scale) for one in proposal.measures] == [
        ("정확성(100점)", (0, 100)),
        ("친절도(100점)", (0, 100)),
    ]
    assert (proposal.is_sure, proposal.seconds and proposal.seconds.most) == (True, 12.0)


def test_one_aspect_does_not_decide_beside_another() -> None:
    one: dict[str, object] = {"faithfulness": 0.25}
    both = one | {"relevancy": 0.75}
    assert "no-pass" in doubts(proposed([both] * 3)[0])
    assert proposed([one] * 3)[0].tells_passing


def test_label_of_a_grader_is_no_expected_answer() -> None:
    proposal, _ = proposed([{"eval.tone.label": "polite"}, {"eval.tone.label": "rude"}])
    assert proposal.column("expected") is None
    assert proposed([{"label": "polite"}, {"label": "rude"}])[0].column("expected") is not None


def test_answers_in_lists_of_records_are_told_where_they_are() -> None:
    records = [{"id": "a", "question": "How?", "attempts": [{"answer": "So."}, {"answer": "Thus."}]}] * 2
    sample = read_sample(io.BytesIO("\n".join(map(json.dumps, records)).encode()), "bot.jsonl")
    with pytest.raises(NoProposalError) as raised:
        propose(sample, file_name="bot.jsonl", extensions=EXTENSIONS)
    assert raised.value.reason == Reason("answers-nested", {"path": "attempts[*].answer"})


@pytest.mark.parametrize(
    ("column", "words", "passing"),
    [("result", "합격 불합격", 0.75), ("판정", "pass fail", 0.75), ("result", "done failed", 1.0)],
)
def test_words_for_passing_go_before_a_number_whatever_their_column_is_called(
    column: str, words: str, passing: float
) -> None:
    good, bad = words.split()
    records: list[dict[str, object]] = [{"score": score, column: good} for score in (85, 90, 100)]
    _, result = proposed([*records, {"score": 88, column: bad}])
    assert result.passed is not None
    assert result.passed.value == passing


def test_grades_of_several_graders_are_read_by_their_names() -> None:
    grades = [{"grader": "kim", "score": 3}, {"grader": "lee", "score": 5}]
    proposal, result = proposed([{"grades": grades}] * 3)
    assert {one.label: one.is_unscaled for one in proposal.measures} == {"kim": True, "lee": True}
    assert sorted(value or 0 for value in means(result).values()) == [3, 5]
    assert (doubts(proposal)["scores-unscaled"], proposal.is_sure) == ({"scores": "kim, lee"}, False)
