"""What docs/python.md says of the CSV files runs: pandas and duckdb read them as they are."""

import re
import shutil
from pathlib import Path

import pytest

from scorewatch import score
from tests.paths import ROOT

PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")
SAMPLE = ROOT / "docs/test-result/resume_agent_sample.csv"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    score(SAMPLE, out="docs/reports", language="en")
    return tmp_path


def _block(language: str, start: str) -> str:
    found = re.findall(rf"^```{language}\n({re.escape(start)}.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert len(found) == 1
    return str(found[0])


@pytest.mark.usefixtures("folder")
def test_duckdb_reads_the_items_as_the_page_says() -> None:
    import duckdb  # late: every process of the tests imports this module

    found = duckdb.sql(_block("sql", "SELECT track"))
    assert found is not None
    assert found.fetchall() == [(1, 4.87, 159), (2, 4.08, 12), (3, 3.35, 75), (None, 5.0, 1)]


@pytest.mark.usefixtures("folder")
def test_pandas_reads_the_items_as_the_page_says() -> None:
    import pandas as pd

    rows = eval(_block("python", "pandas.read_csv"), {"pandas": pd})  # noqa: S307 -- our own page
    assert (len(rows), set(rows["passed"])) == (16, {False})


def test_the_first_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("20260302", "20260309"):
        shutil.copy(SAMPLE, tmp_path / f"resume_agent_{name}.csv")
    names: dict[str, object] = {}
    exec(_block("python", "from scorewatch"), names)  # noqa: S102 -- our own page
    assert repr(names["report"]) == "<Report resume_agent_20260302: 247 items, resume-agent>"
    frame = names["report"].items.to_pandas()  # type: ignore[attr-defined]
    assert frame.groupby("track")["intent"].mean().round(2).to_dict() == {1: 4.87, 2: 4.08, 3: 3.35}
