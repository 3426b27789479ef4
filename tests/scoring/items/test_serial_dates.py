"""Rounds that Excel made numbers of: noted, and counted as they stand."""

from __future__ import annotations

import dataclasses
import datetime as dt
import io
from functools import partial

import pytest

from scoring.items.score_file import score_file
from scoring.items.serial_dates import find_serial_dates, serial_date
from scoring.problems import Severity
from scoring.rubric.model import DateOrder
from tests.scoring.files import csv_text, resume_rubric, row, score_rows
from tests.scoring.steps import steps


@pytest.mark.parametrize(
    ("label", "date"),
    [
        pytest.param("45292", dt.date(2024, 1, 1), id="whole"),
        pytest.param("46023.0", dt.date(2026, 1, 1), id="as-pandas-writes-it"),
        pytest.param("36526", dt.date(2000, 1, 1), id="first"),
        pytest.param("36525", None, id="century-before"),
        pytest.param("73050", dt.date(2099, 12, 31), id="last"),
        pytest.param("73051", None, id="century-behind"),
        pytest.param("45292.5", None, id="with-a-time"),
        pytest.param("1", None, id="small"),
        pytest.param("1/1", None, id="round"),
        pytest.param("\u0664\u0665292", None, id="other-digits"),
    ],
)
def test_serial_date(label: str, date: dt.date | None) -> None:
    assert serial_date(label) == date


def test_serial_dates_are_noted_once_per_label_and_stay_rounds() -> None:
    part = score_rows(row(방_반복="1/1"), row(방_반복="46054.0"), row(방_반복=" 46023"), row(방_반복="46054.0"))
    assert [item.round for item in part.items] == ["1/1", "46054.0", "46023", "46054.0"]
    assert [(problem.row, problem.found, problem.values) for problem in part.problems] == [
        (3, "46054.0", {"date": "2026-02-01", "label": "2/1", "rows": "2"}),
        (4, "46023", {"date": "2026-01-01", "label": "1/1", "rows": "1"}),
    ]
    assert {(problem.code, problem.severity, problem.column) for problem in part.problems} == {
        ("round-serial-date", Severity.NOTE, "방/반복")
    }
    assert (part.counts["serial-date"], part.problem_count, part.restored_rounds) == (3, 2, ())


def test_hint_follows_the_date_order_of_the_document() -> None:
    rubric = dataclasses.replace(resume_rubric(), date_order=DateOrder.DAY_FIRST)
    data = csv_text([row(방_반복="46054")]).encode()
    (note,) = score_file(io.BytesIO(data), name="a.csv", rubric=rubric).problems
    assert note.values["label"] == "1/2"


def test_other_rounds_are_not_noted() -> None:
    part = score_rows(row(방_반복="1/1"), row(방_반복="3"), row(방_반복="A"))
    assert (part.problems, "serial-date" in part.counts) == ((), False)


def test_first_hundred_labels_are_noted_and_all_counted() -> None:
    part = score_rows(*(row(방_반복=str(36526 + number)) for number in range(300)))
    assert [(problem.row, problem.found) for problem in part.problems] == [(2 + n, str(36526 + n)) for n in range(100)]
    assert (part.problem_count, part.counts["serial-date"]) == (300, 300)


def test_twice_the_labels_take_twice_the_steps() -> None:
    few, many = (score_rows(*(row(방_반복=str(36526 + number)) for number in range(n))).items for n in (500, 1_000))
    order = resume_rubric().date_order
    taken = [steps(partial(find_serial_dates, items, order, title="방/반복")) for items in (few, many)]
    assert taken[1] < 3 * taken[0]
