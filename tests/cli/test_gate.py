"""`scorewatch gate` and `score --gate`: exit codes, what is printed and written, and what is refused."""

import json
import re
import shutil
from pathlib import Path

import pytest
from junitparser import JUnitXml

from bench.make_csv import write_file
from tests.cli.place import AsMade, Place, rows
from tests.inner import MOST_LINES

SET = "resume_agent_a"
FINE = "intent >= 4.0"
FAILING = "latency p95 <= 3"
OPEN = "not worse than baseline"


def _rules(place: Place, *rules: str, name: str = "scorewatch.toml", profile: str = "") -> Path:
    table = "gate" + (f".{profile}" if profile else "")
    return place.file(name, f"[{table}]\nrules = {json.dumps(rules)}\n")


@pytest.fixture
def reported(place: Place, as_made: AsMade) -> Place:
    """A report in the folder of reports, and rules that it keeps."""
    return as_made(place, _report)


def _report(place: Place) -> None:
    place.file(f"in/{SET}.csv", rows("Q1", "Q2", "Q1@2/1", "Q2@2/1"))
    assert place.score("in", "--out", "docs/reports").code == 0
    _rules(place, FINE)


@pytest.mark.parametrize(
    ("rules", "code"),
    [([FINE], 0), ([FINE, OPEN], 4), ([FINE, FAILING], 3), ([OPEN, FAILING], 3)],
    ids=["passed", "undecidable", "failed", "failed-first"],
)
def test_exit_code_is_that_of_the_worst_rule(reported: Place, rules: list[str], code: int) -> None:
    _rules(reported, *rules)
    assert reported.run("gate", SET).code == code
    assert reported.score("in", "--gate").code == code
    assert reported.score("in", "--gate", "--out", "out").code == code


def test_inputs_with_problems_end_with_1_unless_a_rule_does_worse(reported: Place) -> None:
    extra = rows("Q1", "Q2").replace("run-1,i1,Q2", "run-1,i1,", 1)
    reported.file(f"in/{SET}.csv", extra)
    assert reported.score("in", "--gate", "--out", "docs/reports").code == 1
    assert reported.run("gate", SET).code == 1
    _rules(reported, FAILING)
    assert reported.run("gate", SET).code == 3


def test_every_rule_is_printed_with_its_reason(reported: Place) -> None:
    _rules(reported, FINE, FAILING, OPEN)
    line = f"✗ {SET} failed: {FAILING} (value 4.0)"
    assert reported.run("gate", SET, "--language", "en", "-v").out.splitlines() == [
        line,
        f"  {SET}: passed {FINE} (value 5.00)",
        f"  {SET}: failed {FAILING} (value 4.0)",
        f"  {SET}: undecidable {OPEN} (there is no baseline)",
        "Gate: sets passed 0, failed 1, undecidable 0",
    ]
    assert reported.run("gate", SET, "--language", "en").out.splitlines()[0] == line
    assert reported.score("in", "--gate", "--quiet", "--language", "en").out.splitlines() == [line]
    _rules(reported, FINE)
    assert reported.run("gate", SET).out.splitlines()[0] == f"✓ {SET} 통과 규칙 1개"


def test_set_is_named_by_name_by_folder_or_refused_with_the_nearest(reported: Place) -> None:
    assert reported.run("gate", SET.upper()).code == 0
    assert reported.run("gate", f"docs/reports/{SET}").code == 0
    ran = reported.run("gate", "resume_agent_b", "--language", "en")
    assert (ran.code, SET in ran.err) == (2, True)


def test_set_that_was_refused_is_undecidable(reported: Place) -> None:
    reported.file("in/resume_agent_cut.csv", "Query ID,Track\nq1,1\n")
    assert reported.score("in", "--out", "docs/reports").code == 1
    ran = reported.run("gate", "resume_agent_cut", "--language", "en")
    assert (ran.code, ran.out.splitlines()[0]) == (4, "? resume_agent_cut undecidable: every rule (there is no report)")
    assert reported.run("gate", "resume_agent_cut").out.startswith(
        "? resume_agent_cut 판정 불가: 모든 규칙 (보고서가 없음)\n"
    )
    assert reported.score("in", "--gate").code == 4


