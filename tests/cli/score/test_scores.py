"""Named scores from a file to every page: report, tables, comparison, trend and gate, in both languages."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.place import Place
from tests.scoring.results.test_scores import SCORES, document

RULES = """
[gate.x]
rules = ["score.faithfulness >= 0.5", "score.hallucination mean <= 4", "pass_rate >= 90 %",
  "score.faithfulness not worse than baseline", "score.hallucination not worse than baseline"]
"""


@pytest.fixture
def scoring(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A working directory in which a profile with scores is known, and two runs; the second is worse by each score."""
    place.file("rubrics/x.md", document(SCORES))
    monkeypatch.setenv("SCOREWATCH_RUBRICS", "rubrics")
    for name, faithful, made_up in (("260301", 0.9, 1), ("260302", 0.4, 8)):
        rows = "".join(f"q{at},yes,{faithful + at / 200},reason {at},{made_up},\n" for at in range(12))
        place.file(f"in/x_{name}.csv", f"id,output,faithfulness,why,hallucination,Run\n{rows}")
    return place


@pytest.mark.parametrize("language", ["ko", "en"])
def test_scores_are_on_every_page(scoring: Place, language: str) -> None:
    assert scoring.score("in", "--out", "out", "--language", language).code == 0
    folder = scoring.root / "out/x_260302"
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert "근거성 >= 0.7, hallucination <= 5" in report
    assert "0/12 = 0.0%" in report
    assert "reason 3" in (folder / "report.html").read_text(encoding="utf-8")
    header, first, *_ = csv.reader(io.StringIO((folder / "items.csv").read_text(encoding="utf-8-sig"), newline=""))
    cells = dict(zip(header, first, strict=True))
    assert (cells["passed"], cells["score_faithfulness"], cells["score_hallucination"]) == ("false", "0.4", "8")
    figures = json.loads((folder / "report.json").read_bytes())["groups"][0]["measures"]["score.faithfulness"]["set"]
    assert (figures["n"], figures["passed"], figures["assessed"]) == (12, 0, 12)
    status = json.loads((folder / "status.json").read_bytes())
    assert status["headline"]["measures"]["score.hallucination"]["mean"] == 8
    trend = (scoring.root / "out/trend-x.csv").read_text(encoding="utf-8-sig")
    assert "score" in trend.splitlines()[0]


def test_a_worse_score_is_one_whichever_end_is_good(scoring: Place) -> None:
    scoring.file("gate.toml", RULES)
    ran = scoring.score("in", "--out", "out", "--gate", "--gate-file", "gate.toml")
    assert ran.code == 3
    compared = json.loads((scoring.root / "out/x_260302/compare.json").read_bytes())
    verdicts = {change["metric"]: change["verdict"] for change in compared["groups"][0]["metrics"]}
    assert verdicts["score.faithfulness"] == verdicts["score.hallucination"] == verdicts["pass"] == "worse"
    for name, state in (("260301", "passed"), ("260302", "failed")):
        gate = json.loads((scoring.root / f"out/x_{name}/gate.json").read_bytes())["result"]
        assert {rule["state"] for rule in gate["rules"][:3]} == {state}
        assert name == "260301" or {rule["state"] for rule in gate["rules"][3:]} == {"failed"}


def test_a_rule_about_a_score_that_is_not_there_names_the_nearest(scoring: Place) -> None:
    scoring.file("gate.toml", '[gate.x]\nrules = ["score.faithfulnes >= 0.5"]\n')
    ran = scoring.score("in", "--out", "out", "--gate", "--gate-file", "gate.toml", "--language", "en")
    assert ran.code == 2
    assert "score.faithfulness" in ran.err


def test_a_document_is_shown_with_its_scores(scoring: Place) -> None:
    ran = scoring.run("rubric", "show", Path("rubrics/x.md"), "--language", "en")
    assert ran.code == 0
    assert "score.faithfulness" in ran.out
    assert "Passes: all of 근거성 >= 0.7, hallucination <= 5" in ran.out


MAP_RULES = """
[gate.x]
rules = ["score.tone >= 0.5", "score.answer-relevancy not worse than baseline"]
"""


@pytest.mark.parametrize("language", ["ko", "en"])
def test_scores_of_a_map_are_on_every_page(place: Place, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    raw = "  - { name: raw_json, title: '$' }\n"
    scores = '\n  - { payload: scores.*.value, scale: [0, 1], pass: ">= 0.5" }\n'
    place.file("rubrics/x.md", document(scores, columns=raw, files="x*.jsonl"))
    monkeypatch.setenv("SCOREWATCH_RUBRICS", "rubrics")
    for name, tone, names in (("260301", 0.9, ("tone", "Answer Relevancy")), ("260302", 0.4, ("tone", "<b>new</b>"))):
        records = [
            {"id": f"q{at}", "output": "yes", "scores": {one: {"value": tone} for one in names}} for at in range(12)
        ]
        place.file(f"in/x_{name}.jsonl", "\n".join(map(json.dumps, records)))
    place.file("gate.toml", MAP_RULES)
    ran = place.score("in", "--out", "out", "--language", language, "--gate", "--gate-file", "gate.toml")
    assert ran.code == 3, ran.err
    folder = place.root / "out/x_260302.jsonl"
    header, first, *_ = csv.reader(io.StringIO((folder / "items.csv").read_text(encoding="utf-8-sig"), newline=""))
    cells = dict(zip(header, first, strict=True))
    assert (cells["passed"], cells["score_tone"], cells["score_b_new_b"]) == ("false", "0.4", "0.4")
    assert "<b>new</b>" not in (folder / "report.html").read_text(encoding="utf-8")
    compared = json.loads((folder / "compare.json").read_bytes())
    verdicts = {change["metric"]: change["verdict"] for change in compared["groups"][0]["metrics"]}
    assert verdicts["score.tone"] == "worse"
    gate = json.loads((folder / "gate.json").read_bytes())["result"]
    assert [rule["state"] for rule in gate["rules"]] == ["failed", "undecidable"]
