"""Answers word by word: what differs is marked, nothing is lost, and no text makes it slow."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.comparison.words import MAX_WORDS, Piece, Sides, differing_words


def _text(pieces: tuple[Piece, ...]) -> str:
    return "".join(piece.text for piece in pieces)


def _marked(pieces: tuple[Piece, ...]) -> list[str]:
    return [piece.text.strip() for piece in pieces if piece.is_changed]


@pytest.mark.parametrize(
    ("before", "after", "gone", "new"),
    [
        ("지원자는 12명입니다.", "지원자는 13명입니다.", ["12명입니다."], ["13명입니다."]),
        ("가 나 다", "가 다", ["나"], []),
        ("가 다", "가 나 다", [], ["나"]),
        ("가 나 다 라", "나 가 다 마", ["가", "라"], ["가", "마"]),
        ("", "답", [], ["답"]),
        ("같은\n답", "같은 답", [], []),
        ("", "", [], []),
    ],
)
def test_words_that_differ_are_marked(before: str, after: str, gone: list[str], new: list[str]) -> None:
    sides = differing_words(before, after)
    assert (_text(sides.before), _text(sides.after)) == (before, after)
    if (before, after) != ("가 나 다 라", "나 가 다 마"):
        assert (_marked(sides.before), _marked(sides.after)) == (gone, new)
    else:  # either of two words may count as moved
        assert sorted(map(len, (_marked(sides.before), _marked(sides.after)))) == [2, 2]


@given(st.text(alphabet="가나 \nab", max_size=60), st.text(alphabet="가나 \nab", max_size=60))
def test_nothing_is_lost_and_neighbours_differ_in_kind(before: str, after: str) -> None:
    sides: Sides = differing_words(before, after)
    assert (_text(sides.before), _text(sides.after)) == (before, after)
    for pieces in sides:
        assert all(one.is_changed is not other.is_changed for one, other in itertools.pairwise(pieces))
    unchanged = [[word for piece in pieces if not piece.is_changed for word in piece.text.split()] for pieces in sides]
    assert unchanged[0] == unchanged[1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("a b " * 5_000, "b a c " * 5_000, id="words that recur"),
        pytest.param(" ".join(map(str, range(5_000))), " ".join(map(str, range(5_000, 0, -1))), id="upside down"),
        pytest.param("가" * 100_000, "나" * 100_000, id="one long word"),
        pytest.param(" " * 100_000, "\n" * 100_000, id="white space"),
    ],
)
def test_hostile_texts_cost_little(before: str, after: str) -> None:
    start = time.process_time()
    sides = differing_words(before, after)
    assert time.process_time() - start < 2.0
    assert (_text(sides.before), _text(sides.after)) == (before, after)


def test_what_is_too_long_counts_as_changed() -> None:
    words = [f"w{number}" for number in range(MAX_WORDS + 10)]
    sides = differing_words(" ".join(["x", *words, "y"]), " ".join(["z", *words, "u"]))
    assert _marked(sides.before)[0] == "x"
    assert _marked(sides.before)[-1].endswith("y")
