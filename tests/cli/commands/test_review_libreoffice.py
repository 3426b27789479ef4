"""Sheets that LibreOffice has saved: what a person typed comes back, whatever the program made of the file."""

import random
import shutil
import subprocess
from pathlib import Path

import openpyxl
import pytest

from reporting.store import ReviewShelf
from tests.cli.commands.test_review import SET, inputs, make_week, week  # noqa: F401
from tests.cli.place import Place

SOFFICE = shutil.which("soffice") or shutil.which("libreoffice")
SHEETS = 12
FILTERS = {"xlsx": "xlsx", "csv": "csv:Text - txt - csv (StarCalc):44,34,76"}  # 76: UTF-8


def _edited(base: Path, path: Path, chance: random.Random) -> dict[str, float]:
    """Grades typed into the workbook as it went out; what they are by key."""
    book = openpyxl.load_workbook(base)
    sheet = book.worksheets[0]
    head = [cell.value for cell in sheet[1]]
    grade, comment, key = (head.index(title) for title in ("검수 점수", "검수 코멘트", "scorewatch-key"))
    given = {}
    for row in list(sheet.iter_rows(min_row=2)):
        typed = chance.choice([None, None, 0, 1, 2, 3, 4, 5, "3"])
        row[grade].value = typed
        row[comment].value = chance.choice([None, "틀림", "줄\n바꿈", '쉼표, 따옴표 "'])
        sheet.row_dimensions[row[0].row].hidden = chance.random() < 0.2
        if typed is not None:
            given[str(row[key].value)] = float(typed)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(2, sheet.max_row + 1)
        gone = str(sheet.cell(row=at, column=key + 1).value)
        given.pop(gone, None)
        sheet.delete_rows(at)
    book.save(path)
    return given


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize("suffix", ["xlsx", "csv"])
def test_libreoffice_loses_no_grade_and_invents_none(week: Place, suffix: str) -> None:  # noqa: F811
    base = week.root / "base.xlsx"
    assert week.run("review", SET, "--for", "김검수", "-o", base).code == 0
    edited, saved = week.root / "edited", week.root / "saved"
    edited.mkdir()
    given = {at: _edited(base, edited / f"{at}.xlsx", random.Random(at)) for at in range(SHEETS)}
    assert SOFFICE is not None
    command = [
        SOFFICE,
        "--headless",
        f"-env:UserInstallation=file://{week.root}/profile",
        "--convert-to",
        FILTERS[suffix],
    ]
    files = [str(edited / f"{at}.xlsx") for at in range(SHEETS)]
    subprocess.run([*command, "--outdir", str(saved), *files], check=True, capture_output=True, timeout=240)
    for at in range(SHEETS):
        shelf = ReviewShelf()
        is_one = shelf.take(saved / f"{at}.{suffix}")
        found = {str(grade.key): float(grade.grade) for grade in shelf.grades()}
        assert is_one, at
        assert found == given[at], at
        (file,) = shelf.found.values()
        assert (file.refused, file.problems) == ((), ())
