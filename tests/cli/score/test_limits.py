"""`scorewatch score` has the limits of a task: time and memory, from the first try."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.score.settings import time_limit
from scoring import InputError
from tests import attacks
from tests.paths import ROOT


def _score(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cli.main", "score", *arguments, "--language", "en", str(folder)],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def test_time_is_limited_and_the_limit_is_put_away() -> None:
    with pytest.raises(InputError) as error, time_limit(0.05):
        time.sleep(10)
    (problem,) = error.value.problems
    assert (problem.code, problem.values) == ("time-limit", {"limit": "0.05"})
    with time_limit(0.05):
        pass
    time.sleep(0.1)


@pytest.mark.slow
def test_a_file_that_takes_too_long_is_refused_and_the_next_one_scored(tmp_path: Path) -> None:
    (tmp_path / "h_recruit_long.csv").write_bytes(attacks.blank_lines(60_000_000))
    (tmp_path / "h_recruit_short.csv").write_bytes(attacks.blank_lines(1))
    run = _score(tmp_path, SCOREWATCH_TASK_TIME_LIMIT_SECONDS="2")
    assert run.returncode == 1
    assert "not done in 2 s" in run.stdout
    assert "h_recruit_short" in run.stdout
    assert "internal-error" not in run.stdout


@pytest.mark.slow
def test_a_file_that_needs_too_much_memory_is_refused_and_the_next_one_scored(tmp_path: Path) -> None:
    rows = b"Query ID,Round,Response,Raw JSON,accuracyChecks\nQ-1,1/1,a,{},\n"
    large = b'Q-2,1/1,"' + "가".encode() * (60 << 20) + b'",{},\n'
    (tmp_path / "h_recruit_large.csv").write_bytes(rows + large)
    (tmp_path / "h_recruit_short.csv").write_bytes(rows)
    run = _score(tmp_path, SCOREWATCH_MEMORY_LIMIT_MEGABYTES="512")
    assert run.returncode == 1, run.stderr
    assert "over the memory limit of 512 MB" in run.stdout
    assert "✓ h_recruit_short 1 item" in run.stdout


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="reads the limits of a process")
def test_the_address_space_is_limited_while_it_reads(tmp_path: Path) -> None:
    (tmp_path / "h_recruit_long.csv").write_bytes(attacks.blank_lines(30_000_000))
    command = [sys.executable, "-m", "cli.main", "score", str(tmp_path)]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "SCOREWATCH_MEMORY_LIMIT_MEGABYTES": "700"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, cwd=tmp_path) as process:
        try:
            deadline = time.monotonic() + 60
            while _limit_of(process.pid) != str(700 << 20):
                assert time.monotonic() < deadline
                assert process.poll() is None
                time.sleep(0.05)
        finally:
            process.kill()


def _limit_of(pid: int) -> str:
    lines = Path(f"/proc/{pid}/limits").read_text(encoding="ascii").splitlines()
    return next((line.split()[3] for line in lines if line.startswith("Max address space")), "")
