"""Processes of another engine version: they refuse visibly, and an older one never writes over a newer one's report."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.items import ENGINE_VERSION
from tests.faults.harness import ROOT, Up, drop, report_files, wait_for
from tests.faults.processes import has_event, wait_event
from tests.faults.undisturbed import Undisturbed

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]

OTHER = """
import os, sys

if os.path.exists(os.environ["OTHER_ENGINE"]) and os.environ["OTHER_ENGINE_IN"] in " ".join(sys.orig_argv):
    import scoring.items.part

    scoring.items.part.ENGINE_VERSION = int(open(os.environ["OTHER_ENGINE"]).read())
"""


class MixedUp(Up):
    """A service some of whose processes have another engine while a file says so. where: part of their command line."""

    where = "-m workers"

    @property
    def flag(self) -> Path:
        return self.state.parent / "engine"

    def environment(self) -> dict[str, str]:
        folder = self.state.parent / "site"
        folder.mkdir(exist_ok=True)
        (folder / "sitecustomize.py").write_text(OTHER)
        path = os.pathsep.join([str(folder), str(ROOT)])
        ours = {"PYTHONPATH": path, "OTHER_ENGINE": str(self.flag), "OTHER_ENGINE_IN": self.where}
        return {**super().environment(), **ours}


def shown_status(up: Up) -> str:
    command = [sys.executable, "-m", "cli.main", "status"]
    return subprocess.run(command, cwd=ROOT, env=up.environment(), check=False, capture_output=True, text=True).stdout


@pytest.mark.parametrize("version", [ENGINE_VERSION - 1, ENGINE_VERSION + 1], ids=["older", "newer"])
def test_a_worker_of_another_engine_refuses_and_says_so(tmp_path: Path, version: int) -> None:
    up = MixedUp(tmp_path)
    up.flag.write_text(str(version))
    with up, Undisturbed(up, tmp_path, whole=True):
        drop(up.watch, "resume_agent_a.csv")
        reason = f"engine: asked for engine {ENGINE_VERSION}, this worker has {version}"
        wait_event(up, "set has to wait", set="resume_agent_a", reason=reason)
        assert has_event(up.events(), "given up for now", set="resume_agent_a", kind="engine")
        line = f"다시 시도: resume_agent_a ({reason})"
        wait_for(lambda: line in shown_status(up), "status to say why the set waits")  # it is written now and then
        assert up.status("resume_agent_a") is None
        assert [event for event in up.events() if "set" in event and not event.get("key")] == []
        up.flag.unlink()
        os.kill(up.pid_of("worker"), signal.SIGKILL)
        up.wait_settled("resume_agent_a")
        assert up.stop() == 0
    assert up.status("resume_agent_a")["engine_version"] == ENGINE_VERSION  # type: ignore[index]


def test_an_older_engine_leaves_a_newer_ones_report_and_says_so(tmp_path: Path) -> None:
    up = MixedUp(tmp_path, "--drain")
    up.where = ""  # every process
    up.flag.write_text(str(ENGINE_VERSION + 1))
    drop(up.watch, "resume_agent_a.csv")
    with up:
        assert up.wait() == 0
    newer = report_files(up.out)
    status = up.status("resume_agent_a")
    assert status is not None
    assert status["engine_version"] == ENGINE_VERSION + 1
    up.flag.unlink()
    drop(up.watch, "resume_agent_b.csv", seed=2)
    with up:
        assert up.wait() == 1
    found = report_files(up.out)
    assert {name: found[name] for name in newer} == newer
    assert up.status("resume_agent_b")["engine_version"] == ENGINE_VERSION  # type: ignore[index]
    assert "끝내지 못함: resume_agent_a (engine: the report of a newer engine stands there)" in up.log.read_text()
