"""Times as programs and spreadsheets write them."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.times import deciding, read_times


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-03-01T09:00:00", "2026-03-01T09:00:00"),
        ("2026-03-01 9:00", "2026-03-01T09:00:00"),  # a CSV saved again by Excel
        ("2026-3-1 9:05:07", "2026-03-01T09:05:07"),
        ("2026/03/01 09:00", "2026-03-01T09:00:00"),
        ("2026.03.01", "2026-03-01T00:00:00"),
        ("2026. 3. 1. 오전 9:00:00", "2026-03-01T09:00:00"),
        ("2026-03-01 오후 12:00:00", "2026-03-01T12:00:00"),
        ("2026-03-01 오전 12:30", "2026-03-01T00:30:00"),
        ("2026년 3월 1일 오후 3시 5분", "2026-03-01T15:05:00"),
        ("2026-03-01 02:00 PM", "2026-03-01T14:00:00"),
        ("2026-03-01T09:00:00+09:00", "2026-03-01T09:00:00"),  # the offset is shown, not applied
        ("2026-03-01 9:00 UTC", "2026-03-01T09:00:00"),
        ("3/28/2026 9:00 AM", "2026-03-28T09:00:00"),
        ("28/3/2026 21:00", "2026-03-28T21:00:00"),
        ("28.03.2026 21:00", "2026-03-28T21:00:00"),
        ("3/18/2026", "2026-03-18T00:00:00"),
        ("08-Mar-2026", "2026-03-08T00:00:00"),
        ("8 march 2026 09:00:01", "2026-03-08T09:00:01"),
        ("May 8, 2026 9:00 PM", "2026-05-08T21:00:00"),
        ("1772355600", "2026-03-01T09:00:00"),
        ("1772355600123", "2026-03-01T09:00:00.123000"),
        ("46082.375", "2026-03-01T09:00:00"),  # days of a spreadsheet
        ("3/1/2026 9:00 AM", None),  # March or January
        ("03.01.2026", None),
        ("28.03/2026", None),
        ("08-Mai-2026", None),
        ("31-Feb-2026", None),
        ("2026-02-30", None),
        ("2026-03-01 25:00", None),
        ("1970-01-01 00:00:00", None),
        ("1900-01-00", None),
        ("1899-12-30", None),
        ("0001-01-01T00:00:00", None),
        ("9:00", None),
        ("12345", None),
        ("어제", None),
    ],
)
def test_a_time(text: str, time: str | None) -> None:
    assert read_times([text]) == {text: None if time is None else datetime.fromisoformat(time)}


def test_a_column_shows_which_part_is_the_month() -> None:
    found = read_times(["3/1/2026", "3/28/2026"])
    assert found["3/1/2026"] == datetime.fromisoformat("2026-03-01")
    found = read_times(["3/1/2026", "28/3/2026"])
    assert found["3/1/2026"] == datetime.fromisoformat("2026-01-03")
    assert set(read_times(["3/1/2026", "28/3/2026", "3/28/2026"]).values()) == {None}  # it says both


def test_blank_cells_are_left_out() -> None:
    assert read_times(["", " ", "nan", "2026-03-01"]).keys() == {"2026-03-01"}


FIRST, LAST = (datetime.fromisoformat(f"{year}-01-01") for year in (1971, 2199))
TIMES = st.datetimes(FIRST, LAST).map(lambda time: time.replace(microsecond=0))


@given(TIMES)
def test_usual_spellings_of_one_time_are_one_time(time: datetime) -> None:
    half = "오전" if time.hour < 12 else "오후"
    spellings = [
        time.isoformat(),
        time.isoformat(sep=" "),
        f"{time.year}. {time.month}. {time.day}. {half} {time.hour % 12 or 12}:{time:%M:%S}",
        f"{time.year}년 {time.month}월 {time.day}일 {time.hour}시 {time.minute}분 {time.second}초",
    ]
    assert set(read_times(spellings).values()) == {time}


@given(st.lists(TIMES, min_size=1, max_size=30), st.booleans(), st.booleans())
def test_few_texts_decide_what_all_say(times: list[datetime], is_american: bool, has_none: bool) -> None:
    written = [f"{time:%m/%d/%Y %H:%M}" if is_american else f"{time:%d/%m/%Y %H:%M}" for time in times]
    written += [(times[0] + timedelta(days=1)).isoformat()] + ["어제"] * has_none
    kept = deciding(written)
    assert len(kept) <= 12
    every, few = read_times(written), read_times(kept)
    known = [time for time in every.values() if time is not None]
    assert [time for time in few.values() if time is not None]
    assert (min(known), max(known)) == (
        min(time for time in few.values() if time is not None),
        max(time for time in few.values() if time is not None),
    )
    assert (None in every.values()) is (None in few.values())
