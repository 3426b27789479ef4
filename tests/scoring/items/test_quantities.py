"""Numbers and seconds as people and spreadsheets write them."""

import math

import pytest

from scoring.items.quantities import read_number, read_seconds, unguarded


@pytest.mark.parametrize(
    ("text", "value", "with_comma"),
    [
        ("4.5", 4.5, 4.5),
        ("'5", 5, 5),
        (" '4,5 ", 4.5, 4.5),
        ("9,694", None, 9.694),
        ("-0,25", -0.25, -0.25),
        ("4,0", 4, 4),
        ("1,234.5", 1234.5, 1234.5),
        ("1.234,5", 1234.5, 1234.5),
        ("1,234,567", 1234567, 1234567),
        ("1,23,4", None, None),
        (",", None, None),
        ("4,5점", None, None),
        ("'", None, None),
        ("1_000", None, None),
        ("٣", None, None),
        ("0x10", None, None),
        ("1e400", None, None),
    ],
)
def test_a_comma_is_read_where_it_has_one_meaning(text: str, value: float | None, with_comma: float | None) -> None:
    assert read_number(text, has_decimal_comma=False) == value
    assert read_number(text, has_decimal_comma=True) == with_comma


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (7.5, 7.5),
        (0, 0.0),
        (-0.0, 0.0),
        (1_000_000, 1e6),
        ("7.5", 7.5),
        (" 1e1 ", 10.0),
        ("+3", 3.0),
        (".5", 0.5),
        ("4.2s", 4.2),
        ("12.5 초", 12.5),
        ("9694 ms", 9.694),
        ("4,2 sec.", 4.2),
        ("800밀리초", 0.8),
        ("1분 20초", 80),
        ("2m", 120),
        ("PT1M4.5S", 64.5),
        ("4,2 сек", 4.2),
        ("0:00:12.5", 12.5),
        ("1:01:05", 3665),
        ("0:12,5", 12.5),
        ("'5", 5.0),
        (None, None), ("", None), (" ", None), ("nan", None), (False, None), ([], None), ({}, None),
        (math.nan, None), (math.inf, None), (-math.inf, None),
        *[
            (value, written)
            for value, written in (
                (-1, "-1"), (True, "true"), ("빠름", "빠름"), ("9,694", "9,694"), ("0:12", "0:12"), ("-1", "-1"),
                ("-4s", "-4s"), ("1e7", "1e7"), (2_000_000, "2e+06"), ("inf", "inf"), ("1e400", "1e400"), ("٣", "٣"),
                ("s", "s"), ("pt", "pt"), ("-", "-"), ([1], "[1]"), ({"a": 1}, '{"a": 1}'), ("1_000", "1_000"),
            )
        ],
    ],
)  # fmt: skip
def test_seconds_are_read_or_come_back_as_written(value: object, seconds: float | str | None) -> None:
    found = read_seconds(value)
    assert found == seconds
    assert type(found) is not float or math.copysign(1, found) == 1


def test_a_whole_number_beyond_any_float_is_not_usable() -> None:
    assert isinstance(read_seconds(10**400), str)


def test_bare_numbers_take_the_unit_of_their_column() -> None:
    assert read_seconds("9694", per_second=1000) == 9.694
    assert read_seconds(2500, per_second=1000) == 2.5
    assert read_seconds("4.2s", per_second=1000) == 4.2
    assert read_seconds("9,694", has_decimal_comma=True) == 9.694


@pytest.mark.parametrize(("text", "plain"), [("'-", "-"), (" '5 ", "5"), ("5'", "5'"), ("", ""), ("'", "")])
def test_the_apostrophe_before_a_value_is_no_part_of_it(text: str, plain: str) -> None:
    assert unguarded(text) == plain
