"""Reports of the profiles beside `resume-agent`: accepted byte for byte, from the same view and template."""

import re

import pytest

from config import claiming, shipped_rubrics
from reporting.document.rounds import render_round_pages
from scoring.results import merge
from tests.golden import assert_golden
from tests.reporting.shown import report_md
from tests.scoring.case_folders import Case, find_cases
from tests.scoring.files import csv_text, score_bytes, score_shipped
from texts import texts

CASES = [case for prefix in ("h_recruit_", "plan_agent_", "url_agent_") for case in find_cases(prefix)]


def report_of(name: str) -> str:
    (case,) = (case for case in CASES if case.name == name)
    return report_md(score_shipped(case.path), case.path.stem)


@pytest.mark.usefixtures("items_in")
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_report_is_as_accepted(case: Case) -> None:
    result, name, t = score_shipped(case.path), case.path.stem, texts()
    pages = dict(render_round_pages(result, set_name=name, t=t))
    assert_golden(case.name, {"report.md": report_md(result, name), **pages})


def test_sections_are_the_metrics_of_the_profile() -> None:
    def headings(name: str) -> list[str]:
        return re.findall(r"(?m)^### \d\. (.+)$", report_of(name))

    assert headings("h_full") == [
        "의도 충족",
        "일관성",
        "정확성",
        "응답 속도(기본)",
        "응답 속도(다중 도구)",
        "안정성",
        "종합 점수",
    ]
    assert headings("plan_prose") == ["의도 충족", "일관성", "정확성", "응답 속도", "안정성"]
    assert headings("move_urls") == headings("plan_prose")


def test_total_is_written_out_or_says_which_part_is_missing() -> None:
    assert "3.46 = (20×3.63 + 10×5.00 + 30×3.50 + 20×2.19 + 20×3.75) ÷ 100\n" in report_of("h_full")
    assert "— (값이 없는 지표: 의도 충족)\n" in report_of("h_consistency")


def test_coverage_is_shown_where_it_is_not_full() -> None:
    report = report_of("h_consistency")
    assert "| 세트 | — n=0/8 | — n=0/8 |" in report
    assert re.search(r"\| 의도 충족 \| — \| 질의 0개, 0/8문항 \|", report)
    assert "n=8/8" not in report


def test_zero_by_rule_stands_apart_from_zero_by_failure() -> None:
    report = report_of("h_check_lookup")
    assert "| 구분 | 일부 통과 | 하나도 통과 못 함 | 평가 불가 |\n" in report.replace("모두 통과 | ", "")
    assert "0점에는 두 가지가 있습니다." in report
    assert "0점에는 두 가지가 있습니다." not in report_of("h_full")
    assert "한 번만 실행한 질의 6개는 반복을 비교할 수 없어 규칙에 따라 0점입니다." in report


def test_failed_checks_are_grouped_with_examples() -> None:
    report = report_of("h_accuracy")
    assert "| 2 | formType | 같음 | LINK | 값이 다르거나 없음 | A3, A4 |\n" in report
    assert "| 1 | formType | 같음 | (알 수 없음)" not in report
    assert "등호(=)가 없음 | T6 |" in report_of("h_check_lookup")


def test_differing_labels_and_signatures_stand_side_by_side() -> None:
    report = report_of("h_consistency")
    start = report.index("#### 회차마다 다른 질의")
    block = report[start : report.index("### 3.", start)]
    label, signature = (
        line for line in block.splitlines() if "| 라벨 | ADD | DELETE" in line or "EMPTY | 없음 | 50" in line
    )
    assert label.startswith("| B2 | Track 1 | 라벨 | ADD | DELETE | 없음 | 50.0% | 2.50 |")
    assert "| 시그니처 | formType=ACTION" in signature
    assert "B1" not in block  # the same items in another order


def test_profiles_without_tracks_speak_of_none() -> None:
    report = report_of("plan_prose")
    assert "미지정" not in report
    assert "Track 분포" not in report
    assert "1회차 (1/1): [4문항](rounds/1-1/track-unassigned.md)" in report


def test_checklist_counts_what_was_skipped_beyond_the_problems_that_are_listed() -> None:
    rubric = claiming("h_recruit_x.csv", shipped_rubrics())
    assert rubric is not None
    checks = '[{"path":"a","op":"like","value":1}]'
    rows = [[f"Q{n}", "1/1", '{"assistantMessage":"답"}', "WONDERFUL", checks] for n in range(1_000)]
    header = ("Query ID", "방/반복", "Raw JSON", "intent_verdict", "accuracyChecks")
    part = score_bytes(csv_text(rows, header=header).encode(), "h_recruit_x.csv", rubric)
    report = report_md(merge([("h_recruit_x.csv", part)], rubric))
    assert "루브릭에 없는 판정 1,000건" in report
    assert "읽지 못한 체크 1,000건" in report
    assert "- 루브릭에 없는 판정 1,000건은 쓰지 않고 다음 출처에서 찾았습니다." in report
