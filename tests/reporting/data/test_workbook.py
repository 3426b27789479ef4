import math
import zipfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import python_calamine
import xlsxwriter

from reporting.data import workbook
from reporting.data.workbook import Cell, Column, Sheet, write_workbook
from texts import texts

T = texts("en")
TITLE = "Runs"


def written(folder: Path, *sheets: Sheet) -> bytes:
    path, temporary = folder / "book.xlsx", folder / "temporary"
    temporary.mkdir(exist_ok=True)
    write_workbook(path, sheets, title=TITLE, temporary=temporary, t=T)
    assert list(temporary.iterdir()) == []
    return path.read_bytes()


def rows_of(data: bytes, name: str = TITLE) -> list[list[Any]]:
    return python_calamine.CalamineWorkbook.from_filelike(BytesIO(data)).get_sheet_by_name(name).to_python()


def sheet_xml(data: bytes) -> str:
    return zipfile.ZipFile(BytesIO(data)).read("xl/worksheets/sheet1.xml").decode()


def column(*cells: Cell, title: str = "cell") -> Sheet:
    return Sheet(TITLE, [Column("n"), Column(title)], [[at, cell] for at, cell in enumerate(cells)])


TWO_ESCAPES = "_x0041_x00e9_"  # of Excel, A and é
HOSTILE = [
    "=1+1",
    "{=1+1}",
    '=HYPERLINK("http://e.example","x")',
    "@SUM(A1)",
    "+82",
    "-5",
    "http://e.example/x",
    "mailto:a@e.example",
    "file:///etc/passwd",
    "internal:Sheet!A1",
    "007",
    "1e5",
    "TRUE",
    "#N/A",
    "<b>&amp;\"'</b>",
    "_x0041_",
    TWO_ESCAPES,
    "한국어 질문\n둘째 줄",
    "  blanks  ",
    "日本語 العربية ไทย 🙂",
]


def test_texts_stay_the_texts_they_are(tmp_path: Path) -> None:
    data = written(tmp_path, column(*HOSTILE))
    assert [row[1] for row in rows_of(data)[1:]] == HOSTILE
    sheet = openpyxl.load_workbook(BytesIO(data))[TITLE]
    cells = [row[1] for row in sheet.iter_rows(min_row=2)]
    assert {cell.data_type for cell in cells} == {"s"}
    assert [cell.hyperlink for cell in cells] == [None] * len(cells)
    assert "<f>" not in sheet_xml(data)


def test_rows_are_those_that_the_library_writes(tmp_path: Path) -> None:
    """They go past its public names, and another version may want them otherwise."""
    same = [text for text in HOSTILE if text != TWO_ESCAPES]  # of which it leaves the second one
    cells: list[str | float] = [*same, 4.25, 0, -7, 1 / 3, 2.5e-7, 123456789012345, 0.1 + 0.2, " a", "a\n", "\t"]
    book = xlsxwriter.Workbook(str(tmp_path / "plain.xlsx"), {"constant_memory": True})
    page, look = book.add_worksheet(TITLE), book.add_format({"num_format": "0.00"})
    for at, cell in enumerate(cells, start=1):
        page.write_number(at, 0, at - 1)
        (page.write_string if isinstance(cell, str) else page.write_number)(at, 1, cell, look)
    book.close()
    ours = sheet_xml(written(tmp_path, Sheet(TITLE, [Column("n"), Column("cell", number="0.00")], [*enumerate(cells)])))
    theirs = sheet_xml((tmp_path / "plain.xlsx").read_bytes())
    first, end = '<row r="2">', "</sheetData>"
    assert ours[ours.index(first) : ours.index(end)] == theirs[theirs.index(first) : theirs.index(end)]
    assert f'<dimension ref="A1:B{len(cells) + 1}"/>' in ours


def test_markup_of_a_rich_text_is_a_text(tmp_path: Path) -> None:
    """XlsxWriter would write it into the XML as it stands."""
    text = "<r><t>x</t></r></is></c><c><f>1+1</f></c><c><is><r></r>"
    data = written(tmp_path, column(text))
    assert rows_of(data)[1][1] == f"{text} "


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x85", "\ud800", "\ufffe", "\uffff", "\u202e"])
def test_what_xml_cannot_hold_or_turns_a_text_is_replaced(tmp_path: Path, character: str) -> None:
    assert rows_of(written(tmp_path, column(f"a{character}b")))[1][1] == "a\ufffdb"


def test_line_ends_are_one(tmp_path: Path) -> None:
    assert rows_of(written(tmp_path, column("a\r\nb\rc\td")))[1][1] == "a\nb\nc\td"


