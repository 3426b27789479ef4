"""docs/limits.md: every limit has the value of the code, and no limit of a reader is missing."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from config.settings import setting_rows
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([\w.]+)` \| ([\d.]+)(?: ([GM]iB))? \| .+ \| .+ \|$", PAGE, flags=re.MULTILINE)
UNITS = {"": 1, "MiB": 1 << 20, "GiB": 1 << 30}
# Modules that read what comes from outside; a limit of theirs is on the page.
READERS = (
    "scoring.checks.budget",
    "scoring.json_path",
    "scoring.reading.columns",
    "scoring.reading.open_table",
    "scoring.reading.records.document",
    "scoring.reading.records.table",
    "scoring.reading.shared_texts",
    "scoring.reading.sheets.spreadsheet",
    "scoring.rubric.document.front_matter",
    "scoring.rubric.document.read",
    "workers.jobs.asks",
    "workers.judge.transport",
)


@pytest.mark.parametrize(("name", "value", "unit"), ROWS, ids=[name for name, _, _ in ROWS])
def test_value_is_that_of_the_code(name: str, value: str, unit: str) -> None:
    if name.startswith("SCOREWATCH_"):
        assert value == next(row.default for row in setting_rows() if row.variable == name)
        return
    module, _, constant = name.rpartition(".")
    assert getattr(import_module(module), constant) == float(value) * UNITS[unit]


def test_every_row_is_read() -> None:
    assert len(ROWS) == len(re.findall(r"^\| `[\w.]+` \|", PAGE, flags=re.MULTILINE))
    assert len(ROWS) > 30


@pytest.mark.parametrize("module", READERS)
def test_no_limit_of_a_reader_is_missing(module: str) -> None:
    path = ROOT / f"{module.replace('.', '/')}.py"
    limits = re.findall(r"^((?:MAX|MOST)_[A-Z_]+|[A-Z]+_LIMIT) = ", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert limits
    assert {f"{module}.{limit}" for limit in limits} <= {name for name, _, _ in ROWS}
