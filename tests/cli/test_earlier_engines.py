"""Reports of earlier engines are read, or made again with a word: never an exception, never a wrong word.

`tests/earlier` holds what commits da3057ff (engine 8) and d685a4a6 (engine 9) wrote of the files in `in`: the second
run has other grades for the same answers. This version reads engine 9, and no report of engine 8.
"""

import json
import shutil
from typing import Any

import pytest

from scoring.items import ENGINE_VERSION
from tests.cli.place import Place
from tests.paths import ROOT

EARLIER = ROOT / "tests/earlier"
FIRST, SECOND = "resume_agent_260301", "resume_agent_260308"
ENGINES = pytest.mark.parametrize("engine", [8, 9])
GATE = '[gate]\nrules = ["intent >= 4.5", "answered_rate >= 0.9", "not worse than baseline"]\n'


def _lay(place: Place, engine: int, *, with_inputs: bool = False) -> None:
    shutil.copytree(EARLIER / f"engine_{engine}", place.root / "docs/reports")
    if with_inputs:
        shutil.copytree(EARLIER / "in", place.root / "docs/test-result")


def _report(place: Place, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place.root / "docs/reports" / name / "report.json").read_bytes())
    return found


def test_two_reports_of_the_engine_before_are_compared_by_the_text_that_they_keep(place: Place) -> None:
    _lay(place, 9)
    ran = place.run("compare", FIRST, SECOND, "--json")
    assert ran.code == 0
    compared = json.loads(ran.out)
    assert (len(compared["regraded"]), compared["shared"]) == (16, 10)
    assert "regraded-by-cut-text" in compared["note_codes"]
    assert len(compared["notes"]) == len(compared["note_codes"])
    intent = next(metric for metric in compared["groups"][0]["metrics"] if metric["metric"] == "intent")
    assert (intent["before"], intent["after"], intent["changed"], intent["difference"]) == (5.0, 3.4, 0, 0.0)


def test_a_report_that_cannot_be_read_says_which_engine_made_it_and_what_helps(place: Place) -> None:
    _lay(place, 8)
    place.file("gate.toml", GATE)
    said = (
        f"The report of '{FIRST}' was made by engine 8, which engine {ENGINE_VERSION} does not read. Score its inputs"
    )
    for command in (
        ("compare", FIRST, SECOND),
        ("compare", SECOND, FIRST),
        ("gate", FIRST, "--gate-file", "gate.toml"),
        ("gate", FIRST, "--gate-file", "gate.toml", "--check"),
    ):
        ran = place.run(*command, "--language", "en")
        assert (ran.code, "Traceback" in ran.err) == (2, False), command
        assert said.replace(FIRST, command[1]) in " ".join(ran.err.split()), command


def test_the_gate_reads_the_engine_before_and_says_what_it_cannot_decide(place: Place) -> None:
    _lay(place, 9)
    place.file("gate.toml", GATE)
    ran = place.run("gate", FIRST, SECOND, "--gate-file", "gate.toml", "--json")
    gates = json.loads(ran.out)
    states = {gate["set"]: [rule["state"] for rule in gate["rules"]] for gate in gates["sets"]}
    assert states == {
        FIRST: ["passed", "passed", "undecidable"],
        SECOND: ["failed", "passed", "undecidable"],  # it is compared when it is made again
    }
    assert ran.code == 3
    ran = place.run("gate", SECOND, "--gate-file", "gate.toml", "--baseline", FIRST, "--json")
    (gate,) = json.loads(ran.out)["sets"]
    assert [rule["state"] for rule in gate["rules"]] == ["failed", "passed", "passed"]  # graded anew is no worse


@ENGINES
def test_a_report_is_made_again_with_a_word_and_kept(place: Place, engine: int) -> None:
    _lay(place, engine, with_inputs=True)
    ran = place.score("docs/test-result", "--out", "docs/reports", "--language", "en")
    assert ran.code == 0
    said = f"Replaced a report of engine {engine}; changes.md says what is different."
    assert ran.out.splitlines().count(said) == 1
    for name in (FIRST, SECOND):
        folder = place.root / "docs/reports" / name
        changes = (folder / "changes.md").read_text(encoding="utf-8")
        assert f"engine {engine} → {ENGINE_VERSION}" in changes
        (kept,) = (folder / "history").iterdir()
        assert json.loads((kept / "report.json").read_bytes())["engine_version"] == engine
        assert _report(place, name)["engine_version"] == ENGINE_VERSION
    again, found = place.json("docs/test-result", "--out", "docs/reports")
    assert again == 0
    assert not any("replaced_engine" in one for one in found["sets"])
    compared = json.loads(place.run("compare", FIRST, SECOND, "--json").out)
    assert len(compared["regraded"]) == 16
    assert "regraded-by-cut-text" not in compared["note_codes"]


