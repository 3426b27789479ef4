"""Review files as spreadsheets save them, and what of a hostile one is refused."""

import io
import random

import openpyxl
import pytest

from scoring.review import ItemKey, ReviewFile, Sample, may_be_review, read_review
from tests.scoring.review_files import SET, TITLES, filled, read, sheet_bytes

KEY = ItemKey("resume-agent", SET, "Q|1 %", "1/1", 1, "intent", Sample.RANDOM, "0123456789abcdef")


def _workbook(rows: list[dict[str, str]], titles: tuple[str, ...] = TITLES) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(list(titles))
    for one in rows:
        sheet.append([one.get(title, "") for title in titles])
    return book


def _bytes(book: openpyxl.Workbook) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize("text", ["", "a|b", "100%", "한글 질의", "sw1|x", "\n", "'", "=1+1", "🙂", "%7C"])
def test_a_key_is_read_back_whatever_its_parts_hold(text: str) -> None:
    key = KEY._replace(set_name=text, query_id=f"Q{text}", round=text, profile=text)
    assert ItemKey.read(str(key)) == key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sw1",
        "sw2" + str(KEY)[3:],
        str(KEY) + "|x",
        str(KEY).replace("|1|", "|-1|"),
        str(KEY).replace("|1|", "|1e3|"),
        str(KEY).replace("random", "other"),
        str(KEY._replace(query_id="")),
        "sw1|" * 9,
        "x" * 9_000,
    ],
)
def test_what_is_no_key(text: str) -> None:
    assert ItemKey.read(text) is None


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_text_files_of_spreadsheets(codec: str, delimiter: str) -> None:
    data = sheet_bytes([filled(KEY, "4", 원인="검색")], codec=codec, delimiter=delimiter)
    (found,) = read(data, "무엇이든.csv").grades
    assert (found.key, found.grade, found.reviewer, found.cause) == (KEY, "4", "김검수", "검색")


def test_korean_of_excel_below_an_english_header() -> None:
    titles = ("scorewatch-key", "Review grade", "Reviewer", "Review comment")
    row = {"scorewatch-key": str(KEY._replace(query_id="Q-1", set_name="a")), "Review grade": "5"}
    rows = [row | {"Reviewer": "Kim"}, row | {"Reviewer": "김검수", "Review comment": "좋음"}]
    found = read(sheet_bytes(rows, titles=titles, codec="cp949")).grades
    assert [(one.reviewer, one.comment) for one in found] == [("Kim", ""), ("김검수", "좋음")]


def test_a_workbook() -> None:
    (found,) = read(_bytes(_workbook([filled(KEY, "4")])), "x.xlsx").grades
    assert (found.key, found.grade, found.row, found.column) == (KEY, "4", 2, "검수 점수")


def test_rows_are_used_blank_or_refused() -> None:
    rows = [filled(KEY, "4"), filled(KEY, ""), filled("sw1|x", "3"), filled(KEY, "2", ""), filled("", "1")]
    found = read(sheet_bytes(rows))
    assert (found.rows, len(found.grades), found.blank, len(found.problems)) == (5, 1, 1, 3)
    assert [(one.code, one.row, one.column) for one in found.problems] == [
        ("review-key", 4, "scorewatch-key"),
        ("review-nameless", 5, "검수자"),
        ("review-key", 6, "scorewatch-key"),
    ]


def test_columns_may_stand_anywhere_and_have_english_titles() -> None:
    titles = ("scorewatch-key", "Review grade", "x", "Reviewer", "Decides", "Cause", "Review comment", "@check")
    row = {"scorewatch-key": str(KEY), "Review grade": "5", "Reviewer": "Kim", "Decides": "y", "Cause": "c"}
    (found,) = read(sheet_bytes([row], titles=titles)).grades
    assert (found.grade, found.reviewer, found.decides, found.cause) == ("5", "Kim", True, "c")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a,b\r\n1,2\r\n",
        "Query ID,검수 점수,scorewatch-key\r\nQ,1,x\r\n".encode(),  # no key of ours
        "Query ID,검수 점수,scorewatch-key\r\n".encode(),
        "Query ID,검수 점수\r\nscorewatch-key,sw1|a\r\n".encode(),
    ],
)
def test_what_is_no_review_file(data: bytes) -> None:
    assert read_review(io.BytesIO(data), "a.csv") is None


