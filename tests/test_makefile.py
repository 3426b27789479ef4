"""The Makefile finds an interpreter, or says in words what is missing."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.paths import ROOT

# Stand-ins for interpreters: all that the Makefile asks of one is its version, its modules and a venv.
TOO_OLD = "exit 1"
WITHOUT_VENV = 'case "$2" in *ensurepip*) exit 1;; esac; exit 0'
WITHOUT_PIP = 'test "$2" != pip'
WORKING = "exit 0"
COMPLETE = 'test "$1" = -m && echo "$@" > made; exit 0'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of what set-up reads, and a PATH without any interpreter."""
    for name in ("Makefile", "pyproject.toml", "requirements.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "bin").mkdir()
    for tool in ("make", "sh", "cat", "cksum", "tr", "rm", "touch", "awk"):
        found = shutil.which(tool)
        assert found is not None
        (tmp_path / "bin" / tool).symlink_to(found)
    return tmp_path


def _interpreter(folder: Path, name: str, body: str) -> None:
    path = folder / "bin" / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def _make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(folder / "bin" / "make"), *arguments],
        cwd=folder,
        env={"PATH": str(folder / "bin"), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_missing_python_is_named_in_both_languages(folder: Path) -> None:
    _interpreter(folder, "python3", TOO_OLD)
    run = _make(folder, "run")
    assert run.returncode != 0
    assert "Python 3.11 이상을 찾지 못했습니다." in run.stderr
    assert "No Python 3.11 or newer found." in run.stderr


def test_missing_venv_module_names_the_package_to_install(folder: Path) -> None:
    _interpreter(folder, "python3", WITHOUT_VENV)
    run = _make(folder, "test")
    assert run.returncode != 0
    assert "python3에 venv 모듈이 없습니다. Debian/Ubuntu에서는: apt install python3-venv" in run.stderr
    assert "python3 has no venv module. On Debian or Ubuntu: apt install python3-venv" in run.stderr


def test_newer_interpreter_is_found_behind_an_old_python3(folder: Path) -> None:
    _interpreter(folder, "python3", TOO_OLD)
    _interpreter(folder, "python3.13", WITHOUT_VENV)
    _interpreter(folder, "python3.12", COMPLETE)
    assert _make(folder, ".venv/ready").returncode == 0
    assert (folder / "made").read_text() == "-m venv --clear .venv\n"


def test_named_interpreter_is_the_only_one_tried(folder: Path) -> None:
    _interpreter(folder, "python3", COMPLETE)
    run = _make(folder, ".venv/ready", "PYTHON=/nowhere/python3")
    assert run.returncode != 0
    assert "make PYTHON=" in run.stderr
    assert not (folder / "made").exists()


def test_working_venv_is_kept(folder: Path) -> None:
    _interpreter(folder, "python3", COMPLETE)
    (folder / ".venv" / "bin").mkdir(parents=True)
    _interpreter(folder / ".venv", "python", WORKING)
    assert _make(folder, ".venv/ready").returncode == 0
    assert not (folder / "made").exists()


def test_venv_without_pip_is_made_again(folder: Path) -> None:
    _interpreter(folder, "python3", COMPLETE)
    (folder / ".venv" / "bin").mkdir(parents=True)
    _interpreter(folder / ".venv", "python", WITHOUT_PIP)
    assert _make(folder, ".venv/ready").returncode == 0
    assert (folder / "made").read_text() == "-m venv --clear .venv\n"


def test_stamps_of_a_broken_venv_count_for_nothing(folder: Path) -> None:
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").symlink_to(folder / "gone")
    stamp = folder / ".venv" / ".dev-1-2"
    stamp.touch()
    _make(folder, "help")
    assert not stamp.exists()


def test_one_target_runs_what_the_other_leaves_out_and_ci_runs_both() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.findall(r' -m "([^"]+)"$', makefile, flags=re.MULTILINE) == ["not slow", "slow or hypothesis"]
    commands = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert commands[-3:] == ["make lint", "make test", "make test-slow"]


def test_help_lists_the_targets(folder: Path) -> None:
    run = _make(folder)
    assert run.returncode == 0
    for target in (
        "run",
        "up",
        "test",
        "test-slow",
        "lint",
        "check",
        "lock",
        "sample",
        "golden-accept",
        "bench",
        "faults",
        "clean",
    ):
        assert f"  make {target} " in run.stdout
