"""CHANGELOG.md describes what was never released as one state, and names commands that exist."""

from __future__ import annotations

import re

from bench.documents import setting_rows
from cli.commands import COMMANDS
from tests.paths import ROOT

MOST_LINES = 60  # of what was never released


def _unreleased() -> str:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return text.partition("## [Unreleased]")[2].partition("\n## [")[0]


def test_unreleased_part_is_short() -> None:
    assert 0 < len(_unreleased().splitlines()) <= MOST_LINES


def test_commands_and_settings_in_it_exist() -> None:
    text = _unreleased()
    assert set(re.findall(r"\bscorewatch ([a-z]+)\b", text)) <= set(COMMANDS)
    assert {"score", "up", "status", "retry", "rubric", "prompt"} <= set(re.findall(r"\bscorewatch ([a-z]+)\b", text))
    assert set(re.findall(r"\bSCOREWATCH_[A-Z_]+[A-Z]", text)) <= {row.variable for row in setting_rows()}
