"""docs/settings.md and its Korean twin: every setting with its default and meaning, and every code of a refusal."""

from __future__ import annotations

import re

import pytest

from config.settings import setting_rows
from tests.paths import ROOT

PAGES = {"en": "settings.md", "ko": "settings.ko.md"}


def _page(language: str) -> str:
    return (ROOT / "docs" / PAGES[language]).read_text(encoding="utf-8")


@pytest.mark.parametrize("language", PAGES)
def test_every_setting_is_in_the_table_with_its_default(language: str) -> None:
    table = re.findall(r"^\| `(SCOREWATCH_[A-Z_]+)` \| (\S+) \| .+ \|$", _page(language), flags=re.MULTILINE)
    assert table == [(row.variable, f"`{row.default}`" if row.default else "—") for row in setting_rows()]


@pytest.mark.parametrize("language", PAGES)
def test_table_says_what_the_code_says(language: str) -> None:
    page = _page(language)
    assert [row.name for row in setting_rows(language) if f"| {row.meaning} |\n" not in page] == []


def test_both_languages_list_the_same_codes() -> None:
    english, korean = (re.findall(r"^\| `([a-z-]+)` \|", _page(name), flags=re.MULTILINE) for name in PAGES)
    assert len(english) == 6
    assert english == korean
