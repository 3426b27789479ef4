"""What the sections of report.md say: each thing once, bounded, with intervals and reasons."""

import re

import pytest

from config import profile_named, shipped_rubrics
from reporting.document.rounds import render_round_pages
from scoring import Problem
from scoring.items import ItemDetails
from scoring.results import merge
from scoring.rubric import Better, Measure, ScoreRule, Status
from tests.inner import FindingLog, MetricInfo
from tests.reporting.document.reports import FURTHER_HEADINGS, HEADINGS, report_of, scored, section
from tests.reporting.results import make_item, make_part, make_result, make_rubric
from tests.reporting.shown import report_md
from texts import texts


def test_headings_follow_the_template() -> None:
    report = report_of(scored("published_table"))
    assert [line for line in report.split("\n") if line.startswith("#")] == HEADINGS


def test_headings_stay_with_other_numbers_of_rounds() -> None:
    assert "#### 1회차/세트(초+점수)" in report_of(scored("one_round"))
    assert "#### 1/2/3회차/세트(초+점수)" in report_of(scored("three_rounds"))
    assert "#### 1–11회차/세트(초+점수)" in report_of(scored("ten_rounds"))


def test_published_table_shows_its_figures() -> None:
    report = report_of(scored("published_table"))
    assert "> **164문항 가운데 150문항이 응답에 성공했습니다: 91.5% (83.9–95.7%). 실패: 오류 14.**" in report
    assert "- Track 3의 의도 충족이 3.39 (2.46–4.10)로 가장 낮습니다. 일관성도 여기가 가장 낮습니다." in report
    intent = section(report, "### 1. 의도 충족")
    assert "| 질의 수 | 82 | 55 | 4 (적음) | 23 |\n| 1회차 (1/1) | 4.44 (" in intent
    assert (
        "| 세트 | 4.50 (4.10–4.73) n=164 | 4.98 (4.64–5.00) n=110 | 4.25 (1.57–4.93) n=8 | 3.39 (2.46–4.10) n=46 |"
    ) in intent
    pairs = section(report, "### 2. 일관성")
    assert "| Track 2 | 4 (적음) | 4 | 3 | 0 | 1 | 3.75 (0.81–4.89) |" in pairs
    assert "| 전체 | 82 | 82 | 71 | 3 | 8 | 4.51 (4.09–4.75) |" in pairs
    assert "| 1회차 (1/1) | 4.51 (4.09–4.75) |" in section(report, "### 5. 안정성")
    speed = section(report, "#### 1/2회차/세트(초+점수)").split("\n")
    assert speed[0] == (
        "| 구분 | Track 1(초) | Track 1(점수) | Track 2(초) | Track 2(점수) | Track 3(초) | Track 3(점수) |"
    )
    assert speed[1] == "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    assert speed[2] == (
        "| 1회차 (1/1) | 13.238 | 1.87 (1.29–2.53) | 21.500 | 0.00 (0.00–2.45) | 28.478 | 3.57 (2.54–4.28) |"
    )


@pytest.mark.parametrize(
    ("language", "said"),
    [("ko", "회차별 평균의 평균이므로"), ("en", "A mean over several rounds is the mean of the rounds' means")],
)
def test_the_mean_of_a_measure_over_several_rounds_says_what_it_is(language: str, said: str) -> None:
    rubric = make_rubric(measures=(Measure(name="tokens", title="Tokens", column="t"),))

    def told(*rounds: tuple[str, float]) -> str:
        items = [
            make_item(row, query_id=f"Q{row}", round=label, details=ItemDetails(measures=(value,)))
            for row, (label, value) in enumerate(rounds, start=2)
        ]
        return report_md(make_result(*items, rubric=rubric), language=language)

    several = told(("1/1", 1.0), ("1/1", 3.0), ("1/2", 5.0))
    assert said in several
    assert "| 3 | 9 | 3.5" in several  # and not 9 / 3
    assert said not in told(("1/1", 1.0), ("1/1", 3.0))


@pytest.mark.parametrize("language", ["ko", "en"])
def test_categories_have_the_titles_that_the_document_gives_its_metrics(language: str) -> None:
    titles = (MetricInfo(name="intent", title="Helpful"), MetricInfo(name="latency", title="Haste"))
    items = [make_item(row, query_id=f"Q{row}", intent=row % 2 * 5.0, category="ab"[row % 2]) for row in range(2, 8)]
    report = report_md(make_result(*items, rubric=make_rubric(metrics=titles)), language=language)
    (header,) = [line for line in report.splitlines() if line.startswith(("| 카테고리 |", "| Category |"))]
    assert " | Helpful | Haste | " in header


