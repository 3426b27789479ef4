"""The door for programs changes only with a version that says so, and everything in it is told."""

import csv
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import scorewatch
from tests.paths import ROOT
from tests.scorewatch.surface import STORED, surface

PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")


ACCEPTED = json.loads(STORED.read_bytes())


def test_the_door_is_the_one_that_was_accepted() -> None:
    assert surface()["door"] == ACCEPTED["door"], "python -m tests.scorewatch.surface, and a version that says so"


@pytest.mark.parametrize("name", ["report.json", "compare.json"])
def test_no_field_goes(name: str) -> None:
    """Fields are added by others as they need them; one that goes or is renamed breaks what reads it."""
    now = surface()[name]
    assert isinstance(now, dict)
    gone = {kind: sorted({*fields} - {*now.get(kind, ())}) for kind, fields in ACCEPTED[name].items()}
    assert {kind: fields for kind, fields in gone.items() if fields} == {}


@pytest.mark.parametrize("name", ["items.csv", "queries.csv"])
def test_no_column_goes(name: str, tmp_path: Path) -> None:
    report = scorewatch.score(ROOT / "tests/earlier/in/resume_agent_260301.csv", out=tmp_path, language="en")
    with (report.folder / name).open(encoding="utf-8-sig", newline="") as stream:
        header = next(csv.reader(stream))
    assert [column for column in ACCEPTED[name] if column not in header] == []


@pytest.mark.parametrize("name", scorewatch.__all__)
def test_every_name_is_told_and_so_is_every_member(name: str) -> None:
    value = getattr(scorewatch, name)
    assert inspect.getdoc(value)
    assert f"`{name}`" in PAGE or f"`{name}(" in PAGE
    for member, found in vars(value).items() if inspect.isclass(value) and "scorewatch" in value.__module__ else ():
        if not member.startswith("_") and (callable(found) or isinstance(found, property)):
            assert inspect.getdoc(found), member


def test_every_member_of_a_report_is_on_the_page() -> None:
    for one in (scorewatch.Report, scorewatch.Comparison, scorewatch.Items, scorewatch.Gate):
        members = {name for base in one.__mro__ for name in vars(base) if "scorewatch" in base.__module__}
        left_out = {name for name in members if not name.startswith("_") and f"`{name}" not in PAGE}
        assert left_out <= {"remove_with_last_use", "set"}, one


def test_the_version_on_the_page_is_that_of_the_program() -> None:
    version = re.search(r'^version = "([^"]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert version is not None
    assert f"**{version[1]}**" in PAGE


def test_importing_the_door_costs_next_to_nothing() -> None:
    code = "import sys, scorewatch; print(sorted({name.partition('.')[0] for name in sys.modules}))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "scorewatch" in ran.stdout
    heavy = ("msgspec", "click", "pydantic", "pandas", "celery", "reporting", "cli", "texts")
    assert [name for name in heavy if f"'{name}'" in ran.stdout] == []


def test_a_type_checker_reads_the_door() -> None:
    assert (ROOT / "scorewatch/py.typed").exists()
    assert 'scorewatch = ["py.typed"]' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
