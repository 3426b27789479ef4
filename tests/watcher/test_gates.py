"""The gates of settled sets: evaluated once, read by a watcher that stands by, counted by state."""

from pathlib import Path

from reporting.store import StatusFile, status_of_set
from scoring.gate import GateRules, RuleSet, parse_rule
from tests.inner import GATE_JSON
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_item, make_result
from watcher.comparisons_and_gates import Gates

RULES = GateRules(common=RuleSet(rules=(parse_rule("intent >= 3", {"intent": 5.0}),)))


def _settled(out: Path, name: str, intent: float = 5.0) -> StatusFile:
    publish_report(make_result(make_item(2, intent=intent)), set_name=name, key=f"k-{name}", out=out)
    status = status_of_set(out, name)
    assert status is not None
    return status


class Done:
    """The gates of one folder, and the sets that they are done with."""

    def __init__(self, out: Path, rules: GateRules = RULES) -> None:
        self.names: list[str] = []
        self.gates = Gates(out, rules, on_done=lambda name, _: self.names.append(name))


def test_gates_are_evaluated_step_by_step_and_counted(tmp_path: Path) -> None:
    done = Done(tmp_path)
    for name, intent in (("a", 5.0), ("b", 1.0), ("방/c", 5.0)):
        done.gates.settle(name, _settled(tmp_path, name, intent), may_write=True)
    assert (done.names, done.gates.is_idle) == ([], False)
    assert done.gates.step(0.0)
    assert done.names == ["a"]
    assert done.gates.step(60.0)
    assert (done.names, done.gates.is_idle, done.gates.step()) == (["a", "b", "방/c"], True, [])
    assert done.gates.counts({"a", "b", "방/c"}) == {"failed": 1, "undecidable": 0, "passed": 2}
    assert done.gates.counts({"a"}) == {"failed": 0, "undecidable": 0, "passed": 1}


def test_known_gates_wait_for_nothing_and_others_are_evaluated_once(tmp_path: Path) -> None:
    status = _settled(tmp_path, "a")
    first = Done(tmp_path)
    first.gates.settle("a", status, may_write=True)
    first.gates.settle("a", status, may_write=True)
    first.gates.step()
    assert first.names == ["a"]
    again = Done(tmp_path)
    again.gates.settle("a", status, may_write=True)
    assert (again.names, again.gates.is_idle) == (["a"], True)
    stricter = Done(tmp_path, GateRules(common=RuleSet(rules=(parse_rule("intent >= 5", {"intent": 5.0}),))))
    stricter.gates.settle("a", status, may_write=True)
    assert (stricter.names, stricter.gates.is_idle) == ([], False)


def test_without_rules_nothing_is_written_or_counted_and_an_old_gate_goes(tmp_path: Path) -> None:
    status = _settled(tmp_path, "a")
    without = Done(tmp_path, GateRules())
    without.gates.settle("a", status, may_write=True)
    assert (without.names, without.gates.counts({"a"})) == (["a"], {})
    before = Done(tmp_path)
    before.gates.settle("a", status, may_write=True)
    before.gates.step()
    assert (tmp_path / "a" / GATE_JSON).exists()
    without.gates.settle("a", status, may_write=True)
    without.gates.step()
    assert (without.names, (tmp_path / "a" / GATE_JSON).exists()) == (["a", "a"], False)


def test_watcher_that_stands_by_only_reads(tmp_path: Path) -> None:
    status = _settled(tmp_path, "a")
    idle = Done(tmp_path)
    idle.gates.settle("a", status, may_write=False)
    assert (idle.names, (tmp_path / "a" / GATE_JSON).exists()) == (["a"], False)
    leading = Done(tmp_path)
    leading.gates.settle("a", status, may_write=True)
    leading.gates.step()
    idle.gates.settle("a", status, may_write=False)
    assert idle.gates.counts({"a"}) == {"failed": 0, "undecidable": 0, "passed": 1}


def test_gate_that_cannot_be_evaluated_now_stops_nothing(tmp_path: Path) -> None:
    done = Done(tmp_path)
    status = _settled(tmp_path, "a")
    (tmp_path / "a" / "report.json").unlink()
    done.gates.settle("a", status, may_write=True)
    done.gates.step()
    assert (done.names, done.gates.is_idle) == (["a"], True)
    assert done.gates.counts({"a"}) == {"failed": 0, "undecidable": 0, "passed": 0}
