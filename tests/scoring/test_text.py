import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text import INVISIBLE, cut, escaped, has_invisible, is_blank, normalise, number, showable, visible


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\t\n\u00a0\u3000",
        "\u200b",
        "\ufeff nan\u200e",
        "nan",
        "NaN",
        " NONE ",
        "null",
        "NULL",
        "<NA>",
        "<na>",
        "NaT",
        "\u00a0nat\n",
    ],
)
def test_blank_is_nothing_in_any_spelling(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["0", "-", "없음", "na", "n/a", "nana", "<na", "None.", "false", "{}"])
def test_other_texts_are_not_blank(text: str) -> None:
    assert not is_blank(text)


@given(st.text(max_size=8))
def test_blank_is_what_the_rule_says(text: str) -> None:
    assert is_blank(text) == (visible(text).strip().casefold() in {"", "nan", "none", "null", "<na>", "nat"})


@given(st.text())
def test_normal_form_is_nfc_and_stripped(text: str) -> None:
    assert normalise(text) == unicodedata.normalize("NFC", visible(text)).strip()
    assert normalise(unicodedata.normalize("NFD", text)) == normalise(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize(
    ("text", "value"),
    [("7.5", 7.5), (" -3 ", -3), ("1e1", 10), ("5.", 5), (".5", 0.5), ("1e999", None), ("", None), ("1 000", None)],
)
def test_number_is_the_whole_text(text: str, value: float | None) -> None:
    assert number(text) == value


def test_number_of_any_length_is_read_at_once() -> None:
    assert number("1" * 10_000_000) is None
    assert number("1e" + "9" * 300) is None


@given(st.text(alphabet=st.sampled_from("가a😀\n"), min_size=500, max_size=3000))
def test_cut_keeps_whole_characters(text: str) -> None:
    shown = cut(text)
    assert len(shown.encode()) <= 4096
    assert shown == text or (shown.endswith("…") and text.startswith(shown[:-1]))
    assert (shown == text) == (len(text.encode()) <= 4096)


def test_lone_surrogates_are_shown_replaced() -> None:
    assert showable("a\ud800\n가") == "a\ufffd\n가"
    assert showable("가\n나") == "가\n나"


@pytest.mark.parametrize("char", ["\u200b", "\u200d", "\u200e", "\u202e", "\u2060", "\u00ad", "\ufeff", "\u061c"])
def test_invisible_characters_are_not_compared(char: str) -> None:
    assert normalise(f"{char}Q{char}-1 {char}") == "Q-1"
    assert has_invisible(f"가{char}")


@pytest.mark.parametrize("text", ["", "Q-1", "가나 다", "\u00a0", "\u3000", "é", "👍"])
def test_what_people_see_stays(text: str) -> None:
    assert (visible(text), has_invisible(text)) == (text, False)


def test_invisible_characters_are_found_alike_in_short_and_long_texts() -> None:
    for char in INVISIBLE:
        for around in ("가", "가" * 600):
            assert has_invisible(f"{around}{char}{around}")
            assert visible(f"{around}{char}") == around
    assert not has_invisible("가" * 600)
    assert not has_invisible("가")


@pytest.mark.parametrize("around", ["가", "가" * 600], ids=["short", "long"])
def test_what_is_not_seen_is_escaped(around: str) -> None:
    for code in (0xAD, 0x200B, 0x2060, 0x3164, 0xE0041, 0xE007F, 0xE01EF):
        assert escaped(f"{around}{chr(code)}b") == f"{around}\\u{{{code:04X}}}b"
    assert escaped("👩\u200d💻✔️ 한글") == "👩\u200d💻✔️ 한글"
