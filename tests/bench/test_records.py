"""The bench of JSON: every form has the rows of the CSV that it is measured beside."""

from pathlib import Path

import pytest

from bench.make_csv import COLUMNS, make_rows
from bench.records import FORMS
from config import shipped_rubrics
from scoring.reading import open_table

ROWS = 30
PAYLOAD = COLUMNS.index("Raw JSON")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_rows(form: str, tmp_path: Path) -> None:
    suffix, write = FORMS[form]
    path = tmp_path / f"rows{suffix}"
    write(path, make_rows(ROWS))
    columns = next(rubric for rubric in shipped_rubrics() if rubric.profile == "resume-agent").columns
    with path.open("rb") as stream:
        table = open_table(stream, path.name, columns)
        read = [dict(zip(table.columns.header, row, strict=True)) for row in table.rows()]
    expected = [dict(zip(COLUMNS, row, strict=True)) for row in make_rows(ROWS)]
    assert [len(row["Raw JSON"]) > 0 for row in read] == [len(row["Raw JSON"]) > 0 for row in expected]
    for row in (*read, *expected):
        del row["Raw JSON"]  # its spaces may differ
    assert [{name: row[name] for name in COLUMNS if name in row} for row in read] == expected
