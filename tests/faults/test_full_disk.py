"""A disk that is really full, of the reports and of the state: named, nothing half-written, done when there is room."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from io import RawIOBase
from pathlib import Path
from typing import NoReturn

import pytest

from reporting.store import verify_set
from tests.faults.harness import Up, drop, wait_for
from tests.faults.processes import Command
from tests.faults.undisturbed import Undisturbed

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(300)]


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[None]:
    """A file system of its own at `folder`; skips where that is not allowed."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted: {mounted.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def write_on(stream: RawIOBase, data: bytes) -> NoReturn:
    while True:
        stream.write(data)


def fill(folder: Path) -> Path:
    """Write into one file until nothing more fits."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as stream:
        for size in (1 << 20, 1 << 12, 1):
            with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
                write_on(stream, b"x" * size)
    assert os.statvfs(folder).f_bavail == 0
    return ballast


def seen_status(up: Up, home: Path) -> str:
    with Command(home, "status", watch=up.watch, out=up.out, state=up.state) as command:
        command.wait()
        return command.log.read_text()


def test_a_full_output_disk_is_named_and_the_work_is_done_when_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "out", 8), Up(tmp_path) as up, Undisturbed(up, tmp_path, whole=True):
        drop(up.watch, "resume_agent_1.csv")
        up.wait_settled("resume_agent_1")
        ballast = fill(up.out / ".scorewatch")
        drop(up.watch, "resume_agent_1.csv", seed=2)
        drop(up.watch, "resume_agent_2.csv", seed=3)
        wait_for(lambda: "디스크에 남은 공간이 없음" in seen_status(up, tmp_path), "status to name the full disk")
        assert verify_set(up.out, "resume_agent_1")
        assert up.status("resume_agent_2") is None
        ballast.unlink()
        up.wait_settled("resume_agent_1", "resume_agent_2")
        wait_for(lambda: "디스크에 남은 공간이 없음" not in seen_status(up, tmp_path), "status to be fine again")
        assert up.stop() == 0


def test_a_disk_of_reports_that_turns_read_only_and_comes_back_is_used_without_a_restart(tmp_path: Path) -> None:
    with small_disk(tmp_path / "out", 8), Up(tmp_path) as up, Undisturbed(up, tmp_path, whole=True):
        drop(up.watch, "resume_agent_1.csv")
        up.wait_settled("resume_agent_1")
        subprocess.run(["mount", "-o", "remount,ro", up.out], check=True)
        drop(up.watch, "resume_agent_2.csv", seed=2)
        wait_for(lambda: "읽기 전용 파일 시스템" in seen_status(up, tmp_path), "status to name the disk")
        assert up.status("resume_agent_2") is None
        subprocess.run(["mount", "-o", "remount,rw", up.out], check=True)
        up.wait_settled("resume_agent_2")
        wait_for(lambda: "읽기 전용 파일 시스템" not in seen_status(up, tmp_path), "status to be fine again")
        assert up.stop() == 0


def test_a_full_state_disk_is_named_and_the_work_is_done_when_there_is_room(tmp_path: Path) -> None:
    """The broker keeps its queue there, and takes no tasks that it cannot keep."""
    with small_disk(tmp_path / "state", 16), Up(tmp_path) as up, Undisturbed(up, tmp_path, whole=True):
        drop(up.watch, "resume_agent_1.csv")
        up.wait_settled("resume_agent_1")
        ballast = fill(up.state)
        drop(up.watch, "resume_agent_2.csv", seed=2)
        wait_for(lambda: "디스크가 가득 찼습니다" in seen_status(up, tmp_path), "status to name the full disk")
        ballast.unlink()
        up.wait_settled("resume_agent_2")
        wait_for(lambda: "디스크가 가득 찼습니다" not in seen_status(up, tmp_path), "status to be fine again")
        assert up.stop() == 0
