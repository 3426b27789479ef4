"""Levels and the judge in a report: accepted byte for byte, told in both languages, and its words stay words."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from msgspec.structs import replace

from reporting.data import build_report, embed_items, encode_items
from reporting.document.rounds import render_round_pages
from reporting.store import encode_json
from scoring.judging import MAX_TRIES, JudgeIdentity, Judging, Verdict
from scoring.results import SetResult, find_insights, merge
from scoring.sets import SetId
from tests.golden import assert_golden
from tests.reporting.document.embedded import FIRST, QUERY, values
from tests.reporting.shown import report_files, report_md
from tests.scoring.judged_sets import SCORES, H, h_part, requests_of, scores_part
from texts import texts

HOSTILE = "</script><img src=x onerror=alert(1)> | **굵게** [링크](http://evil.example) \x1b[2J\u202e =1+1"
IDENTITY = JudgeIdentity(model="judge|<b>1</b>", votes=3, compare=True)
ROWS = [
    {"id": "Q1", "round": "1/1", "category": "역사", "질의": "언제 지었나요?", "응답": "1889년", "등급": "4"},
    {"id": "Q2", "round": "1/1", "category": "역사", "질의": "얼마나 높나요?", "응답": "330m", "등급": ""},
    {"id": "Q3", "round": "1/1", "category": "지리", "질의": "어디 있나요?", "응답": "파리", "등급": ""},
    {"id": "Q4", "round": "1/1", "category": "지리", "질의": "누가 지었나요?", "응답": "", "등급": ""},
    {"id": "Q1", "round": "2/1", "category": "역사", "질의": "언제 지었나요?", "응답": "1887년", "등급": "1"},
    {"id": "Q2", "round": "2/1", "category": "역사", "질의": "얼마나 높나요?", "응답": "300미터쯤", "등급": "3,0"},
    {"id": "Q3", "round": "2/1", "category": "지리", "질의": "어디 있나요?", "응답": "런던", "등급": "4.5"},
    {"id": "Q5", "round": "2/1", "category": "지리", "질의": "무엇인가요?", "응답": "탑입니다", "등급": ""},
]
# By answer: level, votes. Without a level: it was given up.
VERDICTS = {
    "1889년": ("5", ("5", "5", "4")),
    "330m": ("4", ("4", "4", "4")),
    "파리": ("", ()),
    "1887년": ("3", ("3", "3", "1")),
    "300미터쯤": ("3", ("3", "3", "3")),
}


def judged(*, reason: str = "핵심을 짚었지만 예가 없습니다.", left_out: str = "") -> SetResult:
    """The set with its verdicts; the one on `left_out` is still open. Nobody was asked about 탑입니다 yet."""
    part = scores_part(ROWS)
    verdicts = {}
    for request in requests_of(part.items, SCORES, IDENTITY):
        level, votes = VERDICTS.get(request.graded.answer, ("", ()))
        if request.graded.answer in {left_out, "탑입니다"}:
            continue
        failure = {} if level else {"failure": "reply-invalid", "tries": MAX_TRIES}
        verdicts[request.hash] = Verdict(
            hash=request.hash,
            level=level,
            reason=reason if level else "",
            votes=votes,
            prompt_tokens=100,
            completion_tokens=20,
            **failure,  # type: ignore[arg-type]
        )
    return merge([("rubrics_score_탑.csv", part)], SCORES, Judging(identity=IDENTITY, verdicts=verdicts))


def report(result: SetResult, language: str = "ko") -> str:
    return report_md(result, "탑", language)


def test_mixed_are_queries_that_pass_in_some_rounds_and_unequal_all_whose_rounds_end_differently() -> None:
    rows = [
        {
            "id": query_id,
            "round": f"{number}/1",
            "응답": "탑" if query_id != "Q4" else "탑" * (number % 2),
            "등급": level,
        }
        for query_id, levels in {"Q1": "454", "Q2": "33 ", "Q3": "   ", "Q4": "222", "Q5": "141"}.items()
        for number, level in enumerate(levels, start=1)
    ]
    result = merge([("a.csv", scores_part(rows))], SCORES)
    data = json.loads(embed_items(result, find_insights(result), texts()).json)

    def marked(facet: str, value: str) -> set[str]:
        return {data["queries"][row[QUERY]] for row in data["items"] if value in values(data, row, facet)}

    # Q1 always passes, with levels 4 and 5; Q2 was not judged once; Q4 has no answer in one round, which is no failure.
    assert marked("preset", "mixed") == {"Q5"}
    assert marked("finding", "unequal") == {"Q1", "Q4", "Q5"}


@pytest.mark.usefixtures("items_in")
def test_report_of_levels_is_as_accepted() -> None:
    result, t = judged(), texts()
    pages = dict(render_round_pages(result, set_name="탑", t=t))
    assert_golden("rubrics_judged", {"report.md": report(result), **pages})
    assert_golden("rubrics_judged_en", {"report.md": report(result, "en")})


def test_report_without_a_judge_says_that_nothing_was_sent() -> None:
    result = merge([("a.csv", scores_part(ROWS))], SCORES)
    assert "평가 모델을 설정하지 않아 3문항을 평가하지 않았습니다. 아무것도 밖으로 보내지 않았습니다." in report(result)
    assert "3 items not evaluated: no judge is configured. Nothing was sent anywhere." in report(result, "en")
    recorded = merge([("a.csv", scores_part([ROWS[0]]))], SCORES)
    assert "평가 모델(judge)" not in report(recorded)  # nothing wanted one


def test_only_metrics_that_the_profile_has_are_shown() -> None:
    result = judged()
    text = report(result)
    absent = ("일관성", "정확성", "안정성", "응답 속도", "의도", "Raw JSON", "느린", "LLM 상태", "None", "nan")
    assert [word for word in absent if word in text] == []
    assert [*report_files(result)] == [
        "charts/metrics.svg",
        "charts/statuses.svg",
        "charts/levels.svg",
        "report.md",
        "report.html",
    ]


def test_agreement_repeat_and_reasons_are_told() -> None:
    text = report(judged())
    # Recorded 4, 1, 3 against 5, 3, 3: one of three equal.
    assert "둘 다 있는 질의 2개, 3문항 기준. 같은 등급 33.3% (0.2–99.4%), 제곱 가중 카파 " in text
    assert "카파 0.52. 질의가 10개보다 적어 카파에는 구간이 없습니다.\n" in text
    assert "kappa 0.52. Kappa has no interval, since there are fewer than 10 queries.\n" in report(judged(), "en")
    assert "두 번 이상 물은 4문항 가운데 모든 답이 같은 것 50.0%" in text
    assert "| 1 | 평가 모델이 평가하지 못함: 정해진 형식의 답이 아님 | Q3 |" in text
    assert "| 1 | 평가 모델의 답을 기다리는 중 | Q5 |" in text
    assert "토큰: 입력 500, 출력 100" in text
    assert "| Q1 | 2회차 (2/1) | 1 | 3 | 2 | 언제 지었나요? |" in text


def test_words_of_a_judge_and_of_a_model_name_are_only_text() -> None:
    result, t = judged(reason=HOSTILE), texts()
    html = report_files(result)["report.html"]
    assert "<img" not in html
    assert html.count("</script>") == render_count(judged())
    markdown = report(result) + "".join(text for _, text in render_round_pages(result, set_name="탑", t=t))
    assert not re.search(r"<img|<b>|(?<!\\)\*굵게|(?<!\\)\]\(http|\x1b|\u202e", markdown)
    assert "judge\\|&lt;b>1&lt;/b>" in markdown
    rows = list(csv.DictReader(io.StringIO(b"".join(encode_items(judged(reason="=1+1"))).decode("utf-8-sig"))))
    assert rows[1]["rubrics_reason"] == "'=1+1"
    assert (rows[1]["rubrics"], rows[1]["rubrics_level"], rows[1]["rubrics_source"]) == ("0.75", "4", "judge")
    assert [row["rubrics_why"] for row in rows if row["rubrics_why"]] == [
        "gave-up:reply-invalid", "no-answer", "level-unknown", "pending",
    ]  # fmt: skip
    assert {row["accuracy"] + row["stability"] + row["latency"] + row["intent"] for row in rows} == {""}


def render_count(result: SetResult) -> int:
    return report_files(result)["report.html"].count("</script>")


def test_items_of_the_page_have_level_reason_and_rule() -> None:
    result = judged()
    data = json.loads(embed_items(result, find_insights(result), texts()).json)
    assert (data["metrics"], data["scales"]) == ([["rubrics", "Rubrics Score"]], [1.0])
    assert data["judged"] == ["등급", "등급을 고른 이유(평가 모델)"]
    first = FIRST + len(data["facets"])  # points, rule, level, reason
    reasons = [data["strings"][row[first + 3]] for row in data["items"]]
    assert reasons[:3] == ["", "핵심을 짚었지만 예가 없습니다.", ""]
    assert "Raw JSON" not in data["note"]
    points = [row[first] for row in data["items"]]
    assert points == [0.75, 0.75, None, None, 0.0, 0.5, None, None]
    rules = [data["strings"][row[first + 1]] for row in data["items"]]
    assert rules[:3] == [
        "등급 열의 ‘4 좋음’: 0.75",
        "평가 모델이 고른 ‘4 좋음’: 0.75",
        "점수가 없음: 평가 모델이 평가하지 못함: 정해진 형식의 답이 아님",
    ]


def test_report_json_has_levels_and_the_judge_without_its_requests() -> None:
    result = judged()
    made = build_report(result, find_insights(result), SetId("탑", "k" * 64), language="ko", files={})
    content = json.loads(encode_json(made))
    assert content["headline"]["metrics"] == {"rubrics": (0.75 + 0.25) / 2}
    assert content["rubrics"]["levels"][1] == {
        "level": "4", "name": "좋음", "criteria": SCORES.rubrics.levels[1].criteria, "score": 0.75,  # type: ignore[union-attr]
    }  # fmt: skip
    assert content["rubrics"]["none"] == {
        "gave-up:reply-invalid": 1, "level-unknown": 1, "no-answer": 1, "pending": 1,
    }  # fmt: skip
    judge = content["judge"]
    assert (judge["state"], judge["model"], judge["votes"]) == ("pending", IDENTITY.model, 3)
    assert "requests" not in judge
    assert judge["metrics"][0]["agreement"]["n"] == 3


@pytest.mark.parametrize("left_out", ["", "1889년", "330m"])
def test_order_of_verdicts_changes_no_byte(left_out: str) -> None:
    first, second = judged(left_out=left_out), judged(left_out=left_out)
    assert report(first) == report(second)
    assert first.judge == second.judge


def test_h_recruit_shows_what_the_judge_said() -> None:
    part = h_part({"assistantMessage": "추가했습니다"}, {"assistantMessage": "네", "intent_verdict": "WEAK"})
    identity = replace(IDENTITY, compare=False)
    verdicts = {
        request.hash: Verdict(hash=request.hash, level="GOOD", reason=HOSTILE)
        for request in requests_of(part.items, H, identity)
    }
    result = merge([("h.csv", part)], H, Judging(identity=identity, verdicts=verdicts))
    t = texts()
    page = "".join(text for _, text in render_round_pages(result, set_name="h", t=t))
    assert "판정 이유" in page
    assert "굵게" in page
    assert not re.search(r"<img|(?<!\\)\]\(http", page)
    text = report(result)
    assert "### 8. 평가 모델(judge)" in text
    assert "평가 모델의 판정 ‘GOOD’: 4.00점" in embed_items(result, find_insights(result), t).json.decode()
    unjudged = "".join(text for _, text in render_round_pages(merge([("h.csv", part)], H), set_name="h", t=t))
    assert "판정 이유" not in unjudged


def test_what_a_judge_was_told_and_how_votes_count() -> None:
    part = scores_part([ROWS[1], {**ROWS[2], "응답": "가" * 13_000}])
    told = {
        votes: report(merge([("a.csv", part)], SCORES, Judging(identity=JudgeIdentity(model="m", votes=votes))))
        for votes in (1, 2, 3)
    }
    assert "문항마다 판정 1개," in told[1]
    assert "문항마다 판정 2개의 가운데 두 등급 중 낮은 것을 씀" in told[2]
    assert "문항마다 판정 3개의 가운데 등급을 씀" in told[3]
    assert "답이 길어 가운데를 줄여서 평가한 문항 1개" in told[1]
    assert "가운데를 줄인" not in report(judged())


def test_items_that_were_compared_are_counted_and_reasons_stand_once() -> None:
    text = report(judged())
    assert "답이 없어 맡기지 않음 | 비교용 |" in text
    assert text.count("| 1 | 평가 모델의 답을 기다리는 중 | Q5 |") == 1
