from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.wording.display import (
    NONE,
    clean,
    count,
    excerpt,
    excerpt_each,
    excerpt_words,
    percent,
    points,
    quantity,
    score,
    seconds,
)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param(None, NONE, id="none"),
        pytest.param(0.0, "0.00", id="zero"),
        pytest.param(5, "5.00", id="whole-number"),
        pytest.param(801 / 200, "4.01", id="shortest-decimal-4.005-half-up"),
        pytest.param(2.675, "2.68", id="binary-below-the-half"),
        pytest.param(4.375, "4.38", id="exact-half"),
        pytest.param(4.994999, "4.99", id="below-the-half"),
        pytest.param(4.995, "5.00", id="carries"),
        pytest.param(1e300, "1.000e+300", id="hostile-size"),
    ],
)
def test_score_rounds_half_up_on_the_shortest_decimal(value: float | None, shown: str) -> None:
    assert score(value) == shown


@given(st.floats(-1e14, 1e14).map(lambda value: value + 0.0) | st.integers(-(10**8), 10**8).map(lambda n: n / 20_000))
def test_rounding_is_that_of_decimals(value: float) -> None:
    assert score(value) == str(Decimal(repr(value)).quantize(Decimal("0.01"), ROUND_HALF_UP))
    assert seconds(value) == str(Decimal(repr(value)).quantize(Decimal("0.001"), ROUND_HALF_UP))


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, NONE), (0.0005, "0.001"), (1.0005, "1.001"), (13.23818181818182, "13.238"), (1e15, "1.000e+15")],
)
def test_seconds_have_three_decimals(value: float | None, shown: str) -> None:
    assert seconds(value) == shown


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(0, 0, NONE), (150, 164, "91.5%"), (1, 8, "12.5%"), (1, 2000, "0.1%"), (0, 3, "0.0%"), (3, 3, "100.0%")],
)
def test_percent_has_one_decimal(part: int, whole: int, shown: str) -> None:
    assert percent(part, whole) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(65.0, "65"), (1234.0, "1,234"), (1234.5, "1,234.50"), (0.0, "0"), (1e16, "1.000e+16")]
)
def test_points_drop_empty_decimals(value: float, shown: str) -> None:
    assert points(value) == shown


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        (None, None, NONE), (0.0, None, "0"), (-0.0, 2, "0.00"), (12.0, None, "12"), (0.0231, None, "0.0231"),
        (0.000012345, None, "0.00001235"), (12.3456, None, "12.35"), (999.96, None, "1,000"), (1234.5, None, "1,235"),
        (-1234567.5, None, "-1,234,568"), (1e-300, None, "0"), (-1e-300, None, "0"),
        (1e18, None, "1,000,000,000,000,000,000"),
        (0.02, 4, "0.0200"), (1234.565, 2, "1,234.57"), (-0.001, 2, "0.00"), (1500.4, 0, "1,500"),
        (1e-7, 12, "0.000000100000"),
    ],
)  # fmt: skip
def test_a_quantity_has_the_decimals_of_its_measure_or_four_digits(
    value: float | None, decimals: int | None, shown: str
) -> None:
    assert quantity(value, decimals) == shown


def test_count_separates_thousands() -> None:
    assert count(1234567) == "1,234,567"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("  한 줄  ", "한 줄", id="trimmed"),
        pytest.param("a\r\n\n  b\tc", "a ⏎ b c", id="breaks-and-tab"),
        pytest.param("a\u2028b\u2029c\x85d\x0be", "a ⏎ b ⏎ c ⏎ d ⏎ e", id="other-breaks"),
        pytest.param("a\x00\x07\x1b[31mb\x7f\x9bc", "a[31mbc", id="controls"),
        pytest.param("a\u202eb\u2066c\u2069\u200e\u200f\u061cd\ufeff", "abcd", id="bidi-and-bom"),
        pytest.param("a\U000e0041\U000e007fb", "a\\u{E0041}\\u{E007F}b", id="tags"),
        pytest.param("가\u3164\u200b\u00ad나", "가\\u{3164}\\u{200B}\\u{00AD}나", id="fillers"),
        pytest.param("✔️", "✔️", id="emoji-selector-stays"),
        pytest.param("a\ud800b", "a\ufffdb", id="lone-surrogate"),
        pytest.param("\u1112\u1161\u11ab", "한", id="nfd-to-nfc"),
        pytest.param("\n\x00\n", "", id="nothing-left"),
        pytest.param("👩\u200d💻", "👩\u200d💻", id="emoji-joiner-stays"),
    ],
)
def test_clean_takes_out_what_steers(text: str, shown: str) -> None:
    assert clean(text) == shown


_PIECES = [
    " ",
    "  ",
    "\n",
    "\t",
    "\r\n",
    "가나",
    "abc",
    "e\u0301",
    "\u1112\u1161",
    "\x1f",
    "\x00",
    "\u3000",
    "\ud800",
    "…",
]


@given(st.lists(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join)), st.integers(1, 12))
def test_a_column_is_shown_as_its_texts_are(texts: list[str], limit: int) -> None:
    assert excerpt_each(texts, limit) == [excerpt(text, limit) for text in texts]


@given(st.text())
def test_clean_leaves_no_control_or_bidi_character(text: str) -> None:
    cleaned = clean(text)
    assert not any(
        ord(char) < 32
        or 0x7F <= ord(char) <= 0x9F
        or 0xD800 <= ord(char) <= 0xDFFF
        or char in "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
        for char in cleaned
    )
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("가나다", 3, "가나다"),
        ("가나다라", 3, "가나…"),
        ("", 3, ""),
        ("a" * 1000, 5, "aaaa…"),
        ("\x00" * 30 + "끝", 10, "…"),
        ("a b" + " " * 100 + "c", 4, "a b…"),
    ],
)
def test_excerpt_shows_that_it_was_cut(text: str, limit: int, shown: str) -> None:
    assert excerpt(text, limit) == shown


@pytest.mark.parametrize(
    ("limit", "shown"), [(40, "Worse than before: total (95%)"), (29, "Worse than before: total…"), (4, "Wor…")]
)
def test_a_sentence_is_cut_behind_a_word(limit: int, shown: str) -> None:
    assert excerpt_words("Worse than before: total (95%)", limit) == shown


@given(st.text(), st.integers(2, 20))
def test_excerpt_never_exceeds_its_limit(text: str, limit: int) -> None:
    shown = excerpt(text, limit)
    assert len(shown) <= limit
    assert clean(shown) == shown