def test_only_the_first_sheet_counts() -> None:
    book = _workbook([filled(KEY, "4")])
    book.create_sheet("데이터", 0).append(["Query ID"])
    assert read_review(io.BytesIO(_bytes(book)), "a.xlsx") is None


@pytest.mark.parametrize("column", ["검수 점수", "검수자", "검수 코멘트", "scorewatch-key"])
def test_a_formula_in_a_workbook_is_refused(column: str) -> None:
    book = _workbook([filled(KEY, "4"), filled(KEY, "3")])
    sheet = book.active
    assert sheet is not None
    sheet.cell(row=2, column=TITLES.index(column) + 1).value = "=1+3"
    found = read(_bytes(book), "a.xlsx")
    assert [(one.code, one.row, one.column) for one in found.problems] == [("review-formula", 2, column)]
    assert len(found.grades) == 1


def test_a_large_data_file_is_told_by_its_start() -> None:
    class Counting(io.BytesIO):
        read_bytes = 0

        def read(self, size: int | None = -1, /) -> bytes:
            found = super().read(size)
            self.read_bytes += len(found)
            return found

    stream = Counting(b"Query ID,x\r\n" + b"a,b\r\n" * 2_000_000)
    assert not may_be_review(stream, "a.csv")
    assert stream.read_bytes <= 1 << 16


def _hostile(number: int) -> bytes:
    """A sheet that somebody made to do harm, or by accident."""
    chance = random.Random(number)
    rows = [filled(KEY._replace(query_id=f"Q{at}"), chance.choice("012345")) for at in range(5)]
    row = rows[chance.randrange(5)]
    kind = number % 10
    if kind == 0:
        row["검수 점수"] = chance.choice(["=cmd|'/c calc'!A0", "=1+3", "@SUM(A1)", "+4", "-4"])
    elif kind == 1:
        row["scorewatch-key"] = chance.choice(["sw1|../../etc|x", "sw9|a", "%", "sw1|" + "a|" * 7 + "%ff", "\ud7ff"])
    elif kind == 2:
        row["검수자"] = chance.choice(["", " ", "null", "\u200b"])
    elif kind == 3:
        row["검수 점수"] = chance.choice(["4" * 400, "1e309", "NaN4", "十", "{}", "[4]", "<b>4</b>"])
    elif kind == 4:
        titles = (*TITLES, *(f"열 {at}" for at in range(10_000)))
        return sheet_bytes(rows, titles=titles)
    elif kind == 5:
        return sheet_bytes(rows, titles=(*TITLES, "검수 점수"))
    elif kind == 6:
        return sheet_bytes(rows)[: -chance.randrange(3, 60)]
    elif kind == 7:
        return sheet_bytes(rows) + b'"open quote,'
    elif kind == 8:
        titles = tuple(title for title in TITLES if title != "검수 점수")
        return sheet_bytes([{title: one.get(title, "") for title in titles} for one in rows], titles=titles)
    else:
        return b"PK\x03\x04" + sheet_bytes(rows)
    return sheet_bytes(rows)


@pytest.mark.parametrize("number", range(50))
def test_hostile_sheets_end_as_refused_rows_or_a_refused_file(number: int) -> None:
    """A grade that no scale has is refused where it is applied, with its cell (`test_apply`)."""
    data = _hostile(number)
    found = read_review(io.BytesIO(data), "a.csv")
    if found is None:  # no text file, or one whose first key is none
        assert number % 10 in {1, 9}
        return
    assert isinstance(found, ReviewFile)
    if found.refused:
        assert not found.grades
        return
    assert found.rows == len(found.grades) + found.blank + len(found.problems)
    assert all(problem.row and problem.column for problem in found.problems)
    assert all(grade.row >= 2 and grade.column for grade in found.grades)


def test_a_text_that_the_csv_covers_is_read_as_it_was_written() -> None:
    covered = filled(KEY, "3", "'@김", **{"검수 코멘트": "'=1+1", "원인": "'+a", "@check": "'quoted'"})
    (one,) = read(sheet_bytes([covered])).grades
    assert (one.reviewer, one.comment, one.cause, one.check) == ("@김", "=1+1", "+a", "'quoted'")
