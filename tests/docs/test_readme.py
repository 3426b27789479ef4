"""Both READMEs say what the code does: commands, settings, make targets, and a report that is the real one."""

from __future__ import annotations

import csv
import io
import re

import pytest

from bench.make_csv import COLUMNS, SAMPLE
from cli.main import COMMANDS
from config.rubrics_in_force import shipped_rubrics
from config.settings import setting_rows
from reporting.pages.markdown import render_report
from reporting.view.report import build_view
from reporting.wording.catalogue import texts
from tests.paths import ROOT
from tests.scoring.files import score_shipped

NAMES = ("README.md", "README.ko.md")
MOST_LINES = 140  # beside the table of settings, which grows with them


@pytest.fixture(params=NAMES)
def readme(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return (ROOT / name).read_text(encoding="utf-8")


def _blocks(readme: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", readme, flags=re.MULTILINE | re.DOTALL)


def test_readme_is_short(readme: str) -> None:
    lines = [line for line in readme.splitlines() if not line.startswith("| `SCOREWATCH_")]
    assert len(lines) <= MOST_LINES


def test_every_command_is_described_and_no_other(readme: str) -> None:
    described = re.findall(r"^\| `scorewatch ([a-z]+)` \|", readme, flags=re.MULTILINE)
    assert described == list(COMMANDS)


def test_every_setting_stands_in_the_table_with_its_default(readme: str) -> None:
    table = re.findall(r"^\| `(SCOREWATCH_[A-Z_]+)` \| (\S+) \| .+ \|$", readme, flags=re.MULTILINE)
    assert table == [(row.variable, f"`{row.default}`" if row.default else "—") for row in setting_rows()]


@pytest.mark.parametrize(("name", "language"), [("README.ko.md", "ko"), ("README.md", "en")])
def test_table_says_what_the_code_says(name: str, language: str) -> None:
    readme = (ROOT / name).read_text(encoding="utf-8")
    assert [row.name for row in setting_rows(language) if f"| {row.meaning} |\n" not in readme] == []


def test_every_name_that_a_profile_claims_is_told(readme: str) -> None:
    told = re.findall(r"`([a-z_]+)\*` \(\[([a-z-]+)\]", readme)
    claimed = {
        (f"{pattern.partition('*')[0]}", rubric.profile) for rubric in shipped_rubrics() for pattern in rubric.files
    }
    assert sorted(told) == sorted(entry for entry in claimed if not entry[0].startswith("!"))


def test_every_make_target_named_is_there(readme: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = set(re.findall(r"(?:`|\$ )make ([a-z-]+)", readme))
    assert named <= targets
    assert {"run", "up", "test", "lint", "check", "lock", "bench", "sample", "golden-accept"} <= named


def test_every_link_leads_somewhere(readme: str) -> None:
    links = re.findall(r"\]\(([^)#]+)", readme)
    assert len(links) > 5
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_sample_rows_are_those_of_the_sample(readme: str) -> None:
    with (ROOT / SAMPLE).open(encoding="utf-8-sig", newline="") as stream:
        sample = list(csv.DictReader(stream))
    (block,) = _blocks(readme, "csv")
    header, *rows = csv.reader(io.StringIO(block, newline=""), strict=True)
    assert set(header) <= set(COLUMNS)
    assert len(rows) == 2
    for row in rows:
        shown = dict(zip(header, row, strict=True))
        (match,) = [one for one in sample if all(one[name] == shown[name] for name in ("Query ID", "방/반복"))]
        for name, cell in shown.items():
            assert match[name].startswith(cell.removesuffix("…")) if cell.endswith("…") else match[name] == cell


def test_report_shown_is_the_real_one(readme: str) -> None:
    report = render_report(build_view(score_shipped(ROOT / SAMPLE), set_name=SAMPLE.stem, t=texts()), texts())
    (shown,) = _blocks(readme, "markdown")
    assert report.startswith(shown)
    assert len(shown.splitlines()) > 10
