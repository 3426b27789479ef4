"""docs/architecture.md names code that is there, and stays short."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from tests.paths import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CODE = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in ("texts", "scoring", "reporting", "workers", "watcher", "cli", "config")
    for path in sorted((ROOT / folder).rglob("*.py"))
)
WALKS = PAGE.partition("## Three walks")[2].partition("\n## ")[0]
NAMES = sorted({name.rpartition(".")[2] for name in re.findall(r"`([A-Za-z_.]+)`", WALKS)} - {"score"})
_PLACE = r"`((?:texts|scoring|reporting|workers|watcher|cli|config)/[a-z_/]*[a-z_](?:\.py)?/?)`"
PLACES = sorted(set(re.findall(_PLACE, PAGE)))


@pytest.mark.parametrize("name", NAMES)
def test_function_or_class_of_a_walk_is_defined(name: str) -> None:
    assert re.search(rf"^ *(?:def|class) {name}\b", CODE, flags=re.MULTILINE)


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