def test_the_lowest_place_is_told_by_a_metric_and_not_by_its_copy() -> None:
    """In plan-agent intent is accuracy under a second name."""
    low = {"intent": 0.0, "accuracy": 0.0, "category": "면접"}
    items = [make_item(row, query_id=f"Q{row}", **low if row < 6 else {}) for row in range(2, 30)]
    report = report_md(make_result(*items, rubric=profile_named("plan-agent", shipped_rubrics())))
    (told,) = [line for line in report.splitlines() if line.startswith("> - ") and "면접" in line]
    assert "정확성" in told
    assert "의도 충족" not in told


def test_the_lowest_track_is_the_weakest_only_where_it_can_be_told() -> None:
    report = report_of(scored("published_table"))
    lowest = "Track 2: 가장 낮지만 우연일 수 있음 (질의 4개)"
    assert "| 의도 충족 | 4.50 (4.10–4.73) | 질의 82개, 164문항 | Track 3, 3.39 |" in report
    assert "| 응답 속도 | 2.29 (1.77–2.82) | 질의 82개, 164문항 | — |" in report
    weak = section(report, "### Track별 취약영역")
    assert f"| 응답 속도 | {lowest} | 0.00 (0.00–2.45) | 8 |" in weak
    assert "| 의도 충족 | Track 3 | 3.39 (2.46–4.10) | 46 |" in weak


def test_an_interval_is_explained_below_the_first_table() -> None:
    sentences = {"ko": "질의가 10개보다 적으면", "en": "if other queries of the same kind had been asked"}
    for language, sentence in sentences.items():
        report = report_md(make_result(), language=language)
        assert report.index("|") < report.index(sentence) < report.index("## 1)")


def test_one_round_says_why_consistency_has_no_score() -> None:
    text = section(report_of(scored("one_round")), "### 2. 일관성")
    assert "회차가 하나뿐이라 비교할 수 없어 점수가 없습니다(—)." in text
    assert "한 하위 폴더에 함께 넣으면" in text
    assert "|" not in text  # a table of zeros says no more


def test_rounds_without_common_queries_say_so() -> None:
    result = make_result(make_item(2, query_id="A"), make_item(3, query_id="B", round="2/1"))
    assert "있는 Query ID가 없어 점수가 없습니다(—)" in section(report_of(result), "### 2. 일관성")


def test_only_sections_of_the_template_stay_when_they_are_empty() -> None:
    report = report_of(make_result(make_item(2)))
    assert section(report, "### 실패 질의 Top pattern") == "없음"
    assert (
        section(report, "### 반복 재현 필요 질문") == "- 두 번 이상 실행한 질의가 없어 반복 결과를 비교할 수 없습니다."
    )
    assert section(report, "### Track별 취약영역") == "Track이 하나이거나 Track끼리 차이가 없습니다."
    assert len(re.findall("(?m)^없음$", report)) == 1
    headings = set(re.findall("(?m)^#+ .*$", report))
    assert headings == {*HEADINGS, *FURTHER_HEADINGS} - {
        "#### 1/2회차/세트(초+점수)", "### 카테고리별 취약영역", "### 한 번도 응답에 성공하지 못한 질의",
        "### 빠진 회차가 있는 질의",
        "### 기준보다 느린 문항 (Track 3 60초 이상)", "### 실패를 인정하는 답변", "### 응답 실패 문항", "### 살펴볼 것",
    }  # fmt: skip
    assert "Excel 날짜" not in report
    assert "> - 체크리스트에서 확인할 것 2건" in report  # one round of one track
    assert "> - 감점이 없습니다." in report
    assert "\n\n\n" not in report


def test_a_single_round_has_no_row_of_the_set() -> None:
    report = report_of(scored("one_round"))
    assert not re.search(r"(?m)^\| 세트 (전체 )?\|", report)
    assert "| 구간 | 20초 초과, 시간 없음 |" in section(report, "#### 점수 분포")
    for heading in ("### 1. 의도 충족", "#### 1회차/세트(초+점수)", "#### 점수 분포", "### 5. 안정성"):
        assert "| 1회차 (1/1) |" in section(report, heading), heading


