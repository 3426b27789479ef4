"""Both READMEs say what the code does: commands, make targets, and a report that is the real one."""

import csv
import io
import re

import pytest

from bench.make_csv import COLUMNS
from bench.sample import SAMPLE
from cli.commands import COMMANDS
from config import shipped_rubrics
from tests.paths import ROOT
from tests.reporting.shown import report_md
from tests.scoring.files import score_shipped

NAMES = ("README.md", "README.ko.md")
MOST_LINES = 150
MOST_COMMANDS = 5  # of the quickstart
_ENGLISH = {  # the sample's titles by those of the document for English reports
    column.title: alias
    for rubric in shipped_rubrics("en")
    for column in rubric.columns
    for alias in column.aliases
    if alias in COLUMNS
}


@pytest.fixture(params=NAMES)
def readme(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return (ROOT / name).read_text(encoding="utf-8")


def _blocks(readme: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", readme, flags=re.MULTILINE | re.DOTALL)


def test_readme_is_short(readme: str) -> None:
    assert len(readme.splitlines()) <= MOST_LINES
    (quickstart,) = _blocks(readme, "console")
    assert 0 < len(quickstart.splitlines()) <= MOST_COMMANDS


def test_both_languages_have_the_same_sections_and_tables() -> None:
    english, korean = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.ko.md"))
    for pattern in (r"^(#+) ", r"^\| (`[^|]+`|[0-9, ]+) \|", r"`(?:make|scorewatch) [a-z-]+`"):
        assert re.findall(pattern, english, flags=re.MULTILINE) == re.findall(pattern, korean, flags=re.MULTILINE)


def test_every_command_is_described_and_no_other(readme: str) -> None:
    described = re.findall(r"^\| `scorewatch ([a-z]+)` \|", readme, flags=re.MULTILINE)
    assert described == list(COMMANDS)


def test_every_make_target_named_is_there(readme: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = set(re.findall(r"(?:`|\$ )make ([a-z-]+)", readme))
    assert named <= targets
    assert {"run", "up", "test", "lint", "check", "lock", "bench", "sample", "golden-accept"} <= named


def test_sample_rows_are_those_of_the_sample(readme: str) -> None:
    with (ROOT / SAMPLE).open(encoding="utf-8-sig", newline="") as stream:
        sample = list(csv.DictReader(stream))
    (block,) = _blocks(readme, "csv")
    titles, *rows = csv.reader(io.StringIO(block, newline=""), strict=True)
    header = [_ENGLISH.get(title, title) for title in titles]
    assert set(header) <= set(COLUMNS)
    assert len(rows) == 2
    for row in rows:
        shown = dict(zip(header, row, strict=True))
        (match,) = [one for one in sample if all(one[name] == shown[name] for name in ("Query ID", "방/반복"))]
        for name, cell in shown.items():
            assert match[name].startswith(cell.removesuffix("…")) if cell.endswith("…") else match[name] == cell


@pytest.mark.parametrize(("name", "language"), [("README.md", "en"), ("README.ko.md", "ko")])
def test_report_shown_is_the_real_one(name: str, language: str) -> None:
    report = report_md(score_shipped(ROOT / SAMPLE, language), SAMPLE.stem, language)
    (shown,) = _blocks((ROOT / name).read_text(encoding="utf-8"), "markdown")
    assert report.startswith(shown)
    assert len(shown.splitlines()) > 10


def test_security_and_limits_are_linked(readme: str) -> None:
    assert "](SECURITY.md)" in readme
    assert "](docs/limits.md)" in readme or "](docs/limits.ko.md)" in readme
