"""The simulation of corrected figures: its judges err as they say, and a line that misses its limit is told."""

import numpy as np
import pytest

from bench import corrected
from bench.corrected import JUDGES, graded, main


def test_judges_see_what_people_see_through_an_error_of_their_own() -> None:
    random = np.random.default_rng(1)
    people = np.tile(np.array([0.0, 5.0]), (20_000, 1))
    noisy, lenient, blunt = (judge.grade(people, random).mean(axis=0) for judge in JUDGES)
    assert noisy == pytest.approx([0.25, 4.75], abs=0.05)
    assert lenient == pytest.approx([1.5, 5.0], abs=0.05)
    assert blunt == pytest.approx([3.5, 4.85], abs=0.05)


def test_counts_of_what_both_pass() -> None:
    judged, people = np.array([[True, True], [False, True]]), np.array([[True, False], [False, False]])
    assert graded(judged, people) == (1, 1, 1, 3, 1, 2)


def test_exit_code(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(corrected, "SIZES", ((40, 30),))
    monkeypatch.setattr(corrected, "ENOUGH", 0.0)
    assert main(["--runs", "5"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("noisy, 30 of 40, points")
    monkeypatch.setattr(corrected, "ENOUGH", 1.01)
    assert main(["--runs", "5"]) == 1
