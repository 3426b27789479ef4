"""Named scores, worked out by hand: means, intervals, what passes, the total, and what cannot be used."""

import io
import json
from typing import Any

import pytest

from scoring.items import score_file
from scoring.results import SetResult, find_insights, merge
from scoring.results.model import MeasureFigures
from scoring.rubric import Rubric, decode_rubric, encode_rubric
from scoring.rubric.document import parse_rubric
from scoring.statistics import Queries, mean_interval
from tests.scoring.documents import problems_of

HEADER = "id,output,faithfulness,why,hallucination,passed\n"
SCORES = """
  - { name: faithfulness, title: 근거성, column: faithfulness, reason: why, scale: [0, 1], pass: ">= 0.7", weight: 2 }
  - { name: hallucination, column: hallucination, scale: [0, 10], better: lower, pass: "<= 5", weight: 1 }
"""


def document(scores: str = SCORES, *, more: str = "", columns: str = "", files: str = "x*.csv") -> str:
    return f"""---
profile: x
title: x
files: ["{files}"]
columns:
  - {{ name: query_id, title: id }}
  - {{ name: response, title: output, required: true }}
{columns}scale: 5
scores:{scores}{more}metrics:
  stability: {{ headings: [Stability] }}
---

## Stability

| status | points |
| --- | ---: |
| ok / partial | 5 |
| error / empty | 0 |
"""


def rubric_of(text: str) -> Rubric:
    return parse_rubric(text, source="x.md")


def scored(rows: str, rubric: Rubric | None = None, *, header: str = HEADER) -> SetResult:
    rubric = rubric or rubric_of(document())
    data = (header + rows).encode()
    return merge([("x.csv", score_file(io.BytesIO(data), name="x.csv", rubric=rubric))], rubric)


def of_set(result: SetResult, name: str) -> MeasureFigures:
    return result.groups[0].measures[f"score.{name}"].set


ROWS = "a,yes,0.9,well founded,1,\nb,yes,0.2,made up,9,\nc,yes,nan,,5,\nd,,,,,\n"


def test_scores_by_hand() -> None:
    """0.9 and 0.2: mean 0.55, lost 0.1 + 0.8, 1 of 2 passes; 1, 9 and 5 of 10: lost 15, 2 of 3 pass."""
    result = scored(ROWS)
    first, second = of_set(result, "faithfulness"), of_set(result, "hallucination")
    assert (first.n, first.missing, first.mean, first.passed, first.assessed) == (2, 2, 0.55, 1, 2)
    assert first.lost == pytest.approx(0.9)
    assert (second.n, second.mean, second.lost, second.passed, second.assessed) == (3, 5, 15, 2, 3)
    assert first.interval is not None
    assert 0 <= first.interval[0] < 0.55 < first.interval[1] <= 1
    assert [item.details.score_reasons[0] for item in result.items if item.details is not None] == [
        "well founded",
        "made up",
        "",
        "",
    ]


def test_the_interval_takes_each_query_with_its_rounds_whatever_their_order() -> None:
    """Queries a to c have a score in both rounds, d in round 1 alone; also where one is asked twice in a round."""
    columns = "  - { name: round, title: round }\n"
    rows = "a,yes,0.9,,,,1\nb,yes,0.2,,,,1\nc,yes,0.2,,,,1\nd,yes,0.5,,,,1\n"
    rows += "c,yes,0.4,,,,2\nd,yes,,,,,2\na,yes,0.8,,,,2\nb,yes,0.4,,,,2\n"
    rubric, header = rubric_of(document(columns=columns)), HEADER.replace("passed", "passed,round")
    of_queries: Queries = {(0, 1): {(0.9, 0.8): 1, (0.2, 0.4): 2}, (0,): {(0.5,): 1}}
    found = of_set(scored(rows, rubric, header=header), "faithfulness")
    assert found.mean is not None
    assert found.mean == pytest.approx((0.45 + 1.6 / 3) / 2)
    assert found.interval == mean_interval(found.mean, of_queries, top=1)
    again = of_set(scored(rows + "a,yes,0.6,,,,2\n", rubric, header=header), "faithfulness")
    of_queries = {(0, 1, 1): {(0.9, 0.8, 0.6): 1}, (0, 1): {(0.2, 0.4): 2}, (0,): {(0.5,): 1}}
    assert again.mean is not None
    assert again.interval == mean_interval(again.mean, of_queries, top=1)


