"""What a file has that figures must not be taken from without a word, found while it is read."""

import pytest

from scoring.items import file_scorer
from scoring.items.damage import is_damaged
from tests.scoring.files import (
    HEADER,
    counted,
    csv_text,
    payload,
    row,
    score_bytes,
    score_rows,
)
from tests.scoring.items.found import answers, part_of, rubric_of


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
    assert file_scorer.ROW_LIMITS == (65_536, 1_048_576)
    monkeypatch.setattr(file_scorer, "ROW_LIMITS", (limit,))
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
