"""Identifiers and rounds that Excel has rewritten are noted, and counted as they are."""

import datetime as dt
import io
from functools import partial

import msgspec
import pytest

from scoring.findings import FindingLog
from scoring.items.damage import ExcelDamage, serial_date
from scoring.items.file_scorer import score_file
from scoring.problems import Severity
from scoring.rubric import DateOrder
from tests.scoring.files import counted, csv_text, places, resume_rubric, row, score_rows
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
    assert [(problem.row, problem.found, problem.values) for problem in places(part)] == [
        (3, "46054.0", {"date": "2026-02-01", "label": "2/1", "rows": "2"}),
        (4, "46023", {"date": "2026-01-01", "label": "1/1", "rows": "1"}),
    ]
    assert {(problem.code, problem.severity, problem.column) for problem in places(part)} == {
        ("round-serial-date", Severity.NOTE, "방/반복")
    }
    assert (counted(part), part.restored_rounds) == ({"round-serial-date": 3}, ())


def test_hint_follows_the_date_order_of_the_document() -> None:
    rubric = msgspec.structs.replace(resume_rubric(), date_order=DateOrder.DAY_FIRST)
    data = csv_text([row(방_반복="46054")]).encode()
    (note,) = places(score_file(io.BytesIO(data), name="a.csv", rubric=rubric))
    assert note.values["label"] == "1/2"


def test_other_rounds_are_not_noted() -> None:
    part = score_rows(row(방_반복="1/1"), row(방_반복="3"), row(방_반복="A"))
    assert part.findings == ()


def test_first_hundred_labels_are_noted_and_all_counted() -> None:
    part = score_rows(*(row(방_반복=str(36526 + number)) for number in range(300)))
    assert [(problem.row, problem.found) for problem in places(part)] == [(2 + n, str(36526 + n)) for n in range(100)]
    assert counted(part) == {"round-serial-date": 300}


def test_twice_the_labels_take_twice_the_steps() -> None:
    few, many = (score_rows(*(row(방_반복=str(36526 + number)) for number in range(n))).items for n in (500, 1_000))
    order, titles = resume_rubric().date_order, {"round": "방/반복"}
    taken = [steps(partial(ExcelDamage(titles, FindingLog()).log, items, order, is_text=True)) for items in (few, many)]
    assert taken[1] < 3 * taken[0]


@pytest.mark.parametrize("text", ["1.23457E+14", "1,23457E+14", "1.23457e+14", "1E+15", " 1.2E+20 "])
def test_identifier_as_a_power_of_ten_is_noted_and_stays(text: str) -> None:
    part = score_rows(row(), row(Query_ID=text))
    (note,) = places(part)
    assert (note.code, note.severity, note.row, note.column) == ("id-rounded", Severity.NOTE, 3, "Query ID")
    assert (note.found, note.values) == (text.strip(), {"rows": "1"})
    assert ([item.query_id for item in part.items], counted(part)) == (["Q-1", text.strip()], {"id-rounded": 1})


def test_each_column_is_noted_once_with_its_first_row_and_every_cell_counted() -> None:
    part = score_rows(
        row(Item_ID="1.2E+14"),
        row(Item_ID="7", Run_ID="2.5E+14"),
        row(Item_ID="1.3E+14", Run_ID="2.5E+14", Query_ID="3E+17"),
        row(Item_ID="1.4E+14", Query_ID="3E+17"),
        [],
    )
    assert [(note.column, note.row, note.found, note.values["rows"]) for note in places(part)] == [
        ("Run ID", 3, "2.5E+14", "2"),
        ("Item ID", 2, "1.2E+14", "3"),
        ("Query ID", 4, "3E+17", "2"),
    ]
    assert (counted(part), len(part.items)) == ({"id-rounded": 7}, 4)


@pytest.mark.parametrize("text", ["Q-1E+14", "1.2E-14", "12.5E+14", "1.E+14", "1E14", "E+1", "1E+14 b", "\u0661E+14"])
def test_other_identifiers_are_not_noted(text: str) -> None:
    part = score_rows(row(Query_ID=text))
    assert part.findings == ()