def test_accuracy_that_copies_intent_is_one_line() -> None:
    text = section(report_of(scored("published_table")), "### 3. 정확성")
    assert text == (
        "지금은 의도 충족 점수를 그대로 씁니다(임시 산정). 1회차=4.44, 2회차=4.56, 세트=4.50, "
        "Track 1=4.98, Track 2=4.25, Track 3=3.39"
    )


def test_seconds_say_their_rule_and_have_a_row_per_round_and_per_track() -> None:
    text = section(report_of(scored("published_table")), "#### 1/2회차/세트(초+점수)")
    assert "선형 보간한 백분위수(numpy, Excel PERCENTILE\\.INC와 같음)" in text
    rows = re.findall(r"(?m)^\| ([^|]+) \| \d+ \|", text)
    assert rows == ["1회차 (1/1)", "2회차 (2/1)", "세트 Track 1", "세트 Track 2", "세트 Track 3", "세트 전체"]


def test_failures_are_one_row_a_query_and_not_listed_again_as_slow() -> None:
    failed = {"status": Status.ERROR, "intent": 0.0, "accuracy": 0.0, "stability": 0.0, "track": 3}
    items = [
        make_item(2, query_id="A", error="timeout", seconds=90.0, **failed),
        make_item(3, query_id="A", error="", why="payload:truncated", seconds=None, round="2/1", **failed),
        make_item(4, query_id="B", track=3, seconds=70.0),
        make_item(5, query_id="B", track=3, seconds=80.0, round="2/1"),
        make_item(6, query_id="C", status=Status.EMPTY, why="nothing", seconds=3.0),
        make_item(7, query_id="D", seconds=2.0),
    ]
    report = report_of(make_result(*items))
    assert section(report, "### 응답 실패 문항").split("\n")[2:] == [
        "| A | 1회차 timeout (90.000초) · 2회차 Raw JSON을 읽을 수 없음: 중간에서 잘림 |",
        "| C | 1회차 빈 응답 (3.000초) |",
    ]
    slow = section(report, "### 기준보다 느린 문항 (Track 3 60초 이상)")
    assert slow.startswith("3건 중 1건은 응답에 실패했습니다. 걸린 시간은 ‘응답 실패 문항’에 있습니다.\n\n")
    assert slow.split("\n")[4:] == ["| B | Track 3 | 지원자 수 알려줘 | 2회차 (80.000초) · 1회차 (70.000초) |"]
    assert "가장 느린 문항" not in report


def test_a_question_is_not_repeated_where_the_list_above_has_all_of_them() -> None:
    failed = {"status": Status.ERROR, "intent": 0.0, "accuracy": 0.0, "stability": 0.0, "error": "x"}
    items = [make_item(2, query_id="A"), make_item(3, query_id="A", round="2/1", **failed)]
    text = section(report_of(make_result(*items)), "### 응답 실패 문항")
    assert text.split("\n") == [
        "| Query ID | 오류 |", "| --- | --- |", "| A | 2회차 x (4.200초) |",
    ]  # fmt: skip


def test_answers_that_admit_failure_alike_are_one_row() -> None:
    items = [
        make_item(2, failure_word="제한", message="토큰 제한 4000"),
        make_item(3, failure_word="실패", message="실패했습니다"),
        make_item(4, failure_word="제한", message="토큰 제한 8000", round="2/1"),
    ]
    text = section(report_of(make_result(*items)), "### 실패를 인정하는 답변")
    assert text.split("\n")[4:] == [
        "| 2 | 제한 | 토큰 제한 4000 | Q-2 1회차, Q-4 2회차 |",
        "| 1 | 실패 | 실패했습니다 | Q-3 1회차 |",
    ]


def test_a_pattern_is_one_row_with_its_categories_and_tracks() -> None:
    failed = {"status": Status.ERROR, "intent": 0.0, "accuracy": 0.0, "stability": 0.0}
    items = [
        make_item(
            row, query_id=f"Q-{row // 2}", error=f"code {row}", category=f"{row % 7}", track=row % 2 + 1, **failed
        )
        for row in range(2, 18)
    ]
    (row,) = section(report_of(make_result(*items)), "### 실패 질의 Top pattern").split("\n")[2:]
    assert row.strip("| ").split(" | ") == [
        "16", "8", "오류", "code ‹숫자›", "2 (3), 3 (3), 0 (2), 1 (2), 4 (2) 외 2개", "Track 1 (8), Track 2 (8)",
        "Q-1, Q-2, Q-3, Q-4, Q-5",
    ]  # fmt: skip


