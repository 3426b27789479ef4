"""The simulation of weeks: which runs are the baseline, and that it notices a figure on the wrong side."""

from collections.abc import Iterator

import numpy as np
import pytest

from bench import weeks
from bench.conclusions import Line, rates, run_of
from scoring.comparison import Run


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    random = np.random.default_rng(1)
    rate = rates(3, random)
    return [run_of(rate, 1, f"{at}", random) for at in range(8)]


def test_baselines_are_the_runs_before_both(runs: list[Run]) -> None:
    def names(found: object) -> list[str]:
        assert isinstance(found, list)
        return [run.name for run in found]

    assert names(weeks.of_four(runs, 7)) == ["2", "3", "4", "5"]
    assert names(weeks.of_four(runs, 3)) == ["0", "1"]
    assert names(weeks.of_four(runs, 2)) == names(weeks.of_one(runs, 2)) == ["0"]
    assert names(weeks.of_pin(runs, 5)) == ["0"]


def test_a_missed_limit_ends_with_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def lines(series: int, random: object) -> Iterator[Line]:
        del series, random
        yield Line("found", 0.84, 0.85, is_least=True)

    monkeypatch.setattr(weeks, "week_lines", lines)
    assert weeks.main([]) == 1
    assert "MISSED" in capsys.readouterr().out
