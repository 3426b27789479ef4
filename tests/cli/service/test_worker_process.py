"""A worker's process: started again when it died, also when the system has no room for it at once."""

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.service.worker_process import RESTART_LIMIT_SECONDS, WorkerProcess
from workers.processes import Child

COMMAND = (sys.executable, "-c", "import signal; signal.pause()", "marker")


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerProcess]:
    worker = WorkerProcess("worker", tmp_path / "run", marker="marker", log=None)
    worker.start(COMMAND, dict(os.environ))
    yield worker
    worker.kill()


class Clock:
    """The clock of a worker's process, moved by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr("cli.service.worker_process.time.monotonic", lambda: self.now)


def end(worker: WorkerProcess) -> None:
    worker._child.kill()


@pytest.mark.parametrize("how", ["died", "stuck"])
def test_a_worker_that_cannot_be_started_for_a_while_is_started_later(
    worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch, *, how: str
) -> None:
    clock = Clock(monkeypatch)
    tries: list[float] = []

    def no_room(*_: object, **__: object) -> None:
        tries.append(clock.now)
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    with monkeypatch.context() as patch:
        patch.setattr(Child, "start", no_room)
        if how == "died":
            end(worker)
            assert worker.check() is True
        else:
            worker.restart()
        for _ in range(100):
            clock.now += 1.0
            assert worker.check() is False
        assert 5 < len(tries) < 12  # less and less often
        for _ in range(1100):
            clock.now += RESTART_LIMIT_SECONDS
            worker.check()
    clock.now += RESTART_LIMIT_SECONDS
    assert worker.check() is False
    assert worker._child.pid is not None


def test_a_child_whose_pid_cannot_be_kept_is_not_left_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = Child("worker", tmp_path / "run", marker="marker")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        with pytest.raises(OSError, match="No space left"):
            child.start(COMMAND)
    assert child.pid is None
    assert child.exit_code is not None


def test_a_pid_file_that_was_deleted_is_written_again(worker: WorkerProcess, tmp_path: Path) -> None:
    before = (tmp_path / "run/worker.pid").read_text()
    shutil.rmtree(tmp_path / "run")
    assert worker.check() is False
    assert (tmp_path / "run/worker.pid").read_text() == before
