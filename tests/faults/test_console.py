"""What `scorewatch up` shows people, and where its log goes: a terminal, no terminal, and `--log json`."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.harness import SHORT, drop, environment
from tests.paths import ROOT

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(120)]

LINE = "✓ resume_agent_a 12문항 응답 성공 "
PROBLEM = "✗ resume_agent_b 읽지 못함: 빈 파일 (내보내기가 끝난 파일로 바꾸세요)"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    drop(tmp_path / "in", "resume_agent_a.csv")
    (tmp_path / "in/resume_agent_b.csv").touch()
    return tmp_path


def _environment(home: Path, **settings: str) -> dict[str, str]:
    return environment(home / "in", home / "out", home / "state", **{**SHORT, "LOG": "file", **settings})


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tests.faults.quick", "up", "--drain", *arguments]


def _events(text: str) -> set[str]:
    return {json.loads(line)["event"] for line in text.splitlines()}


def test_without_a_terminal_people_get_lines_and_the_log_is_a_file(home: Path) -> None:
    ran = subprocess.run(
        _command(), cwd=ROOT, env=_environment(home), capture_output=True, encoding="utf-8", check=False
    )
    assert ran.returncode == 1, ran.stderr
    said = ran.stdout.splitlines()
    assert any(LINE in line for line in said)
    assert any(line.endswith(PROBLEM) for line in said)
    assert not any(line.startswith("{") for line in said)
    assert ran.stderr == ""
    assert {"settled", "worker started", "asked"} <= _events((home / "state/scorewatch.log").read_text("utf-8"))


@pytest.mark.parametrize("how", [("--log", "json"), ()])
def test_the_log_goes_to_standard_output_when_asked_for(home: Path, how: tuple[str, ...]) -> None:
    settings = _environment(home) if how else _environment(home, LOG="json")
    ran = subprocess.run(_command(*how), cwd=ROOT, env=settings, capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 1, ran.stderr
    assert {"settled", "worker started"} <= _events(ran.stdout)
    assert "세트 2개 중 2개 끝남, 문제 있는 세트 1개" in ran.stderr
    assert LINE not in ran.stdout
    assert not (home / "state/scorewatch.log").exists()


def test_a_restart_logs_no_line_for_each_set_of_before(home: Path) -> None:
    command, settings = _command("--log", "json"), _environment(home)
    runs = [subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, check=False) for _ in range(2)]
    assert [run.returncode for run in runs] == [1, 1]
    lines = [json.loads(line) for line in runs[1].stdout.splitlines()]
    assert [line for line in lines if line["event"] == "settled"] == []
    found = [line for line in lines if line["event"] == "found settled"]
    assert (sum(line["report"] for line in found), sum(line["problem"] for line in found)) == (1, 1)


def test_every_line_is_json_on_a_terminal_too_when_asked_for(home: Path) -> None:
    """Those of the workers, and those that Celery prints past its log."""
    leader, follower = pty.openpty()
    settings = _environment(home)
    command = _command("--log", "json")
    with subprocess.Popen(command, cwd=ROOT, env=settings, stdout=follower, stderr=subprocess.PIPE) as up:
        os.close(follower)
        shown = b""
        while piece := _read(leader):
            shown += piece
        up.communicate(timeout=60)
        assert up.returncode == 1
    os.close(leader)
    loggers = {json.loads(line)["logger"] for line in shown.decode("utf-8").splitlines()}
    assert {"workers.tasks", "celery.apps.worker"} <= loggers


def test_a_terminal_shows_people_s_lines_only(home: Path) -> None:
    leader, follower = pty.openpty()
    settings = _environment(home, LOG="json")  # counts where there is no terminal
    with subprocess.Popen(_command(), cwd=ROOT, env=settings, stdin=follower, stdout=follower, stderr=follower) as up:
        os.close(follower)
        shown = b""
        while piece := _read(leader):
            shown += piece
        assert up.wait(timeout=60) == 1
    os.close(leader)
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown.decode("utf-8"))
    assert LINE in text
    assert PROBLEM in text
    assert '"event"' not in text
    assert "settled" in _events((home / "state/scorewatch.log").read_text("utf-8"))


def _read(terminal: int) -> bytes:
    """What was written to the terminal; nothing at its end."""
    try:
        return os.read(terminal, 65_536)
    except OSError:
        return b""
