"""How far a sheet reaches: told from its XML in every spelling that the reader takes."""

import io
import zipfile

import pytest
import python_calamine

from scoring.reading import spreadsheet
from scoring.reading.sheet_extent import EXCEL_ROWS, MAX_CELLS, Extent, UnreadableTagError, find_extent
from tests.scoring.files import HEADER, refusal, row, score_bytes
from tests.scoring.reading.sheets.test_spreadsheet import NAME, workbook, zipped

_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def sheet(rows: str, behind: str = "") -> bytes:
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData>{behind}</worksheet>'.encode()


def book(
    xml: bytes, *, path: str = "worksheets/sheet1.xml", sheets: int = 1, beside: str = "docProps/app.xml"
) -> bytes:
    """A workbook with this member as each of its sheets, and another one."""
    named = "".join(f'<sheet name="s{n}" sheetId="{n}" r:id="rId1"/>' for n in range(1, sheets + 1))
    parts = {
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_TYPE}"><sheets>{named}</sheets></workbook>'.encode(),
        "xl/_rels/workbook.xml.rels": (
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="rId1" Type="{_TYPE}/worksheet" Target="{path}"/></Relationships>'
        ).encode(),
        "_rels/.rels": (
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Id="rId1" Type="{_TYPE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
        ).encode(),
        f"xl/{path}": xml,
        beside: b"x",
    }
    return zipped(**parts)


def extent(xml: bytes, size: int = 1 << 20) -> Extent | None:
    return find_extent(lambda: (xml[at : at + size] for at in range(0, len(xml), size)))


FAR = "XFD1048576"
FIRST = '<row r="1"><c r="A1"><v>1</v></c></row>'


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(f'<row r="1048576"><c r="{FAR}"><v>1</v></c></row>', id="as-written"),
        pytest.param(f'<row r="1048576"><c r="{FAR}" s="1" t="s"><v>0</v></c></row>', id="with-style"),
        pytest.param(f'<row r="1048576"><c s="1" r="{FAR}"><v>1</v></c></row>', id="place-second"),
        pytest.param(f"<row r='1048576'><c r='{FAR}'><v>1</v></c></row>", id="single-quotes"),
        pytest.param(f'<row r="1048576"><c\n r = "{FAR}" ><v>1</v></c></row>', id="spaces"),
        pytest.param(f'<x:row r="1048576"><x:c r="{FAR}"><x:v>1</x:v></x:c></x:row>', id="prefix"),
        pytest.param(f'<row r="1"><c r="{FAR.lower()}"><v>1</v></c></row>', id="small-letters"),
        pytest.param(f'<row r="1"><c r="A1" r="{FAR}"><v>1</v></c></row>', id="twice"),
        pytest.param('<row r="1048576"><c r="XFC1"/><c><v>1</v></c></row>', id="column-of-the-one-before"),
        pytest.param('<row r="9"><c r="XFD9"><v>1</v></c></row><row r="99999"><c><v>1</v></c></row>', id="row-alone"),
        pytest.param('<row r="1"><c r="A4294967295"><v>1</v></c></row>', id="behind-the-last-row"),
        pytest.param('<row r="1"><c r="ZZZZZ1"><v>1</v></c></row><row r="2"><c r="A999"><v>1</v></c></row>', id="wide"),
    ],
)
def test_sheet_that_reaches_too_far_is_refused_before_it_is_opened(rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    xml = sheet(FIRST + rows)
    reached = extent(xml)
    assert reached is not None
    assert reached.is_too_large
    assert extent(xml, 7) == reached
    monkeypatch.setattr(python_calamine.CalamineWorkbook, "from_filelike", None, raising=False)
    problem = refusal(score_bytes(book(xml), NAME))
    assert problem.code == "sheet-too-large"
    assert problem.values == {"rows": f"{reached.rows}", "columns": f"{reached.columns}", "limit": f"{MAX_CELLS}"}


@pytest.mark.parametrize("path", ["worksheets/sheet1.xml", "worksheets/data.bin", "macrosheets/sheet1.xml"])
def test_sheet_is_looked_for_in_every_member(path: str) -> None:
    far = sheet(FIRST + f'<row r="1048576"><c r="{FAR}"><v>1</v></c></row>')
    assert refusal(score_bytes(book(far, path=path), NAME)).code == "sheet-too-large"


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param('<c r="A1" x=">" r="XFD9"><v>1</v></c>', id="end-in-a-value"),
        pytest.param('<c r="A1" x="<" r="XFD9"><v>1</v></c>', id="start-in-a-value"),
        pytest.param('<c r="A1"r="XFD9"><v>1</v></c>', id="no-space"),
        pytest.param('<q</x:c r="XFD9"><v>1</v></q>', id="name-in-a-name"),
        pytest.param("<c r=A1><v>1</v></c>", id="no-quotes"),
        pytest.param('<c r="&#88;FD9"><v>1</v></c>', id="escaped"),
        pytest.param('<!-- <c x=" --><c r="XFD9"><v>1</v></c>', id="comment"),
        pytest.param('<c r="A1" x="\xff" r="XFD9"', id="never-closed"),
        pytest.param(f"<c {'x' * 70_000}", id="long"),
    ],
)
def test_tag_that_no_writer_writes_is_refused(rows: str) -> None:
    with pytest.raises(UnreadableTagError):
        extent(sheet(f'<row r="1">{rows}</row>').replace(b"</worksheet>", b"").replace(b"</sheetData>", b""), 50_000)
    problem = refusal(score_bytes(book(sheet(f'<row r="1">{rows}</row>')), NAME))
    assert (problem.code, problem.values["reason"]) == ("bad-spreadsheet", "content")


