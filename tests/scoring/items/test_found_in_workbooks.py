"""What Excel did to the values of a file, in a workbook or in what it exported, is read or said."""

import datetime as dt
import io
import zipfile
from typing import Any

import openpyxl
import pytest

from reporting.wording import describe_finding
from scoring.items.spool.part_file import Part
from scoring.problems import Severity
from tests.inner import cell_text
from tests.scoring.files import (
    HEADER,
    counted,
    places,
    row,
    score_bytes,
    score_rows,
)
from tests.scoring.items.found import part_of

NAME = "resume_agent_x.xlsx"


def sheet(rows: list[list[Any]], *, formats: dict[str, str] | None = None, merged: tuple[str, ...] = ()) -> Part:
    """The part of a workbook with these rows under HEADER."""
    book = openpyxl.Workbook()
    assert book.active is not None
    for cells in (list(HEADER), *rows):
        book.active.append(cells)
    for place, code in (formats or {}).items():
        book.active[place].number_format = code
    for place in merged:
        book.active.merge_cells(place)
    out = io.BytesIO()
    book.save(out)
    return score_bytes(out.getvalue(), NAME)


def cells(**values: Any) -> list[Any]:
    """A row with values that are no text; named as in `row`."""
    return [
        values.get(name.replace(" ", "_").replace("/", "_"), cell) for name, cell in zip(HEADER, row(), strict=True)
    ]


def test_error_value_in_the_error_column_is_an_error_and_no_score_elsewhere() -> None:
    part = part_of("xlsx_error_cells/resume_agent_x1_errorcells.xlsx")
    assert [(item.status, item.intent, item.error) for item in part.items] == [
        ("ok", 5, ""),
        ("error", 0, "#NAME?"),
        ("ok", 5, ""),
        ("ok", 5, ""),
    ]
    assert {(place.row, place.column, place.found) for place in places(part) if place.code == "error-cell"} == {
        (3, "오류", "#NAME?"),
        (4, "LLM 점수", "#N/A"),
    }


@pytest.mark.parametrize(
    "value",
    [
        "#REF!", "#N/A", "#DIV/0!", "#VALUE!", "#NUM!", "#NULL!", "#NAME?", "#GETTING_DATA", "#BLOCKED!", " #N/A",
        "#REF! ", "\u3000#NAME?",
    ],
)  # fmt: skip
def test_error_value_as_text_identifies_nothing(value: str) -> None:
    part = score_rows(row(Item_ID=value), row(Item_ID=value), row(Query_ID=value), row(방_반복=value), row(Track=value))
    assert [(item.row, item.item_id, item.track) for item in part.items] == [(2, "", 1), (3, "", 1), (6, "", None)]
    assert counted(part) == {"no-query-id": 1, "no-round": 1, "error-cell": 5}
    assert {finding.severity for finding in part.findings} == {Severity.ERROR}


def test_error_value_inside_a_text_is_text() -> None:
    assert score_rows(row(응답="셀에 #N/A가 보입니다"), row(LLM_코멘트="# 제목")).findings == ()


def test_months_of_a_year_are_rounds_as_they_were_typed() -> None:
    part = part_of("xlsx_month_year_rounds/resume_agent_x6_monthyear.xlsx")
    assert [item.round for item in part.items] == ["2/1", "2/28", "2/29", "2/30", "1/32"]
    assert part.restored_rounds == ("1/32", "2/1", "2/28", "2/29", "2/30")


@pytest.mark.parametrize(
    ("date", "code", "label"),
    [
        ("2029-02-01", "mmm-yy", "2/29"),
        ("2029-02-01", "m/d;@", "2/1"),
        ("2026-02-01", 'yyyy"년" m"월"', "2/26"),
        ("2031-04-01", "h:mm", "4/31"),
        ("2030-04-01", "h:mm", "4/1"),
        ("2026-01-02", "mmm-yy", "1/2"),
        ("2026-01-01", "yyyy-mm-dd", "1/1"),
    ],
)
def test_number_format_decides_between_day_and_year(date: str, code: str, label: str) -> None:
    part = sheet([cells(방_반복=dt.datetime.fromisoformat(date))], formats={"H2": code})
    assert [item.round for item in part.items] == [label]


@pytest.mark.parametrize(
    ("text", "label"), [("Jan-32", "1/32"), ("Feb-29", "2/29"), ("Apr-31", "4/31"), ("May-00", "5/0")]
)
def test_month_and_year_of_a_csv_export_are_read_back(text: str, label: str) -> None:
    part = score_rows(row(방_반복=text))
    assert ([item.round for item in part.items], part.restored_rounds) == ([label], (label,))


