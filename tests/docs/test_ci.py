"""docs/ci.md, followed literally: what each system runs scores, decides, keeps a baseline and stops where it says."""

import csv
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
from config import Settings
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
    """What a system runs to score, and to keep the file as the baseline."""
    if system == "github":
        return [_steps()["Score"], _steps()["Accept"]]
    if system == "gitlab":
        script: list[str] = _workflows()[1]["score"]["script"]
        return script
    return _jenkins()["Score"]


def _environment(system: str) -> dict[str, str]:
    """The variables that a page sets."""
    github, gitlab = _workflows()
    if system == "github":
        return dict(github["env"])
    if system == "gitlab":
        return dict(gitlab["variables"])
    (pipeline,) = _blocks("groovy")
    return dict(re.findall(r"^ +([A-Z_]+) = '([^']*)'$", pipeline, flags=re.MULTILINE))


SYSTEMS = ("github", "gitlab", "jenkins")
FIRST_FAST = ["github", *(pytest.param(name, marks=pytest.mark.slow) for name in SYSTEMS[1:])]


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
        "REPOSITORY_OF_SCOREWATCH": "https://git.example/scorewatch",
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


def _job(folder: Path, system: str) -> subprocess.CompletedProcess[str]:
    return _run(folder, _commands(system), **_environment(system))