def test_unassigned_and_unnamed_tracks_have_columns() -> None:
    result = make_result(make_item(2, track=7), make_item(3, track=None))
    report = report_of(result)
    assert "- Track 분포: Track 1=0, Track 2=0, Track 3=0, Track 7=1, 미지정=1" in report
    assert "| 구분 | 전체 | Track 1 | Track 2 | Track 3 | Track 7 | 미지정 |" in report
    assert "Track1+2 분포 (단일, 그 밖의 Track과 미지정 포함)" in report
    assert "- [ ] Track 1/2/3 분포가 의도대로 매칭되었는지:" in report


def test_many_tracks_are_bounded() -> None:
    result = make_result(*[make_item(row, track=row) for row in range(1, 40)])
    report = report_of(result)
    assert "- 표에 넣지 않은 Track: 28개" in report
    assert len(list(render_round_pages(result, set_name="x", t=texts()))) == 11


def test_lists_are_bounded_and_say_how_many_are_left_out() -> None:
    failed = [
        make_item(row, status=Status.ERROR, intent=0.0, accuracy=0.0, stability=0.0, error="오류 없음")
        for row in range(2, 252)
    ]
    report = report_of(make_result(*failed))
    text = section(report, "### 응답 실패 문항")
    assert text.count("\n| Q-") == 200
    assert text.endswith("50개는 생략했습니다. 모든 문항은 [items.csv](items.csv)에 있습니다.")
    assert "생략" not in report_of(make_result(*failed[:200]))


def test_checklist_answers_from_the_data() -> None:
    items = [
        make_item(2, query_id="A", track=1),
        make_item(3, query_id="B", track=2),
        make_item(4, query_id="C", track=3, seconds=60.0, latency=1.0),
    ]
    report = report_of(make_result(*items, counts={"payload:truncated": 1, "recorded-zero-on-pass": 1}))
    lines = section(report, "## 4) 운영 체크리스트").split("\n")[2:]
    assert [line[:5] for line in lines] == ["- [x]", "- [ ]", "- [ ]", "- [ ]", "- [ ]"]
    assert lines[1].endswith("읽지 못한 Raw JSON 1건 (전체 3문항 대비 33.3%)")
    assert lines[2].endswith("상태로 산정 3문항 (빈 칸 3). 상태와 어긋나는 LLM 점수 1건")
    assert lines[3].endswith("비교한 쌍 0개 (빠진 회차가 없으면 0개). 회차가 하나뿐이라 비교하지 못함")
    assert lines[4].endswith("1건 / 1문항 (1회차 1건)")


def test_quality_shows_the_row_sum_and_restored_dates() -> None:
    part = make_part(
        make_item(2), rows=4, blank_rows=1, unusable_rows=2, counts={"restored-date": 1}, restored_rounds=("1/1", "1/2")
    )
    rubric = make_rubric()
    report = report_of(merge([("a.csv", part), ("b.csv", part)], rubric))
    content = f"UTF-8, 쉼표 | 1,000 | {part.sha256[:12]} |"
    assert f"| a.csv | 4 | 1 | 0 | 1 | 2 | {content}" in report
    assert f"| b.csv | 4 | 0 | 1 | 1 | 2 | {content}" in report
    assert "| 합계 | 8 | 1 | 1 | 2 | 4 |  |  |  |" in report
    assert "- Excel 날짜에서 되살린 방/반복: 1행 (1/1, 1/2)" in report
    assert "- 확인 필요: 되살린 방이 모두 1이고 반복만 다릅니다." in report


@pytest.mark.parametrize(
    ("labels", "is_noted"), [(("1/1",), False), (("1/1", "2/1"), False), (("1/1", "1/2"), True), ((), False)]
)
def test_swap_of_room_and_repeat_is_noted(labels: tuple[str, ...], is_noted: bool) -> None:
    result = make_result(make_item(2), counts={"restored-date": 1}, restored_rounds=labels)
    assert ("date_order" in report_of(result)) is is_noted


