"""docs/limits.md and its Korean twin: every limit has the value of the code, and no limit of a reader is missing."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from config.settings import setting_rows
from tests.paths import ROOT

NAMES = ("limits.md", "limits.ko.md")
PAGES = {name: (ROOT / "docs" / name).read_text(encoding="utf-8") for name in NAMES}
ROW = re.compile(r"^\| `([\w.]+)` \| ([\d.]+)(?: ([GM]iB))? \| .+ \| .+ \|$", flags=re.MULTILINE)
ROWS = ROW.findall(PAGES["limits.md"])
CODE = re.compile(r"\(errors\.md#([a-z-]+)\)")
UNITS = {"": 1, "MiB": 1 << 20, "GiB": 1 << 30}
# Modules that read what comes from outside; a limit of theirs is on the page.
READERS = (
    "scoring.checks.comparing",
    "scoring.json_values",
    "scoring.reading.columns",
    "scoring.reading.open_table",
    "scoring.reading.records.layout",
    "scoring.reading.records.table",
    "scoring.reading.shared_texts",
    "scoring.reading.sheets.spreadsheet",
    "scoring.rubric.document.front_matter",
    "scoring.rubric.document.read",
    "workers.jobs.inputs",
    "workers.judge.client",
)


@pytest.mark.parametrize(("name", "value", "unit"), ROWS, ids=[name for name, _, _ in ROWS])
def test_value_is_that_of_the_code(name: str, value: str, unit: str) -> None:
    if name.startswith("SCOREWATCH_"):
        assert value == next(row.default for row in setting_rows() if row.variable == name)
        return
    module, _, constant = name.rpartition(".")
    assert getattr(import_module(module), constant) == float(value) * UNITS[unit]


@pytest.mark.parametrize("name", NAMES)
def test_every_row_is_read(name: str) -> None:
    rows = ROW.findall(PAGES[name])
    assert len(rows) == len(re.findall(r"^\| `[\w.]+` \|", PAGES[name], flags=re.MULTILINE))
    assert len(rows) > 30


def test_both_languages_have_the_same_limits_codes_and_sections() -> None:
    english, korean = (PAGES[name] for name in NAMES)
    assert ROW.findall(korean) == ROWS
    assert CODE.findall(korean) == CODE.findall(english)
    assert korean.count("\n## ") == english.count("\n## ")
    assert not re.search("[\uac00-\ud7a3]", english.replace("[한국어](limits.ko.md)", ""))


@pytest.mark.parametrize("module", READERS)
def test_no_limit_of_a_reader_is_missing(module: str) -> None:
    path = ROOT / f"{module.replace('.', '/')}.py"
    limits = re.findall(r"^((?:MAX|MOST)_[A-Z_]+|[A-Z]+_LIMIT) = ", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert limits
    assert {f"{module}.{limit}" for limit in limits} <= {name for name, _, _ in ROWS}
