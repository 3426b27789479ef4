"""Intervals: their edges, and what holds for any data."""

from math import fsum, sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.distributions import t_quantile
from scoring.statistics.intervals import (
    Interval,
    Queries,
    Spread,
    Values,
    in_one_round,
    mean_interval,
    mean_interval_of_queries,
    once,
    query_mean,
    spread_of,
    weights_of,
    wilson,
)
from tests.scoring.statistics.cases import near, queries_of

POINTS = st.sampled_from([0.0, 1.0, 2.5, 3.0, 4.0, 5.0])
ANY = st.floats(0, 5) | POINTS
QUERIES = st.lists(st.lists(ANY, min_size=1, max_size=5).map(tuple), min_size=2, max_size=30)


def _in_rounds(queries: list[Values]) -> Queries:
    """The first item of each query in the first round, its second in the second …"""
    return queries_of([{str(at): value for at, value in enumerate(values)} for values in queries])


def _shown(queries: Queries) -> float:
    """The mean of the means of the rounds, on the scale."""
    weights = weights_of(queries)
    terms = [
        weights[at] * value * times
        for rounds, counted in queries.items()
        for values, times in counted.items()
        for at, value in zip(rounds, values, strict=True)
    ]
    return min(max(fsum(terms), 0.0), 5.0)


def _interval(queries: list[Values]) -> Interval:
    grouped = _in_rounds(queries)
    interval = mean_interval(_shown(grouped), grouped, top=5.0)
    assert interval is not None
    return interval


def _worth(value: float, queries: list[Values]) -> float:
    return spread_of(value, _in_rounds(queries), top=5.0).worth(value / 5)


@pytest.mark.parametrize(
    ("queries", "value", "n"),
    [
        pytest.param([(5.0,), (5.0,)], 5.0, 2, id="all-pass"),
        pytest.param([(5.0, 5.0, 5.0)] * 4, 5.0, 4, id="equal-items-count-once"),
        pytest.param([(0.0, 5.0), (0.0, 5.0)], 2.5, 4, id="passes-and-fails-count-each"),
        pytest.param([(3.0,), (3.0,)], 3.0, 2, id="all-equal-inside"),
        pytest.param([(0.1,)] * 3, 0.1, 3, id="equal-but-for-rounding"),
        pytest.param([(5.0,), (4.999999999999999,)], 5.0, 2, id="full-but-for-rounding"),
        # items of 4 and 2: mean 0.6 and variance 0.04 of the scale, worth 1 + 0.04 / 0.24 each
        pytest.param([(4.0, 2.0), (2.0, 4.0)], 3.0, 2 * (1 + 1 / 6), id="partly-equal-items"),
        # means 0 and 1: p(1 - p) / v = 0.25 / 0.125 = 2, by (1.96 / t of one degree) squared
        pytest.param([(0.0,), (5.0,)], 2.5, 2 * (1.959963984540054 / 12.706204736175) ** 2, id="both-ends"),
        pytest.param([(0.0,), (5.0,)], 5.0, 0, id="value-at-the-end-but-queries-differ"),
    ],
)
def test_items_are_worth_so_many_observations(queries: list[Values], value: float, n: float) -> None:
    assert _worth(value, queries) == near(n)
    assert mean_interval(value, _in_rounds(queries), top=5.0) == near(tuple(5 * end for end in wilson(value / 5, n)))


