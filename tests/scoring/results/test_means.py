"""Means from counted values agree to the last digit with the sum over all of them."""

from collections import Counter
from math import fsum

from hypothesis import given
from hypothesis import strategies as st

from scoring.results.means import mean_of_values, metric_of
from scoring.results.model import Mean
from scoring.results.uncertainty import Counted
from scoring.rubric import Scale

points = st.sampled_from([0.0, 0.1, 0.7, 3.3, 7.5, 10.0, 5e-324]) | st.floats(0, 10)


def one_each(*values: float) -> Counted:
    return {(0,): Counter([(value,) for value in values])} if values else {}


def figures(mean: Mean) -> tuple[float | None, int]:
    return mean.value, mean.n


@given(st.lists(points, max_size=40))
def test_a_counted_mean_is_that_of_the_exact_sum(values: list[float]) -> None:
    expected = fsum(values) / len(values) if values else None
    (mean,) = metric_of([one_each(*values)], one_each(*values), scale=Scale(0.0, 10.0)).rounds
    assert figures(mean) == (expected, len(values))


def test_values_that_recur_are_rounded_once() -> None:
    # 0.1 is a little more than a tenth: ten of them are 1.0 rounded once, 0.9999999999999999 when added up one by one.
    assert figures(metric_of([{(0,): {(0.1,): 10}}], {}, scale=Scale(0.0, 1.0)).rounds[0]) == (0.1, 10)


def test_the_set_is_the_mean_of_the_rounds_that_have_one() -> None:
    rounds = [one_each(10.0, 10.0, 10.0), one_each(), one_each(4.0)]
    of_set: Counted = {(0, 2): {(10.0, 4.0): 1}, (0,): {(10.0,): 2}}
    metric = metric_of(rounds, of_set, scale=Scale(0.0, 10.0))
    assert [figures(mean) for mean in (*metric.rounds, metric.set)] == [(10.0, 3), (None, 0), (4.0, 1), (7.0, 4)]
    assert [mean.queries for mean in (*metric.rounds, metric.set)] == [3, 0, 1, 3]


def test_nothing_counted_has_no_mean() -> None:
    assert metric_of([{}], {}, scale=Scale(0.0, 5.0)).set == Mean(None, 0)
    assert mean_of_values({}, scale=Scale(0.0, 1.0)) == Mean(None, 0)


def test_a_share_counts_items_and_names_the_queries() -> None:
    share = mean_of_values({(0, 1): {(1.0, 1.0): 2, (1.0, 0.0): 1}}, scale=Scale(0.0, 1.0))
    assert (share.value, share.n, share.queries) == (5 / 6, 6, 3)
