"""The simulation of conclusions: its worlds are what it says, and it notices a figure on the wrong side."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from bench import conclusions
from bench.conclusions import Line, main, points, rates, run_of
from scoring.comparison import compare_runs


def test_the_world_is_three_of_four_easy_queries() -> None:
    rate = rates(20_000, np.random.default_rng(1))
    assert sorted(set(rate.tolist())) == [0.60, 0.97]
    assert (rate == 0.97).mean() == pytest.approx(0.75, abs=0.01)
    drawn = points(rate, 3, np.random.default_rng(2))
    assert set(drawn.ravel().tolist()) == {0.0, 2.0, 4.0, 5.0}
    assert (drawn == 5.0).mean() == pytest.approx(0.75 * 0.97 + 0.25 * 0.60, abs=0.01)


def test_runs_of_it_have_five_distinct_figures() -> None:
    rate = rates(30, np.random.default_rng(3))
    sides = [run_of(rate, 3, name, np.random.default_rng(at)) for at, name in enumerate("ab")]
    comparison = compare_runs(*sides)
    distinct = [change.metric for change in comparison.groups[0].changes if not change.copy_of]
    assert distinct == ["answered", "intent", "consistency", "latency", "seconds"]
    assert len(comparison.groups) == 1 + conclusions.TRACKS + conclusions.CATEGORIES
    assert comparison.leading == "intent"


@pytest.mark.parametrize(
    ("line", "is_missed"),
    [
        (Line("a", 0.91, 0.92, is_least=True), True),
        (Line("a", 0.92, 0.92, is_least=True), False),
        (Line("a", 0.11, 0.10), True),
        (Line("a", 0.10, 0.10), False),
    ],
)
def test_a_line_on_the_wrong_side_of_its_limit(line: Line, is_missed: bool) -> None:
    assert line.is_missed is is_missed


def test_exit_code(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def part(runs: int, random: np.random.Generator) -> Iterator[Line]:
        yield Line(f"{runs} runs", float(random.random() < 2), 0.5)

    monkeypatch.setattr(conclusions, "PARTS", (part,))
    assert main(["--runs", "3"]) == 1
    assert capsys.readouterr().out.splitlines()[0].split() == ["3", "runs", "1.000", "<=", "0.5", "*"]
    monkeypatch.setattr(conclusions, "PARTS", ())
    assert main([]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("part", conclusions.PARTS)
def test_parts_run(part: conclusions.Part) -> None:
    assert all(0 <= line.found <= conclusions.TOP for line in part(3, np.random.default_rng(5)))
