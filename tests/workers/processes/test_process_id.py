"""Processes told by more than a pid."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.processes import own_process as identity
from workers.processes.own_process import Identity, is_alive, may_run, own_identity


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """It waits for us."""
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_this_process_runs() -> None:
    assert may_run(own_identity())
    assert own_identity() == own_identity()


@pytest.mark.parametrize("has_proc", [True, False])
def test_a_killed_process_runs_no_more(
    child: subprocess.Popen[bytes], has_proc: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if not has_proc:
        monkeypatch.setattr(identity, "_PROC", tmp_path)
    one = own_identity()._replace(pid=child.pid, started="")
    assert may_run(one)
    assert is_alive(child.pid)
    child.kill()
    child.wait()
    assert not may_run(one)
    assert not is_alive(child.pid)


def test_a_zombie_and_another_process_of_the_same_pid_are_not_it(child: subprocess.Popen[bytes]) -> None:
    own = own_identity()
    assert not may_run(own._replace(started=f"{own.started}0"))
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and stays a zombie
    assert not may_run(own._replace(pid=child.pid, started=""))
    assert is_alive(child.pid)


def test_of_another_machine_nothing_can_be_told() -> None:
    assert may_run(Identity(2**22 + 1, "elsewhere", "1"))
    assert not may_run(own_identity()._replace(pid=2**22 + 1))
