"""What `/healthz` of the watcher says beside the figures of its loop."""

from dataclasses import replace
from pathlib import Path

from cli.service.metrics import WatchMonitor
from config import ListenAddress
from watcher import HealthPolicy, Notifier


def test_paused_notifications_degrade_and_do_not_fail(tmp_path: Path) -> None:
    notifier = Notifier("http://127.0.0.1:9/", out=tmp_path, state=tmp_path)
    policy = HealthPolicy(rescan_seconds=30.0, stalled_seconds=300.0)
    monitor = WatchMonitor(policy, None, address=ListenAddress("127.0.0.1", 0), workers={}, notifier=notifier)
    assert monitor.health() == ((), ())
    notifier.paused = "database is locked"
    assert monitor.health() == ((), ("notifications: paused, database is locked",))
    assert monitor.health().is_ok


def test_gates_are_counted_by_state() -> None:
    policy = HealthPolicy(rescan_seconds=30.0, stalled_seconds=300.0)
    monitor = WatchMonitor(policy, None, address=ListenAddress("127.0.0.1", 0), workers={}, notifier=None)
    monitor.figures = replace(monitor.figures, gates={"failed": 1, "undecidable": 0, "passed": 2})
    (family,) = [family for family in monitor.collect() if family.name == "scorewatch_gate_sets"]
    assert {sample.labels["state"]: sample.value for sample in family.samples} == {
        "failed": 1,
        "undecidable": 0,
        "passed": 2,
    }
