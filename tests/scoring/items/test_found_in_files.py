"""What a file has that figures must not be taken from without a word, found while it is read."""

from __future__ import annotations

import datetime as dt
import io
from typing import Any

import openpyxl
import pytest

from config.rubrics_in_force import claiming, shipped_rubrics
from scoring.items import score_file
from scoring.items.cell_damage import is_damaged
from scoring.items.part import Part
from scoring.problems import Severity
from scoring.reading.sheets.spreadsheet import cell_text
from scoring.rubric.model import Rubric
from tests.paths import ROOT
from tests.scoring.files import (
    HEADER,
    counted,
    csv_text,
    payload,
    places,
    row,
    score_bytes,
    score_rows,
)

CASES = ROOT / "tests" / "cases_found"
NAME = "resume_agent_x.xlsx"


def part_of(name: str) -> Part:
    """The part of a file of tests/cases_found."""
    path = CASES / name
    return score_bytes(path.read_bytes(), path.name, rubric_of(path.name))


def rubric_of(name: str) -> Rubric:
    rubric = claiming(name, shipped_rubrics())
    assert rubric is not None
    return rubric


def answers(*lines: str, name: str = "rubrics_score_en.csv", encoding: str = "utf-8") -> Part:
    """The part of a file of answers with these lines."""
    return score_bytes("".join(f"{line}\r\n" for line in lines).encode(encoding), name, rubric_of(name))


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


@pytest.mark.parametrize(
    ("name", "items", "findings"),
    [
        ("xlsx_error_cells/resume_agent_x1_errorcells.xlsx", 4, {"error-cell": 2, "recorded-not-a-number": 1}),
        ("xlsx_formula_no_cache/resume_agent_x2_formulas.xlsx", 3, {"formula-without-value": 3}),
        ("xlsx_month_year_rounds/resume_agent_x6_monthyear.xlsx", 5, {}),
        ("ids_15_digits/resume_agent_k1_ids16.xlsx", 2, {"rows-differ": 2, "id-rounded": 8}),
        ("ids_trailing_zero/resume_agent_n2b_version_consistency.csv", 4, {"id-like-number": 4}),
        ("excel_trailing_commas/rubrics_score_en_a2_trailing.csv", 32, {"short-row": 17}),
        ("quote_swallows_rows/rubrics_score_en_n3.csv", 2, {"cell-with-rows": 1}),
        ("second_header_row/resume_agent_o3_twoheaders.csv", 2, {"repeated-header": 1}),
        ("second_header_row/resume_agent_o3b_typerow.csv", 2, {"repeated-header": 1}),
        ("zero_width_header/resume_agent_c14_zwheader.csv", 1, {"invisible-characters": 1}),
        ("zero_width_round/resume_agent_n5_zwround.csv", 10, {"invisible-characters": 2}),
    ],
)
def test_case_is_scored_with_what_to_look_at(name: str, items: int, findings: dict[str, int]) -> None:
    part = part_of(name)
    assert (part.refused, len(part.items), counted(part)) == (False, items, findings)


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


