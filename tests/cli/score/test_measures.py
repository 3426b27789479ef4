"""Measures from a file to every page: report, tables, comparison, index, trend and gate, in both languages."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.place import Place
from tests.measured import DOCUMENT, EXAMPLE, Row, measured_csv

RULES = """
[gate.measured-agent]
rules = ["measure.tokens sum <= 100000", "track 2: measure.cost p95 < 0.5", "measure.saved mean >= -10",
  "measure.tokens mean <= 1600", "measure.tokens not worse than baseline", "measure.steps not worse than baseline",
  "measure.saved not worse than baseline", "category 'x': measure.cost sum <= 1"]
"""


@pytest.fixture
def measured(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A working directory in which the profile with measures is known."""
    place.file("rubrics/measured-agent.md", DOCUMENT.read_text(encoding="utf-8"))
    monkeypatch.setenv("SCOREWATCH_RUBRICS", "rubrics")
    return place


def _put(place: Place, name: str, *rows: Row) -> Path:
    path = place.file(f"in/measured_agent_{name}.csv", "")
    path.write_bytes(measured_csv(rows))
    return path


def _two_runs(place: Place) -> None:
    """The second one takes 500 tokens more for each of 12 queries, has the same cost, and other steps."""
    for name, more, steps in (("260301", 0, 1), ("260302", 500, 3)):
        rows = [
            Row(f"Q-{at}", track=str(at % 2 + 1), tokens=str(1000 + at + more), saved="1", cost=0.01, steps=(steps,))
            for at in range(12)
        ]
        _put(place, name, *rows)


def _report(place: Place, name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((place.root / f"out/measured_agent_{name}/report.json").read_bytes())
    return content


def _table(text: str, heading: str) -> list[list[str]]:
    """Rows of the first table below a heading of a Markdown page, its titles first."""
    lines = text.partition(f"{heading}\n")[2].splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("|"))
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[start:]]
    return [row for row in rows[: next((at for at, row in enumerate(rows) if not row), None)] if "---" not in row[0]]


@pytest.mark.parametrize(
    ("language", "titles", "everything"),
    [
        ("en", ["Scope", "n", "Sum", "Mean", "p50", "p95", "Largest", "Per answered item", "No value"], "Set, all"),
        ("ko", ["구분", "n", "합계", "평균", "p50", "p95", "최대", "응답 성공 1건당", "값 없음"], "세트 전체"),
    ],
)
def test_report_has_a_table_per_measure(measured: Place, language: str, titles: list[str], everything: str) -> None:
    _put(measured, "260301", *EXAMPLE)
    assert measured.run("score", "in", "--out", "out", "--language", language).code == 0
    page = (measured.root / "out/measured_agent_260301/report.md").read_text(encoding="utf-8")
    table = _table(page, "#### Tokens (tokens)")
    assert table[0] == titles
    assert len(table) == 6  # two rounds, two tracks, and all
    between = " to " if language == "en" else "\\~"
    shown = [*table[-1][:3], table[-1][3].replace(between, " … "), *table[-1][4:]]
    assert shown == [everything, "5", "8,500", "1,750 (0 … 4,234)", "2,000", "2,800", "3,000", "1,700", "1"]
    assert _table(page, "#### Cost (USD)")[-1][2] == "0.2000"
    assert _table(page, "#### Saved time (min)")[4][1:] == ["0", *["—"] * 6, "2"]
    html = (measured.root / "out/measured_agent_260301/report.html").read_text(encoding="utf-8")
    assert "Cost (USD)" in html
    assert '<td class="r">8,500</td>' in html
    assert re.search(r'"more":\[[^]]*"Cost \(USD\)"', html)