def test_lost_points_are_by_track() -> None:
    """Track 1 lost 0.1 of 1, track 2 lost 0.8 of 1; of 10, where less is better, 1 and 9 + 5."""
    columns = "  - { name: track, title: track }\n"
    rows = "a,yes,0.9,,1,,1\nb,yes,0.2,,9,,2\nc,yes,,,5,,2\n"
    result = scored(rows, rubric_of(document(columns=columns)), header=HEADER.replace("passed", "passed,track"))
    losses = {loss.metric: loss for loss in find_insights(result).losses}
    faithful, made_up = losses["score.faithfulness"], losses["score.hallucination"]
    assert faithful.points == pytest.approx(0.9)
    assert faithful.possible == 2
    assert [(place.track, place.n) for place in faithful.places] == [("2", 1), ("1", 1)]
    assert [(place.track, place.points, place.n) for place in made_up.places] == [("2", 14, 2), ("1", 1, 1)]
    assert made_up.possible == 30


def test_what_was_not_assessed_has_no_say() -> None:
    """b fails by both; c has one score, which passes; d has none and no answer, and so fails."""
    result = scored(ROWS)
    assert [item.details.passed for item in result.items if item.details is not None] == [True, False, True, False]
    assert result.passed is not None
    assert (result.passed.value, result.passed.n) == (0.5, 4)
    answered = scored("a,yes,,,,\n")
    assert [item.details.passed for item in answered.items if item.details is not None] == [None]


@pytest.mark.parametrize(
    ("passing", "outcomes"),
    [
        ("all", [True, False, True, False]),
        ("any", [True, False, True, False]),
        # shares: (2 x 0.9 + 0.9) / 3 = 0.9; (2 x 0.2 + 0.1) / 3 = 1/6; 0.5 alone
        ('"weighted >= 0.5"', [True, False, True, False]),
        ('"weighted >= 0.9"', [True, False, False, False]),
        ('"weighted >= 0.16"', [True, True, True, False]),
    ],
)
def test_ways_of_passing(passing: str, outcomes: list[bool]) -> None:
    result = scored(ROWS, rubric_of(document(more=f"pass: {passing}\n")))
    assert [item.details.passed for item in result.items if item.details is not None] == outcomes


def test_any_passes_with_one_of_two() -> None:
    rubric = rubric_of(document(more="pass: any\n"))
    result = scored("a,yes,0.9,,9,\nb,yes,0.1,,9,\n", rubric)
    assert [item.details.passed for item in result.items if item.details is not None] == [True, False]


def test_total_by_weights() -> None:
    """Means 0.55 of 1 and 5 of 10, less is better: (2 x 2.75 + 1 x 2.5) / 3 of 5 points."""
    result = scored(ROWS)
    assert result.total is not None
    assert [(part.metric, part.weight) for part in result.total.parts] == [
        ("score.faithfulness", 2),
        ("score.hallucination", 1),
    ]
    assert [part.value for part in result.total.parts] == pytest.approx([2.75, 2.5])
    assert result.total.value == pytest.approx(8 / 3)
    assert (result.total.queries, result.total.left_out) == (2, 2)


def test_a_total_without_any_query_of_all_scores_has_no_interval() -> None:
    """Means 0.5 of 1 and 5 of 10, less is better: (2 x 2.5 + 1 x 2.5) / 3 of 5 points."""
    result = scored("a,yes,0.5,,,\nb,yes,,,5,\n")
    assert result.total is not None
    assert (result.total.value, result.total.queries, result.total.left_out) == (2.5, 0, 2)
    assert result.total.interval is None


@pytest.mark.parametrize(
    ("cell", "value", "code"),
    [
        ("0.5", 0.5, ""),
        ("1", 1, ""),
        ("true", 1, ""),
        ("No", 0, ""),
        ("통과", 1, ""),
        ("", None, ""),
        ("nan", None, ""),
        ("1.5", None, "score-outside"),
        ("-0.1", None, "score-outside"),
        ("1e400", None, "measure-unusable"),
        ("high", None, "measure-unusable"),
        ("=1+1", None, "measure-unusable"),
    ],
)
def test_a_cell_is_a_score_on_its_scale_or_is_named(cell: str, value: float | None, code: str) -> None:
    result = scored(f"a,yes,{cell},,,\n")
    assert of_set(result, "faithfulness").mean == value
    assert {finding.code for finding in result.findings} & {"score-outside", "measure-unusable"} == ({code} - {""})


