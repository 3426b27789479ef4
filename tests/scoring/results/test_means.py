"""Means from counted values agree to the last digit with the sum over all of them."""

from __future__ import annotations

from collections import Counter
from math import fsum

from hypothesis import given
from hypothesis import strategies as st

from scoring.results.means import added_up, metric_of
from scoring.results.model import Mean

points = st.sampled_from([0.0, 0.1, 0.7, 3.3, 7.5, 10.0, 5e-324]) | st.floats(-1e6, 1e6)


@given(st.lists(points | st.none(), max_size=40))
def test_a_counted_mean_is_that_of_the_exact_sum(values: list[float | None]) -> None:
    present = [value for value in values if value is not None]
    expected = Mean(fsum(present) / len(present) if present else None, len(present))
    assert metric_of([Counter(values)]).rounds == (expected,)


def test_values_that_recur_are_rounded_once() -> None:
    # 0.1 is a little more than a tenth: ten of them are 1.0 rounded once, 0.9999999999999999 when added up one by one.
    assert metric_of([Counter({0.1: 10})]).rounds == (Mean(0.1, 10),)


def test_the_set_is_the_mean_of_the_rounds_that_have_one() -> None:
    metric = metric_of([Counter({10.0: 3}), Counter({None: 2}), Counter({4.0: 1})])
    assert metric.rounds == (Mean(10.0, 3), Mean(None, 0), Mean(4.0, 1))
    assert metric.set == Mean(7.0, 4)


def test_nothing_counted_has_no_mean() -> None:
    assert metric_of([added_up([])]).set == Mean(None, 0)