@ENGINES
def test_json_says_which_engine_was_replaced(place: Place, engine: int) -> None:
    _lay(place, engine, with_inputs=True)
    _, found = place.json("docs/test-result", "--out", "docs/reports")
    assert [one["replaced_engine"] for one in found["sets"]] == [engine, engine]


@ENGINES
def test_index_and_trend_have_the_runs_of_earlier_engines(place: Place, engine: int) -> None:
    _lay(place, engine)
    text = (EARLIER / "in" / f"{SECOND}.csv").read_text(encoding="utf-8").replace("2026-03-08", "2026-03-15")
    place.file("later/resume_agent_260315.csv", text)
    ran = place.score("later", "--out", "docs/reports", "--language", "en")
    assert ran.code == 0
    trend = (place.root / "docs/reports/trend-resume-agent.csv").read_text(encoding="utf-8-sig").splitlines()
    assert [line.split(",")[0] for line in trend[1:]] == [FIRST, SECOND, "resume_agent_260315"]
    html = (place.root / "docs/reports/trend-resume-agent.html").read_text(encoding="utf-8")
    assert "engine" in html
    index = (place.root / "docs/reports/index.md").read_text(encoding="utf-8")
    assert all(f"[{name}]({name}/summary.md)" in index for name in (FIRST, SECOND))
    front = (place.root / "docs/reports" / FIRST / "summary.md").read_text(encoding="utf-8")
    assert (f"which engine {ENGINE_VERSION} does not read" in front) is (engine == 8)
    assert (place.root / "docs/reports" / FIRST / "summary.html").exists()
    row = next(line for line in index.splitlines() if "resume_agent_260315/report.md" in line)
    assert not {"▲", "▼"} & set(row)
    mark = json.loads((place.root / "docs/reports/resume_agent_260315/baseline.json").read_bytes())
    if engine == 9:  # read, but scored by other rules: no figure is comparable
        assert mark["baseline"] == SECOND
        assert set(mark["verdicts"].values()) == {"not-comparable"}
    else:
        assert mark["verdicts"] == {}
        assert mark["sentence"].startswith("None of the earlier runs whose reports can be read asked")


def test_a_run_of_now_and_one_of_the_engine_before_are_both_scored_today(place: Place) -> None:
    _lay(place, 9, with_inputs=True)
    place.score(f"docs/test-result/{SECOND}.csv", "--out", "docs/reports")
    compared = json.loads(place.run("compare", FIRST, SECOND, "--json").out)
    assert (compared["before"]["is_rescored"], compared["like_with_like"]) == (True, True)
    assert "rescored" in compared["note_codes"]
    shutil.rmtree(place.root / "docs/test-result")
    compared = json.loads(place.run("compare", FIRST, SECOND, "--json").out)
    assert (compared["before"]["is_rescored"], compared["like_with_like"]) == (False, False)
    assert "rules-differ" in compared["note_codes"]
    assert {metric["verdict"] for metric in compared["groups"][0]["metrics"]} == {"not-comparable"}


@ENGINES
def test_a_pin_on_an_earlier_engine_is_kept_and_nothing_is_judged_by_it(place: Place, engine: int) -> None:
    _lay(place, engine)
    place.file("later/resume_agent_260315.csv", (EARLIER / "in" / f"{SECOND}.csv").read_text(encoding="utf-8"))
    place.score("later", "--out", "docs/reports")
    ran = place.run("bless", FIRST)
    assert (ran.code, ran.err) == (0, "")
    compared = json.loads((place.root / "docs/reports/resume_agent_260315/baseline.json").read_bytes())
    assert (compared["baseline"], compared["origin"]) == (FIRST, "pinned")
    assert set(compared["verdicts"].values()) <= {"not-comparable"}


@ENGINES
def test_status_counts_what_is_to_be_made_again(place: Place, engine: int) -> None:
    _lay(place, engine)
    found = json.loads(place.run("status", "--json").out)
    assert found["older_engine_sets"] == 2
