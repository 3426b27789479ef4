"""What pages and gates concluded wrongly once: folders of tests/cases_found; `conclusions.json` says what is right."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.place import Place, Run, rows
from tests.paths import ROOT

FOUND = ROOT / "tests/cases_found"


def _lay(place: Place, case: str, into: str = "in") -> dict[str, Any]:
    """Copy the inputs of a case; what is expected of it."""
    folder = place.root / into
    shutil.copytree(FOUND / case, folder, dirs_exist_ok=True)
    expected: dict[str, Any] = json.loads(Path(__file__).with_name("conclusions.json").read_bytes())[case]
    return expected


def _gated(place: Place, *arguments: object) -> tuple[Run, list[dict[str, Any]]]:
    """Score with the gate of the case; the rules of the last set."""
    ran = place.score(*arguments, "--out", "out", "--gate", "--gate-file", "in/gate.toml", "--json")
    return ran, json.loads(ran.out)["sets"][-1]["gate"]["rules"]


def _compared(place: Place, before: str, after: str, *more: str) -> dict[str, Any]:
    ran = place.run("compare", f"in/{before}.csv", f"in/{after}.csv", "--json", "--language", "en", *more)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def _metrics(compared: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {metric["metric"]: metric for metric in compared["groups"][0]["metrics"]}


def _beside(place: Place, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place.root / "out" / name / "compare.json").read_bytes())
    return found


def _mark(place: Place, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place.root / "out" / name / "baseline.json").read_bytes())
    return found


def _trend(place: Place) -> list[str]:
    text = (place.root / "out/trend-resume-agent.csv").read_text(encoding="utf-8-sig")
    return [line.partition(",")[0] for line in text.splitlines()[1:]]


def test_grader_changed(place: Place) -> None:
    expected = _lay(place, "grader_changed")
    ran, rules = _gated(place, "in")
    assert ran.code == expected["gate_exit"]
    assert [rule["state"] for rule in rules] == ["undecidable"]
    for name in ("resume_agent_260308", "resume_agent_260315"):
        metrics = _metrics(_beside(place, name))
        for metric in expected["not_comparable"]:
            assert (metrics[metric]["comparable"], metrics[metric]["verdict"]) == (False, "not-comparable")
        for metric in expected["comparable"]:
            assert metrics[metric]["comparable"], metric
    assert _metrics(_beside(place, "resume_agent_260315"))["intent"]["why"]["kind"] == "model"
    index = (place.root / "out/index.md").read_text(encoding="utf-8")
    assert "≠" in next(line for line in index.splitlines() if "resume_agent_260315/report.md" in line)


def test_every_score_fell(place: Place) -> None:
    expected = _lay(place, "every_score_fell")
    compared = _compared(place, "resume_agent_quality_a", "resume_agent_quality_b")
    assert _metrics(compared)["intent"]["verdict"] == expected["verdict"]["intent"]
    for name in expected["sentence_names"]:
        assert name in compared["sentence"].lower()
    assert expected["sentence_without"] not in compared["sentence"].lower()
    assert compared["sentence"].startswith("Worse: Intent 5.00 → 1.00 (")


def test_grades_that_a_person_corrected_are_no_change_on_any_page(place: Place) -> None:
    _lay(place, "every_score_fell", "cases")
    (place.root / "in").mkdir()
    before = (place.root / "cases/resume_agent_quality_b.csv").read_text(encoding="utf-8-sig")
    lines = before.splitlines(keepends=True)
    after = "".join([lines[0], *(line.replace(",1,", ",5,", 1) for line in lines[1:13]), *lines[13:]])
    assert after != before
    for name, text in (("a", before), ("b", after)):
        (place.root / f"in/resume_agent_{name}.csv").write_text(text, encoding="utf-8")
    place.score("in", "--out", "out", "--language", "en")
    compared = _beside(place, "resume_agent_b")
    assert (_metrics(compared)["intent"]["verdict"], len(compared["regraded"])) == ("same", 12)
    summary = (place.root / "out/resume_agent_b/summary.md").read_text(encoding="utf-8")
    assert "The change leaves out 12 items regraded with the same answer." in compared["sentence"]
    assert (
        summary.count("The change leaves out 12 items regraded with the same answer.") == 2
    )  # beside the change, and in the line to hand on


def test_three_unchanged_queries(place: Place) -> None:
    expected = _lay(place, "three_unchanged_queries")
    ran, rules = _gated(place, "in")
    assert ran.code == 4
    assert expected["gate"] in {rule["state"] for rule in rules}
    intent = _metrics(_beside(place, "resume_agent_three_b"))["intent"]
    assert [intent["low"], intent["high"]] == pytest.approx(expected["interval"], abs=1e-9)
    assert intent["difference"] == 0.0


def test_baseline_damaged(place: Place) -> None:
    expected = _lay(place, "baseline_damaged")
    place.score("in", "--out", "out", "--language", "en")
    for name, baseline in expected["baseline_of"].items():
        mark = _mark(place, name)
        assert (mark["baseline_key"] or None) == baseline
        assert (mark["origin"], mark["baseline"]) == ("damaged", "resume_agent_260301")
        assert "resume_agent_260301" in mark["sentence"]
    for name, is_damaged in expected["damaged"].items():
        report = json.loads((place.root / "out" / name / "report.json").read_bytes())
        assert bool(report.get("damaged")) is is_damaged
        codes = {code for damage in report["damaged"] for code in damage["codes"]}
        assert codes == {"payload-unreadable"}
        assert json.loads((place.root / "out" / name / "status.json").read_bytes())["damaged"]
    index = (place.root / "out/index.md").read_text(encoding="utf-8")
    assert "▲" not in "".join(line for line in index.splitlines() if "/report.md" in line)


def test_a_damaged_baseline_that_is_pinned_stays_and_nothing_is_compared_with_it(place: Place) -> None:
    _lay(place, "baseline_damaged")
    place.score("in", "--out", "docs/reports", "--language", "en")
    assert place.run("bless", "resume_agent_260301").code == 0
    found = json.loads((place.root / "docs/reports/resume_agent_260308/compare.json").read_bytes())
    assert found["origin"] == "pinned"
    assert {metric["verdict"] for metric in found["groups"][0]["metrics"] if metric["queries"]} == {"not-comparable"}
    assert {metric["why"]["what"] for metric in found["groups"][0]["metrics"] if metric["queries"]} == {
        "payload-unreadable"
    }
    assert any("손상되었습니다" in note and "payload-unreadable" not in note for note in found["notes"])


def test_moved_rounds(place: Place) -> None:
    expected = _lay(place, "moved_rounds", "cases")
    rounds = sorted((place.root / "cases").glob("resume_agent_260302_*.csv"))
    for folder, files in (("in", rounds), ("in/260302", rounds)):
        (place.root / folder).mkdir()
        for file in files:
            shutil.copy(file, place.root / folder / file.name)
        place.score("in", "--out", "out", "--language", "en")
        for file in (place.root / "in").glob("*.csv"):
            file.unlink()
    (place.root / "in/260309").mkdir()
    shutil.copy(place.root / "cases/resume_agent_260309.csv", place.root / "in/260309")
    place.score("in", "--out", "out", "--language", "en")
    for name, baseline in expected["baseline_of"].items():
        assert _mark(place, name)["baseline"] == baseline
    assert _trend(place) == ["260302/resume-agent", "260309/resume-agent"]
    index = (place.root / "out/index.md").read_text(encoding="utf-8")
    superseded = [line for line in index.splitlines() if "260302/resume-agent has its files" in line]
    assert len(superseded) == expected["superseded"]


def test_compare_category_space(place: Place) -> None:
    expected = _lay(place, "compare_category_space")
    compared = _compared(place, "resume_agent_260301", "resume_agent_260308")
    assert len(compared["moved"]) == expected["moved"]
    assert compared["groups"][0]["queries"] == 20
    groups = [group["category"] for group in compared["groups"] if group["kind"] == "category"]
    assert groups in ([], [expected["group_category"]])  # one category that holds all is not repeated


def test_compare_checks_added(place: Place) -> None:
    expected = _lay(place, "compare_checks_added")
    accuracy = _metrics(_compared(place, "h_recruit_260301", "h_recruit_260308"))["accuracy"]
    assert accuracy["verdict"] != expected["accuracy_verdict_not"]
    assert accuracy["why"]["kind"] == expected["or_note_about"]


@pytest.mark.parametrize("case", ["compare_line_break", "compare_line_break_at_end"])
def test_compare_line_break(place: Place, case: str) -> None:
    expected = _lay(place, case)
    compared = _compared(place, "resume_agent_260301", "resume_agent_260308")
    assert (compared["shared"], len(compared["reworded"])) == (expected["shared"], expected["reworded"])
    assert _metrics(compared)["answered"]["verdict"] == expected["verdict"]
    place.score("in", "--out", "out")
    assert _mark(place, "resume_agent_260308")["baseline"] == "resume_agent_260301"  # what a run asks is read alike


def test_compare_one_round_with_five(place: Place) -> None:
    expected = _lay(place, "compare_one_round_with_five")
    compared = _compared(place, "resume_agent_260301", "resume_agent_260308")
    assert compared["flips"]["p"] is None
    assert any(expected["or_note_about"] in note.lower() for note in compared["notes"])
    assert _metrics(compared)["answered"]["verdict"] == "not-distinguishable"


def test_compare_seconds_on_one_side(place: Place) -> None:
    expected = _lay(place, "compare_seconds_on_one_side")
    metrics = _metrics(_compared(place, "resume_agent_260301", "resume_agent_260308"))
    assert metrics["latency"]["verdict"] != expected["latency_verdict_not"]
    assert metrics["latency"]["why"]["kind"] == "seconds"
    _, rules = _gated(place, "in/resume_agent_260308.csv", "--baseline", "in/resume_agent_260301.csv")
    assert expected["gate_not"] not in {rule["state"] for rule in rules}


def test_compare_status_with_recorded(place: Place) -> None:
    expected = _lay(place, "compare_status_with_recorded")
    compared = _compared(place, "resume_agent_260301", "resume_agent_260308")
    assert compared["like_with_like"] is expected["like_with_like"]
    assert _metrics(compared)["intent"]["why"]["kind"] == "graded"
    _, rules = _gated(place, "in/resume_agent_260308.csv", "--baseline", "in/resume_agent_260301.csv")
    assert {rule["state"] for rule in rules} == {expected["gate"]}


@pytest.mark.parametrize("case", ["order_hour_without_zero", "order_korean_clock", "order_run_10"])
def test_order(place: Place, case: str) -> None:
    expected = _lay(place, case)
    place.score("in", "--out", "out")
    assert _trend(place) == expected["trend"]
    for name, baseline in expected["baseline_of"].items():
        assert _mark(place, name)["baseline"] == baseline


@pytest.mark.parametrize(
    ("early", "late"), [("run2", "run10"), ("2026-3-9", "2026-3-10"), ("3월9일", "3월10일"), ("v1.9", "v1.10")]
)
def test_runs_without_a_date_that_are_made_together_go_by_the_numbers_in_their_names(
    place: Place, early: str, late: str
) -> None:
    for name, answer in ((late, "4명"), (early, "3명")):
        place.file(f"in/resume_agent_{name}.csv", rows("Q1", "Q2").replace(",3명,", f",{answer},"))
    place.score("in", "--out", "out")
    assert _trend(place) == [f"resume_agent_{early}", f"resume_agent_{late}"]
    assert _mark(place, f"resume_agent_{late}")["baseline"] == f"resume_agent_{early}"


@pytest.mark.parametrize("case", ["order_placeholder_year", "order_us_clock"])
def test_times_that_do_not_order_are_said(place: Place, case: str) -> None:
    """Whether 3/1 is March or January is not known from the first days of a month."""
    _lay(place, case)
    _, found = place.json("in", "--out", "out", "--language", "en")
    said = [finding for one in found["sets"] for finding in one["findings"] if finding["code"] == "executed-unreadable"]
    assert len(said) == (1 if case == "order_placeholder_year" else 2)
    assert all("the date in its name" in finding["text"] for finding in said)


def test_equal_rows_counted_twice(place: Place) -> None:
    expected = _lay(place, "equal_rows_counted_twice")
    ran, rules = _gated(place, "in")
    assert ran.code == 1  # a payload is unreadable, and no rule failed
    assert {rule["state"] for rule in rules} == {expected["gate"]}
    (scored,) = json.loads(ran.out)["sets"]
    counts = {finding["code"]: finding["count"] for finding in scored["findings"]}
    for code in ("payload-unreadable", "recorded-not-a-number"):
        assert counts[code] == expected[code]
    report = json.loads((place.root / "out/run/resume-agent/report.json").read_bytes())
    assert (report["headline"]["n"], report["counts"]) == (
        expected["items"],
        {"payload:truncated": 1, "seconds-missing": 1},
    )


def test_a_rerun_is_not_in_the_way_of_what_it_was(place: Place) -> None:
    """Two sets with the same file are one run: the later one is superseded."""
    place.file("in/a/resume_agent_260301.csv")
    place.file("in/b/resume_agent_260301.csv")
    place.score("in", "--out", "out", "--language", "en")
    names = {
        path.parent.relative_to(place.root / "out").as_posix() for path in Path(place.root / "out").rglob("report.md")
    }
    assert len(names) == 2
    assert len(_trend(place)) == 1
