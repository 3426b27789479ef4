"""No value of any cell makes Scorewatch itself fail, or a figure that floats cannot add."""

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from config import shipped_rubrics
from reporting.report import report_set
from reporting.store.set_folders import Destination
from scoring.items import score_file
from scoring.rubric import Rubric
from scoring.sets import SetId
from tests.examples import examples
from tests.scoring.extremes import EXTREMES

# Each takes every row: a document that selects its records would have none of these.
RUBRICS = {rubric.profile: replace(rubric, records=None) for rubric in shipped_rubrics()}


def _report(rubric: Rubric, rows: Sequence[Sequence[str]], out: Path) -> object:
    """The decoded report.json of one file with these rows; None where it was refused."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([column.title for column in rubric.columns])
    writer.writerows(rows)
    data = text.getvalue().encode(errors="replace")
    part = score_file(io.BytesIO(data), name="x.csv", rubric=rubric)
    report = report_set([("x.csv", part)], rubric, Destination(out=out, language="en"), SetId("x", "k"))
    if report.result is None:
        assert report.refusal is not None
        assert "internal-error" not in {problem.code for problem in report.refusal.problems}
        return None
    return json.loads((out / "x" / "report.json").read_bytes(), parse_constant=pytest.fail)


def _numbers(value: object) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _numbers(one)


@pytest.mark.slow
@pytest.mark.parametrize("profile", RUBRICS)
def test_every_value_in_every_column(profile: str, tmp_path: Path) -> None:
    """Row n has value n + k in column k: each value comes into each column, among ever new neighbours."""
    rubric = RUBRICS[profile]
    assert 180 <= len(EXTREMES) <= 320
    for shift in (1, 7):
        rows = [
            [EXTREMES[(n + shift * k) % len(EXTREMES)] for k in range(len(rubric.columns))]
            for n in range(len(EXTREMES))
        ]
        report = _report(rubric, rows, tmp_path / str(shift))
        assert report is not None or shift
        assert all(map(math.isfinite, _numbers(report)))


@pytest.mark.slow
@pytest.mark.parametrize("profile", RUBRICS)
def test_one_value_at_a_time_in_a_usual_row(profile: str, tmp_path: Path) -> None:
    """Each value in each column of rows that are else as they should be, so that no other fault hides it."""
    rubric = RUBRICS[profile]
    usual = {
        "round": "1/1",
        "raw_json": '{"assistantMessage":"답","a":1}',
        "response": "답",
        "track": "1",
    }
    for number, column in enumerate(rubric.columns):
        if column.name == "round":
            continue  # each is a round of its own, and there may be 50
        rows = [
            [(usual | {"query_id": f"Q-{n}"}).get(one.name, "") for one in rubric.columns] for n in range(len(EXTREMES))
        ]
        for row, value in zip(rows, EXTREMES, strict=True):
            row[number] = value
        report = _report(rubric, rows, tmp_path / column.name)
        assert report is not None, column.name
        assert all(map(math.isfinite, _numbers(report))), column.name


@pytest.mark.parametrize("profile", RUBRICS)
@settings(max_examples=examples(15, fast=3), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_mixture(profile: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    rubric = RUBRICS[profile]
    row = st.lists(st.sampled_from(EXTREMES), min_size=len(rubric.columns), max_size=len(rubric.columns))
    report = _report(rubric, data.draw(st.lists(row, min_size=1, max_size=6)), tmp_path_factory.mktemp("out"))
    assert all(map(math.isfinite, _numbers(report)))
