"""The front pages of profiles with checks, a total and recorded levels: what they say agrees with their figures."""

import csv
import io
import json

import pytest

from tests.cli.place import Place

HEADER = ("Query ID", "질의", "기대결과", "방/반복", "실행시각", "응답", "Raw JSON", "intent_verdict")


def _export(day: int, *, failing: int, rounds: int = 1) -> str:
    """Twenty queries, each answered; of the first `failing` the check and the intent fail."""
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(HEADER)
    for number in range(1, rounds + 1):
        for query in range(20):
            fails = query < failing
            ui = [{"uiDescription": "d", "uiValue": {"formType": "LINK" if fails else "ACTION"}}]
            answer = {"assistantMessage": "저장했습니다.", "dataUIList": ui, "responseTimeSec": 3.0}
            verdict = "FAILED" if fails else "GOOD"
            cells = (
                f"H-{query}",
                f"질의 {query}",
                "@check formType=ACTION",
                f"{number}/1",
                f"2026-03-{day:02} 09:00:00",
            )
            rows.writerow([*cells, "저장했습니다.", json.dumps({**answer, "conversationId": day}), verdict])
    return out.getvalue()


def _page(place: Place, name: str) -> str:
    return (place.root / "out" / name / "summary.md").read_text(encoding="utf-8")


def test_one_round_says_what_its_consistency_counts_and_loses_nothing_by_it(place: Place) -> None:
    place.file("in/h_recruit_260301.csv", _export(1, failing=2))
    assert place.score("in", "--out", "out").code == 0
    page = _page(place, "h_recruit_260301")
    assert "- 일관성: **0.00**" in page
    assert "회차가 하나라 일관성은 루브릭 문서대로 0점으로 셌습니다(두 번 이상 실행해야 알 수 있습니다)." in page
    assert "왜 일관성에서" not in page
    assert "회차 차이" not in page


def test_an_answer_that_fails_by_its_points_is_no_reason_and_what_got_worse_has_a_line(place: Place) -> None:
    place.file("in/h_recruit_260301.csv", _export(1, failing=0, rounds=2))
    place.file("in/h_recruit_260308.csv", _export(8, failing=8, rounds=2).replace("저장했습니다.", "끝냈습니다."))
    assert place.score("in", "--out", "out").code == 0
    page = _page(place, "h_recruit_260308")
    assert "모든 회차에 성공하던 질의 8개가 새로 실패했습니다.**" in page
    lines = [line for line in page.splitlines() if line.startswith("- ")]
    worse = [line for line in lines if line.endswith("▽ 나빠짐")]
    assert [line.partition(":")[0] for line in worse] == ["- 종합 점수", "- 통과율", "- 의도 충족", "- 정확성"]
    (more,) = [line for line in lines if line.startswith("- 그 밖의 지표: ")]
    assert "안정성" in more or "일관성" in more


@pytest.mark.parametrize(
    ("language", "told", "line"),
    [
        ("ko", "다시 채점된 답변 말고는 달라지지 않았습니다: 통과율 100.0% → 0.0%.", "채점만 달라짐"),
        ("en", "Apart from regraded answers nothing changed", "only graded anew"),
    ],
)
def test_values_that_differ_by_grades_alone_are_not_called_unchanged(
    place: Place, language: str, told: str, line: str
) -> None:
    prefix = "rubrics_score" if language == "ko" else "rubrics_score_en"
    for day, level in ((1, 4), (8, 2)):
        rows = "".join(f"R{at},1/1,질문 {at},답변 {at},{level},2026-03-{day:02} 10:00:00\r\n" for at in range(20))
        place.file(f"in/{prefix}_26030{day}.csv", f"Query ID,round,question,answer,level,executedAt\r\n{rows}")
    said = place.score("in", "--out", "out", "--language", language).out
    assert line in said
    page = _page(place, f"{prefix}_260308")
    assert told in page
    assert ("답은 같고 채점만 달라짐" if language == "ko" else "same answers, graded anew") in page