def test_formula_with_a_stored_value_is_read() -> None:
    part = part_of("xlsx_formula_no_cache/resume_agent_x2_formulas.xlsx")
    assert [(place.row, place.column) for place in places(part)] == [(2, "LLM 점수"), (3, "LLM 점수"), (4, "오류")]
    assert sheet([cells(LLM_점수=4)]).findings == ()


def test_merged_cells_are_filled_down_where_they_describe_the_query() -> None:
    rows = [
        cells(Query_ID="Q-1", 카테고리="조회"),
        cells(Query_ID="", 카테고리="", 방_반복="2/1"),
        cells(Query_ID="Q-2"),
    ]
    part = sheet(rows, merged=("C2:C3", "G2:G3"))
    assert [(item.query_id, item.category, item.round) for item in part.items] == [
        ("Q-1", "조회", "1/1"),
        ("Q-1", "조회", "2/1"),
        ("Q-2", "", "1/1"),
    ]
    assert [(place.code, place.row, place.column, place.found, place.values) for place in places(part)] == [
        ("merged-cells", 2, "Query ID", "Q-1", {"how": "filled", "cells": "1"}),
        ("merged-cells", 2, "카테고리", "조회", {"how": "filled", "cells": "1"}),
    ]


def test_merged_cells_are_said_in_the_order_of_rows() -> None:
    part = sheet([cells(Query_ID=f"Q-{number}") for number in range(4)], merged=("G4:G5", "I2:I3", "C4:C5"))
    assert [(place.row, place.column) for place in places(part) if place.code == "merged-cells"] == [
        (2, "응답"),
        (4, "Query ID"),
        (4, "카테고리"),
    ]


def test_merged_rounds_and_wide_merges_are_said_and_stay_blank() -> None:
    part = sheet([cells(응답="a"), cells(방_반복=""), cells()], merged=("H2:H3", "K4:M4"))
    assert (len(part.items), counted(part)) == (2, {"no-round": 1, "merged-cells": 3})


def test_merged_scores_count_for_their_first_row_and_say_how_many_cells_are_blank() -> None:
    rows = [cells(LLM_점수=2), cells(LLM_점수=None, 방_반복="2/1"), cells(LLM_점수=None, 방_반복="3/1")]
    part = sheet(rows, merged=("L2:L4",))
    assert [(item.intent, item.intent_source) for item in part.items] == [(2, "recorded"), (5, "status"), (5, "status")]
    (place,) = places(part)
    assert (place.column, place.found, place.values) == ("LLM 점수", "2", {"how": "not-filled", "cells": "2"})
    assert "not filled down, blank cells: 2" in describe_finding(part.findings[0], "en")
    assert "채우지 않음, 빈칸 2칸" in describe_finding(part.findings[0])


def test_a_range_over_columns_says_what_stays_blank() -> None:
    part = sheet([cells(기대결과="목록"), cells(기대결과="")], merged=("F2:G3",))
    (finding,) = part.findings
    assert (finding.count, finding.places[0].values) == (3, {"how": "not-filled", "cells": "2"})
    assert [item.expected for item in part.items] == ["목록", "목록"]