def test_files_for_programs_have_the_measures(measured: Place) -> None:
    _put(measured, "260301", *EXAMPLE)
    measured.run("score", "in", "--out", "out")
    report = _report(measured, "260301")
    tokens = report["groups"][0]["measures"]["tokens"]["set"]
    assert (tokens["n"], tokens["missing"], tokens["sum"], tokens["per_answered"]) == (5, 1, 8500.0, 1700.0)
    assert [of_round["sum"] for of_round in report["groups"][2]["measures"]["cost"]["rounds"]] == [None, 0.09]
    assert report["basis"]["measures"][0]["name"] == "tokens"
    status = json.loads((measured.root / "out/measured_agent_260301/status.json").read_bytes())
    assert status["headline"]["measures"] == report["headline"]["measures"]
    assert status["headline"]["measures"]["measure.cost"]["sum"] == 0.2
    items, queries = (_csv(measured.root / f"out/measured_agent_260301/{name}.csv") for name in ("items", "queries"))
    names = [f"measure_{name}" for name in ("tokens", "cost", "saved", "steps")]
    assert [[row[name] for name in names] for row in items[:3]] == [
        ["1000", "0.01", "2.5", "3"],
        ["3000", "0.03", "-1", ""],
        ["", "", "", ""],
    ]
    assert [[row[name] for name in names] for row in queries] == [
        ["1500", "0.015", "1.25", "3"],
        ["2500", "0.04", "1.5", "4"],
        ["500", "0.09", "", ""],
    ]


def test_comparison_index_and_trend(measured: Place) -> None:
    _two_runs(measured)
    measured.run("score", "in", "--out", "out", "--language", "en")
    folder = measured.root / "out"
    compared = json.loads((folder / "measured_agent_260302/compare.json").read_bytes())
    changes = {change["metric"]: change for change in compared["groups"][0]["metrics"]}
    tokens = changes["measure.tokens"]
    assert (tokens["before"], tokens["after"], tokens["difference"]) == (1005.5, 1505.5, 500.0)
    assert (tokens["low"], tokens["high"], tokens["queries"], tokens["changed"]) == (500.0, 500.0, 12, 12)
    assert tokens["p"] == pytest.approx(2 * 2 / 2**12)  # one of two that changed and do not lead
    verdicts = {name: (found["verdict"], found.get("better")) for name, found in changes.items()}
    assert verdicts["measure.tokens"] == ("worse", "lower")
    assert verdicts["measure.cost"] == ("same", "lower")
    assert verdicts["measure.steps"] == ("changed", "none")
    assert verdicts["seconds"] == ("same", None)
    assert compared["after"]["shown"]["measure.tokens"] == 1505.5
    page = (folder / "measured_agent_260302/compare.md").read_text(encoding="utf-8")
    assert "| Tokens (tokens) | 1,006 | 1,506 | worse | +500 | +500 to +500 |" in page
    assert "| Steps | 1 | 3 | changed | +2 | +2 to +2 |" in page
    assert "Tokens (tokens)" in (folder / "measured_agent_260302/compare.html").read_text(encoding="utf-8")

    index = (folder / "index.md").read_text(encoding="utf-8")
    first = next(line for line in index.splitlines() if "measured_agent_260302/report.md" in line)
    assert "| Cost (USD) | Saved time (min) | Steps | Tokens (tokens) |" in index
    assert re.search(
        r"\| 0\.0100 \(0\.0100 to 0\.0100\) = \| .* \| 3 \(3 to 3\) ↕ \| 1,506 \(1,503 to 1,508\) ▽ \|", first
    )
    html = (folder / "index.html").read_text(encoding="utf-8")
    assert "=1,506 1,503 1,508h" in html

    rows = _csv(folder / "trend-measured-agent.csv")
    assert [row["measure.tokens"] for row in rows] == ["1005.5", "1505.5"]
    assert "<figcaption>Tokens (tokens)</figcaption>" in (folder / "trend-measured-agent.html").read_text("utf-8")

    ran = measured.run(
        "compare", *(folder / f"measured_agent_{name}" for name in ("260301", "260302")), "--language", "en", "-v"
    )
    assert "Tokens (tokens): 1,006 → 1,506, +500 (+500 to +500), worse" in ran.out


