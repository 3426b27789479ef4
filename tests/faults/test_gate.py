"""The gate in the whole service, on real processes."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.faults.harness import Up, drop
from tests.inner import GATE_JSON
from tests.watcher.receiver import Receiver

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.timeout(300)]
NAME = "resume_agent_a"


def _up(folder: Path, *rules: str, **settings: str) -> Up:
    (folder / "gate.toml").write_text(f"[gate]\nrules = {json.dumps(rules)}\n", encoding="utf-8")
    variables = {"GATE_FILE": str(folder / "gate.toml"), **settings}
    return Up(folder, "--drain", **variables)


def _result(up: Up) -> Any:
    return json.loads((up.out / NAME / GATE_JSON).read_bytes())["result"]


def test_gate_follows_the_rules_and_the_report_does_not(tmp_path: Path) -> None:
    receiver = Receiver()
    settings = {"WEBHOOK_URL": receiver.url, "WEBHOOK_EVENTS": "gate-failed"}
    try:
        up = _up(tmp_path, "rounds >= 1", **settings)
        drop(up.watch, f"{NAME}.csv")
        with up:
            assert up.wait() == 0
        assert _result(up)["state"] == "passed"
        assert receiver.received == []
        before = (up.out / NAME / "report.json").read_bytes()
        again = _up(tmp_path, "rounds >= 9", **settings)
        with again:
            assert again.wait() == 0
        assert _result(again)["state"] == "failed"
        assert (up.out / NAME / "report.json").read_bytes() == before
        assert "게이트 실패" in (up.out / "index.md").read_text(encoding="utf-8")
        drop(up.watch, f"{NAME}.csv", seed=9)
        last = _up(tmp_path, "rounds >= 9", **settings)
        with last:
            assert last.wait() == 0
        ((_, body),) = receiver.received
        assert (body["set"], body["gate"]["state"]) == (NAME, "failed")
    finally:
        receiver.end()
    broken = _up(tmp_path, "rouds >= 9")
    with broken:
        assert broken.wait() == 2
    assert "gate.toml [gate]" in broken.log.read_text(encoding="utf-8")
