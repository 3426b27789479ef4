"""Headers: extra columns keep a title of their own, and a header is no place to lose time."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.wording import describe
from scoring.problems import MAX_LISTED_PROBLEMS
from scoring.reading.columns import MAX_COLUMNS, TopRow, map_columns, unusable_header
from tests.scoring.files import HEADER, csv_text, refusal, resume_rubric, row, score_bytes
from tests.scoring.steps import steps

WANTED = resume_rubric().columns


def extra(titles: Sequence[str]) -> list[str]:
    return [title for _, title in map_columns((*HEADER, *titles), WANTED).extra]


@pytest.mark.parametrize(
    ("titles", "shown"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a", " a ", "b", "a"], ["a", "a (2)", "a (3)", "b", "a (4)"]),
        (["a (2)", "a", "a", "a (2)"], ["a (2)", "a", "a (3)", "a (2) (2)"]),
        (["a", "a", "a (2)", "a"], ["a", "a (2)", "a (2) (2)", "a (3)"]),
        (["", "a", " "], ["a"]),
    ],
)
def test_extra_columns_of_one_title_are_numbered(titles: list[str], shown: list[str]) -> None:
    assert extra(titles) == shown


@given(titles=st.lists(st.sampled_from(["a", "b", "a (2)", "a (3)", "a (2) (2)", "b (2)"]), max_size=30))
def test_every_extra_column_takes_the_first_number_that_is_free(titles: list[str]) -> None:
    taken: list[str] = []
    for title in titles:
        numbered = (title if n == 1 else f"{title} ({n})" for n in range(1, 100))
        taken.append(next(candidate for candidate in numbered if candidate not in taken))
    assert extra(titles) == taken


@pytest.mark.parametrize("title", ["{}", "a", "열 ({})"])
def test_twice_the_columns_take_twice_the_steps(title: str) -> None:
    few, many = ([title.format(f"{n} {number}") for number in range(n)] for n in (200, 400))
    assert steps(lambda: extra(many)) < 3 * steps(lambda: extra(few))


def test_byte_order_mark_is_no_part_of_a_header() -> None:
    columns = map_columns(["\ufeffRun ID", *HEADER[1:], "메모\ufeff"], WANTED)
    assert (columns.missing, columns.at["run_id"], columns.extra) == ((), 0, ((14, "메모"),))


def test_header_wider_than_a_sheet_is_refused() -> None:
    fits = (*HEADER, *map(str, range(MAX_COLUMNS - len(HEADER))))
    assert not map_columns(fits, WANTED).problems
    data = csv_text([row()], header=(*fits, "x")).encode()
    problem = refusal(score_bytes(data))
    assert (problem.code, problem.row) == ("too-many-columns", 1)
    assert problem.values == {"columns": str(MAX_COLUMNS + 1), "limit": str(MAX_COLUMNS)}


def test_first_hundred_of_the_columns_that_stand_there_twice_are_listed() -> None:
    part = score_bytes(csv_text([], header=(*HEADER, *["Track"] * 300)).encode())
    assert refusal(part).code == "duplicate-column"
    assert len(part.problems) == MAX_LISTED_PROBLEMS


@pytest.mark.parametrize(
    ("title", "field", "wanted"),
    [
        ("문항번호", "query_id", "Query ID"),
        ("질문 ID", "query_id", "Query ID"),
        ("case_id", "query_id", "Query ID"),
        ("회차 번호", "round", ""),
        ("시도", "round", "방/반복"),
        ("trial", "round", "방/반복"),
        ("프롬프트", "question", "질의"),
        ("정답", "expected", "기대결과"),
        ("유형", "category", "카테고리"),
        ("답변", "response", "응답"),
        ("에러", "error", "오류"),
        ("평점", "llm_score", "LLM 점수"),
        ("원시 응답", "raw_json", "Raw JSON"),
        ("부서", "category", ""),
    ],
)
def test_title_that_means_a_missing_column_is_proposed(title: str, field: str, wanted: str) -> None:
    columns = resume_rubric().columns
    header = [title if column.name == field else column.title for column in columns if column.required]
    problems = unusable_header([TopRow(1, None, header)], columns)
    assert problems[0].code == "missing-columns"
    assert [(one.code, one.found, one.column) for one in problems[1:]] == (
        [("renamed-column", title, wanted)] if wanted else []
    )


def test_each_title_is_proposed_once_and_a_misspelling_comes_first() -> None:
    columns = resume_rubric().columns
    header = [column.title for column in columns if column.required and column.name not in {"query_id", "item_id"}]
    problems = unusable_header([TopRow(1, None, [*header, "Querry ID", "번호"])], columns)
    assert [(one.code, one.found, one.column) for one in problems[1:]] == [("misspelt-column", "Querry ID", "Query ID")]
    assert "rename the title: '번호' → 'Query ID'" in describe(
        unusable_header([TopRow(1, None, [*header, "번호"])], columns)[1], "en"
    )
