"""Reports of the cases as Markdown, for the tests of report.md."""

from functools import cache

from config import shipped_rubrics
from scoring.items import score_file
from scoring.items.spool import Part
from scoring.results import SetResult, merge
from scoring.rubric import Rubric
from tests.paths import ROOT
from tests.reporting.shown import report_md

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
    "### 기준보다 느린 문항 (Track 3 60초 이상)",
    "### 응답 실패 문항",
    "## 4) 운영 체크리스트",
    "## 5) 데이터 품질",
    "## 6) 문항별 보기",
]
# Sections that only some sets have.
FURTHER_HEADINGS = {
    "#### 1회차/세트(초+점수)",
    "### 빠진 회차가 있는 질의",
    "### 가장 느린 문항",
    "### 실패를 인정하는 답변",
    "### 살펴볼 것",
}

CASES = ROOT / "tests" / "cases"


def shipped_resume() -> Rubric:
    return next(rubric for rubric in shipped_rubrics() if rubric.profile == "resume-agent")


@cache
def part_of(case: str) -> tuple[str, Part]:
    (path,) = (CASES / case).glob("resume_agent_*")
    with path.open("rb") as stream:
        return path.name, score_file(stream, name=path.name, rubric=shipped_resume())


def scored(*cases: str) -> SetResult:
    return merge([part_of(case) for case in cases], shipped_resume())


def report_of(result: SetResult) -> str:
    return report_md(result, "resume_agent")


def section(report: str, heading: str) -> str:
    """Text under a heading, up to the next heading of any level."""
    lines = report.split("\n")
    start = lines.index(heading) + 1
    end = next((n for n, line in enumerate(lines[start:], start) if line.startswith("#")), len(lines))
    return "\n".join(lines[start:end]).strip()
