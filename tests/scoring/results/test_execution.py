"""The first and the last time of very many texts is that of the few that are held."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.comparison import earliest
from scoring.results.execution import Execution

_TIMES = (
    "2026-03-02 09:00:00", "2026-03-02T09:00:00", "2026-03-02/09:00:00", "2026/03/02 09:00:00", " 2026-03-02 09:00:00",
    "2026-03-02 09:00:00+09:00", "2026-03-02 00:00:00+00:00", "2026-03-01", "20260304", "2026-W10-1", "2026-W10/1",
    "3/1/2026", "3/28/2026", "28/3/2026 9:00", "2026. 3. 1 오전 9:00", "1970-01-01",
    "", " ", "nan", "-", "3월 2일", "\u200b2026-03-02 08:00:00", "9999-12-31T23:59:59-23:00",
)  # fmt: skip


@pytest.fixture(autouse=True)
def few_held(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr("scoring.results.execution._HELD", 2)
        yield


@given(st.lists(st.lists(st.sampled_from(_TIMES) | st.text("2026-0319T/:+ ", max_size=19), max_size=4), max_size=12))
def test_the_texts_that_are_held_decide_as_all_of_them(batches: list[list[str]]) -> None:
    few = Execution()
    for batch in batches:
        few.add(batch)
    everything = Execution()
    everything.written = {text for batch in batches for text in batch}
    assert few.written <= everything.written
    assert few.time_range() == everything.time_range()
    assert earliest(few.written) == earliest(everything.written)


def test_few_of_many_texts_are_held() -> None:
    times = Execution()
    for minute in range(0, 1_000, 10):
        times.add(f"2026-03-02 {at // 60:02d}:{at % 60:02d}:00" for at in range(minute, minute + 10))
    assert len(times.written) < 20
    found = times.time_range()
    assert found is not None
    assert (found.first, found.last, found.parsed) == ("2026-03-02 00:00:00", "2026-03-02 16:39:00", True)
