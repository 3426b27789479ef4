"""The systemd units: every command and setting in them exists, and systemd itself accepts them where it is."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bench.documents import setting_rows
from cli.commands import COMMANDS
from tests.inner import FINISH_SECONDS
from tests.paths import ROOT

UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))


def _values(unit: Path, name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", unit.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_units_are_these() -> None:
    assert {unit.stem for unit in UNITS} == {"scorewatch", "scorewatch-watch", "scorewatch-worker"}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_commands_and_settings_exist(unit: Path) -> None:
    (start,) = _values(unit, "ExecStart")
    program, command = start.split()
    assert program == "/opt/scorewatch/.venv/bin/scorewatch"
    assert command in COMMANDS
    settings = [line.partition("=")[0] for line in _values(unit, "Environment")]
    assert settings
    assert set(settings) <= {row.variable for row in setting_rows()}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_unit_limits_the_memory_of_each_process(unit: Path) -> None:
    assert "SCOREWATCH_MEMORY_LIMIT_MEGABYTES=2048" in _values(unit, "Environment")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_unit_restarts_and_waits_for_running_tasks(unit: Path) -> None:
    assert _values(unit, "Restart") == ["always"]
    assert _values(unit, "User") == ["scorewatch"]
    assert _values(unit, "ProtectSystem") == ["strict"]
    (seconds,) = _values(unit, "TimeoutStopSec")
    assert int(seconds) > FINISH_SECONDS


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_units_pass_systemd(unit: Path, tmp_path: Path) -> None:
    """The program is not installed where the unit has it, so a stand-in is named here."""
    text = unit.read_text(encoding="utf-8").replace("/opt/scorewatch/.venv/bin/scorewatch", "/bin/true")
    assert "\nExecStart=/bin/true " in text
    here = tmp_path / unit.name
    here.write_text(text, encoding="utf-8")
    systemd = shutil.which("systemd-analyze")
    if systemd is not None:
        run = subprocess.run([systemd, "verify", here], capture_output=True, text=True, check=False)
        assert (run.returncode, run.stderr) == (0, "")
