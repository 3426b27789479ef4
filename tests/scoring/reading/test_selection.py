"""Rows of a table that `where` of the document asks for, as records of a JSON file are (docs/rubrics.md#json-input)."""

from __future__ import annotations

import json

import pytest

from scoring.items.spool import Part
from scoring.problems import RubricError
from tests.scoring.files import counted, csv_text, places, score_bytes
from tests.scoring.reading.records.files import answer, answers_rubric, lines
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


@pytest.mark.parametrize(("kind", "first"), [("csv", 2), ("xlsx", 2), ("split", 1)])
def test_rows_with_one_of_the_words_are_left_out_and_those_without_a_value_stay(kind: str, first: int) -> None:
    part = part_of(kind, "where: { Run Type: { not: [sampling, result] } }\n")
    assert [(item.row - first, item.query_id) for item in part.items if item.query_id[0] == "Q"] == [
        (3, "Q-3"),
        (4, "Q-4"),
    ]
    assert counted(part)["records-not-selected"] == 3
    (place,) = [place for place in places(part) if place.code == "records-not-selected"]
    assert place.values == {"where": "Run Type: not sampling, result"}


def test_record_without_the_value_stays() -> None:
    rubric = answers_rubric(keys="where: { run.status: { not: pending } }\n")
    statuses: list[dict[str, object]] = [{"status": "pending"}, {"status": None}, {}, {"status": "pending review"}]
    part = score_bytes(
        lines(*(answer(id=f"Q-{n}", run=run) for n, run in enumerate(statuses))), "answers.jsonl", rubric
    )
    assert [item.query_id for item in part.items] == ["Q-1", "Q-2", "Q-3"]
    assert counted(part) == {"records-not-selected": 1}


def test_condition_that_leads_nowhere_leaves_nothing_out_and_is_named() -> None:
    for name, data in (("answers.jsonl", lines(answer())), ("answers.csv", b"id,answer,level\nQ-1,x,1\n")):
        part = score_bytes(data, name, answers_rubric(keys="where: { state: { not: pending } }\n"))
        assert len(part.items) == 1
        assert [(place.code, place.column) for place in places(part)] == [("column-never-found", "state")]


@pytest.mark.parametrize(
    ("written", "code", "path"),
    [
        ("{ nto: [pending] }", "rubric-key-unknown", "where.status.nto"),
        ("{ not: [] }", "rubric-list-empty", "where.status.not"),
        ("{ not: 3 }", "rubric-value-type", "where.status.not"),
        ("{}", "rubric-key-missing", "where.status"),
    ],
)
def test_condition_that_is_no_condition_is_refused(written: str, code: str, path: str) -> None:
    with pytest.raises(RubricError) as refused:
        answers_rubric(keys=f"where: {{ status: {written} }}\n")
    assert (code, path) in {(problem.code, problem.values["path"]) for problem in refused.value.problems}
