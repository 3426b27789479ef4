"""What may not be listed or read is named by drain, status and index, until it may."""

from pathlib import Path

import pytest

from tests.faults.harness import Up, drop
from tests.faults.processes import Command, PatchedUp

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(300)]

# Root may read everything, so the errors are injected.
_CLOSED = """
import os
real_scandir, real_open = os.scandir, os.open

def scandir(path="."):
    if str(path).endswith("/closed"):
        raise PermissionError(13, "Permission denied", path)
    return real_scandir(path)

def open_(path, *args, **kwargs):
    if str(path).endswith("_closed.csv"):
        raise PermissionError(13, "Permission denied", path)
    return real_open(path, *args, **kwargs)

os.scandir, os.open = scandir, open_
"""


def seen_status(up: Up, home: Path) -> tuple[int, str]:
    with Command(home, "status", watch=up.watch, out=up.out, state=up.state) as command:
        return command.wait(), command.log.read_text()


def test_a_drain_names_what_may_not_be_read_and_so_do_status_and_index(tmp_path: Path) -> None:
    up = PatchedUp(tmp_path, "--drain", code=_CLOSED)
    drop(up.watch, "resume_agent_1.csv", "resume_agent_closed.csv", "closed/resume_agent_2.csv")
    with up:
        assert up.wait() == 1
    assert "끝내지 못함: closed (권한이 없음)" in up.log.read_text()
    assert "끝내지 못함: resume_agent_closed.csv (권한이 없음)" in up.log.read_text()
    code, said = seen_status(up, tmp_path)
    assert code == 1
    assert "읽지 못함: closed (권한이 없음)" in said
    assert "읽지 못함: resume_agent_closed.csv (권한이 없음)" in said
    assert "closed (권한이 없음)" in (up.out / "index.md").read_text()

    with Up(tmp_path, "--drain") as again:
        assert again.wait() == 0
    assert seen_status(again, tmp_path)[0] == 0
    assert "권한이 없음" not in (up.out / "index.md").read_text()
    assert again.status("closed/resume-agent") is not None
