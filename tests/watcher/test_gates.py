"""The gates of settled sets: evaluated once, read by a watcher that stands by, counted by state."""

from __future__ import annotations

from pathlib import Path

from reporting.publish import publish_report
from reporting.store.gate import GATE_JSON
from reporting.store.set_folder import status_of_set
from reporting.store.status import StatusFile
from scoring.gate.grammar import parse_rule
from scoring.gate.result import GateState
from scoring.gate.rules import GateRules, RuleSet
from tests.reporting.results import make_item, make_result
from watcher.gates import Gates

RULES = GateRules(common=RuleSet(rules=(parse_rule("intent >= 3", {"intent": 5.0}),)))


def _settled(out: Path, name: str, intent: float = 5.0) -> StatusFile:
    publish_report(make_result(make_item(2, intent=intent)), set_name=name, key=f"k-{name}", out=out)
    status = status_of_set(out, name)
    assert status is not None
    return status


def test_gates_are_counted_by_state_of_the_sets_that_are_there(tmp_path: Path) -> None:
    gates = Gates(tmp_path, RULES)
    for name, intent in (("a", 5.0), ("b", 1.0), ("방/c", 5.0)):
        gate = gates.settle(name, _settled(tmp_path, name, intent), may_write=True)
        assert gate is not None
        assert gate.result.state is (GateState.PASSED if intent == 5.0 else GateState.FAILED)
    assert gates.counts({"a", "b", "방/c"}) == {"failed": 1, "undecidable": 0, "passed": 2}
    assert gates.counts({"a"}) == {"failed": 0, "undecidable": 0, "passed": 1}


def test_without_rules_nothing_is_written_or_counted(tmp_path: Path) -> None:
    gates = Gates(tmp_path, GateRules())
    assert gates.settle("a", _settled(tmp_path, "a"), may_write=True) is None
    assert gates.counts({"a"}) == {}
    assert not (tmp_path / "a" / GATE_JSON).exists()


def test_watcher_that_stands_by_only_reads(tmp_path: Path) -> None:
    status = _settled(tmp_path, "a")
    idle = Gates(tmp_path, RULES)
    assert idle.settle("a", status, may_write=False) is None
    assert not (tmp_path / "a" / GATE_JSON).exists()
    leading = Gates(tmp_path, RULES).settle("a", status, may_write=True)
    assert idle.settle("a", status, may_write=False) == leading


def test_gate_that_cannot_be_evaluated_now_stops_nothing(tmp_path: Path) -> None:
    gates = Gates(tmp_path, RULES)
    status = _settled(tmp_path, "a")
    gates.settle("a", status, may_write=True)
    (tmp_path / "a" / GATE_JSON).unlink()
    (tmp_path / "a" / "report.json").unlink()
    assert gates.settle("a", status, may_write=True) is None
    assert gates.counts({"a"}) == {"failed": 0, "undecidable": 0, "passed": 0}
