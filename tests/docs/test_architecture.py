"""docs/architecture.md names code that is there, and stays short."""

import ast
import re
import sys
from html import unescape
from pathlib import Path
from types import FrameType

import pytest

from reporting import report_set
from reporting.store import Destination
from scoring.sets import SetId
from tests.paths import ROOT
from tests.reporting.results import make_item, make_part, make_rubric

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CODE = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in ("texts", "scoring", "reporting", "workers", "watcher", "cli", "config", "scorewatch")
    for path in sorted((ROOT / folder).rglob("*.py"))
)
WALKS = PAGE.partition("## Walks")[2].partition("\n## ")[0]
NAMES = sorted({name.rpartition(".")[2] for name in re.findall(r"`([A-Za-z_.]+)`", WALKS)} - {"score"})
PUBLISHING = ("reporting/report.py", "reporting/runs/publish.py")
MOST_LINES = 120
_PLACE = r"`((?:texts|scoring|reporting|workers|watcher|cli|config|scorewatch)/[a-z_/]*[a-z_](?:\.py)?/?)`"
PLACES = sorted(set(re.findall(_PLACE, PAGE)))


def test_functions_and_classes_of_the_walks_are_defined() -> None:
    defined = set(re.findall(r"^ *(?:def|class) (\w+)", CODE, flags=re.MULTILINE))
    assert len(NAMES) > 50
    assert sorted(set(NAMES) - defined) == []


def _code_lines(place: str) -> int:
    """Lines of the functions of a module, without docstrings, blank lines and comments."""
    text = (ROOT / place).read_text(encoding="utf-8")
    lines = text.splitlines()
    count = 0
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef):
            first = function.body[0].end_lineno if ast.get_docstring(function) else function.body[0].lineno - 1
            head = range(function.lineno, function.body[0].lineno)
            count += len(head) + sum(
                bool(line.strip()) and not line.strip().startswith("#") for line in lines[first : function.end_lineno]
            )
    return count


def test_a_result_becomes_files_in_few_lines() -> None:
    assert sum(map(_code_lines, PUBLISHING)) <= MOST_LINES


def test_a_result_becomes_files_as_the_walk_says(tmp_path: Path) -> None:
    walk = WALKS.partition("**A result becomes files**")[2].partition("What cannot be merged")[0]
    named = re.findall(r"`(_?[a-z]+_[a-z_]+|_[a-z]+)`", walk)
    entered: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            entered.append(frame.f_code.co_name)

    parts = [("s.csv", make_part(make_item()))]
    destination = Destination(out=tmp_path, language="en")
    report_set(parts, make_rubric(), destination, SetId("s", "k1"))
    sys.setprofile(note)
    try:
        report_set(parts, make_rubric(), destination, SetId("s", "k2"))
    finally:
        sys.setprofile(None)
    assert sorted(named, key=entered.index) == named


@pytest.mark.parametrize("place", PLACES)
def test_place_of_a_change_exists(place: str) -> None:
    assert (ROOT / place).exists()


def test_page_can_be_read_in_ten_minutes() -> None:
    assert len(PAGE.splitlines()) <= 160
    assert Path(ROOT / "docs" / "decisions").is_dir()


def test_picture_says_what_its_source_says() -> None:
    source = (ROOT / "docs" / "images" / "architecture.dot").read_text(encoding="utf-8")
    picture = unescape((ROOT / "docs" / "images" / "architecture.svg").read_text(encoding="utf-8"))
    drawn = re.findall(r"<text[^>]*>([^<]*)</text>", picture.replace("\u00a0", " ").replace("<set>", "‹set›"))
    labels = re.findall(r'label="([^"]*)"', source.replace("<set>", "‹set›"))
    assert sorted(drawn) == sorted(line for label in labels for line in label.split("\\n"))


@pytest.mark.parametrize(
    "place", sorted(set(re.findall(_PLACE, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))))
)
def test_place_named_to_contributors_exists(place: str) -> None:
    assert (ROOT / place).exists()
