"""Cells with conditions, and the tables made of them: every spelling of spec §5, every refusal with its place."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.rubric.document.cells import BandCell, BandError, read_band
from scoring.rubric.document.cells import WrittenInterval as Interval
from scoring.rubric.document.levels import BandFault, BandRow, JoinedBands, join_bands, show_number
from scoring.rubric.model import Vocabulary
from scoring.rubric.points import Bands

INF = math.inf
WORDS = Vocabulary(
    missing=("누락", "없음", "missing"),
    either=("또는", "or"),
    seconds=("초", "s", "sec"),
    at_most=("이하",),
    above=("초과",),
    at_least=("이상",),
    below=("미만",),
)


def up_to(high: float) -> Interval:
    return Interval(-INF, high, low_closed=False, high_closed=True)


def above(low: float) -> Interval:
    return Interval(low, INF, low_closed=False, high_closed=False)


def right_closed(low: float, high: float) -> Interval:
    return Interval(low, high, low_closed=False, high_closed=True)


@pytest.mark.parametrize(
    ("cell", "interval"),
    [
        pytest.param("<= 5", up_to(5), id="at-most"),  # spec §5
        pytest.param("latencySec <= 5", up_to(5), id="at-most-named"),  # seed 000, single, first row
        pytest.param("5 < latencySec <= 8", right_closed(5, 8), id="between-named"),  # seed 000
        pytest.param("8 >= latencySec > 5", right_closed(5, 8), id="between-named-descending"),
        pytest.param("> 20", above(20), id="above"),  # spec §5
        pytest.param("20 < latencySec", above(20), id="above-flipped"),
        pytest.param("5~8초", right_closed(5, 8), id="range-is-right-closed"),  # seed 002 §3-5
        pytest.param("<=5초", up_to(5), id="at-most-unit"),  # seed 002 §3-5
        pytest.param(">60초", above(60), id="above-unit"),  # seed 002 §3-5
        pytest.param("0~5초", Interval(0, 5, low_closed=True, high_closed=True), id="range-from-zero-holds-zero"),
        pytest.param("5-8", right_closed(5, 8), id="range-hyphen"),
        pytest.param("5–8 s", right_closed(5, 8), id="range-en-dash"),
        pytest.param("5 〜 8sec", right_closed(5, 8), id="range-wave-dash"),
        pytest.param("５～８초", right_closed(5, 8), id="range-full-width"),
        pytest.param("5초~8초", right_closed(5, 8), id="range-both-units"),
        pytest.param("~5초", up_to(5), id="open-range-low"),
        pytest.param("20초~", above(20), id="open-range-high"),
        pytest.param("≤ 5", up_to(5), id="sign-at-most"),
        pytest.param("≦5", up_to(5), id="sign-at-most-cjk"),
        pytest.param("＜＝5", up_to(5), id="full-width-at-most"),
        pytest.param("＜ 5", Interval(-INF, 5, low_closed=False, high_closed=False), id="full-width-below"),
        pytest.param("≥ 20", Interval(20, INF, low_closed=True, high_closed=False), id="sign-at-least"),
        pytest.param("ratio = 1.0", Interval(1, 1, low_closed=True, high_closed=True), id="point"),  # seed 000
        pytest.param("ratio >= 0.75", Interval(0.75, INF, low_closed=True, high_closed=False), id="at-least"),
        pytest.param("0 < ratio < 0.25", Interval(0, 0.25, low_closed=False, high_closed=False), id="open"),
        pytest.param("5초 이하", up_to(5), id="word-at-most"),
        pytest.param("5초이하", up_to(5), id="word-at-most-joined"),
        pytest.param("20초 초과", above(20), id="word-above"),
        pytest.param("5초 초과 8초 이하", right_closed(5, 8), id="word-between"),
        pytest.param("5 이상 8 미만", Interval(5, 8, low_closed=True, high_closed=False), id="word-left-closed"),
        pytest.param("응답 시간 <= 5", up_to(5), id="two-word-name"),
        pytest.param("score <= 5", up_to(5), id="name-that-begins-with-a-unit"),
        pytest.param("2.5 < t <= 7.25", right_closed(2.5, 7.25), id="decimals"),
    ],
)
def test_cell_is_read_as_an_interval(cell: str, interval: Interval) -> None:
    band = read_band(cell, WORDS)
    assert band.interval == interval
    assert not band.missing


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        pytest.param(
            "latencySec > 60 또는 누락",
            BandCell(above(60), missing=True, variable="latencySec", has_unit=False),
            id="seed-000-last-row",
        ),
        pytest.param("> 20 / missing", BandCell(above(20), missing=True, variable="", has_unit=False), id="slash"),
        pytest.param("누락, > 20초", BandCell(above(20), missing=True, variable="", has_unit=True), id="missing-first"),
        pytest.param("누락", BandCell(None, missing=True, variable="", has_unit=False), id="missing-alone"),
        pytest.param("MISSING", BandCell(None, missing=True, variable="", has_unit=False), id="any-case"),
    ],
)
def test_missing_value_is_a_word_of_the_document(cell: str, expected: BandCell) -> None:
    assert read_band(cell, WORDS) == expected


def test_words_that_the_document_does_not_know_are_not_understood() -> None:
    with pytest.raises(BandError) as refused:
        read_band("> 20 또는 누락", Vocabulary())
    assert refused.value.code == "rubric-band-unreadable"


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "5",
        "5점",
        "빠름",
        "<= 5 <= 8",
        "<= 5 >= 3",
        "5 < x >= 3",
        "-5",
        "<= -5",
        "~",
        "5~8~10",
        "5 8",
        "<= 5 그리고 좋음",
        "> 5 또는 > 8",
        "누락 또는 누락",
        "> 20 또는",
        "5 미만 8 이하",
        "<= 1e3",
        "<= 1,000",
        "<= 5.",
        "<= 1234567890123",
        "<= 5" + " " * 200 + "초",
        "≠ 5",
        "= 5 = 5",
        "<= 5 ms",
        "5 초 초 이하",
        "<= 5\x00",
    ],
)
def test_unreadable_cell_is_refused(cell: str) -> None:
    with pytest.raises(BandError) as refused:
        read_band(cell, WORDS)
    assert refused.value.code == "rubric-band-unreadable"


@pytest.mark.parametrize("cell", ["8~5초", "8 < x <= 5", "5 < x < 5", "5~5", "8초 초과 5초 이하"])
def test_interval_without_numbers_is_refused(cell: str) -> None:
    with pytest.raises(BandError) as refused:
        read_band(cell, WORDS)
    assert refused.value.code == "rubric-band-reversed"


def rows_of(*pairs: tuple[str, float]) -> list[BandRow]:
    return [
        BandRow(line=line, cell=cell, band=read_band(cell, WORDS), points=points)
        for line, (cell, points) in enumerate(pairs, start=11)
    ]


SINGLE = (("<=5초", 5.0), ("5~8초", 4.0), ("8~10초", 3.0), ("10~15초", 2.0), ("15~20초", 1.0), (">20초", 0.0))
RATIO = (
    ("ratio = 1.0", 5.0),
    ("ratio >= 0.75", 4.0),
    ("ratio >= 0.5", 3.0),
    ("ratio >= 0.25", 2.0),
    ("0 < ratio < 0.25", 1.0),
    ("ratio = 0", 0.0),
)


def joined_bands(joined: JoinedBands) -> Bands:
    assert joined.faults == ()
    assert joined.bands is not None
    return joined.bands


@pytest.mark.parametrize(
    ("seconds", "points"),
    [
        (0.0, 5.0),
        (4.999, 5.0),
        (5.0, 5.0),  # scoring §2: exactly 5 s scores 5
        (5.001, 4.0),
        (8.0, 4.0),
        (8.001, 3.0),
        (10.0, 3.0),
        (10.001, 2.0),
        (15.0, 2.0),
        (15.001, 1.0),
        (20.0, 1.0),
        (20.001, 0.0),
        (1e300, 0.0),
        (None, 0.0),
    ],
)
def test_single_tool_bands_at_the_edges(seconds: float | None, points: float) -> None:
    assert joined_bands(join_bands(rows_of(*SINGLE))).score(seconds) == points


@pytest.mark.parametrize(
    ("ratio", "points"),
    [
        (Fraction(0), 0.0),
        (Fraction(1, 1000), 1.0),
        (Fraction(249, 1000), 1.0),
        (Fraction(1, 4), 2.0),
        (Fraction(499, 1000), 2.0),
        (Fraction(1, 2), 3.0),
        (Fraction(749, 1000), 3.0),
        (Fraction(3, 4), 4.0),
        (Fraction(999, 1000), 4.0),
        (Fraction(1), 5.0),
    ],
)
def test_ratio_bands_of_seed_000_at_the_edges(ratio: Fraction, points: float) -> None:
    bands = joined_bands(join_bands(rows_of(*RATIO), high=1, first_holds=True))
    assert bands.score(float(ratio)) == points


def test_single_value_between_two_bands_has_its_own_points() -> None:
    bands = joined_bands(join_bands(rows_of(("x < 5", 3.0), ("x = 5", 2.0), ("x > 5", 1.0))))
    assert [bands.score(value) for value in (4.999, 5.0, 5.001)] == [3.0, 2.0, 1.0]


def test_left_closed_bands_stay_left_closed() -> None:
    bands = joined_bands(join_bands(rows_of(("< 5", 2.0), ("5 <= x < 8", 1.0), (">= 8", 0.0))))
    assert [bands.score(value) for value in (4.999, 5.0, 7.999, 8.0)] == [2.0, 1.0, 1.0, 0.0]


def test_missing_points_come_from_the_row_that_names_them() -> None:
    joined = join_bands(rows_of(("<= 5", 5.0), ("> 5", 1.0), ("누락", 0.5)))
    assert joined.missing == 0.5
    assert joined_bands(joined).score(None) == 0.5


def test_table_without_a_missing_row_says_so() -> None:
    assert join_bands(rows_of(*SINGLE)).missing is None


def test_empty_table_has_no_bands() -> None:
    assert join_bands([]) == JoinedBands(None, None, ())


@given(st.permutations(SINGLE))
def test_row_order_changes_nothing(pairs: list[tuple[str, float]]) -> None:
    assert join_bands(rows_of(*pairs)).bands == join_bands(rows_of(*SINGLE)).bands


@given(
    st.lists(st.integers(1, 10_000), min_size=1, max_size=8, unique=True).map(sorted),
    st.floats(0, 20_000, allow_nan=False),
)
def test_written_bands_score_as_written(edges: list[int], value: float) -> None:
    cells = [f"<= {edges[0]}", *(f"{low}~{high}초" for low, high in pairwise(edges))]
    pairs = [(cell, float(len(edges) - at)) for at, cell in enumerate([*cells, f"> {edges[-1]}"])]
    below = sum(edge < value for edge in edges)
    assert joined_bands(join_bands(rows_of(*pairs))).score(value) == len(edges) - below


def fault(code: str, line: int, rows: list[BandRow], values: dict[str, str]) -> BandFault:
    return BandFault(code, rows[line - 11], values)


@pytest.mark.parametrize(
    ("pairs", "code", "line", "values"),
    [
        pytest.param(
            (("<= 5", 5), ("6~8", 4), ("> 8", 0)), "rubric-band-gap", 12, {"start": "5", "end": "6"}, id="gap"
        ),
        pytest.param(
            (("5~8", 4), ("> 8", 0)), "rubric-band-gap", 11, {"start": "0", "end": "5"}, id="gap-at-the-start"
        ),
        pytest.param((("< 5", 5), ("> 5", 0)), "rubric-band-gap-at", 12, {"at": "5"}, id="edge-in-no-band"),
        pytest.param((("0 < x <= 5", 5), ("> 5", 0)), "rubric-band-gap-at", 11, {"at": "0"}, id="zero-in-no-band"),
        pytest.param(
            (("<= 6", 5), ("5~8", 4), ("> 8", 0)),
            "rubric-band-overlap",
            12,
            {"other": "<= 6", "at_line": "11"},
            id="overlap",
        ),
        pytest.param(
            (("<= 5", 5), (">= 5", 0)),
            "rubric-band-overlap",
            12,
            {"other": "<= 5", "at_line": "11"},
            id="edge-in-two-bands",
        ),
        pytest.param(
            (("<= 5", 5), ("<= 8", 4), ("> 8", 0)),
            "rubric-band-overlap",
            12,
            {"other": "<= 5", "at_line": "11"},
            id="nested",
        ),
        pytest.param((("<= 5", 5), ("5~8", 4)), "rubric-band-no-end", 12, {"end": "8"}, id="no-upper-end"),
        pytest.param(
            (("<= 5", 5), ("5~8", 3), ("8~10", 4), ("> 10", 0)),
            "rubric-band-order",
            13,
            {"before": "3", "at_line": "12", "other": "5~8", "points": "4"},
            id="points-go-up-and-down",
        ),
        pytest.param(
            (("<= 5", 5), ("> 5", 0), ("누락", 0), ("없음", 1)), "rubric-band-missing-twice", 14, {}, id="missing-twice"
        ),
    ],
)
def test_faulty_table_blames_the_row(
    pairs: tuple[tuple[str, float], ...], code: str, line: int, values: dict[str, str]
) -> None:
    rows = rows_of(*pairs)
    joined = join_bands(rows)
    assert joined.bands is None
    assert joined.faults == (fault(code, line, rows, values),)


def test_upper_end_of_a_ratio_is_one() -> None:
    rows = rows_of(("ratio < 0.5", 0), ("0.5 <= ratio < 1", 1))
    assert join_bands(rows, high=1).faults == (fault("rubric-band-no-end", 12, rows, {"end": "1"}),)


@pytest.mark.parametrize(("number", "text"), [(5.0, "5"), (0.25, "0.25"), (INF, "inf"), (100000.0, "100000")])
def test_number_shows_as_people_write_it(number: float, text: str) -> None:
    assert show_number(number) == text
