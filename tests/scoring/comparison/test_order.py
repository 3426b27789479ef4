"""The order of runs: by their data, never by when they were published."""

import pytest

from scoring.comparison.baseline import earliest, name_date, order_key


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("resume_agent_260203", "2026-02-03"),
        ("resume_agent_20260203", "2026-02-03"),
        ("2026-02-03 재실행", "2026-02-03"),
        ("a_2026.02.03_b", "2026-02-03"),
        ("run_2026_02_03", "2026-02-03"),
        ("a_261332_260203", "2026-02-03"),  # the first is no date
        ("a_260203_260101", "2026-02-03"),
        ("2월/resume_agent_260203", "2026-02-03"),
        ("a_20260203153000", ""),  # fourteen digits
        ("a_2026-02_03", ""),
        ("a_12345", ""),
        ("a_20260230", ""),
        ("a_٢٦٠٢٠٣", ""),
        ("", ""),
    ],
)
def test_first_valid_date_in_a_name(name: str, date: str) -> None:
    assert name_date(name) == date


@pytest.mark.parametrize(
    ("texts", "time"),
    [
        (["2026-03-02 09:00:00", "2026-03-01 10:00:00"], "2026-03-01T10:00:00"),
        (["2026/03/02 09:00"], "2026-03-02T09:00:00"),
        (["2026-03-02T09:00:00+09:00", "2026-03-02 10:30:00"], "2026-03-02T09:00:00"),  # the wall clock as written
        (["2026-03-01 14:00", "2026-03-01 9:00"], "2026-03-01T09:00:00"),
        (["1970-01-01 00:00:00", "2026-03-02"], "2026-03-02T00:00:00"),
        (["어제", "", "2026-03-02"], "2026-03-02T00:00:00"),
        (["어제", "nan"], ""),
        (["0001-01-01T00:00:00+14:00"], ""),  # earlier than any time
        ([], ""),
    ],
)
def test_earliest_time_that_parses(texts: list[str], time: str) -> None:
    assert earliest(texts) == time


def test_dated_runs_come_first_and_ties_go_by_name() -> None:
    runs = [
        ("", "b", 2),
        ("", "a", 3),
        ("", "run_260301", 9),
        ("2026-02-01T10:00:00", "z_260401", 1),
        ("2026-02-01T10:00:00", "c", 8),
        ("", "n", 3),
    ]
    ordered = sorted(runs, key=lambda run: order_key(run[0], run[1], published=run[2]))
    assert [name for _, name, _ in ordered] == ["c", "z_260401", "run_260301", "b", "a", "n"]


@pytest.mark.parametrize(
    "names",
    [
        ["run1", "run2", "run10"],
        ["2026-3-9", "2026-3-10"],
        ["a/run2", "a/run10", "b/run1"],
        ["run", "run1", "run1b", "run01c"],
    ],
)
def test_names_are_ordered_by_their_numbers(names: list[str]) -> None:
    mixed = names[::-1]
    assert sorted(mixed, key=lambda name: order_key("", name)) == names
