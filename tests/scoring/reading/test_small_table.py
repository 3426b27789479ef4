"""A table that people keep by hand: rows that are shorter or longer than its header."""

import io

import pytest

from scoring.problems import InputError
from scoring.reading import read_small_table
from scoring.rubric import Column

COLUMNS = (Column(name="id", title="ID", required=True), Column(name="note", title="Note", required=False))


def test_a_cell_that_a_short_row_lacks_is_blank() -> None:
    read = read_small_table(io.BytesIO(b"Note,ID\nx\n,,\ny,2\n"), "a.csv", COLUMNS, most=9)
    assert read.rows == [(2, {"note": "x", "id": ""}), (4, {"note": "y", "id": "2"})]
    assert read.problems == []


def test_a_row_with_text_behind_the_last_column_is_named() -> None:
    """A comma without quotation marks moves cells: none of them is taken for another."""
    read = read_small_table(io.BytesIO("Note,ID\n느림, 늘,1\ny,2,\n".encode()), "a.csv", COLUMNS, most=9)
    assert read.rows == [(3, {"note": "y", "id": "2"})]
    (problem,) = read.problems
    assert (problem.code, problem.source, problem.row) == ("cell-count", "a.csv", 2)
    assert problem.found == "느림 |  늘 | 1"


@pytest.mark.parametrize("most", [1, 2])
def test_as_many_rows_as_may_be(most: int) -> None:
    stream = io.BytesIO(b"ID\n1\n2\n")
    if most == 2:
        assert len(read_small_table(stream, "a.csv", COLUMNS, most=most).rows) == 2
        return
    with pytest.raises(InputError) as refused:
        read_small_table(stream, "a.csv", COLUMNS, most=most)
    assert [problem.code for problem in refused.value.problems] == ["table-too-long"]
