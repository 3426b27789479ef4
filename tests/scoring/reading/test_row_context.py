"""The rows around the place where a file breaks."""

import io

import openpyxl
import pytest

from config import shipped_rubrics
from scoring.items import score_file
from scoring.items.spool import Part
from scoring.problems import NearRow

HEADER = "Run ID,Item ID,Query ID,Track,질의,기대결과,카테고리,방/반복,응답,오류,LLM 상태,LLM 점수,LLM 코멘트,Raw JSON"
ROW = 'r,{n},Q-{n},1,질의 {n},,,1/1,,,,,,"{{""assistantMessage"": ""a\nb""}}"'


def refused(text: str | bytes, name: str = "resume_agent.csv") -> Part:
    rubric = next(rubric for rubric in shipped_rubrics() if rubric.profile == "resume-agent")
    data = text.encode() if isinstance(text, str) else text
    part = score_file(io.BytesIO(data), name=name, rubric=rubric)
    assert part.refused
    return part


def rows(part: Part) -> list[tuple[int, str]]:
    """Row numbers with their third cell."""
    return [(near.number, near.cells[2] if len(near.cells) > 2 else near.cells[0]) for near in part.problems[0].around]


def file(*lines: str) -> str:
    return "\n".join([HEADER, *lines]) + "\n"


def test_header_row_before_row_itself_and_row_behind() -> None:
    text = file(ROW.format(n=1), ROW.format(n=2), 'r,3,Q-3,1,"x"y,,,1/1,,,,,,{}', ROW.format(n=4))
    part = refused(text)
    assert (part.problems[0].code, part.problems[0].row) == ("bad-quoting", 4)
    assert rows(part) == [(1, "Query ID"), (3, "Q-2"), (4, "Q-3"), (5, "Q-4")]


def test_lone_carriage_return_shows_within_its_row() -> None:
    quoted = 'r,2,Q-2,1,"한 줄\r두 줄",,,1/1,,,,,,{}'
    part = refused(file(ROW.format(n=1), quoted, "r,3,Q\r-3,1,질의,,,1/1,,,,,,{}", ROW.format(n=4)))
    assert (part.problems[0].code, part.problems[0].row) == ("bad-line-end", 4)
    assert rows(part) == [(1, "Query ID"), (3, "Q-2"), (4, "Q\N{SYMBOL FOR CARRIAGE RETURN}-3"), (5, "Q-4")]


def test_last_row_that_was_cut() -> None:
    part = refused(file(ROW.format(n=1)) + 'r,2,Q-2,1,질의,,,1/1,,,,,,"{""assist')
    assert part.problems[0].code == "open-quote"
    assert rows(part) == [(1, "Query ID"), (2, "Q-1"), (3, "Q-2")]


def test_undecodable_bytes_show_as_such() -> None:
    text = file(ROW.format(n=1)).encode() + "r,2,Q-2,1,가".encode() + b"\xff\xfe\xfd,,,1/1,,,,,,{}\n"
    part = refused(text)
    assert part.problems[0].code == "not-decodable"
    assert rows(part)[-1] == (3, "Q-2")
    assert "\ufffd" in part.problems[0].around[-1].cells[4]


def test_unusable_header_shows_itself_and_the_first_row() -> None:
    part = refused("Query ID,질의\nQ-1,안녕\n")
    assert part.problems[0].code == "missing-columns"
    assert part.problems[0].around == (NearRow(1, ("Query ID", "질의")), NearRow(2, ("Q-1", "안녕")))


def test_header_below_blank_rows_keeps_the_numbers_of_the_rows() -> None:
    part = refused("제목\n\n" + file(ROW.format(n=1)))
    assert part.problems[0].code == "header-not-first"
    assert [near.number for near in part.problems[0].around] == [1, 3, 4]
    assert part.problems[0].around[0] == NearRow(1, ("제목",))
    assert rows(part)[1:] == [(3, "Query ID"), (4, "Q-1")]


def test_rows_of_which_none_can_be_used_show_their_neighbours() -> None:
    part = refused(file("a,b", "c,d,e"))
    assert [problem.code for problem in part.problems] == ["no-usable-rows", "cell-count", "cell-count"]
    first, second = (problem.around for problem in part.problems[1:])
    assert [(near.number, near.cells[0]) for near in first] == [(1, "Run ID"), (2, "a"), (3, "c")]
    assert [(near.number, near.cells[0]) for near in second] == [(1, "Run ID"), (2, "a"), (3, "c")]


@pytest.mark.parametrize("above", [[], [["제목"], []]], ids=["missing-columns", "header-not-first"])
def test_sheets_show_the_place_as_well(above: list[list[str]]) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    header = HEADER.split(",") if above else HEADER.split(",")[:3]
    for cells in (*above, header, ["r", "1", "Q-1"], ["r", "2", "Q-2"]):
        book.active.append(cells)
    out = io.BytesIO()
    book.save(out)
    part = refused(out.getvalue(), "resume_agent.xlsx")
    at = len(above) + 1
    assert part.problems[0].row == at
    numbers = [1, 2] if at == 1 else [1, 2, 3, 4]
    assert [near.number for near in part.problems[0].around] == numbers
    assert part.problems[0].around[-1].cells[2] == "Q-1"


@pytest.mark.parametrize("text", ["", HEADER + "\n"])
def test_files_without_a_place_have_none(text: str) -> None:
    assert refused(text).problems[0].around == ()


def test_long_cells_and_rows_are_cut() -> None:
    part = refused("Query ID,질의," + ",".join(f"열{n}" for n in range(20)) + "\nQ-1," + "가" * 500 + "," * 20 + "\n")
    (header, row) = part.problems[0].around
    assert header.cells[-1] == "…"
    assert len(header.cells) == 9
    assert row.cells[1] == "가" * 80 + "…"
