"""docs/ci.md: both workflows parse, and what they run scores the sample and stops where it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.sample import SAMPLE
from tests.paths import ROOT

INSTALL = "pip install --require-hashes -r scorewatch/requirements.txt"


def _workflows() -> tuple[dict[str, Any], dict[str, Any]]:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    github, gitlab = map(yaml.safe_load, blocks)
    return github, gitlab


def _github() -> list[str]:
    steps = _workflows()[0]["jobs"]["score"]["steps"]
    return [step["run"] for step in steps if "run" in step and step["name"] in {"Score", "Gate", "Show"}]


def _gitlab() -> list[str]:
    script: list[str] = _workflows()[1]["score"]["script"]
    return script


COMMANDS = {"github": _github, "gitlab": _gitlab}


def _run(folder: Path, commands: list[str]) -> subprocess.CompletedProcess[str]:
    """All commands as such a system runs them: one shell that stops at the first failure."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCOREWATCH_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), kept["PATH"]])
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(commands)],
        cwd=folder,
        env={**kept, "PATH": path, "GITHUB_STEP_SUMMARY": str(folder / "summary.md")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "results").mkdir()
    shutil.copy(ROOT / SAMPLE, tmp_path / "results")
    return tmp_path


def test_both_install_the_hashed_lock() -> None:
    github, gitlab = _workflows()
    (install,) = [step["run"] for step in github["jobs"]["score"]["steps"] if step.get("name") == "Install Scorewatch"]
    assert install.splitlines()[0] == INSTALL
    assert INSTALL in gitlab["score"]["before_script"]
    assert (ROOT / "requirements.txt").exists()


@pytest.mark.parametrize("system", COMMANDS)
@pytest.mark.timeout(300)
def test_commands_score_the_sample(folder: Path, system: str) -> None:
    run = _run(folder, COMMANDS[system]())
    assert run.returncode == 0, run.stderr
    (entry,) = json.loads((folder / "scores.json").read_text(encoding="utf-8"))["sets"]
    assert entry["state"] == "report"
    assert f"{entry['set']} {entry['headline']['answered_rate']}" in run.stdout
    assert (folder / "reports" / entry["set"] / "report.md").exists()
    if system == "github":
        assert (folder / "summary.md").read_text(encoding="utf-8").startswith("# 지원자 관리 에이전트")


@pytest.mark.parametrize("system", COMMANDS)
@pytest.mark.timeout(300)
def test_refused_file_fails_the_job_and_keeps_the_reports(folder: Path, system: str) -> None:
    (folder / "results" / "resume_agent_cut.csv").write_text("Query ID,Track\nq1,1\n", encoding="utf-8")
    run = _run(folder, COMMANDS[system]())
    assert run.returncode == 1
    sets = json.loads((folder / "scores.json").read_text(encoding="utf-8"))["sets"]
    assert {entry["set"]: entry["state"] for entry in sets} == {
        "resume_agent_cut": "problem",
        "resume_agent_sample": "report",
    }
    assert (folder / "reports" / "resume_agent_sample" / "report.md").exists()


@pytest.mark.parametrize("system", COMMANDS)
@pytest.mark.timeout(300)
def test_gate_stops_at_low_figures(folder: Path, system: str) -> None:
    commands = [command.replace("0.85", "0.95") for command in COMMANDS[system]()]
    run = _run(folder, commands)
    assert run.returncode == 1
    assert "resume_agent_sample: rate 89.5%, low metrics: []" in run.stderr


@pytest.mark.parametrize("system", COMMANDS)
@pytest.mark.timeout(300)
def test_gate_knows_how_far_a_metric_goes_and_sets_of_sub_folders_are_shown(folder: Path, system: str) -> None:
    nightly = folder / "results" / "nightly"
    nightly.mkdir()
    answers = "".join(f"q{number},a,{level}\n" for number, level in enumerate("4544"))
    (nightly / "rubrics_score_en_a.csv").write_text(f"question,answer,level\n{answers}", encoding="utf-8")
    run = _run(folder, COMMANDS[system]())
    assert run.returncode == 0, run.stderr
    if system == "github":
        titles = re.findall(r"^# .+$", (folder / "summary.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert len(titles) == 2
    answers = answers.replace(",4", ",1").replace(",5", ",2")
    (nightly / "rubrics_score_en_a.csv").write_text(f"question,answer,level\n{answers}", encoding="utf-8")
    run = _run(folder, COMMANDS[system]())
    assert run.returncode == 1
    assert "low metrics: ['rubrics']" in run.stderr
