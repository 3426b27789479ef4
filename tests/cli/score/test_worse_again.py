"""A figure that is worse once has a hollow mark; worse again it has a solid one, and stands on the first page."""

import json
from typing import Any

import pytest

from reporting.store import write_pin
from tests.cli.place import Place, rows

QUERIES = [f"Q{number:02}" for number in range(20)]
GOOD = rows(*QUERIES)
BAD = GOOD.replace(",3명,,", ",,TimeoutError: 30 s,")
PINNED_KO = (
    "**두 실행 연속으로 고정한 기준 실행보다 나쁩니다: 응답 성공률, 의도 충족. "
    "고정한 기준 실행(resume_agent_260301)보다 나빠졌습니다: "
    "응답 성공률 100.0% → 50.0%(변화의 95% 구간 −71.9%p \\~ −19.0%p), 의도 충족 5.00 → 2.50. "
    "성공하던 질의 10개가 새로 실패했습니다(‘TimeoutError: 30 s’).**"
)
PINNED_EN = (
    "**Two runs in a row are worse than the pinned baseline: Answer rate, Intent. "
    "Worse than the pinned baseline (resume_agent_260301): "
    "Answer rate 100.0% → 50.0% (95% interval of the change −71.9 pp to −19.0 pp), Intent 5.00 → 2.50. "
    "10 queries failed that passed before (“TimeoutError: 30 s”).**"
)


def _text(place: Place, name: str) -> str:
    return (place.root / "out" / name).read_text(encoding="utf-8")


def _mark(place: Place, day: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_text(place, f"resume_agent_2603{day:02}/baseline.json"))
    return found


def _line(place: Place, day: int) -> str:
    said = place.status().out.splitlines()
    return next(line for line in said if f"resume_agent_2603{day:02}" in line)


def _drop(place: Place, *weeks: str, language: str = "ko") -> None:
    for day, text in enumerate(weeks, 1):
        place.file(f"in/resume_agent_2603{day:02}.csv", text + "\r\n" * day)  # bytes of its own
    assert place.score("in", "--out", "out", "--language", language).code == 0


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
    assert again == {"answered": "", "intent": "", "accuracy": "intent", "stability": "answered"}  # as the rows
    assert lines["| [resume_agent_260306"].count("▼") == len(again)
    told = "\n**두 실행 연속으로 그에 앞선 실행들의 평균보다 나쁩니다: 응답 성공률, 의도 충족. "
    told += "지난 실행(resume_agent_260305)에서 달라진 질의가 없습니다: 응답 성공률 0.0%.**\n"
    assert told in _text(place, "resume_agent_260306/summary.md")
    assert "두 실행 연속으로 그에 앞선 실행들의 평균보다 나쁩니다" in _text(place, "index.html")
    assert "· ▼ 연속으로 나쁨" in _text(place, "resume_agent_260306/summary.md")  # the mark of the index
    assert "연속으로" not in _text(place, "resume_agent_260305/summary.md")
    assert "· ▽ 나빠짐" in _text(place, "resume_agent_260305/summary.md")
    assert "▼ 연속으로 나쁨" in place.score("in", "--out", "out").out
    trend = _text(place, "trend-resume-agent.html")
    assert "▽는 기준 실행보다 나쁘고, ▼는" in trend
    assert ">▽<" in trend
    assert ">▼<" in trend
    assert ("▼ 연속으로 나쁨" in _line(place, 6), "변화 없음" in _line(place, 6)) == (True, False)
    assert "연속" not in _line(place, 5)


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


@pytest.mark.parametrize(
    ("language", "verdict"),
    [
        ("ko", PINNED_KO),
        ("en", PINNED_EN),
    ],
)
def test_a_run_that_recovered_in_part_is_worse_than_the_pin_and_not_than_the_run_before(
    place: Place, language: str, verdict: str
) -> None:
    half = "".join(line for at, line in enumerate(BAD.splitlines(keepends=True)) if at <= 10)
    half += "".join(line for at, line in enumerate(GOOD.splitlines(keepends=True)) if at > 10)
    _drop(place, GOOD)
    write_pin(place.root / "out", "resume-agent", "resume_agent_260301")
    _drop(place, GOOD, GOOD, BAD, half, language=language)
    lines = _text(place, "resume_agent_260304/summary.md").splitlines()
    assert lines[4] == verdict
    assert verdict.lstrip("*").partition(":")[0] + "." in lines[6]  # to hand on: without the names


def test_too_few_weeks_tell_nothing(place: Place) -> None:
    _drop(place, GOOD, BAD)
    assert "again" not in _mark(place, 2)
    assert "history" not in _mark(place, 2)
