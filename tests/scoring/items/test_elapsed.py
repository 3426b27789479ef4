"""Seconds between two times of a payload, and the sum of several numbers."""

import io
import json
from typing import Any

import pytest

from scoring.items import score_file
from scoring.items.quantities import elapsed_of
from scoring.items.spool import Part
from scoring.rubric.document import parse_rubric
from tests.scoring.documents import problems_of


@pytest.mark.parametrize(
    ("start", "end", "seconds"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:02.500Z", 2.5),
        ("2026-01-01T09:00:00+09:00", "2026-01-01T00:00:01Z", 1.0),
        ("2026-01-01 00:00:00", "2026-01-01 00:01:00", 60.0),
        (1700000000.25, 1700000002.5, 2.25),
        (1700000000000, 1700000001500, 1.5),
        ("1700000000", 1700000001, 1.0),
        ("2026-01-01T00:00:00Z", None, None),
        ("2026-01-01T00:00:02Z", "2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z ~ 2026-01-01T00:00:01Z"),
        ("soon", "later", "soon ~ later"),
        (True, 5, "True ~ 5"),
    ],
)
def test_between(start: object, end: object, seconds: float | str | None) -> None:
    assert elapsed_of([[start], [end]], is_sum=False) == seconds


@pytest.mark.parametrize(
    ("values", "seconds"), [([1, 2.5, "0.5 s"], 4.0), ([], None), ([None], None), ([1, "long"], "long")]
)
def test_sum(values: list[object], seconds: float | str | None) -> None:
    assert elapsed_of([values], is_sum=True) == seconds


def document(seconds: str) -> str:
    return f"""---
profile: x
title: x
files: ["x*.jsonl"]
columns:
  - {{ name: raw_json, title: raw, paths: [$], required: true }}
payload: {{ message: answer, seconds: {seconds} }}
metrics:
  stability: {{ headings: [Stability] }}
---

## Stability

| status | points |
| --- | ---: |
| ok / partial | 5 |
| error / empty | 0 |
"""


def scored(seconds: str, record: dict[str, Any]) -> Part:
    rubric = parse_rubric(document(seconds), source="x.md")
    data = (json.dumps({"answer": "x", **record}) + "\n").encode()
    return score_file(io.BytesIO(data), name="x.jsonl", rubric=rubric)


def test_seconds_of_items() -> None:
    part = scored(
        "{ between: [start, run.end] }", {"start": "2026-01-01T00:00:00Z", "run": {"end": "2026-01-01T00:00:03Z"}}
    )
    assert [item.seconds for item in part.items] == [3.0]
    part = scored('{ sum: "steps[*].took" }', {"steps": [{"took": 1}, {"took": 0.5}, {}]})
    assert [item.seconds for item in part.items] == [1.5]
    part = scored("{ between: [start, end] }", {"start": 5, "end": 4})
    assert [item.seconds for item in part.items] == [None]
    assert "seconds-unusable" in {finding.code for finding in part.findings}
    part = scored("{ between: [start, end] }", {})
    assert "path-never-found" in {finding.code for finding in part.findings}


TABLE = """---
profile: x
title: x
files: ["x*.csv"]
columns:
  - { name: response, title: answer, required: true }
  - { name: executed_at, title: Started at }
payload: { seconds: { between: [started_at, 종료 시각] } }
metrics:
  stability: { headings: [Stability] }
  latency: { headings: [Latency] }
---

## Stability

| status | points |
| --- | ---: |
| ok / partial | 5 |
| error / empty | 0 |

## Latency

| seconds | points |
| --- | ---: |
| <= 5 | 5 |
| > 5 | 0 |
| missing | 0 |
"""


def seconds_of_rows(*rows: str) -> Part:
    data = "\n".join(("answer,Started at,종료 시각", *rows)).encode()
    return score_file(io.BytesIO(data), name="x.csv", rubric=parse_rubric(TABLE, source="x.md"))


def test_seconds_between_two_columns_of_a_table() -> None:
    part = seconds_of_rows(
        "x,2026-01-01T00:00:00Z,2026-01-01T00:00:00.900Z", "x,2026-01-01 10:00:00,2026-01-01 10:01:00"
    )
    assert [item.seconds for item in part.items] == pytest.approx([0.9, 60.0])
    assert not part.findings
    part = seconds_of_rows("x,2026-01-01T00:00:05Z,2026-01-01T00:00:00Z", "x,2026-01-01T00:00:05Z,", "x,,")
    assert [item.seconds for item in part.items] == [None] * 3
    (named,) = (one.places for one in part.findings if one.code == "seconds-unusable")
    assert [(one.column, one.row) for one in named] == [("종료 시각", 2)]


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        ("{ between: [a] }", "rubric-value-type"),
        ("{ between: [a, b, c] }", "rubric-value-type"),
        ("{ between: [a, b], sum: c }", "rubric-kinds"),
        ("{ sum: a..b }", "rubric-path"),
        ("{ until: [a, b] }", "rubric-key-unknown"),
    ],
)
def test_what_is_wrong_with_seconds_is_refused(seconds: str, code: str) -> None:
    assert [problem.code for problem in problems_of(document(seconds))] == [code]
