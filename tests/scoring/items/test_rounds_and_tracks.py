import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.items.rounds_and_tracks import read_round, read_track, round_sort_key
from scoring.rubric import DateOrder
from tests.scoring.files import counted, row, score_rows

MONTH, DAY = DateOrder.MONTH_FIRST, DateOrder.DAY_FIRST


@pytest.mark.parametrize("text", ["2/1", " 2/1 ", "2 / 1", "02/01", "2/ 1", "２/１", "２／１"])
def test_round_reads_room_and_repeat(text: str) -> None:
    assert read_round(text, MONTH) == ("2/1", False)


@pytest.mark.parametrize(
    ("text", "month_first", "day_first"),
    [
        pytest.param("02월 01일", "2/1", "1/2", id="korean-padded"),
        pytest.param("2월 1일", "2/1", "1/2", id="korean"),
        pytest.param("1-Feb", "2/1", "1/2", id="day-month-name"),
        pytest.param("01-feb", "2/1", "1/2", id="day-month-name-padded"),
        pytest.param("Feb-01", "2/1", "1/2", id="month-name-day"),
        pytest.param("2026-02-01", "2/1", "1/2", id="iso"),
        pytest.param("2026/02/01", "2/1", "1/2", id="iso-slashes"),
        pytest.param("2026-02-01 00:00:00", "2/1", "1/2", id="iso-with-time"),
        # Numbers only: the order that was typed stands, whichever way Excel read it.
        pytest.param("2/1/2026", "2/1", "2/1", id="year-last"),
        pytest.param("02/01/2026 00:00:00", "2/1", "2/1", id="year-last-with-midnight"),
        pytest.param("2/1/2026 0:00", "2/1", "2/1", id="year-last-with-short-midnight"),
        pytest.param("2/1/2026 12:00:00 AM", "2/1", "2/1", id="year-last-with-american-midnight"),
        pytest.param("2/1/26", "2/1", "2/1", id="short-year-last"),
        pytest.param("2.1.2026", "2/1", "2/1", id="year-last-with-dots"),
        pytest.param("2026-02-28", "2/28", "28/2", id="iso-late-in-the-month"),
        pytest.param("26-02-01", "2/1", "1/2", id="short-year-first"),
        pytest.param("26. 2. 1", "2/1", "1/2", id="short-year-first-with-dots"),
        pytest.param("2026. 2. 1", "2/1", "1/2", id="korean-short-date"),
        pytest.param("2026. 2. 1.", "2/1", "1/2", id="korean-short-date-with-a-last-dot"),
        pytest.param("2026.02.01", "2/1", "1/2", id="dots"),
        pytest.param("２０２６. ２. １", "2/1", "1/2", id="full-width"),
        pytest.param("2026. 2. 1 오전 12:00:00", "2/1", "1/2", id="korean-short-date-with-midnight"),
        pytest.param("2026-02-01T00:00:00", "2/1", "1/2", id="iso-with-t"),
        pytest.param("2026-02-01T00:00:00.000Z", "2/1", "1/2", id="json-date"),
        pytest.param("2026-02-01 00:00:00+09:00", "2/1", "1/2", id="with-an-offset"),
        pytest.param("2026년 2월 1일", "2/1", "1/2", id="korean-with-year"),
        pytest.param("2026년 02월 01일 일요일", "2/1", "1/2", id="korean-with-weekday"),
        pytest.param("2026年2月1日", "2/1", "1/2", id="chinese-characters"),
        pytest.param("2026-02-01 (일)", "2/1", "1/2", id="weekday-in-brackets"),
        pytest.param("1-Feb-26", "2/1", "1/2", id="day-month-year"),
        pytest.param("01-Feb-2026", "2/1", "1/2", id="day-month-long-year"),
        pytest.param("1 February 2026", "2/1", "1/2", id="long-month"),
        pytest.param("Sunday, February 1, 2026", "2/1", "1/2", id="american-long-date"),
        pytest.param("Feb 1, 2026", "2/1", "1/2", id="american-date"),
        pytest.param("Sun Feb 01 2026 00:00:00 GMT+0900 (KST)", "2/1", "1/2", id="javascript"),
    ],
)
def test_round_is_restored_from_an_excel_date(text: str, month_first: str, day_first: str) -> None:
    assert read_round(text, MONTH) == (month_first, True)
    assert read_round(text, DAY) == (day_first, True)


