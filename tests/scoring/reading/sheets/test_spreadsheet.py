"""XLSX workbooks (docs/scoring.md#workbooks)."""

import datetime as dt
import hashlib
import io
import zipfile
from typing import Any

import openpyxl
import pytest

from scoring.problems import Severity
from scoring.reading import spreadsheet
from scoring.reading.spreadsheet import cell_text
from tests.scoring.files import HEADER, counted, csv_text, payload, places, refusal, row, score_bytes

NAME = "resume_agent_x.XLSX"


def workbook(*sheets: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.remove(book.active)
    for number, rows in enumerate(sheets, start=1):
        sheet = book.create_sheet(f"시트{number}")
        for cells in rows:
            sheet.append(cells)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_first_sheet_with_the_required_columns_is_scored() -> None:
    rows = [row(Query_ID="Q-1"), row(Query_ID="Q-2", 방_반복="2/1", Raw_JSON=payload("날짜를 알려주세요", 8.5))]
    data = workbook([["메모", "설명"], ["a", "b"]], [list(HEADER), *rows], [list(HEADER), row()])
    part = score_bytes(data, NAME)
    assert (part.encoding, part.sheet, part.sha256) == ("xlsx", "시트2", hashlib.sha256(data).hexdigest())
    assert part.items == score_bytes(csv_text(rows).encode()).items


def test_further_sheets_with_the_required_columns_are_noted_with_their_rows() -> None:
    table = [list(HEADER), row(), row(Query_ID="Q-2")]
    others: list[list[list[Any]]] = [[["메모"], ["a"]], [], [list(HEADER)], [["제목"], *table], [*table, row()]]
    part = score_bytes(workbook(table, *others, table), NAME)
    assert [(note.code, note.severity, note.found, note.values) for note in places(part)] == [
        ("sheet-not-read", Severity.NOTE, "시트6", {"rows": "3"}),
        ("sheet-not-read", Severity.NOTE, "시트7", {"rows": "2"}),
    ]
    assert (part.sheet, len(part.items), counted(part)) == ("시트1", 2, {"sheet-not-read": 2})
    assert score_bytes(workbook(table, *others[:4]), NAME).findings == ()


def test_fault_in_a_further_sheet_costs_the_first_nothing() -> None:
    table = [list(HEADER), row()]
    source = zipfile.ZipFile(io.BytesIO(workbook(table, table, table)))
    members = {name: source.read(name) for name in source.namelist()}
    members["xl/worksheets/sheet2.xml"] = b"<worksheet><sheetData><row><c t='s'><v>x</v></c></row></sheetData>"
    part = score_bytes(zipped(**members), NAME)
    assert (len(part.items), [note.found for note in places(part)]) == (1, ["시트3"])


def test_cells_read_as_a_csv_export_would_write_them() -> None:
    cells: list[Any] = list(row())
    cells[HEADER.index("방/반복")] = dt.datetime.fromisoformat("2026-02-01")
    cells[HEADER.index("Track")] = 3.0
    cells[HEADER.index("Query ID")] = 17
    cells[HEADER.index("LLM 점수")] = 4.5
    cells[HEADER.index("오류")] = False
    (item,) = score_bytes(workbook([list(HEADER), cells]), NAME).items
    assert (item.round, item.track, item.query_id, item.intent, item.status) == ("2/1", 3, "17", 4.5, "ok")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", "x"),
        (None, ""),
        (True, "TRUE"),
        (2.0, "2"),
        (2.5, "2.5"),
        (1e300, "1e+300"),
        (dt.datetime.fromisoformat("2026-02-01T09:30"), "2026-02-01 09:30:00"),
        (dt.date(2026, 2, 1), "2026-02-01"),
        (dt.time(9, 30), "09:30:00"),
    ],
)
def test_cell_text(value: object, text: str) -> None:
    assert cell_text(value) == text


def test_blank_rows_keep_their_numbers() -> None:
    part = score_bytes(workbook([list(HEADER), row(), [], row(Query_ID="")]), NAME)
    assert [item.row for item in part.items] == [2]
    assert (part.blank_rows, part.unusable_rows, places(part)[0].row) == (1, 1, 4)


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "code", "reason"),
    [
        pytest.param(b"", "empty-file", None, id="empty"),
        pytest.param(csv_text([row()]).encode(), "bad-spreadsheet", "text", id="csv-renamed"),
        pytest.param(csv_text([row()]).encode("cp949"), "bad-spreadsheet", "text", id="cp949-renamed"),
        pytest.param(b"\xef\xbb\xbf<html><table>", "bad-spreadsheet", "html", id="page-renamed"),
        pytest.param("<?xml version='1.0'?>".encode("utf-16"), "bad-spreadsheet", "html", id="xml-in-utf-16"),
        pytest.param(bytes(range(256)), "bad-spreadsheet", "zip", id="noise"),
        pytest.param(b"\xd0\xcf\x11\xe0" + b"x" * 600, "bad-spreadsheet", "ole", id="password-or-xls"),
        pytest.param(zipped(a=b"x"), "bad-spreadsheet", "content", id="some-zip"),
        pytest.param(workbook([list(HEADER), row()])[:-200], "bad-spreadsheet", "zip", id="cut"),
        pytest.param(workbook([["a"], ["b"]]), "missing-columns", None, id="no-such-sheet"),
        pytest.param(workbook([list(HEADER)]), "header-only", None, id="header-only"),
    ],
)
def test_workbook_is_refused(data: bytes, code: str, reason: str | None) -> None:
    part = score_bytes(data, NAME)
    assert refusal(part).code == code
    assert refusal(part).values.get("reason") == reason
    assert part.sha256 == hashlib.sha256(data).hexdigest()


def test_header_below_the_first_row_is_refused_with_its_row() -> None:
    cover = [["설명"], ["이 통합 문서는"]]
    part = score_bytes(workbook(cover, [["결과 보고"], [], list(HEADER), row()]), NAME)
    problem = refusal(part)
    assert (problem.code, problem.row, problem.line, part.sheet) == ("header-not-first", 3, None, "시트2")


def test_workbook_that_unpacks_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheet, "UNCOMPRESSED_LIMIT", 10_000_000)
    bomb = zipped(**{"xl/worksheets/sheet1.xml": b" " * 20_000_000})
    assert len(bomb) < 100_000
    assert refusal(score_bytes(bomb, NAME)).code == "spreadsheet-too-large"


def test_workbook_with_a_wrong_checksum_is_refused() -> None:
    data = bytearray(workbook([list(HEADER), row()]))
    at = data.index(b"xl/worksheets/sheet1.xml") + 60
    data[at] ^= 0xFF
    assert refusal(score_bytes(bytes(data), NAME)).code == "bad-spreadsheet"


def test_other_extensions_are_refused() -> None:
    assert refusal(score_bytes(csv_text([row()]).encode(), "resume_agent_x.xls")).code == "unknown-extension"