def _hidden(data: bytes, *changes: tuple[bytes, bytes]) -> Part:
    """The part of a workbook whose sheet has other XML. changes: what is replaced, once each."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.infolist():
            content = old.read(member)
            if member.filename == "xl/worksheets/sheet1.xml":
                for before, after in changes:
                    assert before in content, before
                    content = content.replace(before, after, 1)
            new.writestr(member, content)
    return score_bytes(out.getvalue(), NAME)


def _book(rows: int) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    assert book.active is not None
    for values in (list(HEADER), *[cells(Query_ID=f"Q-{n}") for n in range(rows)]):
        book.active.append(values)
    return book


def _bytes(book: openpyxl.Workbook) -> bytes:
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_rows_and_columns_hidden_by_a_filter_or_by_hand_are_scored_and_counted() -> None:
    book = _book(6)
    assert book.active is not None
    book.active.auto_filter.ref = "A1:N7"
    for number in (3, 5, 6, 9):  # the last one is blank
        book.active.row_dimensions[number].hidden = True
    for letter in ("G", "Z"):  # the second one holds nothing
        book.active.column_dimensions[letter].hidden = True
    part = score_bytes(_bytes(book), NAME)
    assert (len(part.items), counted(part)) == (6, {"hidden-rows": 4})
    assert [(place.row, place.column) for place in places(part)] == [(1, "카테고리"), (3, None)]


def test_a_hidden_header_row_and_shown_rows_are_nothing_to_say() -> None:
    book = _book(2)
    assert book.active is not None
    book.active.row_dimensions[1].hidden = True
    book.active.row_dimensions[2].hidden = False
    assert score_bytes(_bytes(book), NAME).findings == ()


@pytest.mark.parametrize(
    ("changes", "n"),
    [
        ([(b'<row r="3"', b'<row r="3" hidden="true"')], 1),
        ([(b'<row r="3"', b"<row hidden='1' r='3'")], 1),
        ([(b'<row r="3"', b'<row r="3" hidden="false"')], 0),
        ([(b'<row r="3"', b'<row r="3" hidden="0"')], 0),
        ([(b"<sheetData>", b'<cols><col min="5" max="16384" hidden="1"/></cols><sheetData>')], 10),
        ([(b"<sheetFormatPr ", b'<sheetFormatPr zeroHeight="1" '), (b'<row r="3"', b'<row r="3" hidden="0"')], 2),
    ],
    ids=["libreoffice", "apostrophes", "not-hidden", "zero", "columns-to-the-end", "rows-by-default"],
)
def test_hidden_rows_as_other_programs_write_them(changes: list[tuple[bytes, bytes]], n: int) -> None:
    assert counted(_hidden(_bytes(_book(3)), *changes)) == ({"hidden-rows": n} if n else {})


@pytest.mark.parametrize(
    ("pages", "read", "found"),
    [
        pytest.param(
            [("옛것", "hidden", 2), ("새것", "visible", 1)], "새것", [("sheet-not-read", "옛것")], id="hidden-first"
        ),
        pytest.param(
            [("옛것", "veryHidden", 1), ("메모", "visible", None), ("새것", "visible", 1)],
            "새것",
            [("sheet-not-read", "옛것")],
            id="very-hidden",
        ),
        pytest.param(
            [("메모", "visible", None), ("a", "hidden", 1), ("b", "hidden", 1)],
            "a",
            [("sheet-not-read", "b"), ("hidden-sheet", "a")],
            id="only-hidden",
        ),
        pytest.param([("빈", "visible", 0), ("결과", "visible", 2)], "결과", [], id="header-only-first"),
        pytest.param(
            [("빈", "visible", 0), ("옛것", "hidden", 2)], "옛것", [("hidden-sheet", "옛것")], id="rows-only-in-hidden"
        ),
    ],
)
def test_visible_sheet_with_rows_is_read_first(
    pages: list[tuple[str, str, int | None]], read: str, found: list[tuple[str, str]]
) -> None:
    part = score_bytes(_pages(pages), NAME)
    assert (part.sheet, [(place.code, place.found) for place in places(part)]) == (read, found)


def test_visible_sheet_with_a_header_further_down_is_refused_whatever_is_hidden() -> None:
    part = score_bytes(_pages([("옛것", "hidden", 1), ("새것", "visible", 1)], above="결과 보고"), NAME)
    assert (part.sheet, [(problem.code, problem.row) for problem in part.problems]) == (
        "새것",
        [("header-not-first", 2)],
    )


def _pages(pages: list[tuple[str, str, int | None]], *, above: str = "") -> bytes:
    """A workbook of sheets: title, state and number of rows below the header, None for a sheet of other columns.

    above: first row of the visible sheets.
    """
    book = openpyxl.Workbook()
    assert book.active is not None
    book.remove(book.active)
    for title, state, rows in pages:
        page = book.create_sheet(title)
        page.sheet_state = state
        if above and state == "visible":
            page.append([above])
        page.append(["메모"] if rows is None else list(HEADER))
        for number in range(rows or 0):
            page.append(row(Query_ID=f"Q-{number}"))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("ids", "code", "count"),
    [
        (["1234567890123450", "9876543210987000"], "id-rounded", 2),
        (["1234567890123450", "9876543210987123"], "", 0),
        (["123456789012345"], "", 0),
        (["1.1", "1.2"], "id-like-number", 2),
        (["1.1", "1.10"], "", 0),
        (["01월 02일"], "id-date", 1),
        (["2-Jan", "2026-01-03"], "id-date", 2),
        (["Q-1", "A-12", "2026-Q1"], "", 0),
    ],
)
def test_ids_that_excel_rewrote(ids: list[str], code: str, count: int) -> None:
    part = score_rows(*(row(Query_ID=text) for text in ids))
    assert counted(part) == ({code: count} if code else {})


def test_numbers_of_15_digits_in_a_workbook_are_said() -> None:
    part = sheet([cells(Query_ID=123456789012345), cells(Query_ID=1234567890123450), cells(Query_ID=12345)])
    assert ([item.query_id for item in part.items], counted(part)) == (
        ["123456789012345", "1234567890123450", "12345"],
        {"id-rounded": 2},
    )


def test_durations_of_a_workbook_are_texts_of_hours() -> None:
    assert cell_text(dt.timedelta(seconds=12.5)) == "0:00:12.5"
    assert cell_text(dt.timedelta(days=1, hours=6)) == "30:00:00"
    assert cell_text(dt.time(0, 0, 12, 500_000)) == "00:00:12.500000"


DATE, TIME, ELAPSED, OWN = "yyyy-mm-dd", "h:mm", "[h]:mm:ss", '[$-412]yyyy"년" m"월"'


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (-1e17, DATE, "-100000000000000000"),
        (-1e17, TIME, "-100000000000000000"),
        (-1e17, ELAPSED, "-100000000000000000"),
        (-1e300, OWN, "-1e+300"),
        (-1, DATE, "-1"),
        (-693595, "m/d/yy", "-693595"),
        (-0.5, ELAPSED, "-0.5"),
        (1772409600000, ELAPSED, "1772409600000"),
        (1e17, "[mm]:ss", "100000000000000000"),
        (1e300, ELAPSED, "1e+300"),
    ],
)
def test_number_that_its_format_cannot_show_is_named_and_read_as_it_is(value: float, code: str, shown: str) -> None:
    rows = [cells(질의=45000), cells(Query_ID="Q-2", 질의=value), cells(Query_ID="Q-3", 질의=45001)]
    part = sheet(rows, formats={"E2": DATE, "E3": code, "E4": DATE})
    assert [item.question for item in part.items] == ["2023-03-15", shown, "2023-03-16"]
    ((place, severity),) = [(one.places[0], one.severity) for one in part.findings if one.code == "out-of-range-cell"]
    assert (place.row, place.column, severity) == (3, "질의", Severity.ERROR)
    assert float(place.found) == value


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (-1e17, "General"),
        (-5, "0.00"),
        (-5, '#,##0 "days"'),
        (0, DATE),
        (45000.5, TIME),
        (30, ELAPSED),
        (2958465, DATE),
    ],
)
def test_number_that_its_format_shows_is_no_finding(value: float, code: str) -> None:
    part = sheet([cells(질의=value), cells(Query_ID="Q-2", 질의=-3)], formats={"E2": code})
    assert "out-of-range-cell" not in counted(part)


def test_each_cell_out_of_range_is_named_also_in_columns_beside() -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append([*HEADER, "종료"])
    for number in range(2, 5):
        book.active.append([*cells(Query_ID=f"Q-{number}"), -1e17])
        book.active.cell(number, len(HEADER) + 1).number_format = DATE
    other = book.create_sheet("other")
    other.append([1e300])
    other["A1"].number_format = ELAPSED
    out = io.BytesIO()
    book.save(out)
    part = score_bytes(out.getvalue(), NAME)
    assert [(place.row, place.column) for place in places(part) if place.code == "out-of-range-cell"] == [
        (2, "종료"),
        (3, "종료"),
        (4, "종료"),
    ]
    assert [item.extra for item in part.items] == [("-100000000000000000",)] * 3


@pytest.mark.parametrize("case", ["xlsx_date_out_of_range/resume_agent_d", "xlsx_duration_out_of_range/resume_agent_q"])
def test_cell_out_of_range_is_named_where_the_file_is_refused_too(case: str) -> None:
    part = part_of(f"{case}.xlsx")
    assert [(one.code, one.row, one.column) for one in part.problems] == [
        ("missing-columns", 1, None),
        ("out-of-range-cell", 3, "실행시각"),
    ]


class PanicException(BaseException):
    """As the reading library raises it."""


@pytest.mark.parametrize("error", [PanicException("out of bounds"), OverflowError("too large"), KeyError("x")])
def test_whatever_the_library_raises_is_a_problem_of_the_file(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise error

    monkeypatch.setattr("python_calamine.CalamineWorkbook.from_filelike", fail)
    part = sheet([cells()])
    assert [(one.code, one.values["reason"]) for one in part.problems] == [("bad-spreadsheet", "content")]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError, OSError])
def test_what_is_no_fault_of_the_file_goes_on(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise error

    monkeypatch.setattr("python_calamine.CalamineWorkbook.from_filelike", fail)
    with pytest.raises(error):
        sheet([cells()])
