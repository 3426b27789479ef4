"""Processes told by more than a pid."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers import identity
from workers.identity import Identity, is_alive, may_run, own_identity


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
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


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="nothing tells of zombies and starts here")
def test_a_zombie_and_another_process_of_the_same_pid_are_not_it(child: subprocess.Popen[bytes]) -> None:
    own = own_identity()
    assert not may_run(own._replace(started=f"{own.started}0"))
    child.kill()
    while may_run(own._replace(pid=child.pid, started="")):
        pass
    assert is_alive(child.pid)  # not waited for yet


def test_of_another_machine_nothing_can_be_told() -> None:
    assert may_run(Identity(2**22 + 1, "elsewhere", "1"))
    assert not may_run(own_identity()._replace(pid=2**22 + 1))
