"""Rubrics of levels: seed 004 as it stands, scores, every refusal with line and cell."""

import unicodedata
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.wording import describe
from scoring.problems import Problem, RubricError
from scoring.rubric.document.levels import LevelDocument, level_document
from scoring.rubric.document.tables import read_tables
from tests.paths import ROOT

SEEDS = ROOT / "tests" / "seeds"
SEED_004 = (SEEDS / "004.txt").read_text(encoding="utf-8")
KOREAN = """# 답변 품질

| 등급 | 이름 | 기준 |
| ---: | --- | --- |
| 3 | 좋음 | 빠짐없이 답했습니다 |
| 2 | 보통 | 한두 가지가 빠졌습니다 |
| 1 | 나쁨 | 묻는 것과 다릅니다 |
"""


def read_levels(text: str, *, source: str) -> LevelDocument | None:
    return level_document(read_tables(text), source=source)


def problems(text: str) -> list[tuple[str, int | None, str]]:
    with pytest.raises(RubricError) as refused:
        read_levels(text, source="등급.md")
    for problem in refused.value.problems:
        assert "?" not in describe(problem)
        assert problem.source == "등급.md"
    return [(problem.code, problem.line, problem.found) for problem in refused.value.problems]


def test_seed_004_is_understood_as_it_stands() -> None:
    document = read_levels(SEED_004, source="004")
    assert document is not None
    assert [(level.points, level.name) for level in document.levels] == [
        (5, "Отлично"),
        (4, "Хорошо"),
        (3, "Удовлетворительно"),
        (2, "Плохо"),
        (1, "Очень плохо"),
    ]
    assert document.levels[3].criteria == "Значительные пробелы или неточности"
    assert document.score(4) == Fraction(3, 4)  # the seed's own example
    assert [document.score(level.points) for level in document.levels] == [1, *(Fraction(n, 4) for n in (3, 2, 1)), 0]
    # Lists alone: the table of scores was held against the levels.
    assert [label for _, _, label in document.ignored] == ["Глоссарий", "Пример", "Алгоритм", "Формула", "Ссылки"]


def test_level_that_is_not_there_is_refused_never_rounded() -> None:
    document = read_levels(SEED_004, source="004")
    assert document is not None
    for level in (0, 6, 4.5, -1):
        with pytest.raises(ValueError, match="no level"):
            document.score(level)


@pytest.mark.parametrize(
    "text",
    [
        KOREAN,
        KOREAN.replace("\n", "\r\n"),
        "\ufeff" + KOREAN,
        unicodedata.normalize("NFD", KOREAN),
        KOREAN.replace("| 등급 | 이름 | 기준 |", "| Level | Name | Criteria |"),
        KOREAN.replace("| 3 |", "| **3** |"),
        "---\nname: x\n---\n" + KOREAN,
    ],
)
def test_headers_marks_and_line_ends_do_not_matter(text: str) -> None:
    document = read_levels(text, source="x")
    assert document is not None
    assert [level.points for level in document.levels] == [3, 2, 1]
    assert [unicodedata.normalize("NFC", level.name) for level in document.levels] == ["좋음", "보통", "나쁨"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (KOREAN.replace("| 1 | 나쁨", "| 2 | 나쁨"), [("rubric-level-twice", 7, "2")]),
        (KOREAN.replace("나쁨", "보통"), [("rubric-level-twice", 7, "보통")]),
        (KOREAN.replace("한두 가지가 빠졌습니다", ""), [("rubric-level-no-criteria", 6, "보통")]),
        (KOREAN.replace("| 좋음 |", "| |"), [("rubric-level-no-name", 5, "3")]),
        (KOREAN.replace("| 2 |", "| 둘 |"), [("rubric-level-number", 6, "둘")]),
        ("\n".join(KOREAN.split("\n")[:5]), [("rubric-levels-few", 3, "")]),
        (
            SEED_004.replace("| 4              | 0.75 (75%)", "| 4 | 0.80 (80%)"),
            [("rubric-level-score", 45, "0.80 (80%)")],
        ),
        (SEED_004.replace("| 4              | 0.75", "| 9 | 0.75"), [("rubric-level-unknown", 45, "9")]),
    ],
)
def test_wrong_levels_are_refused_with_line_and_cell(text: str, expected: list[tuple[str, int, str]]) -> None:
    assert problems(text) == expected


@pytest.mark.parametrize("text", ["", "# 글만\n", "| a | b |\n|---|---|\n| 1 | x |\n", "---\nopen"])
def test_document_without_such_a_table_is_none(text: str) -> None:
    assert read_levels(text, source="x") is None


@given(data=st.data())
def test_edited_levels_are_understood_or_refused_with_a_place(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(SEED_004)))
    removed = data.draw(st.integers(0, 3))
    inserted = data.draw(st.text(alphabet="0123456789|-\n Яа.%()", max_size=3))
    text = SEED_004[:at] + inserted + SEED_004[at + removed :]
    document, problems_found = attempt(text)
    assert all(problem.line and problem.line <= text.count("\n") + 1 for problem in problems_found)
    if document is not None:
        numbers = [level.points for level in document.levels]
        assert len(set(numbers)) == len(numbers) >= 2
        assert all(level.name and level.criteria for level in document.levels)
        # Every level stands in the text: nothing is made up.
        lines = text.split("\n")[document.line - 1 : document.last_line]
        assert all(any(f"{number:g}" in line for line in lines) for number in numbers)


def attempt(text: str) -> tuple[LevelDocument | None, tuple[Problem, ...]]:
    try:
        return read_levels(text, source="x"), ()
    except RubricError as error:
        return None, error.problems
