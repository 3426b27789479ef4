"""The Dockerfile and docker-compose.yml, unchanged, on a real engine: deploy/stand_in.py, where there is one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

SCRIPT = ROOT / "deploy" / "stand_in.py"
CANNOT = 77


def _run(**variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_image_and_compose_file_do_on_an_engine_what_is_written_about_them() -> None:
    run = _run()
    if run.returncode == CANNOT:
        pytest.skip(run.stderr.strip())
    assert run.returncode == 0, run.stdout + run.stderr
    said = run.stdout
    assert said.count("worker: user 10001") == 2
    assert "the sample is judged" in said
    assert "the file of just before the kill is scored and judged" in said
    assert "down in " in said


def test_without_docker_it_says_so_and_does_nothing(tmp_path: Path) -> None:
    run = _run(PATH=str(tmp_path))
    assert (run.returncode, run.stdout) == (CANNOT, "")
    assert run.stderr == "cannot be run here: docker is not installed\n"


def test_without_an_engine_it_says_so_and_does_nothing(tmp_path: Path) -> None:
    (tmp_path / "docker").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (tmp_path / "docker").chmod(0o755)
    run = _run(PATH=f"{tmp_path}:/usr/bin:/bin")
    assert (run.returncode, run.stdout) == (CANNOT, "")
    assert run.stderr == "cannot be run here: no engine answers `docker info`\n"
