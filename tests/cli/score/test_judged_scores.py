"""Named scores that a judge gives: one request an item for all of them, and only for those that are not known."""

import csv
import io
import json
from typing import Any

import pytest

from reporting.store import read_verdicts
from tests.cli.place import Place
from tests.judge.stub import Stub
from tests.scoring.documents import problems_of
from tests.scoring.results.test_scores import document, rubric_of

SCORES = """
  - { name: whole, title: 완결성, judge: { headings: [완결성] }, pass: ">= 2", weight: 1 }
  - { name: tone, judge: { headings: [Tone] }, weight: 1 }
  - { name: grade, column: grade, scale: [0, 10], pass: ">= 5" }
"""
TABLES = """
## 완결성

| level | name | criteria |
| --- | --- | --- |
| 1 | 부족 | 빠진 것이 많다 |
| 2 | 보통 | 빠진 것이 하나 있다 |
| 3 | 충분 | 빠진 것이 없다 |

## Tone

| level | name | criteria |
| --- | --- | --- |
| 0 | rude | insults |
| 1 | polite | does not |
"""
ROWS = "id,output,grade\na,yes,9\nb,no,3\nc,,1\n"


@pytest.fixture
def scoring(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    place.file("rubrics/x.md", document(SCORES) + TABLES)
    place.file("in/x_a.csv", ROWS)
    monkeypatch.setenv("SCOREWATCH_RUBRICS", "rubrics")
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("cli.score.judge.FIRST_REST_SECONDS", 0.01)
    return place


def score(place: Place, stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"BASE_URL": stub.url, "API_KEY": "k", "MODEL": "grader-1", "TIMEOUT_SECONDS": "20"}.items():
        monkeypatch.setenv(f"SCOREWATCH_JUDGE_{name}", value)
    ran = place.score("in", "--out", "out")
    assert ran.code == 0, ran.err


def criteria(stub: Stub) -> list[list[str]]:
    return [list(one["body"]["response_format"]["json_schema"]["schema"]["properties"]) for one in stub.requests]


def items(place: Place) -> list[dict[str, str]]:
    text = (place.root / "out/x_a/items.csv").read_text(encoding="utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.service
def test_one_request_an_item_gives_all_scores(scoring: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with Stub(scoring.root / "log") as stub:
        score(scoring, stub, monkeypatch)
        assert criteria(stub) == [["whole", "tone"]] * 2  # the third has no answer
        rows = items(scoring)
        assert [(row["score_whole"], row["score_tone"], row["passed"]) for row in rows] == [
            ("3", "1", "true"),
            ("3", "1", "false"),
            ("", "", "false"),
        ]
        score(scoring, stub, monkeypatch)
        assert len(stub.requests) == 2
        report = json.loads((scoring.root / "out/x_a/report.json").read_bytes())
        figures = report["groups"][0]["measures"]["score.whole"]["set"]
        assert (figures["n"], figures["mean"], figures["lost"], figures["passed"]) == (2, 3, 0, 2)
        verdicts = read_verdicts(scoring.root / "out", "x_a").values()
        assert sorted(one.tokens for one in verdicts) == [(50, 5)] * 4  # each request had 100 and 10
        page = (scoring.root / "out/x_a/report.html").read_text(encoding="utf-8")
        assert "whole: 근거가 있고" in page


@pytest.mark.service
def test_only_criteria_whose_table_changed_are_asked_again(scoring: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with Stub(scoring.root / "log") as stub:
        score(scoring, stub, monkeypatch)
        scoring.file("rubrics/x.md", document(SCORES) + TABLES.replace("does not", "is friendly"))
        score(scoring, stub, monkeypatch)
        assert criteria(stub)[2:] == [["tone"]] * 2


@pytest.mark.service
def test_a_criterion_without_a_level_of_its_own_is_asked_again_alone(
    scoring: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = json.dumps({"whole": {"reason": "r", "level": 2}, "tone": {"reason": "r", "level": 3}})
    with Stub(scoring.root / "log", f"raw:{half}", "good") as stub:
        score(scoring, stub, monkeypatch)
        assert criteria(stub) == [["whole", "tone"], ["tone"], ["whole", "tone"]]
        assert {(row["score_whole"], row["score_tone"]) for row in items(scoring)} == {("2", "1"), ("3", "1"), ("", "")}


def test_without_a_judge_the_scores_were_not_assessed(scoring: Place) -> None:
    assert scoring.score("in", "--out", "out").code == 0
    assert [(row["score_whole"], row["passed"]) for row in items(scoring)] == [
        ("", "true"),
        ("", "false"),
        ("", "false"),
    ]


def test_scale_and_levels_are_those_of_the_tables() -> None:
    rubric = rubric_of(document(SCORES) + TABLES)
    assert [(scale.lowest, scale.highest) for scale in map(rubric.scale_of, ("score.whole", "score.tone"))] == [
        (1, 3),
        (0, 1),
    ]
    assert [rule.choices for rule in rubric.judged] == [("1", "2", "3"), ("0", "1")]


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ({"## 완결성": "## 다른 것"}, ["rubric-table-missing"]),
        ({">= 2": ">= 4"}, ["rubric-points-range"]),
        ({"| 2 | 보통": "| 1 | 보통"}, ["rubric-level-twice"]),
        ({"headings: [Tone] }": "headings: [Tone] }, column: a"}, ["rubric-kinds"]),
        ({"headings: [Tone] }": "headings: [Tone] }, scale: [0, 1]"}, ["rubric-kinds"]),
        ({"headings: [Tone] }": "headings: [] }"}, ["rubric-table-missing", "rubric-list-empty"]),
    ],
)
def test_what_a_judge_cannot_be_asked_is_refused(change: dict[str, str], codes: list[str]) -> None:
    text: Any = document(SCORES) + TABLES
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    assert [one.code for one in problems_of(text)] == codes
