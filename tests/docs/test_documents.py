"""What is made from texts and code is in the pages as `make docs` writes it, and every code and limit is among it."""

import re
from pathlib import Path

import pytest

from bench.documents import DOCS, PAGES, PARTS, setting_rows, written
from cli.main import EXIT_BROKEN_PIPE
from config import Settings
from scoring import Problem, Severity, group_problems
from tests.inner import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_PROBLEMS,
    EXIT_TERMINATED,
    EXIT_UNDECIDABLE,
    EXIT_USAGE,
    SEVERITIES,
)
from tests.paths import ROOT
from tests.reporting.results import make_result
from texts import codes

# Modules that read what comes from outside; a limit of theirs is on the page.
READERS = (
    "scoring.checks.comparing",
    "scoring.json_values",
    "scoring.reading.columns",
    "scoring.reading.packed",
    "scoring.reading.readers",
    "scoring.reading.record_shapes",
    "scoring.reading.records",
    "scoring.reading.sheet_extent",
    "scoring.reading.spreadsheet",
    "scoring.rubric.document.front_matter",
    "scoring.rubric.document.read",
    "workers.jobs.inputs",
    "workers.judge.client",
)


@pytest.mark.parametrize("name", PAGES)
def test_parts_of_a_page_are_as_they_are_made(name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    assert page == written(name, page), "make docs"


def test_every_part_is_on_a_page_and_every_code_has_one_heading() -> None:
    pages = "".join((DOCS / name).read_text(encoding="utf-8") for name in PAGES)
    assert set(re.findall(r"<!-- ([\w ]+): made", pages)) == set(PARTS)
    headings = re.findall(r"(?m)^### (.+)$", (DOCS / "errors.md").read_text(encoding="utf-8"))
    assert sorted(headings) == sorted(codes())


@pytest.mark.parametrize("name", ["errors.md", "errors.ko.md"])
def test_every_exit_code_is_in_the_one_table(name: str) -> None:
    table = re.findall(r"(?m)^\| ([0-9]+(?:, [0-9]+)*) \|", (DOCS / name).read_text(encoding="utf-8"))
    codes = (0, EXIT_PROBLEMS, EXIT_USAGE, EXIT_FAILED, EXIT_UNDECIDABLE)
    ends = (EXIT_INTERRUPTED, EXIT_TERMINATED, EXIT_BROKEN_PIPE)
    assert ", ".join(table) == ", ".join(map(str, (*codes, *ends)))


def test_exit_codes_have_no_second_table() -> None:
    pages = {path.name for path in (*ROOT.glob("*.md"), *DOCS.glob("*.md")) if _has_exit_codes(path)}
    assert pages == {"errors.md", "errors.ko.md"}


def _has_exit_codes(path: Path) -> bool:
    return re.search(r"(?m)^\| (?:exit code|종료 코드) \|", path.read_text(encoding="utf-8")) is not None


def test_exit_code_of_the_table_is_that_of_a_result() -> None:
    for code, severity in SEVERITIES.items():
        result = make_result(findings=group_problems([Problem(code=code)]))
        assert result.has_errors == (severity is Severity.ERROR), code


def test_rows_describe_every_setting() -> None:
    rows = {row.name: row for row in setting_rows()}
    assert list(rows) == list(Settings.model_fields)
    assert rows["watch"] == ("watch", "SCOREWATCH_WATCH", "docs/test-result", "지켜보는 폴더")
    assert rows["settle_seconds"].default == "1"
    assert rows["judge_timeout_seconds"].default == "60"
    assert rows["strict_fsync"].default == "false"
    assert rows["ignore"].default == rows["broker_url"].default == ""
    assert all(row.meaning for row in rows.values())


def test_every_code_at_the_end_of_a_message_about_settings_has_a_record() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "config").glob("*.py"))
    found = set(re.findall(r"\[([a-z]+(?:-[a-z]+)+)\]\"", sources))
    assert {"gate-rule", "wrong-setting"} <= found
    assert {code for code, known in codes().items() if known.severity == "stop"} == found


@pytest.mark.parametrize("module", READERS)
def test_no_limit_of_a_reader_is_missing(module: str) -> None:
    path = ROOT / f"{module.replace('.', '/')}.py"
    limits = re.findall(r"^((?:MAX|MOST)_[A-Z_]+|[A-Z]+_LIMIT) = ", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert limits
    page = (DOCS / "limits.md").read_text(encoding="utf-8")
    assert [limit for limit in limits if f"| `{module}.{limit}` |" not in page] == []
