"""Redaction replaces pieces of a key and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.judge.errors import REDACTED, redacted

KEY = "sk-live-0123456789abcdef"


@pytest.mark.parametrize(
    ("text", "key", "shown"),
    [
        pytest.param(f"key {KEY}.", KEY, "key […].", id="whole"),
        pytest.param(f"{KEY}{KEY}", KEY, "[…][…]", id="twice"),
        pytest.param("ends 89abcdef", KEY, "ends […]", id="8-of-it"),
        pytest.param("ends 9abcdef", KEY, "ends 9abcdef", id="7-of-it"),
        pytest.param("live-0123456 and 456789ab", KEY, "[…] and […]", id="two-pieces"),
        pytest.param("a tiny one: k3y", "k3y", "a tiny one: […]", id="short-key-whole"),
        pytest.param("k3 y", "k3y", "k3 y", id="short-key-in-part"),
        pytest.param("좋은 답입니다.", KEY, "좋은 답입니다.", id="nothing"),
        pytest.param("", KEY, "", id="empty"),
        pytest.param("no key", "", "no key", id="no-key"),
    ],
)
def test_pieces_of_the_key_are_replaced(text: str, key: str, shown: str) -> None:
    assert redacted(text, key) == shown


@given(st.text("ab", max_size=60), st.text("ab", min_size=8, max_size=20))
def test_no_run_of_eight_is_left_and_the_rest_stays(text: str, key: str) -> None:
    shown = redacted(text, key)
    assert not any(key[at : at + 8] in shown for at in range(len(key) - 7))
    at = 0
    for piece in shown.split(REDACTED):
        at = text.index(piece, at) + len(piece)
