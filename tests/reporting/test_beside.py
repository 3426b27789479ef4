"""Work that a fork does beside its parent: done in every case, once seen, and never left behind."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import billiard
import pytest

from reporting import beside as module
from reporting.beside import beside, can_fork

needs_fork = pytest.mark.skipif(sys.platform != "linux", reason="this system does not fork")


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "usable_cores", lambda: 2)


@needs_fork
def test_a_fork_works_while_the_block_runs(tmp_path: Path) -> None:
    done = tmp_path / "done"

    def work() -> int:
        while not done.exists():
            time.sleep(0.01)
        return os.getpid()

    with beside(work) as result:
        done.touch()
        assert result() != os.getpid()


@needs_fork
def test_without_another_process_it_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(os, "fork", refuse)
    with beside(os.getpid) as result:
        assert result() == os.getpid()


def test_a_fork_needs_a_second_core_and_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    assert can_fork() is (sys.platform == "linux")
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    assert not can_fork()
    over.set()
    thread.join()
    monkeypatch.setattr(module, "usable_cores", lambda: 1)
    assert not can_fork()


@needs_fork
def test_a_worker_of_celery_forks_too() -> None:
    process = billiard.Process(target=_fork_in_a_daemon, daemon=True)
    process.start()
    process.join()
    assert process.exitcode == 0


def _fork_in_a_daemon() -> None:
    parent = os.getpid()
    with beside(os.getpid) as result:
        sys.exit(result() == parent)


@needs_fork
def test_a_fork_that_leaves_by_another_way_does_not_run_the_code_of_its_parent() -> None:
    parent = os.getpid()

    def work() -> int:
        if os.getpid() != parent:
            sys.exit(3)
        return os.getpid()

    with beside(work) as result:
        assert result() == parent
    assert os.getpid() == parent


@needs_fork
def test_the_work_of_a_killed_fork_is_done_here() -> None:
    parent = os.getpid()

    def work() -> int:
        if os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()

    with beside(work) as result:
        assert result() == parent


@needs_fork
def test_an_error_of_the_work_is_raised_here() -> None:
    def work() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "items.csv")

    with beside(work) as result, pytest.raises(OSError, match="No space") as caught:
        result()
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, "items.csv")


@needs_fork
def test_a_block_that_fails_ends_the_fork(tmp_path: Path) -> None:
    pid = tmp_path / "pid"

    def work() -> None:
        pid.write_text(str(os.getpid()))
        time.sleep(60)

    with pytest.raises(ValueError, match="is wrong"), beside(work):
        int(f"{wait_for_text(pid)} is wrong")
    assert not is_running(int(pid.read_text()))


@needs_fork
def test_a_fork_does_not_outlive_its_parent(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    program = f"""
import os, time
from pathlib import Path
from reporting.beside import beside
def work():
    Path({str(pid)!r}).write_text(str(os.getpid()))
    time.sleep(60)
with beside(work) as result:
    result()
"""
    process = subprocess.Popen([sys.executable, "-c", program])
    try:
        number = int(wait_for_text(pid))
    finally:
        process.kill()
        process.wait()
    until = time.monotonic() + 20
    while is_running(number) and time.monotonic() < until:
        time.sleep(0.02)
    assert not is_running(number)


def wait_for_text(path: Path) -> str:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if path.exists() and (text := path.read_text()):
            return text
        time.sleep(0.01)
    raise AssertionError(path)


def is_running(pid: int) -> bool:
    """A zombie is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
