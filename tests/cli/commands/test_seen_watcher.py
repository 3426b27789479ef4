"""`status` believes a watcher that can still be there, and no other."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.commands.test_status import out, run, status
from tests.paths import ROOT

__all__ = ["out"]  # the fixture


@pytest.mark.timeout(300)
def test_status_believes_no_watcher_that_was_killed(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = "from pathlib import Path; from cli.service.saved_snapshot import save_snapshot; "
    code += "from watcher.health import Snapshot; "
    code += "import sys; save_snapshot(Path(sys.argv[1]), Snapshot(), observer='native', reason=''); "
    code += "print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(out.parent / "state")]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as watcher:
        assert watcher.stdout is not None
        watcher.stdout.readline()
        assert status(capsys)[1]["watcher"]["pid"] == watcher.pid
        watcher.kill()
    assert status(capsys)[1]["watcher"] is None
    assert "감시가 실행 중이 아닙니다." in run(capsys, "status")[1]


def test_status_believes_a_watcher_of_another_machine_while_it_is_fresh(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = {"pid": 2**22 + 1, "place": "elsewhere", "observer": "native", "reason": "", "snapshot": {}}
    for age, is_believed in ((0, True), (31, False)):
        content = {**saved, "saved_at": time.time() - age}
        (out.parent / "state" / "watcher.json").write_text(json.dumps(content))
        assert (status(capsys)[1]["watcher"] is not None) is is_believed