@pytest.mark.parametrize("queries", [[], [(5.0,)], [(5.0, 0.0, 3.0)]], ids=["none", "one", "one-with-three-items"])
def test_fewer_than_two_queries_have_no_interval(queries: list[Values]) -> None:
    grouped = _in_rounds(queries)
    assert mean_interval(_shown(grouped), grouped, top=5.0) is None
    assert spread_of(0.0, {}, top=5.0) == Spread(0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("value", [-0.001, 5.001, float("nan")])
def test_value_outside_the_scale_is_a_bug_of_the_caller(value: float) -> None:
    with pytest.raises(ValueError, match=r"is not on the scale from 0\.0 to 5\.0"):
        mean_interval(value, once([5.0, 5.0]), top=5.0)


def test_rounding_beyond_the_scale_is_taken_as_its_end() -> None:
    assert mean_interval(5.000000000000001, once([5.0] * 4), top=5.0) == mean_interval(5.0, once([5.0] * 4), top=5.0)


def test_a_value_that_no_mean_tells_from_the_end_of_the_scale_is_one_observation() -> None:
    queries: Queries = {(0, 1): {(0.0, 5e-324): 1, (0.0, 0.0): 3}}
    zeros: Queries = {(0, 1): {(0.0, 0.0): 4}}
    assert mean_interval(0.0, queries, top=5.0) == mean_interval(0.0, zeros, top=5.0)


def test_a_round_that_one_query_has_weighs_as_a_whole_round() -> None:
    """Weights are 1/2 by round: 1/4 of each item of the first, 1/2 of the one of the second."""
    queries = queries_of([{"1": 5.0, "2": 0.0}, {"1": 5.0}])
    assert weights_of(queries) == {0: 0.25, 1: 0.5}
    spread = spread_of(2.5, queries, top=5.0)
    assert spread.kish == near(1 / (0.75**2 + 0.25**2))
    # queries move the mean by 1/4 x 1/2 - 1/2 x 1/2 and 1/4 x 1/2
    assert spread.variance == near(2 * 0.125**2)


@given(QUERIES)
def test_interval_holds_the_value_and_stays_on_the_scale(queries: list[Values]) -> None:
    low, high = _interval(queries)
    assert 0.0 <= low <= _shown(_in_rounds(queries)) <= high <= 5.0


@given(st.lists(st.lists(POINTS, min_size=1, max_size=5).map(tuple), min_size=2, max_size=30))
def test_a_scale_that_is_moved_and_stretched_moves_and_stretches_the_interval(queries: list[Values]) -> None:
    moved = _in_rounds([tuple(10 + 2 * value for value in values) for values in queries])
    interval = mean_interval(10 + 2 * _shown(_in_rounds(queries)), moved, floor=10.0, top=20.0)
    assert interval == near(tuple(10 + 2 * end for end in _interval(queries)), 1e-7)


@given(QUERIES, st.randoms(use_true_random=False))
def test_order_of_queries_and_items_changes_no_digit(queries: list[Values], random: Random) -> None:
    value = min(max(query_mean([one for values in queries for one in values]), 0.0), 5.0)
    shuffled = [tuple(random.sample(values, len(values))) for values in random.sample(queries, len(queries))]
    first, second = (mean_interval(value, in_one_round(listed), top=5.0) for listed in (queries, shuffled))
    assert first == second
    in_order = _in_rounds(queries)
    mixed = _in_rounds(random.sample(queries, len(queries)))
    assert mean_interval(_shown(in_order), in_order, top=5.0) == mean_interval(_shown(in_order), mixed, top=5.0)


@given(st.lists(st.booleans(), min_size=2, max_size=40), st.integers(2, 5))
def test_equal_repeats_add_nothing(passes: list[bool], times: int) -> None:
    once_each: list[Values] = [(5.0 * passed,) for passed in passes]
    assert _interval([values * times for values in once_each]) == near(_interval(once_each), 1e-7)


def test_interval_of_a_mean_without_a_scale_by_hand() -> None:
    # means 1500, 2500, 500: mean 1500, deviations 0, 1000, -1000, s = sqrt(2e6 / 2) = 1000, t of 2 degrees 4.30265273
    half = 4.302652730 * 1000 / sqrt(3)
    means = [1500.0, 2500.0, 500.0]
    assert mean_interval_of_queries(1500.0, means) == pytest.approx((1500 - half, 1500 + half))
    assert mean_interval_of_queries(1500.0, means, is_above_0=True) == pytest.approx((0.0, 1500 + half))


@pytest.mark.parametrize("means", [[], [3.0]])
def test_fewer_than_two_means_have_no_interval(means: list[float]) -> None:
    assert mean_interval_of_queries(3.0, means) is None


@given(st.lists(st.floats(-1e12, 1e12), min_size=2, max_size=12))
def test_the_order_of_means_changes_nothing(means: list[float]) -> None:
    found = mean_interval_of_queries(1.0, means)
    assert found == mean_interval_of_queries(1.0, sorted(means))
    assert found is not None
    assert found.low <= 1.0 <= found.high


@pytest.mark.parametrize(
    ("degrees", "t"),
    [
        (1, 12.706204736), (2, 4.302652730), (3, 3.182446305), (4, 2.776445105), (5, 2.570581836), (9, 2.262157163),
        (24, 2.063898562), (99, 1.984216952), (100, 1.983971519), (999, 1.962341461), (1000, 1.962339081),
        (100_000, 1.959987708),
    ],
)  # fmt: skip
def test_quantiles_are_those_of_the_tables(degrees: int, t: float) -> None:
    """scipy.stats.t.ppf(0.975, degrees)."""
    assert t_quantile(degrees) == pytest.approx(t, abs=1.1e-9)


@given(st.floats(0, 1), st.floats(0, 1e6))
def test_wilson_is_symmetric_in_pass_and_fail(share: float, n: float) -> None:
    low, high = wilson(share, n)
    assert wilson(1 - share, n) == near((1 - high, 1 - low))


def test_wilson_without_observations_is_the_whole_scale() -> None:
    assert wilson(0.3, 0) == (0.0, 1.0)


@given(st.lists(ANY, min_size=1, max_size=6))
def test_query_mean_lies_between_its_items(values: list[float]) -> None:
    assert min(values) <= query_mean(values) * (1 + 1e-15)
    assert query_mean(values) * (1 - 1e-15) <= max(values)