@pytest.mark.parametrize("value", ["#REF!", "#N/A", "#DIV/0!", "#VALUE!", "#NUM!", "#NULL!", "#NAME?"])
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
    assert [(place.code, place.row, place.column, place.found) for place in places(part)] == [
        ("merged-cells", 2, "Query ID", "Q-1"),
        ("merged-cells", 2, "카테고리", "조회"),
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


@pytest.mark.parametrize(
    ("lines", "items", "findings"),
    [
        (("ID,question,answer,level,comment", "1,q,a,2", "2,q,a,3,x"), 2, {"short-row": 1}),
        (("ID,question,answer,level,comment", "1,q,a"), 1, {"short-row": 1}),
        (("ID,question,answer,level,comment", "1,q,a,2,", "2,q"), 1, {"cell-count": 1}),
        (("ID,question,answer,level,comment", "1,q,a,2,,,", "2,q,a,3,x"), 1, {"cell-count": 1}),
    ],
)
def test_short_row_is_read_when_it_has_an_answer(lines: tuple[str, ...], items: int, findings: dict[str, int]) -> None:
    part = answers(*lines)
    assert (len(part.items), counted(part)) == (items, findings)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_short_last_row_without_a_line_end_may_be_cut(encoding: str) -> None:
    text = "ID,question,answer,level\r\n1,q,a,2\r\n2,q,a"
    part = score_bytes(text.encode(encoding), "rubrics_score_en.csv", rubric_of("rubrics_score_en.csv"))
    assert (len(part.items), counted(part)) == (1, {"cell-count": 1})
    whole = score_bytes(f"{text}\r\n".encode(encoding), "rubrics_score_en.csv", rubric_of("rubrics_score_en.csv"))
    assert (len(whole.items), counted(whole)) == (2, {"short-row": 1})


def test_short_rows_at_the_ends_of_batches_are_all_read() -> None:
    part = answers("ID,question,answer,level,comment", *(f"{number},q,a,5" for number in range(1_001)))
    assert (len(part.items), counted(part)) == (1_001, {"short-row": 1_001})


@pytest.mark.parametrize(
    "text",
    [
        ",".join(reversed(HEADER)),
        ",".join(title.upper().replace(" ", "_") for title in HEADER),
        "run id,item id,query id,트랙,query,expected,category,회차,answer,error,llmStatus,llmScore,llmComment,raw",
    ],
    ids=["order", "spelling", "language"],
)
def test_header_of_a_joined_file_in_any_spelling_is_left_out(text: str) -> None:
    part = score_rows(row(), text.split(","), row())
    assert ([item.row for item in part.items], counted(part)) == ([2, 4], {"repeated-header": 1})


def test_words_of_a_header_in_data_make_no_header() -> None:
    part = score_rows(row(카테고리="오류", 질의="응답", LLM_상태="string"), row(카테고리="text", 질의="number"))
    assert (len(part.items), counted(part)) == (2, {})


def test_types_further_down_are_data() -> None:
    part = answers("ID,question,answer,level", "1,q,a,2", "x,text,string,int")
    assert len(part.items) == 2


@pytest.mark.parametrize("word", ["합계", "총계", "평 균", "Total", "AVERAGE:", "소계", "Grand Total"])
def test_total_row_is_left_out(word: str) -> None:
    total = ["", "", word, *[""] * 8, "4.5", "", ""]
    part = score_rows(row(), row(Query_ID="Q-2"), total)
    assert (len(part.items), part.unusable_rows, counted(part)) == (2, 1, {"total-row": 1})


def test_a_query_that_is_called_total_is_scored() -> None:
    assert len(score_rows(row(Query_ID="합계"), row(Query_ID="total", Raw_JSON="")).items) == 2


@pytest.mark.parametrize(
    ("cell", "rows"),
    [
        ("good\n2,q2,a2,1,bad", True),
        ("good\r\n2,q2,a2,1,bad\r\n3,q3,a3,1,bad\r\n4,q4", True),
        ("first, second, third, and\nfourth, fifth, sixth, seventh, eighth", False),
        ("- 하나\n- 둘\n- 셋", False),
        ("one\ntwo, three", False),
    ],
)
def test_cell_that_holds_rows_is_said(cell: str, rows: bool) -> None:
    part = answers("ID,question,answer,level,comment", f'1,q,a,5,"{cell}"', "5,q,a,5,ok")
    assert (len(part.items), counted(part)) == (2, {"cell-with-rows": 1} if rows else {})


@pytest.mark.parametrize("limit", [3, 4])
def test_file_that_ends_at_the_limit_of_a_sheet_is_said(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert score_file.ROW_LIMITS == (65_536, 1_048_576)
    monkeypatch.setattr(score_file, "ROW_LIMITS", (limit,))
    part = score_rows(row(), row())
    assert counted(part) == ({"row-limit": 1} if limit == 3 else {})


@pytest.mark.parametrize(
    ("text", "damaged"),
    [
        ("지원자는 \ufffd\ufffd명입니다", True),
        ("?? ???? ???.", True),
        ("ì•ˆë…•í•˜ì„¸ìš”", True),
        ("안녕하세요".encode().decode("latin-1"), True),
        ("¾È³çÇÏ¼¼¿ä", True),
        ("이력서를 열람하려면 공고를 선택해 주세요.".encode("cp949").decode("cp1252"), True),
        (payload("목록을 정리했습니다.".encode("cp949").decode("latin-1")), True),
        ('{"assistantMessage": "??? ??", "error": ""}', True),
        ('{"assistantMessage": "\\ufffd\\ufffd"}', True),
        ("정말요???", False),
        ("Really???", False),
        ("??", False),
        ("café à la crème, naïve, así”—dijo", False),
        ("ÀÇÃO, ÇÉÀÈ: ¿¿Qué?? ÀÀÀÀ", False),
        ("20°±2° ···· °°°° ½¾ ²³²³ à", False),
        ('{"assistantMessage": "정말??", "error": ""}', False),
    ],
)
def test_damaged_text(text: str, damaged: bool) -> None:
    assert is_damaged(text) == damaged
    part = score_rows(row(), row(응답=text, Raw_JSON=payload("네")))
    assert counted(part) == ({"damaged-text": 1} if damaged else {})


KOREAN = {
    "sentences": "이력서를 열람하려면 먼저 공고를 선택해 주세요. 지원자 12명을 찾았습니다.",
    "names": "김민수 이영희 박서준 최지우 정하늘 강다은",
    "places": "서울 부산 대구 인천 광주 대전 울산 세종 경기 강원",
    "loan words": "콜라 피자 스파게티 커피 초콜릿 컴퓨터 키보드 프린터",
    "chat": "ㅋㅋㅋ 진짜 웃기다 ㅠㅠ 뭐라고 쓰지",
    "hanja": "홍길동(洪吉童)은 조선(朝鮮) 시대(時代)의 인물(人物)이다",
}
OTHERS = {
    "gbk": "北京 首都 你好 谢谢",
    "shift_jis": "カタカナ ひらがな",
    "euc_jp": "これはにほんごです",
    "big5": "你好 謝謝",
}


@pytest.mark.parametrize("text", KOREAN.values(), ids=KOREAN)
def test_korean_text_in_cp949_is_read(text: str) -> None:
    part = answers("ID,question,answer,level", f"1,{text},{text},5", encoding="cp949")
    assert (part.refused, part.encoding, part.items[0].response) == (False, "cp949", text)


@pytest.mark.parametrize(("encoding", "text"), OTHERS.items(), ids=OTHERS)
def test_text_of_another_encoding_is_refused(encoding: str, text: str) -> None:
    part = answers("ID,question,answer,level", f"1,{text},{text},5", encoding=encoding)
    assert part.refused
    assert part.problems[0].code in {"encoding-not-read", "not-decodable", "cut-character"}


def test_gbk_that_is_valid_cp949_is_refused() -> None:
    part = part_of("gbk_read_as_cp949/rubrics_score_en_e4e_gbk.csv")
    assert [(problem.code, problem.values) for problem in part.problems] == [
        ("encoding-not-read", {"encoding": "GBK, Big5"})
    ]


def test_round_with_invisible_characters_is_the_round_that_people_see() -> None:
    part = part_of("zero_width_round/resume_agent_n5_zwround.csv")
    assert {item.round for item in part.items} == {"1/1"}
    marks = score_rows(row(Track="Track\u200b 1", Query_ID="\u200eQ-1"), row(방_반복="1\u2060/1"), row(응답="a\u200bb"))
    assert {(item.track, item.query_id, item.round) for item in marks.items} == {(1, "Q-1", "1/1")}
    assert counted(marks) == {"invisible-characters": 3}


def test_misspelt_column_is_named_with_the_one_that_was_meant() -> None:
    text = csv_text([row()]).replace("Query ID", "Qeury ID").replace("방/반복", "방/반\u200b복 번호들")
    part = score_bytes(text.encode())
    assert [(problem.code, problem.column, problem.found) for problem in part.problems[1:]] == [
        ("misspelt-column", "Query ID", "Qeury ID"),
        ("invisible-in-header", None, "방/반복 번호들"),
    ]
    assert part.problems[0].values["missing"] == "Query ID, 방/반복"


def test_durations_of_a_workbook_are_texts_of_hours() -> None:
    assert cell_text(dt.timedelta(seconds=12.5)) == "0:00:12.5"
    assert cell_text(dt.timedelta(days=1, hours=6)) == "30:00:00"
    assert cell_text(dt.time(0, 0, 12, 500_000)) == "00:00:12.500000"