@pytest.mark.parametrize(
    "text",
    [
        "1",
        "1회차",
        "A",
        "1/1/1",
        "13/1/2026",
        "2026-13-01",
        "2026-01/01",
        "1-Foo",
        "0월 1일",
        "1월 32일",
        "9999999999/1",
    ],
)
def test_round_of_any_other_text_is_a_label_of_its_own(text: str) -> None:
    assert read_round(text, MONTH) == (text, False)


@pytest.mark.parametrize(
    ("label", "is_date"),
    [
        ("26/01/25", True),  # year first or last
        ("1/2/2026 9:30", True),
        ("2026-13-01", True),
        ("13/1/2026", True),
        ("2026-01", True),
        ("Jan 2026", True),
        ("1월 32일", True),
        ("1/1/1", False),
        ("2/29", False),
        ("1-2", False),
        ("1.2", False),
        ("3월", False),
        ("1회차", False),
        ("2026-01-01 야간", False),
        ("1-Foo", False),
        ("본시험", False),
    ],
)
def test_rounds_that_look_like_dates_are_named_where_they_are_not_read_back(label: str, *, is_date: bool) -> None:
    part = score_rows(row(방_반복=label), row(방_반복=label), row(Query_ID="Q-2"))
    assert [item.round for item in part.items] == [label, label, "1/1"]
    assert counted(part) == ({"round-like-date": 2} if is_date else {})


def test_day_first_date_needs_a_month_that_exists() -> None:
    assert read_round("1/13/2026", DAY) == ("1/13/2026", False)
    assert read_round("1/28/26", DAY) == ("1/28/26", False)
    assert read_round("1/28/26", MONTH) == ("1/28", True)
    assert read_round("1/13/2026", MONTH) == ("1/13", True)


def test_rounds_sort_as_numbers_and_labels_come_last() -> None:
    labels = ["B", "10/1", "회차 10", "2/1", "1/10", "회차 2", "1/2"]
    assert sorted(labels, key=round_sort_key) == ["1/2", "1/10", "2/1", "10/1", "B", "회차 2", "회차 10"]


def test_digits_of_other_scripts_are_labels_that_sort() -> None:
    assert read_round("١/١", MONTH) == ("١/١", False)
    assert min(["١회", "１회차", "1회차"], key=round_sort_key) == "1회차"


@given(st.lists(st.text(alphabet=st.sampled_from("1٢３²①가/"), max_size=4) | st.text(max_size=8)))
def test_rounds_of_any_text_can_be_sorted(labels: list[str]) -> None:
    ordered = sorted(labels, key=round_sort_key)
    labels.reverse()
    assert sorted(labels, key=round_sort_key) == ordered


@pytest.mark.parametrize(
    ("text", "track"),
    [
        *[
            (text, 1)
            for text in ("Track 1", "Track1", "트랙 1", "1", "1.0", "01", "TRACK 1", " track-1 ", "Track 1 (1)")
        ],
        ("Track 12", 12),
        ("0", 0),
        *[(text, None) for text in ("", "nan", "Track", "1.5", "Track 1-2", "9" * 40)],
    ],
)
def test_track_is_the_whole_number_in_the_cell(text: str, track: int | None) -> None:
    assert read_track(text) == track


def test_restored_dates_are_counted_and_named() -> None:
    part = score_rows(row(방_반복="1-Jan"), row(방_반복="1-Feb"), row(방_반복="1/1"))
    assert [item.round for item in part.items] == ["1/1", "2/1", "1/1"]
    assert part.counts["restored-date"] == 2
    assert part.restored_rounds == ("1/1", "2/1")
