"""Nothing in the watched folder hangs the service, and a watcher that hangs all the same is started again."""

import os
import time
from pathlib import Path

import pytest

from tests.faults.harness import ROOT, Up, drop, wait_for
from tests.faults.processes import Command, PatchedUp, wait_event

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(300)]

# The stat says "regular file", and what is opened is a pipe: as if the name had changed in between.
_SWAP = """
import os
import time
from stat import S_IFMT, S_IFREG
from pathlib import Path
real_stat = os.stat

def stat(path, *args, **kwargs):
    found = real_stat(path, *args, **kwargs)
    if str(path).endswith("_pipe.csv"):
        fields = list(found)
        fields[0] = S_IFREG | 0o644
        fields[6] = 100
        return os.stat_result(fields, {"st_mtime_ns": found.st_mtime_ns, "st_ctime_ns": found.st_ctime_ns})
    return found

os.stat = stat
"""
# The first scan of each process hangs until the flag is gone.
_HANG = """
import time
from pathlib import Path
from watcher.folder import InputFolder
import cli.service.stopping
cli.service.stopping.HANG_SECONDS = 3.0
real_scan = InputFolder.scan

def scan(self, *args):
    while Path({flag!r}).exists():
        time.sleep(0.05)
    return real_scan(self, *args)

InputFolder.scan = scan
"""


def test_a_name_that_becomes_a_pipe_hangs_nothing(tmp_path: Path) -> None:
    with PatchedUp(tmp_path, code=_SWAP, RESCAN_SECONDS="30") as up:
        drop(up.watch, "resume_agent_1.csv")
        up.wait_settled("resume_agent_1")
        os.mkfifo(up.watch / "resume_agent_pipe.csv")
        time.sleep(3)  # until it was taken for settled and opened
        drop(up.watch, "resume_agent_2.csv", seed=2)
        up.wait_settled("resume_agent_2")
        assert up.stop() == 0


def test_a_watcher_that_hangs_is_started_again_with_the_same_settings(tmp_path: Path) -> None:
    flag = tmp_path / "hang"
    with PatchedUp(tmp_path, code=_HANG.format(flag=str(flag))) as up:
        drop(up.watch, "resume_agent_1.csv")
        up.wait_settled("resume_agent_1")
        assert up.process is not None
        pid, broker = up.process.pid, up.pid_of("broker")
        flag.touch()
        wait_event(up, "watcher hangs, starting again", seconds=3.0)
        flag.unlink()
        drop(up.watch, "resume_agent_2.csv", seed=2)
        up.wait_settled("resume_agent_2")
        assert up.pid_of("broker") != broker
        assert up.process.pid == pid
        assert up.stop() == 0
    assert up.children() == []
    where = next(event["where"] for event in up.events() if event["event"] == "watcher hangs, starting again")
    assert "in scan" in where


def test_a_drain_that_hangs_ends_and_says_so(tmp_path: Path) -> None:
    flag = tmp_path / "hang"
    flag.touch()
    with PatchedUp(tmp_path, "--drain", code=_HANG.format(flag=str(flag))) as up:
        assert up.wait() == 1
        wait_event(up, "watcher hangs, giving up")
        wait_for(lambda: not up.children(), "workers and broker to end with it")


def test_a_pipe_among_the_rubrics_is_a_problem_of_that_document(tmp_path: Path) -> None:
    rubrics = tmp_path / "rubrics"
    rubrics.mkdir()
    os.mkfifo(rubrics / "a.md")
    command = Command(tmp_path, "rubric", "list", watch=tmp_path, out=tmp_path / "out", state=tmp_path / "state")
    command.environment["SCOREWATCH_RUBRICS"] = str(rubrics)
    with command:
        assert command.wait() == 1
    assert "일반 파일이 아님" in command.log.read_text()


def test_a_drain_whose_workers_cannot_start_ends_and_says_so(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        'import os, sys\nif "workers" in sys.orig_argv:\n    os._exit(3)\n', encoding="utf-8"
    )

    class Broken(Up):
        def environment(self) -> dict[str, str]:
            return super().environment() | {"PYTHONPATH": f"{site}:{ROOT}"}

    with Broken(tmp_path, "--drain") as up:
        drop(up.watch, "resume_agent_1.csv")
        assert up.wait() == 2
    said = up.log.read_text()
    assert "워커가 5번 종료되는 동안 끝난 세트가 하나도 없어 채점을 계속할 수 없습니다." in said
    assert "종료된 이유는 로그에 있습니다: 표준 출력" in said
