"""Worse again: this run and the one before it, against one baseline."""

import numpy as np
import pytest

from bench.conclusions import rates, run_of
from scoring.comparison import Run, worse_again
from scoring.comparison.again import mean_run


@pytest.fixture(scope="module")
def weeks() -> tuple[list[Run], list[Run]]:
    """Four weeks of one agent, and two of one that lost a quarter of its queries."""
    random = np.random.default_rng(7)
    rate = rates(60, random)
    fallen = rate.copy()
    fallen[:15] = 0.0
    good = [run_of(rate, 3, f"good {at}", random) for at in range(6)]
    return good, [run_of(fallen, 3, f"bad {at}", random) for at in range(2)]


def test_two_bad_runs_are_told_and_one_is_not(weeks: tuple[list[Run], list[Run]]) -> None:
    good, bad = weeks
    found = worse_again(bad[1], bad[0], good[:4])
    assert (found["intent"], found["accuracy"]) == ("", "intent")  # a copy of it
    assert worse_again(bad[0], good[4], good[:4]) == {}
    assert worse_again(good[5], bad[0], good[:4]) == {}
    assert worse_again(good[5], good[4], good[:4]) == {}


def test_the_mean_has_the_queries_of_all_and_their_mean_values(weeks: tuple[list[Run], list[Run]]) -> None:
    good, _ = weeks
    first, second = good[0], good[1]
    fewer = {name: query for name, query in second.queries.items() if name != "Q0003"}
    mean = mean_run([first, Run(**{**{f: getattr(second, f) for f in Run.__struct_fields__}, "queries": fewer})])
    assert set(mean.queries) == set(first.queries) - {"Q0003"}
    for name, query in mean.queries.items():
        sides = first.queries[name], second.queries[name]
        assert query.values["intent"] == pytest.approx(sum(side.values["intent"] for side in sides) / 2)
        assert (query.n, len(query.answers)) == (6, 6)
    assert mean_run([first]) is first
