"""docs/ci.md: the workflows parse, and what they run scores the sample, decides, and stops where it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from junitparser import JUnitXml

from bench.sample import SAMPLE
from tests.paths import ROOT

INSTALL = "pip install --require-hashes -r scorewatch/requirements.txt"
NAME = Path(SAMPLE).stem
pytestmark = pytest.mark.timeout(300)


@cache
def _blocks(language: str) -> list[str]:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def _workflows() -> tuple[dict[str, Any], dict[str, Any]]:
    github, gitlab = map(yaml.safe_load, _blocks("yaml"))
    return github, gitlab


def _steps() -> dict[str, str]:
    steps = _workflows()[0]["jobs"]["score"]["steps"]
    return {step["name"]: step["run"] for step in steps if "run" in step}


def _jenkins() -> dict[str, list[str]]:
    """Commands by stage."""
    (pipeline,) = _blocks("groovy")
    stages = re.split(r"stage\('([^']+)'\)", pipeline)[1:]
    return {name: re.findall(r"sh '([^']+)'", body) for name, body in zip(stages[::2], stages[1::2], strict=True)}


def _commands(system: str) -> list[str]:
    """What a system runs to score."""
    if system == "github":
        return [_steps()["Score"]]
    if system == "gitlab":
        script: list[str] = _workflows()[1]["score"]["script"]
        return script
    return _jenkins()["Score"]


SYSTEMS = ("github", "gitlab", "jenkins")


def _run(folder: Path, commands: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    """All commands as such a system runs them: one shell that stops at the first failure."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCOREWATCH_")}
    scripts = Path(sys.executable).parent
    if not (folder / ".venv").exists():
        (folder / ".venv").symlink_to(scripts.parent)
    variables: Mapping[str, str] = {
        "PATH": os.pathsep.join([str(scripts), kept["PATH"]]),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "CI_PROJECT_DIR": str(folder),
        "CI_JOB_ID": "4711",
        "WORKSPACE": str(folder),
        **more,
    }
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(commands)],
        cwd=folder,
        env={**kept, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout with the rules of the page and results."""
    (tmp_path / "results").mkdir()
    shutil.copy(ROOT / SAMPLE, tmp_path / "results")
    (rules,) = _blocks("toml")
    (tmp_path / "scorewatch.toml").write_text(rules, encoding="utf-8")
    return tmp_path


def _with_rule(folder: Path, rule: str) -> None:
    path = folder / "scorewatch.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("rules = [", f'rules = [\n  "{rule}",'), encoding="utf-8")


def test_all_install_the_hashed_lock() -> None:
    assert _steps()["Install Scorewatch"].splitlines()[0] == INSTALL
    assert INSTALL in _workflows()[1]["score"]["before_script"]
    assert f".venv/bin/{INSTALL}" in _jenkins()["Install Scorewatch"]
    assert (ROOT / "requirements.txt").exists()


def test_no_system_needs_a_script() -> None:
    for system in SYSTEMS:
        (command,) = _commands(system)
        assert re.fullmatch(r"(?:\.venv/bin/)?scorewatch score [^\n;|&<>]*", command)


@pytest.mark.parametrize("system", ["github", *(pytest.param(name, marks=pytest.mark.slow) for name in SYSTEMS[1:])])
def test_commands_score_the_sample_and_its_rules_pass(folder: Path, system: str) -> None:
    run = _run(folder, _commands(system))
    assert run.returncode == 0, run.stdout + run.stderr
    assert (folder / "reports" / NAME / "report.md").exists()
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith("# 게이트: 통과한 세트 1개, 실패한 세트 0개, 판정 불가 세트 0개\n")
    assert len(summary.splitlines()) <= 60
    (suite,) = JUnitXml.fromfile(str(folder / "junit.xml"))
    assert [case.name for case in suite if case.result] == []


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_rule_that_fails_stops_the_job_and_keeps_the_reports(folder: Path, system: str) -> None:
    _with_rule(folder, "pass_rate >= 95 %")
    run = _run(folder, _commands(system))
    assert run.returncode == 3
    assert f"{NAME}: 실패 pass_rate >= 95 % (값 89.5%)" in run.stdout
    assert (folder / "reports" / NAME / "report.md").exists()
    assert "| pass_rate &gt;= 95 % | 실패 | 값 89.5% |" in (folder / "summary.md").read_text(encoding="utf-8")
    (suite,) = JUnitXml.fromfile(str(folder / "junit.xml"))
    assert [case.name for case in suite if case.result] == ["pass_rate >= 95 %"]


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_refused_file_fails_the_job_and_keeps_the_reports(folder: Path, system: str) -> None:
    (folder / "results" / "resume_agent_cut.csv").write_text("Query ID,Track\nq1,1\n", encoding="utf-8")
    run = _run(folder, _commands(system))
    assert run.returncode == 4, "a set without figures cannot be decided"
    assert (folder / "reports" / NAME / "report.md").exists()
    assert (folder / "reports" / "resume_agent_cut" / "problem.md").exists()


@pytest.mark.slow
def test_rule_that_cannot_be_read_fails_before_any_work(folder: Path) -> None:
    _with_rule(folder, "pass rate >= 95 %")
    run = _run(folder, _commands("github"))
    assert (run.returncode, (folder / "reports").exists()) == (2, False)
    assert "pass_rate" in run.stderr


@pytest.mark.slow
def test_baseline_is_the_file_of_the_last_accepted_run(folder: Path) -> None:
    with_baseline, moving = _blocks("sh")
    _with_rule(folder, "not worse than baseline")
    (folder / "baseline").mkdir()
    shutil.copy(ROOT / SAMPLE, folder / "baseline" / "resume_agent_accepted.csv")
    assert _run(folder, [with_baseline]).returncode == 0
    assert _run(folder, [with_baseline.partition(" --baseline")[0]]).returncode == 4
    (folder / "run.csv").write_text("x", encoding="utf-8")
    assert _run(folder, [moving], RESULTS=str(folder / "results")).returncode == 0
    assert (folder / "results" / "resume_agent_4711.csv").read_text(encoding="utf-8") == "x"


def test_gitlab_is_given_what_its_merge_request_shows() -> None:
    artifacts = _workflows()[1]["score"]["artifacts"]
    assert (artifacts["when"], artifacts["reports"]) == ("always", {"junit": "junit.xml"})
    (pipeline,) = _blocks("groovy")
    assert "junit testResults: 'junit.xml', skipMarkingBuildUnstable: true" in pipeline
    assert pipeline.count("{") == pipeline.count("}")


def test_json_of_the_gate_says_what_the_lines_say(folder: Path) -> None:
    _with_rule(folder, "pass_rate >= 95 %")
    run = _run(folder, ["scorewatch score results --gate --json"])
    (entry,) = json.loads(run.stdout)["sets"]
    assert (run.returncode, entry["gate"]["state"], entry["gate"]["rules"][0]["state"]) == (3, "failed", "failed")
