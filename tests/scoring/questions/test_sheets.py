"""Sheets of questions: which rows count for which day, and what a rubric makes of them."""

import io
from datetime import date

import openpyxl
import pytest

from config import shipped_rubrics
from scoring.items import score_file
from scoring.questions import Questions, QuestionSheet, read_sheet
from scoring.rubric import Rubric

HEADER = "Query ID,question,expected,@check,track,category,since"
SHEET = f"""{HEADER}
Q1,몇 명?,3명,,Track 1,공고,
Q2,어디?,서울,city=Seoul,Track 2,,
Q2,어디?,부산,@check city=Busan,Track 2,,2026-04-01
Q3,언제?,,,,,2026-05-01
"""


def read(text: str | bytes, name: str = "questions-h-recruit.csv") -> QuestionSheet:
    return read_sheet(io.BytesIO(text.encode() if isinstance(text, str) else text), name, "h-recruit")


@pytest.fixture(scope="module")
def rubric() -> Rubric:
    return next(one for one in shipped_rubrics("ko") if one.profile == "h-recruit")


def test_of_each_question_the_latest_row_counts() -> None:
    sheet = read(SHEET)
    assert sheet.problems == ()
    asked = {day: [(one.query_id, one.expected) for one in sheet.on(day)] for day in ("", "2026-04-30", "2026-05-01")}
    assert asked[""] == [("Q1", "3명"), ("Q2", "서울")]
    assert asked["2026-04-30"] == [("Q1", "3명"), ("Q2", "부산")]
    assert asked["2026-05-01"] == [("Q1", "3명"), ("Q2", "부산"), ("Q3", "")]
    assert [one.check for one in sheet.on("2026-04-01")] == ["", "@check city=Busan"]
    assert [one.check for one in sheet.on("")] == ["", "@check city=Seoul"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp949", "utf-16"])
def test_korean_titles_as_spreadsheets_save_them(encoding: str) -> None:
    sheet = read("질의 ID;질의;기대결과;적용일\r\nQ1;몇 명?;3명;2026. 4. 1.\r\n".encode(encoding))
    (row,) = sheet.rows
    assert (row.question.question, row.question.expected, row.since) == ("몇 명?", "3명", "2026-04-01")


def test_a_workbook_with_a_day_as_a_day() -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["Query ID", "since"])
    book.active.append(["Q1", date(2026, 4, 1)])
    saved = io.BytesIO()
    book.save(saved)
    assert [row.since for row in read(saved.getvalue(), "questions-h-recruit.xlsx").rows] == ["2026-04-01"]


@pytest.mark.parametrize(
    ("row", "code", "column"),
    [
        (",몇 명?,,,,,", "question-nameless", "Query ID"),
        ("Q2,,,,,,soon", "question-date", "since"),
        ("Q1,,,,,,", "question-twice", "Query ID"),
    ],
)
def test_a_row_that_does_not_count_is_named_with_its_cell_and_costs_no_other(row: str, code: str, column: str) -> None:
    sheet = read(f"{HEADER}\nQ1,몇 명?,,,,,\n,,,,,,\n{row}\n")
    (problem,) = sheet.problems
    assert (problem.code, problem.source, problem.row, problem.column) == (code, "questions-h-recruit.csv", 4, column)
    assert [one.question.query_id for one in sheet.rows] == ["Q1"]


@pytest.mark.parametrize(("data", "code"), [(b"question\nx\n", "missing-columns"), (b"", "empty-file")])
def test_a_sheet_that_cannot_be_read_says_why(data: bytes, code: str) -> None:
    sheet = read(data)
    assert (sheet.is_readable, sheet.rows, sheet.problems[0].code) == (False, (), code)


def test_a_set_knows_by_its_rubric_exactly_the_rows_of_its_day(rubric: Rubric) -> None:
    questions, more = Questions([read(SHEET)]), Questions([read(f"{SHEET}Q9,neu,,,,,2026-09-01\n")])
    march, april, june = (f"h_recruit_26{month}01" for month in ("03", "04", "06"))
    digests = [questions.applied(rubric, name).digest for name in (march, april, june)]
    assert len({rubric.digest, *digests}) == 4
    assert [more.applied(rubric, name).digest for name in (march, april, june)] == digests  # what is later is not used
    assert more.applied(rubric, "h_recruit").digest == more.applied(rubric, "h_recruit_261201").digest
    assert {one.digest for one in questions.every([rubric])} == set(digests)
    assert {one.document_digest for one in questions.every([rubric])} == {rubric.digest}
    other = next(one for one in shipped_rubrics("ko") if one.profile == "resume-agent")
    assert questions.applied(other, march) is other


def test_blank_cells_are_filled_others_stay_and_checks_are_added(rubric: Rubric) -> None:
    made = Questions([read(SHEET)]).applied(rubric, "h_recruit_260301")
    payload = '"{""assistantMessage"": ""네""}"'
    export = (
        "Query ID,방/반복,질의,기대결과,Raw JSON\n"
        f"Q1,1/1,,,{payload}\nQ2,1/1,다른 말,,{payload}\nQ2,2/1,,적힌 것,{payload}\nQ7,1/1,,,{payload}\n"
    )
    part = score_file(io.BytesIO(export.encode()), name="h_recruit_260301.csv", rubric=made)
    found = [(item.query_id, item.question, item.expected, item.track, item.category) for item in part.items]
    assert found == [
        ("Q1", "몇 명?", "3명", 1, "공고"),
        ("Q2", "다른 말", "서울\n@check city=Seoul", 2, ""),
        ("Q2", "어디?", "적힌 것\n@check city=Seoul", 2, ""),
        ("Q7", "", "", None, ""),
    ]
    assert [item.details.checks for item in part.items if item.details is not None] == [0, 1, 1, 0]
