"""CHANGELOG.md describes each version shortly, the newest is that of the program, and names commands that exist."""

import re
import tomllib
from importlib.metadata import version

from bench.documents import setting_rows
from cli.commands import COMMANDS
from tests.paths import ROOT

MOST_LINES = 110  # of a version


def _versions() -> dict[str, str]:
    """Text of each version, the newest first."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^## \[([0-9.]+)\][^\n]*\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL))


def test_each_version_is_short() -> None:
    assert all(0 < len(text.splitlines()) <= MOST_LINES for text in _versions().values())


def test_the_newest_is_that_of_the_program() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert next(iter(_versions())) == declared == version("scorewatch")


def test_commands_and_settings_in_it_exist() -> None:
    text = "".join(_versions().values())
    assert set(re.findall(r"\bscorewatch ([a-z]+)\b", text)) <= set(COMMANDS)
    assert {"score", "up", "status", "retry", "rubric", "prompt"} <= set(re.findall(r"\bscorewatch ([a-z]+)\b", text))
    assert set(re.findall(r"\bSCOREWATCH_[A-Z_]+[A-Z]", text)) <= {row.variable for row in setting_rows()}
