"""No command replaces an input, a document, the settings or a file of a report by what it writes: exit code 2."""

import os
from pathlib import Path

import pytest

from reporting.store import is_of_reports
from tests.cli.place import AsMade, Place, rows
from tests.cli.test_gate import FINE, SET, _rules
from tests.paths import ROOT

INPUT = f"in/{SET}.csv"
REPORT = f"docs/reports/{SET}"
WHATS = {
    "in/resume_agent_a.csv": "입력 파일",
    "rubrics/resume-agent.md": "평가 기준 문서",
    "rubrics/new.md": "평가 기준 문서",
    "scorewatch.toml": "설정이나 규칙 파일",
    ".env": "설정이나 규칙 파일",
    "rules.toml": "설정이나 규칙 파일",
    "in/link.xml": "입력 파일",
    f"{REPORT}/report.json": "보고서의 파일",
    f"{REPORT}/status.json": "보고서의 파일",
    f"{REPORT}/history/1-abc/report.md": "보고서의 파일",
    f"{REPORT}/Report.HTML": "보고서의 파일",
    "docs/reports/index.html": "보고서의 파일",
    "docs/reports/.scorewatch/parts/x": "보고서의 파일",
    "docs/reports/new_set/items.csv": "보고서의 파일",
    "elsewhere/resume_agent_a/report.json": "보고서의 파일",
}


@pytest.fixture
def filled(place: Place, as_made: AsMade, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A folder with everything that may not be replaced."""
    monkeypatch.setenv("SCOREWATCH_RUBRICS", "rubrics")
    return as_made(place, _fill)


def _fill(place: Place) -> None:
    place.file(INPUT, rows("Q1", "Q2"))
    place.file("rubrics/resume-agent.md", (ROOT / "config/rubrics/resume-agent.md").read_text(encoding="utf-8"))
    _rules(place, FINE)
    place.file(".env", "SCOREWATCH_LANGUAGE=ko\n")
    _rules(place, FINE, name="rules.toml")
    for folder in ("docs/reports", "elsewhere"):
        assert place.score("in", "--out", folder).code == 0
    (place.root / "in/link.xml").symlink_to(f"{SET}.csv")


def contents(place: Place) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(place.root.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("option", ["--junit", "--summary"])
@pytest.mark.parametrize("target", WHATS)
def test_score_and_gate_refuse_to_replace_it(
    filled: Place, monkeypatch: pytest.MonkeyPatch, target: str, option: str
) -> None:
    monkeypatch.setattr("cli.score.rubrics.Rubrics.in_force", property(lambda _: ()), raising=False)
    before = contents(filled)
    rubric = ["--rubric", target] if target.startswith("rubrics/mine") else []
    ran = filled.score("in", "--gate", "--gate-file", "rules.toml", option, target, *rubric)
    assert (ran.code, contents(filled)) == (2, before)


def test_a_link_that_leads_to_an_input_is_the_input(filled: Place) -> None:
    os.link(filled.root / INPUT, filled.root / "same.xml")
    assert filled.score("in/resume_agent_a.csv", "--gate", "--junit", "same.xml").code == 2


def test_what_is_nothing_of_ours_is_written(filled: Place) -> None:
    for target in ("junit.xml", f"{REPORT}/junit.xml", "docs/reports/junit.xml", "in/junit.xml"):
        for _ in range(2):
            assert filled.score("in", "--gate", "--junit", target).code == 0
            assert filled.run("gate", SET, "--junit", target).code == 0
        assert (filled.root / target).read_bytes().startswith(b"<?xml")


def test_an_input_that_the_report_would_replace_is_refused(filled: Place) -> None:
    filled.file("mine/items.csv", rows("Q1"))
    before = contents(filled)
    ran = filled.score("mine/items.csv", "--rubric", "resume-agent", "--set", "mine", "--out", ".")
    assert (ran.code, contents(filled)) == (2, before)
    assert "mine/items.csv" in ran.err


def test_compare_refuses_to_replace_its_runs(filled: Place) -> None:
    filled.file("a/compare.json", "[]")
    before = contents(filled)
    assert filled.run("compare", "a/compare.json", SET, "--out", "a").code == 2
    assert contents(filled) == before


def test_a_new_document_never_replaces_a_page_of_a_report(filled: Place) -> None:
    before = contents(filled)
    ran = filled.run("rubric", "new", INPUT, "--out", f"{REPORT}/report.md", "--force", "--yes")
    assert (ran.code, contents(filled)) == (2, before)


def test_a_prompt_is_no_document(filled: Place) -> None:
    before = contents(filled)
    assert filled.run("prompt", "resume-agent", "--out", "rubrics").code == 2
    assert contents(filled) == before


def test_pages_of_a_set_are_told_by_their_names(tmp_path: Path) -> None:
    assert is_of_reports(tmp_path / "a/b/rounds/1/track-1.md", tmp_path)
    assert not is_of_reports(tmp_path / "a/notes.md", tmp_path)
    assert not is_of_reports(tmp_path / "report.md", tmp_path)