def test_junit_and_summary_are_written(reported: Place) -> None:
    _rules(reported, FINE, FAILING)
    for command in (("gate", SET), ("score", "in", "--gate"), ("score", "in", "--gate", "--out", "out")):
        ran = reported.run(*command, "--junit", "made/gate.xml", "--summary", "made/gate.md")
        assert ran.code == 3
        read = JUnitXml.fromfile(str(reported.root / "made/gate.xml"))
        assert (read.tests, read.failures, read.errors) == (2, 1, 0)
        assert reported.run(*command, "--junit", "made/gate.xml", "--junit-queries").code == 3
        assert JUnitXml.fromfile(str(reported.root / "made/gate.xml")).tests == 4
        assert len((reported.root / "made/gate.md").read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_one_file_for_both_is_refused_before_anything_is_done(reported: Place) -> None:
    _rules(reported, FINE)
    for command in (("gate", SET), ("score", "in", "--gate", "--out", "none")):
        ran = reported.run(*command, "--junit", "made/../gate.xml", "--summary", "gate.xml")
        assert ran.code == 2
        assert "--junit과 --summary가 같은 파일(gate.xml)을 가리킵니다" in ran.err
    assert not (reported.root / "gate.xml").exists()
    assert not (reported.root / "none").exists()


def test_file_that_cannot_be_written_is_a_problem(reported: Place) -> None:
    reported.file("file", "")
    ran = reported.run("gate", SET, "--junit", "file/gate.xml")
    assert (ran.code, "file/gate.xml" in ran.err) == (1, True)
    ran = reported.score("in", "--gate", "--summary", "file/gate.md")
    assert (ran.code, "file/gate.md" in ran.out) == (1, True)


def test_json_holds_every_rule(reported: Place) -> None:
    _rules(reported, FINE, FAILING)
    ran = reported.run("gate", SET, "--json")
    content = json.loads(ran.out)
    assert (ran.code, content["state"]) == (3, "failed")
    (entry,) = content["sets"]
    assert [(rule["rule"], rule["state"], rule["value"]) for rule in entry["rules"]] == [
        (FINE, "passed", 5.0),
        (FAILING, "failed", 4.0),
    ]
    code, scored = reported.json("in", "--gate")
    assert (code, scored["sets"][0]["gate"]["rules"]) == (3, entry["rules"])
    assert "gate" not in reported.json("in")[1]["sets"][0]


def test_baseline_is_compared(reported: Place) -> None:
    _rules(reported, OPEN, "intent not worse than baseline by 5")
    assert reported.run("gate", SET).code == 4
    assert reported.run("gate", SET, "--baseline", SET).code == 0
    assert reported.score("in", "--gate", "--baseline", SET).code == 0
    reported.file("before.csv", rows(*(f"Q{at}" for at in range(40))))
    after = rows(*(f"Q{at}" for at in range(40))).replace("지원자는 3명입니다.", "알려주", 8)
    reported.file("in/resume_agent_b.csv", after)
    reported.file("resume_agent_before.csv", rows(*(f"Q{at}" for at in range(40))))
    ran = reported.score("in/resume_agent_b.csv", "--gate", "--baseline", "resume_agent_before.csv", "--language", "en")
    assert ran.code == 3
    assert "failed: not worse than baseline (worse than resume_agent_before: " in ran.out


def test_a_comparison_by_hand_takes_no_baseline_from_the_gate(place: Place) -> None:
    for at, (name, worse) in enumerate((("before", 0), ("after", 6))):
        write_file(place.root / f"in/resume_agent_26030{at + 1}_{name}.csv", 164, rounds=2, seed=7, worse=worse)
    _rules(place, OPEN)
    assert place.score("in", "--out", place.root / "docs/reports").code == 0
    runs = ("resume_agent_260301_before", "resume_agent_260302_after")
    assert place.run("gate", runs[1]).code == 3
    assert place.run("compare", *runs).code == 0
    ran = place.run("gate", runs[1], "--language", "en", "-v")
    assert (ran.code, "worse than resume_agent_260301_before: " in ran.out) == (3, True)


def test_a_pinned_run_whose_report_is_gone_is_named(reported: Place) -> None:
    reported.file("in/resume_agent_old.csv", rows("Q1", "Q2"))
    assert reported.score("in", "--out", "docs/reports").code == 0
    _rules(reported, OPEN)
    assert reported.run("bless", "resume_agent_old").code == 0
    ran = reported.run("gate", "resume_agent_old", "--language", "en", "-v")
    assert f"{OPEN} (this run is itself the pinned baseline of its profile)" in ran.out.splitlines()[1]
    assert reported.run("gate", SET).code == 0
    shutil.rmtree(reported.root / "docs/reports/resume_agent_old")
    for _ in range(2):  # the second time from what gate.json says
        ran = reported.run("gate", SET, "--language", "en", "-v")
        assert ran.code == 4
        assert f"{OPEN} (the report of the pinned baseline resume_agent_old is gone" in ran.out.splitlines()[1]


def test_scoring_without_out_is_compared_with_the_reports_that_are_set(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = [f"Q{number}" for number in range(12)]
    good = rows(*queries)
    bad = good.replace(",3명,,,", ",,Timeout,,")
    place.file("old/resume_agent_260301.csv", good)
    place.file("new/resume_agent_260308.csv", bad)
    _rules(place, OPEN)
    assert place.score("old", "--out", "elsewhere").code == 0
    ran = place.score("new", "--gate", "--language", "en")
    assert (ran.code, "there is no baseline" in ran.out) == (4, True)
    monkeypatch.setenv("SCOREWATCH_OUT", "elsewhere")
    before = sorted((place.root / "elsewhere").rglob("*"))
    ran = place.score("new", "--gate", "--language", "en")
    assert (ran.code, "worse than resume_agent_260301" in ran.out) == (3, True)
    assert sorted((place.root / "elsewhere").rglob("*")) == before
    ran = place.score("old", "--gate", "--language", "en")
    assert (ran.code, "there is no baseline" in ran.out) == (4, True)  # the report of the same name is its own
    assert place.run("bless", "resume_agent_260301").code == 0
    assert place.score("new", "--gate").code == 3
    shutil.rmtree(place.root / "elsewhere/resume_agent_260301")
    ran = place.score("new", "--gate", "--language", "en", "-v")
    assert (ran.code, "the report of the pinned baseline resume_agent_260301 is gone" in ran.out) == (4, True)


def test_baseline_that_is_no_run_is_refused(reported: Place) -> None:
    for command in (("gate", SET), ("score", "in", "--gate")):
        ran = reported.run(*command, "--baseline", "resume_agent_x")
        assert (ran.code, f"'{SET}'" in ran.err) == (2, True)


def test_check_reads_the_rules_and_no_more(reported: Place) -> None:
    _rules(reported, FINE, FAILING, profile="resume-agent")
    ran = reported.run("gate", "--check", "--language", "en")
    assert ran.code == 0
    assert "resume-agent: 2 rules" in ran.out.splitlines()
    assert "h-recruit: 0 rules" in ran.out.splitlines()
    _rules(reported, FINE, profile="resume-agent")
    assert "resume-agent: 1 rule" in reported.run("gate", "--check", "--language", "en").out.splitlines()
    assert "resume-agent: 규칙 1개" in reported.run("gate", "--check").out.splitlines()
    _rules(reported, "intnt >= 4")
    ran = reported.run("gate", "--check", "--language", "en")
    assert (ran.code, ran.out) == (2, "")
    assert "scorewatch.toml [gate], rule 1 'intnt >= 4', column 1: There is no 'intnt'." in ran.err


def test_check_of_a_set_says_what_its_rules_can_decide(place: Place) -> None:
    write_file(place.root / "in/resume_agent_260301.csv", 164, rounds=2, seed=7)
    place.file("in/resume_agent_few.csv", rows("Q1", "Q2"))
    place.file("in/resume_agent_cut.csv", "Query ID,Track\nq1,1\n")
    assert place.score("in", "--out", "docs/reports").code == 1
    margin = "intent not worse than baseline by 0.1"
    every = "every query passes >= 2 of 3"
    _rules(place, margin, FINE, every)
    sets = ("resume_agent_260301", "resume_agent_few", "resume_agent_cut")
    ran = place.run("gate", "--check", *sets, "--language", "en")
    beyond = (
        "cannot be shown; with 83 queries in 2 rounds the smallest margin that an unchanged agent passes is about 0.34 "
        "(Intent). Use a wider margin, more queries or more rounds"
    )
    chance = "an agent that passes 95.0% of its answers fails this in"
    told = [line for line in ran.out.splitlines() if line.startswith(sets)]
    assert (ran.code, told) == (
        0,
        [
            f"resume_agent_260301: {margin}: {beyond}",
            f"resume_agent_260301: {every}: with 83 queries, {chance} 45.3% of the runs",
            f"resume_agent_few: {margin}: cannot be shown; there are 2 queries, fewer than 10",
            f"resume_agent_few: {every}: with 2 queries, {chance} 1.4% of the runs",
            "resume_agent_cut: there is no report",
        ],
    )
    _rules(place, FINE, profile="h-recruit")
    assert "resume_agent_few: 규칙 없음" in place.run("gate", "--check", "resume_agent_few").out.splitlines()
    _rules(place, FINE)
    ran = place.run("gate", "--check", "resume_agent_few", "--language", "en")
    assert ran.out.splitlines()[-1] == "resume_agent_few: no rule has a margin or is about every query"
    assert place.run("gate", "--check", "resume_agent_none").code == 2
    (place.root / "docs/reports/resume_agent_few/items.csv").write_text("x", encoding="utf-8")
    _rules(place, margin)
    assert place.run("gate", "--check", "resume_agent_few").code == 2


def test_check_and_gate_tell_one_smallest_margin_of_a_set(place: Place) -> None:
    write_file(place.root / "in/resume_agent_260301.csv", 164, rounds=2, seed=7)
    write_file(place.root / "in/resume_agent_260302.csv", 164, rounds=2, seed=7, worse=3)
    assert place.score("in", "--out", "docs/reports").code == 0
    _rules(place, "intent not worse than baseline by 0.2")
    told = [place.run("gate", *more, "resume_agent_260302", "-v").out for more in ([], ["--check"])]
    found = [re.findall(r"통과할 수 있는 가장 작은 기준이 약 ([\d.]+)", one) for one in told]
    assert found[0] == found[1] != []
    assert "질의 83개를 2회씩 물어서는" in told[0]
    assert "질의 83개를 2회씩 물어서는" in told[1]


def test_rules_come_from_the_file_that_is_named(reported: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    _rules(reported, FAILING, name="strict.toml")
    assert reported.run("gate", SET).code == 0
    assert reported.run("gate", SET, "--gate-file", "strict.toml").code == 3
    assert reported.score("in", "--gate", "--gate-file", "strict.toml").code == 3
    monkeypatch.setenv("SCOREWATCH_GATE_FILE", "strict.toml")
    assert reported.run("gate", SET).code == 3


def test_nothing_to_decide_by_is_no_success(reported: Place) -> None:
    _rules(reported, FINE, profile="h-recruit")
    ran = reported.run("gate", SET, "--language", "en")
    assert (ran.code, ran.out.splitlines()[-1]) == (
        4,
        "Gate: the profiles of these sets have no rules, so nothing was decided.",
    )
    (reported.root / "scorewatch.toml").unlink()
    for command in (("gate", SET), ("gate", "--check"), ("score", "in", "--gate")):
        ran = reported.run(*command, "--language", "en")
        assert (ran.code, ran.err.splitlines()[-1][:36]) == (2, "There are no gate rules. Write them ")
    assert reported.run("score", "in").code == 0


def test_items_without_a_category_are_a_group_that_a_rule_names(reported: Place) -> None:
    reported.file("in/resume_agent_blank.csv", rows("Q1", "Q2").replace(",공고,", ",,", 1))
    _rules(reported, "category unassigned: items >= 1", 'category "여행": items >= 1')
    ran = reported.score("in", "--gate", "--language", "en", "-v")
    lines = [line.strip() for line in ran.out.splitlines() if line.startswith("  ") and "items >= 1 (" in line]
    assert lines == [
        f"{SET}: undecidable category unassigned: items >= 1 (the set has no category (no category))",
        f'{SET}: undecidable category "여행": items >= 1 (the set has no category 여행)',
        "resume_agent_blank: passed category unassigned: items >= 1 (value 1)",
        'resume_agent_blank: undecidable category "여행": items >= 1 (the set has no category 여행)',
    ]


def test_rules_about_nothing_and_margins_beyond_the_scale_are_refused(reported: Place) -> None:
    _rules(reported, "category ' ': items >= 1", "not worse than baseline by 50")
    ran = reported.run("gate", SET, "--language", "en")
    assert ran.code == 2
    assert "rule 1 'category ' ': items >= 1', column 10: There is no name in the quotes" in ran.err
    assert "rule 2 'not worse than baseline by 50', column 28: A margin goes up to 5" in ran.err


def test_options_of_a_gate_need_the_gate(reported: Place) -> None:
    for option in ("--junit", "--summary", "--baseline", "--gate-file"):
        assert reported.run("score", "in", option, "x").code == 2
    assert reported.run("score", "in", "--junit-queries").code == 2
    for command in (("gate", SET), ("score", "in", "--gate")):
        ran = reported.run(*command, "--junit-queries", "--language", "en")
        assert (ran.code, ran.err.splitlines()[0]) == (2, "Error: --junit-queries needs --junit FILE.")
    assert reported.run("gate").code == 2


def test_gate_beside_a_report_changes_none_of_its_bytes(reported: Place) -> None:
    before = (reported.root / "docs/reports" / SET / "report.json").read_bytes()
    assert reported.score("in", "--gate", "--out", "docs/reports").code == 0
    folder = reported.root / "docs/reports" / SET
    assert (folder / "report.json").read_bytes() == before
    assert json.loads((folder / "gate.json").read_bytes())["result"]["state"] == "passed"
    assert "게이트 통과" in (reported.root / "docs/reports/index.md").read_text(encoding="utf-8")
    ran = reported.run("status", "--language", "en")
    assert "Gate: sets passed 1, failed 0, undecidable 0" in ran.out.splitlines()


@pytest.mark.parametrize(
    ("broken", "margin", "code", "states"),
    [
        (0, 0.3, 0, ["passed", "passed"]),
        (1, 0.3, 0, ["passed", "passed"]),
        (1, 0.1, 4, ["passed", "undecidable"]),
        (6, 0.1, 3, ["failed", "failed"]),
    ],
)
def test_worsening_of_6_of_82_queries_is_found_and_of_one_is_not_told_from_chance(
    place: Place, broken: int, margin: float, code: int, states: list[str]
) -> None:
    for name, worse in (("before", 0), ("after", broken)):
        write_file(place.root / f"resume_agent_{name}.csv", 164, rounds=2, seed=7, worse=worse)
    _rules(place, OPEN, f"intent not worse than baseline by {margin}")
    ran = place.score("resume_agent_after.csv", "--gate", "--baseline", "resume_agent_before.csv", "--json")
    found = [rule["state"] for rule in json.loads(ran.out)["sets"][0]["gate"]["rules"]]
    assert (ran.code, found) == (code, states)


LEFT_OUT = "failing queries except known <= 0"


def test_known_failures_lie_in_the_watched_folder_or_beside_what_is_named(place: Place) -> None:
    place.file(f"in/{SET}.csv", rows("Q1", "Q2").replace("3명,,", "3명,Timeout: 90 s,"))
    _rules(place, LEFT_OUT)
    assert place.score(f"in/{SET}.csv", "--gate").code == 3
    known = place.file("in/known.csv", "pattern,resolution,ticket\nTimeout: ‹n› s,known,HR-1\n")
    assert place.score(f"in/{SET}.csv", "--gate").code == 0
    assert place.score("in", "--gate").code == 0
    assert (
        place.score(f"in/{SET}.csv", known, "--gate", "--out", "out", "--junit", "j.xml", "--junit-queries").code == 0
    )
    assert '<skipped message="HR-1: ' in (place.root / "j.xml").read_text(encoding="utf-8")
    known.unlink()
    assert place.score("in", "--gate", "--out", "out").code == 3
    assert not (place.root / "out/known.json").exists()


def test_gate_reads_known_failures_again_and_the_reports_stay(place: Place) -> None:
    place.file(f"docs/test-result/{SET}.csv", rows("Q1", "Q2").replace("3명,,", "3명,Timeout: 90 s,"))
    _rules(place, LEFT_OUT, FINE)
    assert place.score("docs/test-result", "--out", "docs/reports").code == 0
    before = {path.name: path.read_bytes() for path in (place.root / "docs/reports" / SET).glob("report.*")}
    assert place.run("gate", SET).code == 3
    lines = "Query ID,resolution,ticket\nQ1,known,HR-1\nQ2,known,HR-1\nQ3,knwon,HR-1\n"
    place.file("docs/test-result/known.csv", lines)
    ran = place.run("gate", SET, "-v")
    assert LEFT_OUT in ran.out
    assert "known.csv 4행 'resolution'" in ran.err
    assert "[known-word]" in ran.err
    assert place.run("gate", SET, "--summary", "s.md").code == 3  # the answers are no good
    assert "티켓 없는 실패 0 · 알려진 실패 2 (HR-1: 2)" in (place.root / "s.md").read_text(encoding="utf-8")
    place.file("docs/test-result/known.csv", lines.replace("Q2,", "Q4,"))
    assert place.run("gate", SET, "--summary", "s.md").code == 3
    queries = re.findall(r"^\| (Q\d) \| (.*?) \|", (place.root / "s.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert queries == [("Q2", "문항 1개 중 0개 통과"), ("Q1", "문항 1개 중 0개 통과 (HR-1)")]
    place.file("docs/test-result/known.csv", lines)
    scored = place.score("docs/test-result", "--out", "docs/reports")
    assert scored.code == 1  # a line does not count
    assert {path.name: path.read_bytes() for path in (place.root / "docs/reports" / SET).glob("report.*")} == before
    place.file("docs/test-result/known.xlsx", "no workbook")
    assert place.run("gate", SET, "-v").out.count("판정 불가") >= 1
