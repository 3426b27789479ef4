"""When a run was executed, as every page says it: from the first to the last time as they are written."""

import pytest

from reporting.wording.names import executed_text, run_text
from scoring.results import TimeRange
from texts import texts


@pytest.mark.parametrize(
    ("times", "told"),
    [
        (None, ""),
        (TimeRange("3/1/2026", "3/1/2026", parsed=False), "3/1/2026"),
        (TimeRange("2026-03-01 09:00", "2026/03/02", parsed=True), "2026-03-01 09:00부터 2026/03/02까지"),
        (TimeRange("\x1ba\u202e", "b" * 100, parsed=False), f"a … {'b' * 79}… (시각으로 읽을 수 없어 글자 순서)"),
    ],
)
def test_times_are_shown_as_they_are_written(times: TimeRange | None, told: str) -> None:
    assert executed_text(times, texts("ko")) == told


def test_a_run_is_named_by_its_times_and_run_ids() -> None:
    times = TimeRange("2026-03-01", "2026-03-01", parsed=True)
    assert run_text(times, ["run-1", "run-2"], texts("ko")) == "실행시각 2026-03-01 · Run ID run-1, run-2"
    assert run_text(None, ["run-1"], texts("en")) == "Run ID run-1"
    assert run_text(None, [], texts("ko")) == ""
