"""The box on top of a report: what it says of items without a value, of answers, and of questions run once."""

import csv
import io
import re
from typing import NamedTuple

import pytest

from config import profile_named, shipped_rubrics
from reporting.data import encode_items
from reporting.store.status import headline_of
from reporting.wording import operand
from scoring.items import score_file
from scoring.judging import MAX_TRIES, JudgeIdentity, Judging, Verdict
from scoring.results import SetResult, merge
from scoring.rubric import CONSISTENCY
from tests.inner import find_losses, header
from tests.reporting.results import make_item, make_result
from tests.reporting.shown import report_md
from tests.scoring.files import places
from tests.scoring.judged_sets import SCORES, H, h_part, requests_of, scores_part

IDENTITY = JudgeIdentity(model="m")


class Box(NamedTuple):
    """What the report leads with: its first sentences, then the others."""

    lead: str
    lines: list[str]


def box(result: SetResult, language: str = "ko") -> Box:
    quote = re.findall(r"^> (.+)$", report_md(result, language=language), re.MULTILINE)
    return Box(quote[0].strip("*"), [line.removeprefix("- ") for line in quote[1:]])


def scored(*levels: str, judging: Judging | None = None) -> SetResult:
    rows = [{"id": f"Q{at}", "응답": f"답 {at}", "등급": level} for at, level in enumerate(levels)]
    return merge([("a.csv", scores_part(rows))], SCORES, judging)


def test_items_without_a_value_are_to_be_looked_at() -> None:
    result = scored("5", "", "")
    assert "Rubrics Score를 평가하지 않은 2문항" in box(result).lines
    assert "Not evaluated in Rubrics Score: 2 items" in box(result, "en").lines
    assert not any("평가하지 않은" in line for line in box(scored("5")).lines)


def test_what_waits_and_what_was_given_up_is_told_apart() -> None:
    part = scores_part([{"id": f"Q{at}", "응답": f"답 {at}", "등급": ""} for at in range(3)])
    waiting, *others = requests_of(part.items, SCORES, IDENTITY)
    verdicts = {request.hash: Verdict(hash=request.hash, failure="timeout", tries=MAX_TRIES) for request in others}
    assert waiting.hash not in verdicts
    result = merge([("a.csv", part)], SCORES, Judging(identity=IDENTITY, verdicts=verdicts))
    assert "Rubrics Score를 평가하지 않은 3문항 (대기 1, 포기 2)" in box(result).lines
    assert "Not evaluated in Rubrics Score: 3 items (waiting 1, gave up 2)" in box(result, "en").lines


def test_nothing_lost_is_said_of_what_was_evaluated_only() -> None:
    assert "감점이 없습니다." in box(scored("5")).lines
    assert "평가한 문항에는 감점이 없습니다." in box(scored("5", "")).lines
    assert "평가한 문항이 없습니다." in box(scored("", "")).lines
    assert "No item was evaluated." in box(scored("", ""), "en").lines


def test_an_answer_is_not_called_a_pass_where_nothing_hangs_on_it() -> None:
    rows = [{"id": "Q1", "응답": "답", "등급": "4"}, {"id": "Q2", "응답": "", "등급": ""}]
    result = merge([("a.csv", scores_part(rows))], SCORES)
    assert box(result).lead == (
        "Rubrics Score는 0.75입니다."
        " 1문항 가운데 1문항이 통과했습니다(Rubrics Score 0.5점 이상): 100.0%. 평가하지 못한 1문항은 제외했습니다."
        " 2문항 가운데 1문항이 응답에 성공했습니다: 50.0% (0.3–99.7%). 실패: 빈 응답 1."
    )
    assert box(result, "en").lead == (
        "Rubrics Score is 0.75."
        " 1 of 1 items pass (at least 0.5 points in Rubrics Score): 100.0%."
        " 1 item could not be assessed."
        " 1 of 2 items were answered: 50.0% (0.3–99.7%). Not answered: Empty 1."
    )
    assert box(make_result(make_item(2))).lead == "1문항 가운데 1문항이 응답에 성공했습니다: 100.0%."


