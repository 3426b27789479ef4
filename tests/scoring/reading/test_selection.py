"""Rows of a table that `where` of the document asks for, as records of a JSON file are (docs/rubrics.md#json-input)."""

from __future__ import annotations

import json

import pytest

from scoring.items.spool import Part
from tests.scoring.files import counted, csv_text, places, score_bytes
from tests.scoring.reading.records.files import answers_rubric
from tests.scoring.reading.sheets.test_spreadsheet import workbook

HEADER = ("id", "answer", "level", "Run Type", "meta.kind")
ROWS = (
    ("Q-1", "Twelve", "1", "result", "test"),
    ("Q-2", "", "", "sampling", "test"),
    ("", "", "", "", ""),
    ("Q-3", "Six", "0", "final answer", "test"),
    ("Q-4", "Six", "0", "final answer, too", "test"),
    ("Q-5", "Six", "0", "result", "dry"),
)
WHERE = 'where: { run_type: [result, "final answer"], "meta.kind": test }\n'


def part_of(kind: str, keys: str) -> Part:
    rubric = answers_rubric(keys=keys)
    if kind == "xlsx":
        return score_bytes(workbook([list(row) for row in (HEADER, *ROWS)]), "answers_1.xlsx", rubric)
    if kind == "split":
        data = json.dumps({"columns": HEADER, "data": ROWS}).encode()
        return score_bytes(data, "answers_1.json", rubric)
    return score_bytes(csv_text(ROWS, header=HEADER).encode(), "answers_1.csv", rubric)


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_rows_are_selected_by_whole_cells_and_the_others_are_counted(kind: str) -> None:
    part = part_of(kind, WHERE)
    assert [(item.row, item.query_id) for item in part.items] == [(2, "Q-1"), (5, "Q-3")]
    assert (part.rows, part.blank_rows, part.unusable_rows) == (3, 1, 0)
    (place,) = [place for place in places(part) if place.code == "records-not-selected"]
    assert counted(part)["records-not-selected"] == 3
    assert place.values == {"where": "meta.kind: test; run_type: result, final answer"}


def test_rows_of_columns_and_data_are_selected_as_records() -> None:
    part = part_of("split", 'where: { "Run Type": [result, "final answer"], "meta.kind": test }\n')
    assert [(item.row, item.query_id) for item in part.items] == [(1, "Q-1"), (4, "Q-3")]
    assert counted(part)["records-not-selected"] == 4  # a row without any value is a record there


@pytest.mark.parametrize("path", ["meta.kind", '["meta.kind"]', "META.Kind"])
def test_path_is_the_title_of_a_column(path: str) -> None:
    part = part_of("csv", f"where: {{ '{path}': dry }}\n")
    assert [item.query_id for item in part.items] == ["Q-5"]


@pytest.mark.parametrize("kind", ["csv", "xlsx", "split"])
def test_condition_of_a_column_that_is_not_there_selects_nothing_and_says_so(kind: str) -> None:
    part = part_of(kind, "where: { kind: dry }\n")
    assert [problem.code for problem in part.problems] == ["no-records"]
    assert int(part.problems[0].values["unselected"]) == (6 if kind == "split" else 5)


def test_short_row_has_no_value_in_the_cells_that_it_lacks() -> None:
    data = b"id,answer,level,note,kind\nQ-1,x,1\nQ-2,y,1,,test\n"
    part = score_bytes(data, "answers_1.csv", answers_rubric(keys="where: { kind: test }\n"))
    assert [item.query_id for item in part.items] == ["Q-2"]
    assert counted(part) == {"records-not-selected": 1}