@pytest.mark.parametrize(
    ("xml", "reached"),
    [
        pytest.param(sheet(FIRST + '<row r="9"><c r="XFD9" s="1"/></row>'), Extent(1, 1, 1), id="empty-cells"),
        pytest.param(sheet("<row><c><v>1</v></c><c/><c><v>1</v></c></row><row/>" * 2), Extent(3, 3, 4), id="no-places"),
        pytest.param(sheet('<row r="3"><c r="AA3"><v>1</v></c></row>'), Extent(3, 27, 1), id="27-columns"),
        pytest.param(sheet(FIRST, f'<mergeCells><mergeCell ref="A1:{FAR}"/></mergeCells>'), None, id="merged"),
        pytest.param(f'<dimension ref="A1:{FAR}"/>'.encode() + sheet(FIRST), None, id="declared"),
        pytest.param("가".encode() * 3, None, id="no-sheet"),
    ],
)
def test_extent(xml: bytes, reached: Extent | None) -> None:
    assert extent(xml) == extent(xml, 7) == reached


def test_as_many_rows_as_excel_has_fit_in_26_columns() -> None:
    assert extent(sheet(f'<row r="{EXCEL_ROWS}"><c r="Z{EXCEL_ROWS}"><v>1</v></c></row>')) == (EXCEL_ROWS, 26, 1)
    assert not Extent(EXCEL_ROWS, 26, 1).is_too_large
    assert Extent(EXCEL_ROWS, 27, 1).is_too_large
    assert Extent(1, 1, MAX_CELLS + 1).is_too_large
    assert extent(sheet('<row r="100000"><c r="T100000"><v>1</v></c></row>')) is None


def test_sheets_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    data = book(sheet('<row r="1"><c r="J10"><v>1</v></c></row>'), sheets=5)
    assert refusal(score_bytes(data, NAME)).code == "missing-columns"
    monkeypatch.setattr(spreadsheet, "MAX_CELLS", 499)
    assert refusal(score_bytes(data, NAME)).code == "sheet-too-large"
    monkeypatch.setattr(spreadsheet, "MAX_CELLS", 500)
    monkeypatch.setattr(spreadsheet, "_READ_LIMIT", 1_000)
    assert refusal(score_bytes(data, NAME)).code == "spreadsheet-too-large"


@pytest.mark.parametrize("member", ["content.xml", "xl/workbook.bin", "XL/Workbook.BIN"])
def test_workbook_of_another_kind_is_refused(member: str) -> None:
    problem = refusal(score_bytes(book(sheet(FIRST), beside=member), NAME))
    assert (problem.code, problem.values["reason"]) == ("bad-spreadsheet", "other-kind")


def test_stray_formatting_far_away_does_not_matter() -> None:
    data = workbook([list(HEADER), row()])
    far = b'<c r="XFD1048576" s="0"/></row></sheetData>'
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    path = "xl/worksheets/sheet1.xml"
    assert b"</row></sheetData>" in members[path]
    members[path] = members[path].replace(b"</row></sheetData>", far)
    assert len(score_bytes(zipped(**members), NAME).items) == 1
