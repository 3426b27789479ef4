"""The gate of a set in its folder: kept in gate.json, made again when the report or the rules change."""

from pathlib import Path

import msgspec
import pytest

from reporting.index import write_index
from reporting.runs.gate import evaluate_folder, keep_gate
from reporting.runs.read import UnreadableRunError
from reporting.store import (
    BASELINE_JSON,
    BaselineFile,
    StatusFile,
    encode_json,
    read_gate,
    run_key,
    status_of_set,
    verify_set,
    write_atomic,
)
from scoring import Problem
from scoring.comparison import Origin
from scoring.gate import GateRules, GateState, RuleSet, parse_rule
from scoring.results import SetResult
from tests.inner import GATE_JSON
from tests.reporting.comparison.runs import run_of_result
from tests.reporting.publishing import publish_problem, publish_report
from tests.reporting.results import SHA, make_item, make_result


def _rules(*texts: str) -> GateRules:
    return GateRules(common=RuleSet(rules=tuple(parse_rule(text, {"intent": 5.0}) for text in texts)))


def _publish(out: Path, result: SetResult | None = None, *, key: str = "k") -> tuple[Path, StatusFile]:
    folder = publish_report(result or make_result(), set_name="s", key=key, out=out).folder
    status = status_of_set(out, "s")
    assert status is not None
    return folder, status


def test_gate_is_no_part_of_the_report(tmp_path: Path) -> None:
    folder, status = _publish(tmp_path)
    before = (folder / "status.json").read_bytes()
    gate = keep_gate(folder, status, _rules("intent >= 3"))
    assert gate is not None
    assert (gate.result.state, gate.key) == (GateState.PASSED, "k")
    assert read_gate(folder, status) == gate
    assert (folder / "status.json").read_bytes() == before
    assert verify_set(tmp_path, "s")


def test_known_gate_is_not_evaluated_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, status = _publish(tmp_path)
    rules = _rules("intent >= 3")
    gate = keep_gate(folder, status, rules)
    monkeypatch.setattr("reporting.runs.gate.read_reported", lambda _: pytest.fail("read again"))
    assert keep_gate(folder, status, rules) == gate


def test_other_rules_another_report_or_a_damaged_file_are_evaluated_again(tmp_path: Path) -> None:
    folder, status = _publish(tmp_path)
    keep_gate(folder, status, _rules("intent >= 3"))
    strict = keep_gate(folder, status, _rules("intent >= 3", "rounds >= 9"))
    assert strict is not None
    assert strict.result.state is GateState.FAILED
    folder, status = _publish(tmp_path, make_result(make_item(2, intent=1.0)), key="k2")
    assert read_gate(folder, status) is None
    again = keep_gate(folder, status, _rules("intent >= 3"))
    assert again is not None
    assert (again.result.state, again.key) == (GateState.FAILED, "k2")
    (folder / GATE_JSON).write_text("{", encoding="utf-8")
    assert keep_gate(folder, status, _rules("intent >= 3")) == again


def test_without_rules_no_gate_stays(tmp_path: Path) -> None:
    folder, status = _publish(tmp_path)
    keep_gate(folder, status, _rules("intent >= 3"))
    assert keep_gate(folder, status, GateRules()) is None
    assert not (folder / GATE_JSON).exists()


def test_set_without_a_report_is_undecidable(tmp_path: Path) -> None:
    publish_problem(
        [Problem(code="empty-file", source="a.csv")],
        inputs=[("a.csv", SHA)],
        set_name="s",
        key="k",
        out=tmp_path,
        profile="p",
        rubric_digest="d",
    )
    status = status_of_set(tmp_path, "s")
    assert status is not None
    gate = keep_gate(tmp_path / "s", status, _rules("intent >= 3"))
    assert gate is not None
    assert (gate.result.state, gate.result.rules[0].reason) == (GateState.UNDECIDABLE, "no-report")


def test_report_that_changed_meanwhile_is_not_taken_for_the_other(tmp_path: Path) -> None:
    folder, status = _publish(tmp_path)
    _publish(tmp_path, key="k2")
    with pytest.raises(UnreadableRunError):
        evaluate_folder(folder, status, _rules("intent >= 3"))


def test_gate_against_a_baseline_is_evaluated_again_for_another(tmp_path: Path) -> None:
    folder, status = _publish(tmp_path)
    rules = _rules("intent not worse than baseline")
    undecided = keep_gate(folder, status, rules)
    baseline = run_of_result(make_result(), name="before", key="b")
    decided = keep_gate(folder, status, rules, baseline)
    assert undecided is not None
    assert decided is not None
    assert (undecided.result.state, decided.result.state) == (GateState.UNDECIDABLE, GateState.PASSED)
    assert (undecided.baseline, decided.baseline) == ("", baseline.key)


def test_gate_is_evaluated_again_when_the_pinned_run_goes(tmp_path: Path) -> None:
    folder, status = _publish(tmp_path)
    rules = _rules("intent not worse than baseline")
    mark = BaselineFile(
        set="s",
        key=run_key(status.key, status.judge_digest),
        origin=Origin.FIRST,
        language="ko",
        engine_version=1,
        sentence="",
    )
    reasons = []
    for origin, name in ((Origin.FIRST, ""), (Origin.PIN_GONE, "nightly"), (Origin.IS_PIN, "s")):
        write_atomic(folder / BASELINE_JSON, encode_json(msgspec.structs.replace(mark, origin=origin, baseline=name)))
        gate = keep_gate(folder, status, rules)
        assert gate is not None
        reasons.append((gate.uncompared, gate.result.rules[0].reason, gate.result.rules[0].facts))
    assert reasons == [
        ("first", "no-baseline", {}),
        ("pin-gone", "pin-gone", {"baseline": "nightly"}),
        ("is-pin", "is-pin", {}),
    ]


def test_no_shared_query_is_undecidable(tmp_path: Path) -> None:
    folder, status = _publish(tmp_path)
    other = run_of_result(make_result(make_item(2, query_id="other")), name="before", key="b")
    gate = keep_gate(folder, status, _rules("intent not worse than baseline"), other)
    assert gate is not None
    assert (gate.result.state, gate.result.rules[0].reason) == (GateState.UNDECIDABLE, "no-shared-query")


def test_index_shows_the_gate_of_this_version_only(tmp_path: Path) -> None:
    folder, status = _publish(tmp_path)
    keep_gate(folder, status, _rules("intent >= 3", "rounds >= 9"))

    def index(name: str = "index.md") -> str:
        write_index(tmp_path, language="en")
        return (tmp_path / name).read_text(encoding="utf-8")

    assert "Report, Gate failed" in index()
    assert "Gate failed" in index("index.html")
    keep_gate(folder, status, _rules("intent >= 3"))
    assert "Report, Gate passed" in index()
    _publish(tmp_path, key="k2")
    assert "Gate" not in index()
