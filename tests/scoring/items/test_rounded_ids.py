"""Identifiers that Excel wrote as powers of ten: noted, and counted as they stand."""

from __future__ import annotations

import pytest

from scoring.problems import Severity
from tests.scoring.files import row, score_rows


@pytest.mark.parametrize("text", ["1.23457E+14", "1,23457E+14", "1.23457e+14", "1E+15", " 1.2E+20 "])
def test_identifier_as_a_power_of_ten_is_noted_and_stays(text: str) -> None:
    part = score_rows(row(), row(Query_ID=text))
    (note,) = part.problems
    assert (note.code, note.severity, note.row, note.column) == ("id-rounded", Severity.NOTE, 3, "Query ID")
    assert (note.found, note.values) == (text.strip(), {"rows": "1"})
    assert ([item.query_id for item in part.items], part.counts["id-rounded"]) == (["Q-1", text.strip()], 1)


def test_each_column_is_noted_once_with_its_first_row_and_each_item_counted_once() -> None:
    part = score_rows(
        row(Item_ID="1.2E+14"),
        row(Item_ID="7", Run_ID="2.5E+14"),
        row(Item_ID="1.3E+14", Run_ID="2.5E+14", Query_ID="3E+17"),
        row(Item_ID="1.4E+14", Query_ID="3E+17"),
        [],
    )
    assert [(note.column, note.row, note.found, note.values["rows"]) for note in part.problems] == [
        ("Run ID", 3, "2.5E+14", "2"),
        ("Item ID", 2, "1.2E+14", "3"),
        ("Query ID", 4, "3E+17", "2"),
    ]
    assert (part.counts["id-rounded"], part.problem_count, len(part.items)) == (4, 3, 4)


@pytest.mark.parametrize("text", ["Q-1E+14", "1.2E-14", "12.5E+14", "1.E+14", "1E14", "E+1", "1E+14 b", "\u0661E+14"])
def test_other_identifiers_are_not_noted(text: str) -> None:
    part = score_rows(row(Query_ID=text))
    assert (part.problems, "id-rounded" in part.counts) == ((), False)