def test_numbers_are_numbers_and_nothing_is_nothing(tmp_path: Path) -> None:
    found = rows_of(written(tmp_path, column(4.25, 0, -7, None, "", 10**18, math.inf, math.nan)))
    assert [row[1] for row in found[1:]] == [4.25, 0, -7, "", "", "1000000000000000000", "inf", "nan"]


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        ("가" * 32_767, False),  # CELL_LIMIT
        ("가" * 32_768, True),
        ("🙂" * 16_383, False),  # two units each: 32,766
        ("🙂" * 16_384, True),
        ("a" + "🙂" * 16_383, False),
        ("x" * 100_000, True),
    ],
    ids=["on", "above", "pairs-below", "pairs-above", "pairs-on", "100-kb"],
)
def test_a_text_that_no_cell_holds_is_cut_and_says_so(tmp_path: Path, text: str, is_cut: bool) -> None:
    found = rows_of(written(tmp_path, column(text)))[1][1]
    assert (found == text) is not is_cut
    if is_cut:
        end = f"… (cut: the text has {len(text):,} characters, more than a cell of Excel holds)"
        assert found.endswith(end)
        assert text.startswith(found.removesuffix(end))
        assert 32_767 - 2 < len(found.encode("utf-16-le")) // 2 <= 32_767


@pytest.mark.parametrize(("n", "kept", "more"), [(8, 8, 0), (9, 9, 0), (10, 8, 2), (25, 8, 17)])
def test_rows_that_no_sheet_holds_are_cut_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n: int, kept: int, more: int
) -> None:
    """A limit of 10 rows: the header, and 9."""
    monkeypatch.setattr(workbook, "ROW_LIMIT", 10)
    found = rows_of(written(tmp_path, column(*map(str, range(n)))))[1:]
    assert [row[1] for row in found[:kept]] == [str(at) for at in range(kept)]
    told = [f"{more} more rows are not here: a sheet of Excel holds 10. All rows are in items.csv."] if more else []
    assert [row[0] for row in found[kept:]] == told


def test_the_same_sheets_give_the_same_bytes(tmp_path: Path) -> None:
    sheets = [column(*HOSTILE), Sheet("Two", [Column("a")], [])]
    assert written(tmp_path, *sheets) == written(tmp_path, *sheets)
    entries = zipfile.ZipFile(BytesIO(written(tmp_path, *sheets))).infolist()
    assert {entry.date_time for entry in entries} == {(1980, 1, 31, 0, 0, 0)}


def test_header_filter_and_colours(tmp_path: Path) -> None:
    columns = [Column("id", 8), Column("status", colours={"failed": "#FFC7CE"}), Column("score", number="0.00")]
    rows: Sequence[Sequence[Cell]] = [["Q1", "failed", 4.5], ["Q2", "passed", 1]]
    data = written(
        tmp_path, Sheet(TITLE, columns, rows, frozen=1, has_filter=True), Sheet("None", columns, [], 0, True)
    )
    book = openpyxl.load_workbook(BytesIO(data))
    sheet = book[TITLE]
    assert (sheet.freeze_panes, sheet.auto_filter.ref, book["None"].auto_filter.ref) == ("B2", "A1:C3", "A1:C1")
    assert [sheet["B2"].fill.bgColor.rgb, sheet["B2"].fill.fgColor.rgb][1] == "FFFFC7CE"
    assert (sheet["B3"].fill.fill_type, sheet["C2"].number_format) == (None, "0.00")
    assert sheet.column_dimensions["A"].width == pytest.approx(8.7, abs=0.1)
    assert sheet.print_title_rows == "$1:$1"


def test_choices_stand_on_a_hidden_sheet(tmp_path: Path) -> None:
    """In the cell they would be parted by the commas in them, and be 255 characters at most."""
    choices = ["good, very good", "=bad", "x" * 300]
    columns = [Column("a", choices=["1", "2"]), Column("b"), Column("c", choices=choices)]
    book = openpyxl.load_workbook(BytesIO(written(tmp_path, Sheet(TITLE, columns, [["1", None, "=bad"]]))))
    rules = {str(rule.sqref): rule.formula1 for rule in book[TITLE].data_validations.dataValidation}
    assert rules == {"A2:A1048576": "_lists!$A$1:$A$2", "C2:C1048576": "_lists!$B$1:$B$3"}
    assert [cell.value for cell in book["_lists"]["B"]] == choices
    assert book["_lists"].sheet_state == "hidden"


def test_a_path_that_cannot_be_written_is_told_as_the_system_tells_it(tmp_path: Path) -> None:
    path = tmp_path / "none" / "book.xlsx"
    with pytest.raises(FileNotFoundError) as raised:
        write_workbook(path, [column("a")], title=TITLE, temporary=tmp_path, t=T)
    assert raised.value.filename == str(path)


def test_rows_that_fail_leave_nothing_open(tmp_path: Path) -> None:
    def rows() -> Iterator[Sequence[Cell]]:
        yield ["a"]
        raise ValueError("row 2")

    with pytest.raises(ValueError, match="row 2"):
        written(tmp_path, Sheet(TITLE, [Column("a")], rows()))
    assert list((tmp_path / "temporary").iterdir()) == []
