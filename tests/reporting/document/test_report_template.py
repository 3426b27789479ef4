"""report.md keeps the headings of the document's template in their order, and stays short."""

import re
from pathlib import Path

import pytest

from bench.sample import SAMPLE
from scoring.results import SetResult
from tests.paths import ROOT
from tests.reporting.results import make_item, make_result
from tests.reporting.shown import report_files
from tests.scoring.files import score_shipped

DOCUMENT = (ROOT / "tests/seeds/002.txt").read_text(encoding="utf-8")
TWO_ROUNDS = ROOT / "tests/samples/resume_agent_two_rounds.csv"
# Lines of the reports while they said things twice.
LINES_BEFORE = {SAMPLE: 441, TWO_ROUNDS.relative_to(ROOT): 351}


def _report(result: SetResult) -> str:
    return report_files(result)["report.md"]


def _template_headings() -> list[str]:
    """Headings of the template; its findings are a list, which has a heading each here."""
    (template,) = re.findall(
        r"^## 5\) 최종 리포트 템플릿\n+```markdown\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL
    )
    lines = template.split("\n")
    findings = lines.index("## 3) 정성 인사이트")
    named = [f"### {line.removeprefix('- ')}" for line in lines[findings + 1 :] if line.startswith("- ")]
    return [*(line for line in lines if line.startswith("#")), *named]


@pytest.mark.parametrize("rounds", [1, 2])
def test_headings_of_the_template_stay_in_their_order(rounds: int) -> None:
    wanted = [line.replace("1/2회차", "1회차") if rounds == 1 else line for line in _template_headings()]
    result = make_result(make_item(2)) if rounds == 1 else score_shipped(TWO_ROUNDS)
    headings = [line for line in _report(result).split("\n") if line.startswith("#")]
    assert len(wanted) == 14
    assert [line for line in headings if line in wanted] == wanted


@pytest.mark.parametrize("sample", LINES_BEFORE, ids=str)
def test_reports_are_at_least_a_quarter_shorter_than_they_were(sample: Path) -> None:
    report = _report(score_shipped(ROOT / sample))
    assert report.count("\n") <= LINES_BEFORE[sample] * 3 / 4


def test_the_report_of_the_sample_has_at_most_three_quarters_of_its_bytes() -> None:
    assert len(_report(score_shipped(ROOT / SAMPLE)).encode()) <= 33_293 * 3 / 4