def test_gate_of_measures(measured: Place) -> None:
    _two_runs(measured)
    measured.file("gate.toml", RULES)
    arguments = ("score", "in", "--out", "out", "--gate", "--gate-file", "gate.toml", "--language", "en")
    assert measured.run(*arguments, "--json").code == 3
    gate = json.loads((measured.root / "out/measured_agent_260302/gate.json").read_bytes())["result"]
    assert [(rule["state"], rule["reason"]) for rule in gate["rules"]] == [
        ("passed", "limit"),
        ("passed", "limit"),
        ("passed", "limit"),
        ("passed", "limit"),
        ("failed", "worse"),
        ("undecidable", "no-direction"),
        ("passed", "not-worse"),
        ("undecidable", "no-category"),
    ]
    assert [rule["value"] for rule in gate["rules"][:4]] == [18066.0, 0.01, 1.0, 1505.5]
    told = measured.run(*arguments, "-v").out
    assert (
        "failed measure.tokens not worse than baseline (worse than measured_agent_260301: Measure (tokens) +500 ("
        in told
    )
    assert "passed measure.tokens mean <= 1600 (value 1,506)" in told


def test_the_bad_end_of_the_interval_counts_where_a_gate_is_confident(measured: Place) -> None:
    _put(measured, "260301", *EXAMPLE)
    rules = '[gate]\nconfident = true\nrules = ["measure.tokens mean <= 2000", "measure.tokens sum <= 8500"]\n'
    measured.file("gate.toml", rules)
    measured.run("score", "in", "--out", "out", "--gate", "--gate-file", "gate.toml")
    gate = json.loads((measured.root / "out/measured_agent_260301/gate.json").read_bytes())["result"]
    assert [(rule["state"], rule["reason"]) for rule in gate["rules"]] == [("failed", "confident"), ("passed", "limit")]


def test_a_rule_about_a_measure_that_no_profile_has_ends_with_2(measured: Place) -> None:
    _put(measured, "260301", *EXAMPLE)
    measured.file("gate.toml", '[gate.resume-agent]\nrules = ["measure.tokens sum <= 1"]\n')
    ran = measured.run("score", "in", "--out", "out", "--gate", "--gate-file", "gate.toml")
    assert ran.code == 2
    assert "measure.tokens" in ran.err


def test_findings_name_the_measure(measured: Place) -> None:
    _put(measured, "260301", Row("Q-1", tokens="12 USD", saved="1", steps=(1,)))
    ran = measured.run("score", "in", "--out", "out", "--language", "en")
    assert ran.code == 0  # notes
    page = (measured.root / "out/measured_agent_260301/report.md").read_text(encoding="utf-8")
    assert "Where: total_tokens row 2 Tokens '12 USD'." in page
    assert "Where: Raw JSON measures\\.cost (usage\\.cost, cost)." in page


def test_values_of_a_document_are_shown(measured: Place) -> None:
    ran = measured.run("rubric", "show", "measured-agent", "--language", "en")
    assert "Cost (USD): measure.cost, Paths in Raw JSON: usage.cost, cost, better: lower" in ran.out
    assert measured.run("rubric", "check", "rubrics/measured-agent.md").code == 0


def test_titles_and_units_are_texts_in_every_page(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = '"<img src=x>|`*"'
    text = DOCUMENT.read_text(encoding="utf-8").replace("title: Cost, unit: USD", f"title: {hostile}, unit: {hostile}")
    place.file("rubrics/measured-agent.md", text)
    monkeypatch.setenv("SCOREWATCH_RUBRICS", "rubrics")
    _two_runs(place)
    assert place.run("score", "in", "--out", "out").code == 0
    pages = {path: path.read_text(encoding="utf-8") for path in (place.root / "out").rglob("*.*")
             if path.suffix in {".html", ".md"}}  # fmt: skip
    assert sum("img src=x" in page for page in pages.values()) == 13
    assert [path for path, page in pages.items() if "<img" in page] == []
    assert [path for path, page in pages.items() if path.suffix == ".md" and "src=x>|`" in page] == []


def _csv(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