def test_findings_are_listed_with_notes_last_and_fewer_places() -> None:
    log = FindingLog()
    for row in range(2, 122):
        log.add(Problem(code="recorded-not-a-number", row=row, column="LLM 점수", found="우수"))
        log.add(Problem(code="no-round", row=row, column="방/반복"))
    report = report_of(make_result(make_item(2), findings=log.findings()))
    assert "> - 데이터에서 확인할 것 2건(오류 1건) · 체크리스트에서 확인할 것 2건\n" in report  # one round, one track
    lines = section(report, "### 살펴볼 것").split("\n")
    notes = next(at for at, line in enumerate(lines) if "LLM 점수 120칸은 숫자가 아니어서" in line)
    assert lines[0].startswith("- **오류** 방/반복이 빈 120행을 뺐습니다.")
    assert lines[1] == "   - 방/반복 " + ", ".join(f"{row}행" for row in range(2, 102))
    assert (notes, lines[notes - 1]) == (3, "   - 외 20건")
    assert lines[notes + 1 :] == ["   - LLM 점수 2행 '우수', 3행, 4행, 5행, 6행", "   - 외 115건"]


def test_places_that_say_the_same_of_several_rows_are_one_line() -> None:
    log = FindingLog()
    for row, found in enumerate(("우수", "우수", "상", "상", "우수", "1", "2"), 2):
        log.add(Problem(code="recorded-not-a-number", row=row, column="LLM 점수", found=found))
    lines = section(report_of(make_result(make_item(2), findings=log.findings())), "### 살펴볼 것").split("\n")
    assert lines[1:] == [
        f"   - {text}"
        for text in ("LLM 점수 2행 '우수', 3행", "LLM 점수 4행 '상', 5행", "LLM 점수 6행 '우수'", "외 2건")
    ]


def test_a_finding_of_few_places_is_one_line_and_counts_are_not_repeated() -> None:
    log = FindingLog()
    log.add(Problem(code="json-in-json", row=3, column="Raw JSON"))
    log.add(Problem(code="checklist-unticked", values={"item": "pairs"}))
    counts = {"double-encoded": 1, "ui-object": 2, "payload:truncated": 3, "payload:excel-cut": 1}
    quality = section(report_of(make_result(make_item(2), findings=log.findings(), counts=counts)), "## 5) 데이터 품질")
    assert quality.split("\n")[-2:] == [
        "- 읽지 못한 Raw JSON: Excel 셀 한도(32,767자)에서 잘림 1, 중간에서 잘림 3",
        "- 그 밖의 항목: dataUIList가 목록이 아니라 객체인 행 2",
    ]
    found = section(report_of(make_result(make_item(2), findings=log.findings(), counts=counts)), "### 살펴볼 것")
    assert re.findall(r"\\\[([a-z-]+)\\\]", found) == ["json-in-json"]
    assert "위치: Raw JSON 3행." in found


def test_places_name_their_file_in_a_set_of_several() -> None:
    log = FindingLog()
    log.add(Problem(code="json-in-json", row=3, column="Raw JSON"))
    parts = [
        ("a.csv", make_part(make_item(2), findings=log.findings())),
        ("b.csv", make_part(make_item(3), sha256="f" * 64)),
    ]
    assert "위치: a.csv Raw JSON 3행." in section(report_of(merge(parts, make_rubric())), "### 살펴볼 것")


def test_set_without_findings_says_so_in_one_line() -> None:
    places = [(track, label) for track in (1, 2, 3) for label in ("1/1", "1/2")]
    items = [make_item(row, query_id=f"Q{at[0]}", track=at[0], round=at[1]) for row, at in enumerate(places, start=2)]
    report = report_of(make_result(*items))
    assert "> - 데이터 점검에서 문제를 찾지 못했습니다.\n" in report


def test_the_run_is_named_at_the_top_by_its_times_and_run_ids() -> None:
    run = {"run_id": "run|1"}
    items = [make_item(2, executed_at="2026-03-01 09:00", **run), make_item(3, executed_at="2026-03-01 10:30", **run)]
    report = report_of(make_result(*items))
    assert report.split("\n")[2] == "실행시각 2026-03-01 09:00부터 10:30까지 · Run ID run\\|1"
    items[1] = make_item(3, executed_at="2026-03-02 00:30", **run)
    assert "2026-03-01 09:00부터 2026-03-02 00:30까지" in report_of(make_result(*items))
    assert report_of(make_result(make_item(run_id=""))).split("\n")[2].startswith("> ")


