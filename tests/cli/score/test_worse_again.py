"""A figure that is worse once has a hollow mark; worse again it has a solid one, and stands on the first page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reporting.store import write_pin
from tests.cli.place import Place, rows

QUERIES = [f"Q{number:02}" for number in range(20)]
GOOD = rows(*QUERIES)
BAD = GOOD.replace(",3명,,", ",,TimeoutError: 30 s,")


def _text(place: Place, name: str) -> str:
    return (place.root / "out" / name).read_text(encoding="utf-8")


def _mark(place: Place, day: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_text(place, f"resume_agent_2603{day:02}/baseline.json"))
    return found


def _line(place: Place, day: int) -> str:
    said = place.status().out.splitlines()
    return next(line for line in said if f"resume_agent_2603{day:02}" in line)


def _drop(place: Place, *weeks: str) -> None:
    for day, text in enumerate(weeks, 1):
        place.file(f"in/resume_agent_2603{day:02}.csv", text + "\r\n" * day)  # bytes of its own
    assert place.score("in", "--out", "out").code == 0


@pytest.mark.parametrize("steps", [1, 6], ids=["at-once", "week-by-week"])
def test_the_second_bad_week_is_told(place: Place, steps: int) -> None:
    weeks = (GOOD, GOOD, GOOD, GOOD, BAD, BAD)
    for last in range(len(weeks) + 1 - steps, len(weeks) + 1):
        _drop(place, *weeks[:last])
    assert ["again" in _mark(place, day) for day in range(3, 7)] == [False, False, False, True]
    assert "answered" in _mark(place, 6)["again"]
    assert _mark(place, 6)["verdicts"]["answered"] == "same"  # as the week before, which was as bad
    lines = {line.partition("](")[0]: line for line in _text(place, "index.md").splitlines() if line.startswith("| [")}
    assert "▽" in lines["| [resume_agent_260305"]
    assert "▼" not in lines["| [resume_agent_260305"]
    again = _mark(place, 6)["again"]  # the latency did not change, in neither week
    assert again == {"answered": "", "intent": "answered", "accuracy": "answered", "stability": "answered"}
    assert lines["| [resume_agent_260306"].count("▼") == len(again)
    assert "\n**두 번 이어서 나빠졌습니다" in _text(
        place, "resume_agent_260306/summary.md"
    )  # the verdict opens with it
    assert "두 번 이어서 나빠졌습니다" in _text(place, "index.html")
    assert "· ▼ 두 번 이어서 나빠짐" in _text(place, "resume_agent_260306/summary.md")  # the mark of the index
    assert "두 번 이어서" not in _text(place, "resume_agent_260305/summary.md")
    assert "· ▽ 나빠짐" in _text(place, "resume_agent_260305/summary.md")
    assert "▼ 두 번 이어서 나빠짐" in place.score("in", "--out", "out").out
    trend = _text(place, "trend-resume-agent.html")
    assert ">▽<" in trend
    assert ">▼<" in trend
    assert ("▼ 두 번 이어서 나빠짐" in _line(place, 6), "변화 없음" in _line(place, 6)) == (True, False)
    assert "이어서" not in _line(place, 5)


def test_a_week_between_them_that_was_good_tells_nothing(place: Place) -> None:
    _drop(place, GOOD, GOOD, GOOD, BAD, GOOD, BAD)
    assert not any("again" in _mark(place, day) for day in range(1, 7))


def test_a_pin_is_the_baseline_of_both_and_has_a_panel_of_its_own(place: Place) -> None:
    _drop(place, GOOD, GOOD)
    assert "차이</h" not in _text(place, "trend-resume-agent.html")
    assert "shifts" not in _mark(place, 2)
    write_pin(place.root / "out", "resume-agent", "resume_agent_260301")
    _drop(place, GOOD, GOOD, BAD, BAD)
    assert "answered" in _mark(place, 4)["again"]
    difference, low, high = _mark(place, 4)["shifts"]["answered"]
    assert low <= difference == -1.0 <= high
    trend = _text(place, "trend-resume-agent.html").replace("<wbr>", "")
    assert "고정한 기준 실행 resume_agent_260301과의 차이 (%p)" in trend
    assert ">−100.0</text>" in trend  # the unit has no room beside the axis
    assert "%p</text>" not in trend


def test_too_few_weeks_tell_nothing(place: Place) -> None:
    _drop(place, GOOD, BAD)
    assert "again" not in _mark(place, 2)
    assert "history" not in _mark(place, 2)