@pytest.fixture(scope="module")
def made_ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout that was made ready as the page says, with the results of a first run."""
    folder = tmp_path_factory.mktemp("ready")
    (folder / "results").mkdir()
    shutil.copy(ROOT / SAMPLE, folder / "results")
    (folder / "scorewatch").symlink_to(ROOT)
    (rules,) = _blocks("toml")
    (folder / "scorewatch.toml").write_text(rules, encoding="utf-8")
    once, _ = _blocks("sh")
    ready = _run(folder, [once], SCOREWATCH_LANGUAGE="en", SCOREWATCH_RUBRICS="rubrics")
    assert "resume-agent: 6 rules" in ready.stdout.splitlines(), ready.stdout + ready.stderr
    return folder


@pytest.fixture
def folder(made_ready: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_ready, tmp_path, symlinks=True, dirs_exist_ok=True))


def _with_rule(folder: Path, rule: str) -> None:
    path = folder / "scorewatch.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("rules = [", f'rules = [\n  "{rule}",'), encoding="utf-8")


def _with_results(folder: Path, name: str, *, errors: int = 0) -> bytes:
    """The sample as other results, the first answers of which are errors. Gives the file."""
    with (ROOT / SAMPLE).open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = csv.reader(stream)
    for row in rows[:errors]:
        row[header.index("오류")] = "HTTP 502"
    shutil.rmtree(folder / "results")
    (folder / "results").mkdir()
    path = folder / "results" / f"{name}.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path.read_bytes()


def test_all_install_the_hashed_lock() -> None:
    assert _steps()["Install Scorewatch"].splitlines()[0] == INSTALL
    assert INSTALL in _workflows()[1]["score"]["before_script"]
    assert f".venv/bin/{INSTALL}" in _jenkins()["Install Scorewatch"]
    assert (ROOT / "requirements.txt").exists()


def test_no_system_needs_a_script() -> None:
    for system in SYSTEMS:
        score, accept = _commands(system)
        assert re.fullmatch(r"(?:\.venv/bin/)?scorewatch score [^\n;|&<>]*", score)
        assert accept.partition("  #")[0] == "cp results/resume_agent_*.csv baseline/resume_agent_accepted.csv"


def test_every_variable_that_begins_as_a_setting_is_one() -> None:
    """A variable of the job that is no setting would end it with 2."""
    names = set(re.findall(r"\bSCOREWATCH_[A-Z_]+", (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")))
    settings = {f"SCOREWATCH_{name.upper()}" for name in Settings.model_fields}
    assert names - {"SCOREWATCH_"} <= settings
    for system in SYSTEMS:
        assert {"SCOREWATCH_LANGUAGE", "SCOREWATCH_RUBRICS"} <= _environment(system).keys()


@pytest.mark.parametrize("system", FIRST_FAST)
def test_commands_score_the_sample_and_its_rules_pass(folder: Path, system: str) -> None:
    run = _job(folder, system)
    assert run.returncode == 0, run.stdout + run.stderr
    assert (folder / "reports" / NAME / "report.md").exists()
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith("# Gate: sets passed 1, failed 0, undecidable 0\n")
    assert len(summary.splitlines()) <= 60
    (suite,) = JUnitXml.fromfile(str(folder / "junit.xml"))
    assert [case.name for case in suite if case.result] == []
    assert "not worse than baseline" in [case.name for case in suite]


@pytest.mark.parametrize("system", FIRST_FAST)
def test_a_run_that_passes_becomes_the_baseline_and_one_that_is_worse_does_not(folder: Path, system: str) -> None:
    accepted = folder / "baseline" / "resume_agent_accepted.csv"
    second = _with_results(folder, "resume_agent_4711")
    assert second != accepted.read_bytes()
    assert _job(folder, system).returncode == 0
    assert accepted.read_bytes() == second
    _with_results(folder, "resume_agent_4712", errors=60)
    run = _job(folder, system)
    assert run.returncode == 3, run.stdout + run.stderr
    assert "✗ resume_agent_4712 failed: " in run.stdout
    assert "✓ resume_agent_4712 247 items ▽ Answer rate 89.7%→66.5% newly failing 48" in run.stdout
    assert accepted.read_bytes() == second


def test_a_rubric_of_the_repository_is_the_one_that_scores(folder: Path) -> None:
    document = folder / "rubrics" / "resume-agent.md"
    document.write_text(document.read_text(encoding="utf-8").replace("Run ID", "No such column"), encoding="utf-8")
    run = _job(folder, "github")
    assert run.returncode != 0
    assert "No such column" in run.stdout + run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_rule_that_fails_stops_the_job_and_keeps_the_reports(folder: Path, system: str) -> None:
    _with_rule(folder, "pass_rate >= 95 %")
    run = _job(folder, system)
    assert run.returncode == 3
    assert f"{NAME} failed: pass_rate >= 95 % (value 89.5%)" in run.stdout
    assert (folder / "reports" / NAME / "report.md").exists()
    assert "| pass_rate >= 95 % | failed | value 89.5% |" in (folder / "summary.md").read_text(encoding="utf-8")
    (suite,) = JUnitXml.fromfile(str(folder / "junit.xml"))
    assert [case.name for case in suite if case.result] == ["pass_rate >= 95 %"]


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_refused_file_fails_the_job_and_keeps_the_reports(folder: Path, system: str) -> None:
    (folder / "results" / "resume_agent_cut.csv").write_text("Query ID,Track\nq1,1\n", encoding="utf-8")
    run = _job(folder, system)
    assert run.returncode == 4, "a set without figures cannot be decided"
    assert (folder / "reports" / NAME / "report.md").exists()
    assert (folder / "reports" / "resume_agent_cut" / "problem.md").exists()


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_rule_that_cannot_be_read_fails_before_any_work(folder: Path, system: str) -> None:
    _with_rule(folder, "pass rate >= 95 %")
    run = _job(folder, system)
    assert (run.returncode, (folder / "reports").exists()) == (2, False)
    assert "pass_rate" in run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_baseline_that_is_missing_or_a_folder_of_rubrics_that_is_ends_with_2(folder: Path, system: str) -> None:
    for gone in ("rubrics", "baseline"):
        (folder / gone).rename(folder / f"no-{gone}")
        run = _job(folder, system)
        assert (run.returncode, gone in run.stderr) == (2, True)
        (folder / f"no-{gone}").rename(folder / gone)


@pytest.mark.slow
def test_results_are_moved_to_a_watched_folder_in_two_steps(folder: Path) -> None:
    _, moving = _blocks("sh")
    (folder / "run.csv").write_text("x", encoding="utf-8")
    assert _run(folder, [moving], RESULTS=str(folder / "results")).returncode == 0
    assert (folder / "results" / "resume_agent_4711.csv").read_text(encoding="utf-8") == "x"


def test_each_system_keeps_the_baseline_of_the_default_branch_and_reads_it_elsewhere() -> None:
    github, gitlab = _workflows()
    steps = {step.get("name"): step for step in github["jobs"]["score"]["steps"]}
    taken, kept = steps["Take the baseline that was kept"], steps["Keep the baseline"]
    assert kept["with"]["path"] == taken["with"]["path"] == "baseline"
    assert (taken["id"], kept["with"]["key"]) == ("baseline", "${{ steps.baseline.outputs.cache-primary-key }}")
    assert taken["with"]["key"].startswith(taken["with"]["restore-keys"])
    assert steps["Accept"]["if"] == kept["if"] == "${{ github.ref_name == github.event.repository.default_branch }}"
    policies = [rule["variables"]["BASELINE_POLICY"] for rule in gitlab["workflow"]["rules"]]
    (_, cache) = gitlab["score"]["cache"]
    assert (policies, cache["policy"], cache["paths"]) == (["pull-push", "pull"], "$BASELINE_POLICY", ["baseline"])
    (pipeline,) = _blocks("groovy")
    assert "copyArtifacts projectName: env.JOB_NAME, selector: lastSuccessful(), filter: 'baseline/**'" in pipeline
    assert re.search(r"archiveArtifacts artifacts: '[^']*\bbaseline/\*\*'", pipeline)


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