def test_points_of_all_items_beside_a_mean_of_rounds_say_what_the_mean_over_items_is() -> None:
    rounds = ("1/1", "1/1", "1/1", "1/2")
    items = [make_item(row, round=name, intent=5.0 if row < 5 else 1.0) for row, name in enumerate(rounds, start=2)]
    text = texts("ko")("box.means", figures="의도 충족 4.00")  # (5 + 5 + 5 + 1) / 4; each took 4.2 s
    report = report_md(make_result(*items))
    assert "| 의도 충족 | 3.00 " in report  # (5 + 1) / 2
    assert "| 4 / 20 |" in report
    assert text in report
    even = report_md(make_result(*items[2:]))
    assert texts("ko")("box.means", figures="")[:20] not in even


def test_seconds_and_named_scores_say_their_mean_over_items_by_the_decimals_that_are_shown() -> None:
    rubric = make_rubric(
        measures=(Measure(name="score.tone", title="Tone", column="t", score=ScoreRule(lowest=0, highest=1)),)
    )
    values = (("1/1", 0.5, 2.0), ("1/1", 0.5, 4.0), ("1/1", 0.5, None), ("1/2", 0.504, 6.0))
    items = [
        make_item(row, round=label, seconds=seconds, details=ItemDetails(measures=(tone,)))
        for row, (label, tone, seconds) in enumerate(values, start=2)
    ]
    # (2 + 4 + 6) / 3 where the rounds have 3 and 6; (0.5 * 3 + 0.504) / 4 where they have 0.5 and 0.504
    text = texts("en")("box.means", figures="Response time (s) 4.000, Tone 0.501")
    assert text in report_md(make_result(*items, rubric=rubric), language="en")


def test_times_are_shown_where_no_metric_gives_points_for_them() -> None:
    items = [make_item(row, query_id=f"Q{row}", seconds=seconds) for row, seconds in ((2, 1.5), (3, 4.5), (4, None))]
    rubric = make_rubric(metrics=(MetricInfo(name="intent", title=""),))
    report = report_md(make_result(*items, rubric=rubric))
    times = section(report, "### 2. 응답 시간(초)")
    assert "| 1회차 (1/1) | 2 | 3.000 | 3.000 | 4.350 | 4.500 | 1 |" in times
    assert "1회차 (4.500초)" in section(report, "### 가장 느린 문항")
    without = report_md(make_result(make_item(2, query_id="Q2", seconds=None), rubric=rubric))
    assert "응답 시간(초)" not in without


def test_columns_without_a_part_in_the_scores_are_named() -> None:
    items = [make_item(row, query_id=f"Q{row}", extra=("1.2", "hr")) for row in (2, 3)]
    report = report_md(make_result(*items, extra_columns=("latency_s", "team|x")))
    assert "- 점수에 쓰지 않은 열: latency_s, team\\|x" in report
    assert "점수에 쓰지 않은 열" not in report_md(make_result(*items))


def test_categories_without_a_score_are_said_to_have_answers_alone() -> None:
    items = [make_item(row, query_id=f"Q{row}", intent=row % 2 * 5.0, category="ab"[row % 2]) for row in range(2, 8)]
    assert "응답 실패가 없고 점수가 전체 평균 이상인 카테고리 1개: b" in report_md(make_result(*items))
    failed = make_item(9, query_id="Q9", status=Status.ERROR, category="a")
    rubric = make_rubric(metrics=(MetricInfo(name="stability", title=""),))
    ungraded = report_md(make_result(*items, failed, rubric=rubric))
    assert "응답 실패가 없는 카테고리 1개: b" in ungraded


def test_points_of_a_score_of_which_less_is_better_are_lost_by_high_ones() -> None:
    rule = ScoreRule(lowest=0, highest=1)
    measures = tuple(
        Measure(name=f"score.{name}", title=name, column=name, score=rule, better=better)
        for name, better in (("bias", Better.LOWER), ("tone", Better.HIGHER))
    )
    items = [make_item(row, query_id=f"Q{row}", details=ItemDetails(measures=(0.75, 0.25))) for row in (2, 3)]
    report = report_md(make_result(*items, rubric=make_rubric(measures=measures)))
    assert re.search(r"^\| bias .* 높은 점수\(낮을수록 좋음\) 1\.50점", report, re.MULTILINE)
    assert re.search(r"^\| tone .* 낮은 점수 1\.50점", report, re.MULTILINE)
