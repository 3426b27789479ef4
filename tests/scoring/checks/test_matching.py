"""Answers compared with the expected ones, by each way that a document may ask for."""

import io
from typing import Any

import pytest

from scoring.checks.matching import matcher
from scoring.items import score_file
from scoring.results import merge
from scoring.rubric import MatchRule, ScoreRule
from scoring.rubric.document import parse_rubric
from tests.scoring.documents import problems_of
from tests.scoring.results.test_scores import document


@pytest.mark.parametrize(
    ("kind", "answer", "expected", "value"),
    [
        ("exact", "  Seoul. ", "seoul", 1),
        ("exact", "서울\n입니다", "서울 입니다!", 1),
        ("exact", "Busan", "Seoul", 0),
        ("includes", "The capital is **Seoul**.", "seoul", 1),
        ("includes", "Busan", "Seoul", 0),
        ("includes", "x", "...", None),
        ("number", "The total is 1,234.5 won.", "1234.5", 1),
        ("number", "#### 18", "18", 1),
        ("number", "3 + 4 = 7", "8", 0),
        ("number", "none", "8", 0),
        ("number", "-3", "-3.0", 1),
        ("number", "7", "seven", None),
        ("choice", "B", "b", 1),
        ("choice", "(B)", "B", 1),
        ("choice", "B.", "B", 1),
        ("choice", "B) because of it", "(B)", 1),
        ("choice", "It may be A, but the answer is (C).", "C", 1),
        ("choice", "Answer: B", "B", 1),
        ("choice", "정답: 3", "3", 1),
        ("choice", "정답은 B입니다", "B", 1),
        ("choice", "A person asked", "A", 0),  # no choice is named
        ("choice", "I think so", "I", 0),
        ("choice", "B", "both of them", None),
        ("one of", "Paris.", '["paris", "lyon"]', 1),
        ("one of", "Nice", "paris | lyon", 0),
        ("one of", "lyon", "paris\nlyon", 1),
        ("one of", "x", "[]", None),
        ("f1", "the red fox", "red fox jumps", 2 * 2 / 6),
        ("f1", "", "red", 0),
        ("f1", "red red", "red", 2 / 3),
        ("f1", "x", "!", None),
        ("json", '{"b": 2, "a": [1]}', '{"a": [1], "b": 2}', 1),
        ("json", '```json\n{"a": 1}\n```', '{"a": 1}', 1),
        ("json", "no json", '{"a": 1}', 0),
        ("json", '{"a": 1}', "no json", None),
    ],
)
def test_match(kind: str, answer: str, expected: str, value: float | None) -> None:
    rule = MatchRule(kind=kind)  # type: ignore[arg-type]
    assert matcher(rule)(answer, expected) == (None if value is None else pytest.approx(value))


def test_strict_texts_and_a_tolerance() -> None:
    assert matcher(MatchRule(kind="exact", strict=True))("Seoul.", "seoul") == 0
    assert matcher(MatchRule(kind="exact", strict=True))(" Seoul ", "Seoul") == 1
    near = matcher(MatchRule(kind="number", tolerance=0.1))
    assert (near("about 0.8", "0.7"), near("0.81", "0.7")) == (1, 0)  # 0.1 exactly, and more


def test_a_long_text_is_matched_in_time() -> None:
    kinds: tuple[Any, ...] = ("choice", "number", "f1", "one of", "json")
    for kind in kinds:
        matcher(MatchRule(kind=kind))("((((answer is " * 20_000 + "1," * 20_000, "B")


def plain(match: str, *, more: str = "") -> str:
    text = document("\n  - { name: a, column: a }\n", more=f"match: {match}\n{more}")
    return text.replace(
        "title: output, required: true }\n", "title: output, required: true }\n  - { name: expected, title: want }\n"
    )


def test_items_are_scored_by_what_is_expected() -> None:
    """Of four: right; wrong; nothing expected; no answer."""
    rubric = parse_rubric(plain("{ as: choice }"), source="x.md")
    data = b"id,output,want\na,Answer: B,(B)\nb,C,B\nc,C,\nd,,B\n"
    result = merge([("x.csv", score_file(io.BytesIO(data), name="x.csv", rubric=rubric))], rubric)
    figures = result.groups[0].measures["score.match"].set
    assert (figures.n, figures.missing, figures.mean, figures.passed) == (3, 1, 1 / 3, 1)
    assert [item.details.passed for item in result.items if item.details is not None] == [True, False, None, False]
    measure = next(one for one in rubric.measures if one.name == "score.match")
    assert isinstance(measure.score, ScoreRule)


@pytest.mark.parametrize(
    ("match", "codes"),
    [
        ("{ as: guess }", ["rubric-value-type"]),
        ("{ as: exact, tolerance: -1 }", ["rubric-value-too-small"]),
        ('{ as: exact, pass: "good" }', ["rubric-score-pass"]),
        ("{ as: exact, with: a..b }", ["rubric-path", "rubric-measure-no-payload"]),
        ("{ as: exact, how: x }", ["rubric-key-unknown"]),
        ("{ with: expected }", ["rubric-key-missing"]),
    ],
)
def test_what_is_wrong_with_a_match_is_refused(match: str, codes: list[str]) -> None:
    assert [problem.code for problem in problems_of(plain(match))] == codes