PAYLOAD = "  - { name: raw_json, title: raw, required: true }\n"


def of_payload(scores: str, payload: dict[str, Any]) -> SetResult:
    rubric = rubric_of(
        document(scores, columns=PAYLOAD).replace(", required: true }\n  - { name: raw", " }\n  - { name: raw")
    )
    cell = json.dumps(payload).replace('"', '""')
    return scored(f'a,,"{cell}"\n', rubric, header="id,output,raw\n")


METRICS = [{"metric": "Answer Relevancy", "score": 0.4, "why": "off"}, {"metric": "b", "score": True}]
LISTED = "{ list: metrics, by: metric, value: score, reason: why }"


def test_a_score_of_a_list_is_told_by_its_name() -> None:
    first = f"\n  - {{ name: relevancy, title: Answer Relevancy, payload: {LISTED} }}\n"
    scores = f"{first}  - {{ name: b, payload: {LISTED} }}\n"
    result = of_payload(scores, {"assistantMessage": "x", "metrics": METRICS})
    assert (of_set(result, "relevancy").mean, of_set(result, "b").mean) == (0.4, 1)
    assert [item.details.score_reasons for item in result.items if item.details is not None] == [("off", "")]


def test_two_values_of_one_score_are_named_and_not_used() -> None:
    twice = [*METRICS, {"metric": "b", "score": 0.5}]
    result = of_payload(f"\n  - {{ name: b, payload: {LISTED} }}\n", {"assistantMessage": "x", "metrics": twice})
    assert of_set(result, "b").mean is None
    assert "measure-unusable" in {finding.code for finding in result.findings}


@pytest.mark.parametrize(
    ("scores", "more", "codes"),
    [
        ("\n  - { name: Total, column: a }\n", "", ["rubric-score-name"]),
        ("\n  - { name: total, column: a }\n", "", ["rubric-score-reserved"]),
        ("\n  - { name: passed, column: a }\n", "", ["rubric-score-reserved"]),
        ("\n  - { name: a }\n", "", ["rubric-kinds"]),
        ("\n  - { name: a, column: a, payload: b }\n", "", ["rubric-kinds", "rubric-measure-no-payload"]),
        ("\n  - { name: a, column: a, scale: [1, 1] }\n", "", ["rubric-range-reversed"]),
        ('\n  - { name: a, column: a, pass: "good" }\n', "", ["rubric-score-pass"]),
        ('\n  - { name: a, column: a, pass: ">= 2" }\n', "", ["rubric-points-range"]),
        ("\n  - { name: a, column: a, weight: -1 }\n", "", ["rubric-value-too-small"]),
        ("\n  - { name: a, column: a }\n  - { name: a, column: b }\n", "", ["rubric-measure-twice"]),
        ("\n  - { name: a, payload: b }\n", "", ["rubric-measure-no-payload"]),
        ("\n  - { name: a, column: a, odd: b }\n", "", ["rubric-key-unknown"]),
        ("\n  - { name: a, column: a }\n", "pass: most\n", ["rubric-value-type"]),
        ("\n  - { name: a, column: a }\n", 'pass: "weighted >= 0.5"\n', ["rubric-scores-weight"]),
        ("".join(f"\n  - {{ name: a{n}, column: a }}" for n in range(51)) + "\n", "", ["rubric-scores-many"]),
        (
            '\n  - { name: a, column: a, pass: ">= 0.5" }\n',
            "pass_points: { metric: stability, points: 1 }\n",
            ["rubric-kinds"],
        ),
    ],
)
def test_what_is_wrong_with_scores_is_refused(scores: str, more: str, codes: list[str]) -> None:
    assert [problem.code for problem in problems_of(document(scores, more=more))] == codes


def test_documents_without_scores_keep_their_digest() -> None:
    measured = document().replace(f"scores:{SCORES}", "measures: [{ name: cost, title: Cost, column: cost }]\n")
    rubric = rubric_of(measured)
    assert b'"score"' not in encode_rubric(rubric)
    assert decode_rubric(encode_rubric(rubric)) == rubric
    assert decode_rubric(encode_rubric(rubric_of(document()))) == rubric_of(document())


def test_a_score_of_an_absent_column_is_said() -> None:
    result = scored("a,yes\n", header="id,output\n")
    assert "measure-absent" in {finding.code for finding in result.findings}
    assert of_set(result, "faithfulness").mean is None