def test_total_leads_and_then_the_items_that_pass() -> None:
    checks = '[{"path": "assistantMessage.x", "op": "exists"}, {"path": "dataUIList[*].a", "op": "eq", "value": 1}]'
    ui = [{"a": 1}]
    part = h_part(
        {"assistantMessage": "저장했습니다", "accuracyChecks": checks, "dataUIList": ui},
        {"assistantMessage": "저장했습니다", "accuracyChecks": checks, "dataUIList": []},
        {"assistantMessage": "저장했습니다"},
    )
    result = merge([("a.csv", part)], H)
    headline = headline_of(result)
    assert (headline.n, headline.answered, headline.passed, headline.assessed) == (3, 3, 1, 2)
    assert (headline.answered_rate, headline.pass_rate, headline.share) == (1.0, 0.5, 0.5)
    assert headline.queries == 3
    assert headline.pass_interval == pytest.approx((0.0031, 0.9969), abs=1e-4)  # Wilson, 1 of 2, by (1.96 / 12.71)²
    assert headline.answered_interval == pytest.approx((0.4385, 1.0), abs=1e-4)  # Wilson, 3 of 3
    assert headline.intervals.keys() == headline.metrics.keys()
    assert headline.intervals["total"] is None
    assert box(result).lead.startswith("종합 점수는 —입니다. 2문항")
    assert (
        "2문항 가운데 1문항이 통과했습니다(정확성 3점 이상): 50.0% (0.3–99.7%). 평가하지 못한 1문항은 제외했습니다."
        " 3문항 가운데 3문항이 응답에 성공했습니다: 100.0% (43.9–100.0%)." in box(result).lead
    )
    assert "| dataUIList\\[\\*\\]\\.a 같음 '1' |" in report_md(result)


def test_a_recorded_level_without_an_answer_is_counted() -> None:
    rows = [{"id": f"Q{level}", "응답": "", "등급": level} for level in ("1", "2", "")]
    report = report_md(merge([("a.csv", scores_part(rows))], SCORES))
    told = "답이 없는데 기록된 등급이 가장 낮지 않은 행(기록된 등급이 상태와 어긋남)"
    (line,) = re.findall(r"^- 그 밖의 항목: (.*)$", report, re.MULTILINE)
    assert f"{told} 1" in line.split(", ")


def test_questions_that_were_run_once_are_no_difference_between_rounds() -> None:
    result = merge([("a.csv", h_part({"message": "저장했습니다"}))], H)
    (loss,) = (loss for loss in find_losses(result) if loss.metric == CONSISTENCY)
    assert [(place.is_single, place.points, place.n) for place in loss.places] == [(True, 5.0, 1)]
    table = report_md(result).partition("## ")[0]
    assert "한 번만 실행한 질의 5점" in table
    assert "회차 차이" not in table


def test_a_negative_level_stands_in_brackets_within_the_formula() -> None:
    assert [operand(value) for value in (-1.0, 0.0, 5.0)] == ["(-1)", "0", "5"]


def test_no_reason_is_given_about_seconds_that_no_metric_wants() -> None:
    part = scores_part([{"id": "Q1", "응답": "답", "등급": "4"}])
    (row,) = csv.DictReader(b"".join(encode_items(merge([("a.csv", part)], SCORES))).decode("utf-8-sig").splitlines())
    assert "seconds-missing" not in row["reasons"]


def test_a_problem_names_the_column_as_the_file_does() -> None:
    part = scores_part([{"id": "Q1", "response": "답", "grade": "9"}])
    assert [place.column for place in places(part)] == ["grade"]


def test_a_latency_class_is_called_the_same_everywhere() -> None:
    report = report_md(merge([("a.csv", h_part({"message": "저장했습니다"}))], H), language="en")
    assert "| Response speed (다중 도구) |" in report
    assert "| Response speed (multi) |" not in report


def test_an_english_document_has_english_column_titles() -> None:
    english = profile_named("rubrics-score-en", shipped_rubrics())
    part = score_file(
        io.BytesIO("question,answer,LLM 모델,실행시각\nq,a,m,2026\n".encode()), name="a.csv", rubric=english
    )
    assert [(item.llm_model, item.executed_at) for item in part.items] == [("m", "2026")]
    titles = header(merge([("a.csv", part)], english))
    assert all(title.isascii() for title in titles)
