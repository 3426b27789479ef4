"""report.md and its pages: accepted byte for byte, inert whatever the cells hold, every line filled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from config.rubrics_in_force import shipped_rubrics
from reporting.charts.scores import draw_charts
from reporting.pages.files import problem_pages
from reporting.pages.markdown import render_report
from reporting.pages.rounds import render_round_pages
from reporting.view.problem import build_problem_view
from reporting.view.report import build_view
from reporting.wording.catalogue import texts
from scoring.findings import FindingLog, group_problems
from scoring.items.part import Part
from scoring.items.score_file import score_file
from scoring.problems import MAX_LISTED_PROBLEMS, Problem
from scoring.results.merge import merge
from scoring.results.model import SetResult
from scoring.rubric.model import Rubric, Status
from tests.golden import assert_golden
from tests.paths import ROOT
from tests.reporting.results import make_item, make_part, make_result, make_rubric

CASES = ROOT / "tests" / "cases"
GOLDEN_CASES = (
    "excel_dates_en",
    "hostile_text",
    "llm_scores",
    "nfd",
    "one_round",
    "published_table",
    "ragged",
    "raw_json_faults",
    "ten_rounds",
    "track_spellings",
)
HEADINGS = [
    "# 지원자 관리 에이전트 스코어링 요약",
    "## 1) 산출 기준",
    "## 2) 지표별 점수",
    "### 1. 의도 충족",
    "### 2. 일관성",
    "### 3. 정확성",
    "### 4. 응답 속도",
    "#### 1/2회차/세트(초+점수)",
    "#### 점수 분포",
    "### 5. 안정성",
    "## 3) 정성 인사이트",
    "### 실패 질의 Top pattern",
    "### Track별 취약영역",
    "### 카테고리별 취약영역",
    "### 반복 재현 필요 질문",
    "### 한 번도 응답에 성공하지 못한 질의",
    "### 기준보다 느린 답변 (Track 3 60초 이상)",
    "### 응답 실패 문항",
    "## 4) 운영 체크리스트",
    "## 5) 데이터 품질",
    "## 6) 문항별 보기",
]
# Sections that only some sets have.
FURTHER_HEADINGS = {
    "#### 1회차/세트(초+점수)",
    "### 빠진 회차가 있는 질의",
    "### 가장 느린 답변",
    "### 실패를 알리는 답변",
    "### 살펴볼 것",
}
OWN_LINK = re.compile(
    r"(?:\.\./\.\./)?(?:items\.csv|queries\.csv|report\.json|report\.md)|report\.html|changes\.md|rounds/[\w%-]+/track-[\w%-]+\.md"
)
OWN_IMAGE = re.compile(r"charts/[\w%-]+\.svg")
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def _rubric() -> Rubric:
    return next(rubric for rubric in shipped_rubrics() if rubric.profile == "resume-agent")


@cache
def _part(case: str) -> tuple[str, Part]:
    (path,) = (CASES / case).glob("resume_agent_*")
    with path.open("rb") as stream:
        return path.name, score_file(stream, name=path.name, rubric=_rubric())


def _scored(*cases: str) -> SetResult:
    return merge([_part(case) for case in cases], _rubric())


def _written(result: SetResult, set_name: str = "resume_agent", language: str = "ko") -> dict[str, str]:
    t = texts(language)
    pages = dict(render_round_pages(result, set_name=set_name, t=t))
    view = build_view(result, set_name=set_name, t=t)
    return {"report.md": render_report(view, t, drawn=draw_charts(result, t)), **pages}


def _report(result: SetResult) -> str:
    return render_report(build_view(result, set_name="resume_agent", t=texts()), texts())


def _section(report: str, heading: str) -> str:
    """Text under a heading, up to the next heading of any level."""
    lines = report.split("\n")
    start = lines.index(heading) + 1
    end = next((n for n, line in enumerate(lines[start:], start) if line.startswith("#")), len(lines))
    return "\n".join(lines[start:end]).strip()


def _tokens(text: str) -> Iterator[Token]:
    for token in RENDERER.parse(text):
        yield token
        yield from token.children or ()


def _assert_inert(text: str) -> None:
    for token in _tokens(text):
        assert token.type not in {"html_inline", "html_block", "fence", "code_block"}, token
        if token.type == "image":
            assert OWN_IMAGE.fullmatch(str(token.attrs["src"])), token
        if token.type == "link_open":
            assert OWN_LINK.fullmatch(str(token.attrs["href"])), token
    for table in re.findall(r"(?m)(?:^\|.*\n)+", text):
        widths = {len(re.findall(r"(?<!\\)\|", line.replace("\\\\", ""))) for line in table.splitlines()}
        assert len(widths) == 1, table


@pytest.mark.parametrize("case", GOLDEN_CASES)
def test_report_is_as_accepted(case: str) -> None:
    written = _written(_scored(case))
    for text in written.values():
        _assert_inert(text)
    assert_golden(case, written)


def test_report_of_a_folder_names_the_refused_file() -> None:
    result = _scored("three_rounds", "truncated_upload", "ragged")
    written = _written(result, "회차/resume-agent")
    inputs = [(entry.name, entry.sha256) for entry in result.inputs if entry.refused]
    view = build_problem_view("회차/resume-agent", inputs, result.refusals, has_report=True, t=texts())
    written |= problem_pages(view, texts())
    assert "- 읽지 못해 뺀 파일: resume_agent_truncated_upload.csv" in written["report.md"]
    assert "칸이 14개여야" not in written["problem.md"]
    assert_golden("folder_set", written)


def test_problem_page_is_as_accepted() -> None:
    name, part = _part("truncated_upload")
    problems = [problem.at(name) for problem in part.problems]
    view = build_problem_view("truncated", [(name, part.sha256)], problems, t=texts())
    assert_golden("refused", dict(problem_pages(view, texts())))


def test_headings_follow_the_template() -> None:
    report = _report(_scored("published_table"))
    assert [line for line in report.split("\n") if line.startswith("#")] == HEADINGS


def test_headings_stay_with_other_numbers_of_rounds() -> None:
    assert "#### 1회차/세트(초+점수)" in _report(_scored("one_round"))
    assert "#### 1/2/3회차/세트(초+점수)" in _report(_scored("three_rounds"))
    assert "#### 1–11회차/세트(초+점수)" in _report(_scored("ten_rounds"))


def test_published_table_shows_its_figures() -> None:
    report = _report(_scored("published_table"))
    assert "> **164문항 · 응답 성공 150/164 = 91.5% (83.9–95.7%), 응답 실패: 오류 14**" in report
    assert "- 가장 약한 Track: Track 3, 의도 충족 3.39 (2.53–4.07). 일관성·정확성·안정성도 가장 낮음" in report
    intent = _section(report, "### 1. 의도 충족")
    assert "| 질의 수 | 82 | 55 | 4 (적음) | 23 |\n| 1회차 (1/1) | 4.44 (" in intent
    assert (
        "| 세트 | 4.50 (4.11–4.73) n=164 | 4.98 (4.64–5.00) n=110 | 4.25 (2.09–4.89) n=8 | 3.39 (2.53–4.07) n=46 |"
    ) in intent
    pairs = _section(report, "### 2. 일관성")
    assert "| Track 2 | 4 (적음) | 4 | 3 | 0 | 1 | 3.75 (1.50–4.77) |" in pairs
    assert "| 전체 | 82 | 82 | 71 | 3 | 8 | 4.51 (4.10–4.75) |" in pairs
    assert "| 1회차 (1/1) | 4.51 (4.10–4.75) |" in _section(report, "### 5. 안정성")
    speed = _section(report, "#### 1/2회차/세트(초+점수)").split("\n")
    assert speed[0] == (
        "| 구분 | Track 1(초) | Track 1(점수) | Track 2(초) | Track 2(점수) | Track 3(초) | Track 3(점수) |"
    )
    assert speed[1] == "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    assert speed[2] == (
        "| 1회차 (1/1) | 13.238 | 1.87 (1.29–2.53) | 21.500 | 0.00 (0.00–2.45) | 28.478 | 3.57 (2.54–4.28) |"
    )


def test_the_lowest_track_is_the_weakest_only_where_it_can_be_told() -> None:
    report = _report(_scored("published_table"))
    lowest = (
        "Track 2: 가장 낮지만 구분되지 않음 (질의 4개)"  # 0.00 of four queries: up to 2.45, the others from 1.85 on
    )
    assert "| 의도 충족 | 4.50 (4.11–4.73) | 질의 82개, 164문항 | Track 3, 3.39 |" in report
    assert f"| 응답 속도 | 2.29 (1.80–2.79) | 질의 82개, 164문항 | {lowest}, 0.00 |" in report
    weak = _section(report, "### Track별 취약영역")
    assert f"| 응답 속도 | {lowest} | 0.00 (0.00–2.45) | 8 |" in weak
    assert "| 의도 충족 | Track 3 | 3.39 (2.53–4.07) | 46 |" in weak


def test_an_interval_is_explained_below_the_first_table() -> None:
    sentences = {"ko": "질의가 10개보다 적으면", "en": "if other questions of the same kind had been asked"}
    for language, sentence in sentences.items():
        t = texts(language)
        report = render_report(build_view(make_result(), set_name="s", t=t), t)
        assert report.index("|") < report.index(sentence) < report.index("## 1)")


def test_one_round_says_why_consistency_has_no_score() -> None:
    text = _section(_report(_scored("one_round")), "### 2. 일관성")
    assert "회차가 하나뿐이라 비교할 수 없어 점수가 없습니다(—)." in text
    assert "한 하위 폴더에 함께 넣으면" in text
    assert "|" not in text  # a table of zeros says no more


def test_rounds_without_common_queries_say_so() -> None:
    result = make_result(make_item(2, query_id="A"), make_item(3, query_id="B", round="2/1"))
    assert "함께 있는 Query ID가 없어 점수가 없습니다(—)" in _section(_report(result), "### 2. 일관성")


def test_only_sections_of_the_template_stay_when_they_are_empty() -> None:
    report = _report(make_result(make_item(2)))
    assert _section(report, "### 실패 질의 Top pattern") == "없음"
    assert _section(report, "### 반복 재현 필요 질문") == "- 두 번 이상 실행한 질의가 없어 반복을 볼 것이 없습니다."
    assert _section(report, "### Track별 취약영역") == "Track이 하나이거나 Track끼리 차이가 없습니다."
    assert len(re.findall("(?m)^없음$", report)) == 1
    headings = set(re.findall("(?m)^#+ .*$", report))
    assert headings == {*HEADINGS, *FURTHER_HEADINGS} - {
        "#### 1/2회차/세트(초+점수)", "### 카테고리별 취약영역", "### 한 번도 응답에 성공하지 못한 질의",
        "### 빠진 회차가 있는 질의",
        "### 기준보다 느린 답변 (Track 3 60초 이상)", "### 실패를 알리는 답변", "### 응답 실패 문항", "### 살펴볼 것",
    }  # fmt: skip
    assert "Excel 날짜" not in report
    assert "> - 살펴볼 것: 없음" in report
    assert "> - 점수를 잃은 곳: — (잃은 점수 없음)" in report
    assert "\n\n\n" not in report


def test_a_single_round_has_no_row_of_the_set() -> None:
    report = _report(_scored("one_round"))
    assert not re.search(r"(?m)^\| 세트 (전체 )?\|", report)
    assert "| 구간 | 20초 초과, 시간 없음 |" in _section(report, "#### 점수 분포")
    for heading in ("### 1. 의도 충족", "#### 1회차/세트(초+점수)", "#### 점수 분포", "### 5. 안정성"):
        assert "| 1회차 (1/1) |" in _section(report, heading), heading


def test_accuracy_that_copies_intent_is_one_line() -> None:
    text = _section(_report(_scored("published_table")), "### 3. 정확성")
    assert text == (
        "지금은 의도 충족 점수를 그대로 씁니다(임시 산정). 1회차=4.44, 2회차=4.56, 세트=4.50, "
        "Track 1=4.98, Track 2=4.25, Track 3=3.39"
    )


def test_seconds_say_their_rule_and_have_a_row_per_round_and_per_track() -> None:
    text = _section(_report(_scored("published_table")), "#### 1/2회차/세트(초+점수)")
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
    report = _report(make_result(*items))
    assert _section(report, "### 응답 실패 문항").split("\n")[2:] == [
        "| A | 1회차 timeout (90.000초) · 2회차 Raw JSON을 읽을 수 없음: 중간에서 잘림 |",
        "| C | 1회차 빈 응답 (3.000초) |",
    ]
    slow = _section(report, "### 기준보다 느린 답변 (Track 3 60초 이상)")
    assert slow.startswith("3건 가운데 응답에 실패한 1건은 ‘응답 실패 문항’에 걸린 시간과 함께 있습니다.\n\n")
    assert slow.split("\n")[4:] == ["| B | Track 3 | 지원자 수 알려줘 | 2회차 (80.000초) · 1회차 (70.000초) |"]
    assert "가장 느린 답변" not in report


def test_a_question_is_not_repeated_where_the_list_above_has_all_of_them() -> None:
    failed = {"status": Status.ERROR, "intent": 0.0, "accuracy": 0.0, "stability": 0.0, "error": "x"}
    items = [make_item(2, query_id="A"), make_item(3, query_id="A", round="2/1", **failed)]
    text = _section(_report(make_result(*items)), "### 응답 실패 문항")
    assert text.split("\n") == [
        "| Query ID | 오류 |", "| --- | --- |", "| A | 2회차 x (4.200초) |",
    ]  # fmt: skip


def test_answers_that_admit_failure_alike_are_one_row() -> None:
    items = [
        make_item(2, failure_word="제한", message="토큰 제한 4000"),
        make_item(3, failure_word="실패", message="실패했습니다"),
        make_item(4, failure_word="제한", message="토큰 제한 8000", round="2/1"),
    ]
    text = _section(_report(make_result(*items)), "### 실패를 알리는 답변")
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
    (row,) = _section(_report(make_result(*items)), "### 실패 질의 Top pattern").split("\n")[2:]
    assert row.strip("| ").split(" | ") == [
        "16", "8", "오류", "code ‹숫자›", "2 (3), 3 (3), 0 (2), 1 (2), 4 (2) 외 2개", "Track 1 (8), Track 2 (8)",
        "Q-1, Q-2, Q-3, Q-4, Q-5",
    ]  # fmt: skip


def test_unassigned_and_unnamed_tracks_have_columns() -> None:
    result = make_result(make_item(2, track=7), make_item(3, track=None))
    report = _report(result)
    assert "- Track 분포: Track 1=0, Track 2=0, Track 3=0, Track 7=1, 미지정=1" in report
    assert "| 구분 | 전체 | Track 1 | Track 2 | Track 3 | Track 7 | 미지정 |" in report
    assert "Track1+2 분포 (단일, 그 밖의 Track과 미지정 포함)" in report
    assert "- [ ] Track 1/2/3 분포가 의도대로 매칭되었는지:" in report


def test_many_tracks_are_bounded() -> None:
    result = make_result(*[make_item(row, track=row) for row in range(1, 40)])
    report = _report(result)
    assert "- 표에 넣지 않은 Track: 28개" in report
    assert len(list(render_round_pages(result, set_name="x", t=texts()))) == 11


def test_lists_are_bounded_and_say_how_many_are_left_out() -> None:
    failed = [
        make_item(row, status=Status.ERROR, intent=0.0, accuracy=0.0, stability=0.0, error="오류 없음")
        for row in range(2, 252)
    ]
    report = _report(make_result(*failed))
    text = _section(report, "### 응답 실패 문항")
    assert text.count("\n| Q-") == 200
    assert text.endswith("50개는 여기에서 생략했습니다. 모든 문항은 [items.csv](items.csv)에 있습니다.")
    assert "생략" not in _report(make_result(*failed[:200]))


def test_pages_take_failed_items_first() -> None:
    items = [make_item(row) for row in range(2, 302)]
    items += [make_item(row, status=Status.EMPTY, why="nothing", message="", response="") for row in range(302, 312)]
    ((path, text),) = render_round_pages(make_result(*items), set_name="x", t=texts())
    assert path == "rounds/1-1/track-1.md"
    rows = re.findall(r"(?m)^\| (Q-\d+) ", text)
    assert rows == [f"Q-{row}" for row in [*range(2, 192), *range(302, 312)]]
    assert "110문항은 여기에서 생략했습니다." in text
    assert "| Q-302 | 지원자 수 알려줘 | 빈 응답 (메시지와 UI 없음) | 5.00 |" in text


def test_page_shows_llm_verdict_reason_and_error() -> None:
    item = make_item(
        2, status=Status.ERROR, why="payload:excel-cut", llm_status="FAIL", recorded="1", seconds=None, message=""
    )
    ((_, text),) = render_round_pages(make_result(item), set_name="x", t=texts())
    assert "오류 (Raw JSON을 읽을 수 없음: Excel 셀 한도(32,767자)에서 잘림)" in text
    assert "| — | FAIL 1 | 19,164명입니다. |" in text


def test_checklist_answers_from_the_data() -> None:
    items = [
        make_item(2, query_id="A", track=1),
        make_item(3, query_id="B", track=2),
        make_item(4, query_id="C", track=3, seconds=60.0, latency=1.0),
    ]
    report = _report(make_result(*items, counts={"payload:truncated": 1, "recorded-zero-on-pass": 1}))
    lines = _section(report, "## 4) 운영 체크리스트").split("\n")[2:]
    assert [line[:5] for line in lines] == ["- [x]", "- [ ]", "- [ ]", "- [ ]", "- [ ]"]
    assert lines[1].endswith("읽지 못한 Raw JSON 1건 (전체 3문항 대비 33.3%)")
    assert lines[2].endswith("상태로 산정 3문항 (빈 칸 3). 상태와 어긋나는 LLM 점수 1건")
    assert lines[3].endswith("비교한 쌍 0 (모두 있으면 0). 회차가 하나라 비교하지 못함")
    assert lines[4].endswith("1건 / 1문항 (1회차 1건)")


def test_quality_shows_the_row_sum_and_restored_dates() -> None:
    part = make_part(
        make_item(2), rows=4, blank_rows=1, unusable_rows=2, counts={"restored-date": 1}, restored_rounds=("1/1", "1/2")
    )
    rubric = make_rubric()
    report = _report(merge([("a.csv", part), ("b.csv", part)], rubric))
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
    assert ("date_order" in _report(result)) is is_noted


def test_findings_are_listed_with_notes_last_and_fewer_places() -> None:
    log = FindingLog()
    for row in range(2, 122):
        log.add(Problem(code="recorded-not-a-number", row=row, column="LLM 점수", found="우수"))
        log.add(Problem(code="no-round", row=row, column="방/반복"))
    report = _report(make_result(make_item(2), findings=log.findings()))
    assert "> - 살펴볼 것: (오류) 방/반복이 없어 뺀 행 120개, 숫자가 아닌 LLM 점수 120칸\n" in report
    lines = _section(report, "### 살펴볼 것").split("\n")
    notes = next(at for at, line in enumerate(lines) if "LLM 점수 120칸이 숫자가 아니라" in line)
    assert lines[0].startswith("- **오류** 방/반복이 빈 120행을 뺐습니다.")
    assert lines[1] == "   - 방/반복 2행"
    assert (notes, lines[notes - 1]) == (102, "   - 외 20건")
    assert lines[notes + 1 :] == [
        *(f"   - LLM 점수 {row}행 '우수'" for row in range(2, 7)),
        "   - 외 115건",
    ]


def test_a_finding_of_few_places_is_one_line_and_counts_are_not_repeated() -> None:
    log = FindingLog()
    log.add(Problem(code="json-in-json", row=3, column="Raw JSON"))
    log.add(Problem(code="checklist-unticked", values={"item": "pairs"}))
    counts = {"double-encoded": 1, "ui-object": 2, "payload:truncated": 3, "payload:excel-cut": 1}
    quality = _section(_report(make_result(make_item(2), findings=log.findings(), counts=counts)), "## 5) 데이터 품질")
    assert quality.split("\n")[-2:] == [
        "- 읽지 못한 Raw JSON: Excel 셀 한도(32,767자)에서 잘림 1, 중간에서 잘림 3",
        "- 그 밖의 항목: dataUIList가 목록이 아니라 객체인 행 2",
    ]
    found = _section(_report(make_result(make_item(2), findings=log.findings(), counts=counts)), "### 살펴볼 것")
    assert re.findall(r"\\\[([a-z-]+)\\\]", found) == ["json-in-json"]
    assert "첫 자리: Raw JSON 3행." in found


def test_places_name_their_file_in_a_set_of_several() -> None:
    log = FindingLog()
    log.add(Problem(code="json-in-json", row=3, column="Raw JSON"))
    parts = [
        ("a.csv", make_part(make_item(2), findings=log.findings())),
        ("b.csv", make_part(make_item(3), sha256="f" * 64)),
    ]
    assert "첫 자리: a.csv Raw JSON 3행." in _section(_report(merge(parts, make_rubric())), "### 살펴볼 것")


def test_set_without_findings_says_so_in_one_line() -> None:
    report = _report(make_result(make_item(2)))
    assert "> - 살펴볼 것: 없음. 점검에서 걸린 행이나 값이 없습니다\n" in report


def test_problem_page_lists_what_where_and_how() -> None:
    problems = [
        Problem(code="cell-count", source="a.csv", row=3, values={"expected": "14", "found": "3"}),
        Problem(code="open-quote", source="<b>a|.csv", row=4, line=7),
    ]
    inputs = [("<b>a|.csv", "0" * 64)]
    problems += problems[:1] * (MAX_LISTED_PROBLEMS + 1)
    view = build_problem_view("<i>set</i>", inputs, problems, t=texts())
    text = dict(problem_pages(view, texts()))["problem.md"]
    _assert_inert(text)
    assert text.startswith("# 읽지 못한 파일: &lt;i&gt;set&lt;/i&gt;\n")
    assert "1. &lt;b&gt;a\\|.csv 4행 (7번째 줄): " in text
    assert "2. a.csv 3행: 칸이 14개여야 하는데 3개입니다." in text
    assert "외 3건이 더 있습니다." in text


HOSTILE = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "<img src=x onerror=alert(1)>",
            "| a | b |\n| - | - |",
            "[x](javascript:alert(1))",
            "{{ 7*7 }}",
            "\n# 제목\n\n```\ncode",
            "http://example.invalid @team #1",
            "\u202e\x1b[31m\x00",
            "a\\",
        ]
    ),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_text_of_a_file_becomes_markup(data: st.DataObject) -> None:
    texts = {
        name: data.draw(HOSTILE, label=name)
        for name in (
            "run_id", "query_id", "round", "category", "question", "response", "message", "error", "why", "recorded",
            "llm_status", "llm_model", "executed_at", "failure_word",
        )
    }  # fmt: skip
    texts["query_id"] = texts["query_id"] or "q"
    texts["round"] = texts["round"] or "r"
    name = data.draw(HOSTILE, label="name") or "a.csv"
    result = make_result(
        make_item(2, status=Status.ERROR, seconds=99.0, track=3, **texts),
        make_item(3, **{**texts, "round": "2/1"}),
        name=name,
        findings=group_problems([Problem(code="cell-count", row=2, column=texts["why"], found=texts["question"])]),
    )
    written = _written(result, set_name=name)
    for text in written.values():
        _assert_inert(text)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    headings = [line for line in written["report.md"].split("\n") if line.startswith("#")]
    assert len(headings) == len(set(headings))
    assert set(headings) <= {*HEADINGS, *FURTHER_HEADINGS}
