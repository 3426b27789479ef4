"""Which sheet of a workbook is read (docs/scoring.md#workbooks)."""

from scoring.reading.spreadsheet import SheetRank, rank_sheet
from tests.scoring.files import HEADER, resume_rubric


def rank(*top: list[str], has_rows: bool = True, is_hidden: bool = False) -> SheetRank:
    return rank_sheet(top, resume_rubric().columns, has_rows=has_rows, is_hidden=is_hidden)


def test_sheets_are_ranked_by_columns_rows_and_visibility() -> None:
    header, notes = list(HEADER), ["메모"]
    near = [title for title in header if title != "방/반복"]
    ranks = [
        rank(header),
        rank(notes, header),
        rank(header, is_hidden=True),
        rank(header, has_rows=False),
        rank(near),
        rank(notes, near),
        rank(notes),
        rank(header, has_rows=False, is_hidden=True),
        rank(notes, header, is_hidden=True),
        rank(is_hidden=True),
    ]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)
