"""Intervals: their edges, and what holds for any data."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import accumulate
from math import comb, fsum
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.intervals import (
    Interval,
    Values,
    effective_n,
    mean_interval,
    median_interval,
    query_mean,
    wilson,
)
from tests.scoring.statistics.cases import near

POINTS = st.sampled_from([0.0, 1.0, 2.5, 3.0, 4.0, 5.0])
ANY = st.floats(0, 5) | POINTS
QUERIES = st.lists(st.lists(ANY, min_size=1, max_size=5).map(tuple), min_size=1, max_size=30)


def _mean(queries: list[Values]) -> float:
    return min(max(fsum(map(query_mean, queries)) / len(queries), 0.0), 5.0)


def _interval(queries: list[Values], value: float | None = None) -> Interval:
    interval = mean_interval(_mean(queries) if value is None else value, queries, top=5.0)
    assert interval is not None
    return interval


@pytest.mark.parametrize(
    ("queries", "value", "n", "low", "high"),
    [
        # Wilson at p = 1: n / (n + z²), z² = 3.8414588…
        pytest.param([(5.0,)], 5.0, 1, 5 / 4.841458820694124, 5.0, id="one-query-one-item"),
        pytest.param([(5.0, 5.0, 5.0)], 5.0, 1, 5 / 4.841458820694124, 5.0, id="equal-items-count-once"),
        pytest.param([(0.0, 5.0)], 2.5, 2, *(5 * end for end in wilson(0.5, 2)), id="one-query-unequal-items"),
        pytest.param([(3.0,), (3.0, 3.0)], 3.0, 2, *(5 * end for end in wilson(0.6, 2)), id="all-equal-inside"),
        pytest.param([(0.1,)] * 3, 0.1, 3, *(5 * end for end in wilson(0.02, 3)), id="equal-but-for-rounding"),
        pytest.param([(0.0,), (), (0.0,)], 0.0, 2, 0.0, 5 * 3.841458820694124 / 5.841458820694124, id="one-is-empty"),
        pytest.param([(0.0,), (5.0,)], 2.5, 2, *(5 * end for end in wilson(0.5, 2)), id="both-ends"),
        # A weighted total of full points may miss them by the last bit; that is no spread.
        pytest.param([(5.0,), (4.999999999999999,)], 5.0, 2, 10 / 5.841458820694124, 5.0, id="full-but-for-rounding"),
        # The shown value says "all passed", the queries do not: nothing is known.
        pytest.param([(0.0,), (5.0,)], 5.0, 0, 0.0, 5.0, id="value-at-the-end-but-queries-differ"),
    ],
)
def test_mean_interval_at_its_edges(queries: list[Values], value: float, n: float, low: float, high: float) -> None:
    assert effective_n(value, queries, top=5.0) == near(n)
    assert mean_interval(value, queries, top=5.0) == near((low, high))


@pytest.mark.parametrize("queries", [[], [()]], ids=["none", "without-values"])
def test_no_values_have_no_interval(queries: list[Values]) -> None:
    assert mean_interval(0.0, queries, top=5.0) is None
    assert effective_n(0.0, queries, top=5.0) == 0


@pytest.mark.parametrize("value", [-0.001, 5.001, float("nan")])
def test_value_outside_the_scale_is_a_bug_of_the_caller(value: float) -> None:
    with pytest.raises(ValueError, match=r"is not on the scale from 0\.0 to 5\.0"):
        mean_interval(value, [(5.0,)], top=5.0)


def test_rounding_beyond_the_scale_is_taken_as_its_end() -> None:
    assert mean_interval(5.000000000000001, [(5.0,)] * 4, top=5.0) == mean_interval(5.0, [(5.0,)] * 4, top=5.0)


def test_the_shown_value_is_the_centre_and_the_queries_give_the_spread() -> None:
    queries = [(5.0, 0.0), (5.0,), (0.0,), (4.0, 4.0)]
    low, high = _interval(queries, 3.0)
    assert low < 3.0 < high
    assert _interval(queries, 3.2).low > low


@given(QUERIES)
def test_interval_holds_the_value_and_stays_on_the_scale(queries: list[Values]) -> None:
    value = _mean(queries)
    low, high = _interval(queries)
    assert 0.0 <= low <= value <= high <= 5.0


@given(QUERIES, st.sampled_from([(1.0, 5.0), (-1.0, 0.3), (0.1, 0.7)]))
def test_a_scale_may_begin_anywhere(queries: list[Values], ends: tuple[float, float]) -> None:
    floor, top = ends
    moved = [tuple(floor + (top - floor) * value / 5 for value in values) for values in queries]
    value = min(max(fsum(map(query_mean, moved)) / len(moved), floor), top)
    interval = mean_interval(value, moved, floor=floor, top=top)
    assert interval is not None
    assert floor <= interval.low <= value <= interval.high <= top


@given(st.lists(st.lists(POINTS, min_size=1, max_size=5).map(tuple), min_size=1, max_size=30))
def test_a_scale_that_is_moved_and_stretched_moves_and_stretches_the_interval(queries: list[Values]) -> None:
    moved = [tuple(10 + 2 * value for value in values) for values in queries]
    interval = mean_interval(10 + 2 * _mean(queries), moved, floor=10.0, top=20.0)
    assert interval == near(tuple(10 + 2 * end for end in _interval(queries)))


@given(QUERIES, st.randoms(use_true_random=False))
def test_order_of_queries_and_items_changes_no_digit(queries: list[Values], random: Random) -> None:
    value = _mean(queries)
    shuffled = [tuple(random.sample(values, len(values))) for values in random.sample(queries, len(queries))]
    assert _interval(shuffled, value) == _interval(queries, value)
    assert mean_interval(value, Counter(shuffled), top=5.0) == _interval(queries, value)


@given(st.lists(st.tuples(ANY, ANY, ANY), min_size=1, max_size=20), st.integers(0, 60))
def test_splitting_rounds_over_files_changes_no_digit(queries: list[tuple[float, float, float]], cut: int) -> None:
    rows = [(at, values[place]) for place in range(3) for at, values in enumerate(queries)]
    merged: defaultdict[int, list[float]] = defaultdict(list)
    for part in (rows[cut:], rows[:cut]):
        for at, value in part:
            merged[at].append(value)
    value = _mean(list(queries))
    assert _interval([tuple(values) for values in merged.values()], value) == _interval(list(queries), value)


@given(QUERIES, st.integers(2, 5))
def test_more_queries_with_the_same_spread_never_widen(queries: list[Values], times: int) -> None:
    value = _mean(queries)
    few, many = _interval(queries, value), _interval(queries * times, value)
    assert many.high - many.low <= few.high - few.low + 1e-12


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(2, 5))
def test_equal_repeats_add_nothing(passes: list[bool], times: int) -> None:
    once: list[Values] = [(5.0 * passed,) for passed in passes]
    assert _interval([values * times for values in once]) == _interval(once)


@given(st.floats(0, 1), st.floats(0, 1e6))
def test_wilson_is_symmetric_in_pass_and_fail(share: float, n: float) -> None:
    low, high = wilson(share, n)
    assert wilson(1 - share, n) == near((1 - high, 1 - low))


def test_wilson_without_observations_is_the_whole_scale() -> None:
    assert wilson(0.3, 0) == (0.0, 1.0)


@pytest.mark.parametrize("n", [*range(1, 60), 99, 100, 301])
def test_median_interval_takes_the_innermost_order_statistics_that_keep_the_level(n: int) -> None:
    interval = median_interval([float(value) for value in range(n, 0, -1)])
    tails = accumulate(Fraction(comb(n, k), 2**n) for k in range(n // 2))
    ranks = [rank for rank, tail in enumerate(tails, start=1) if tail <= Fraction(25, 1000)]
    assert interval == ((ranks[-1], n + 1 - ranks[-1]) if ranks else None)


def test_median_interval_at_its_edges() -> None:
    assert median_interval([]) is None
    assert median_interval([1.0] * 5) is None
    assert median_interval([3.0, 1.0, 2.0, 9.0, -4.0, 0.0]) == (-4.0, 9.0)
    assert median_interval([2.0] * 12) == (2.0, 2.0)


@given(st.lists(st.floats(-100, 100), min_size=6, max_size=80))
def test_median_interval_holds_the_median(values: list[float]) -> None:
    interval = median_interval(values)
    assert interval is not None
    ordered = sorted(values)
    assert interval.low <= ordered[(len(values) - 1) // 2]
    assert ordered[len(values) // 2] <= interval.high


@given(st.lists(ANY, min_size=1, max_size=6))
def test_query_mean_lies_between_its_items(values: list[float]) -> None:
    assert min(values) <= query_mean(values) * (1 + 1e-15)
    assert query_mean(values) * (1 - 1e-15) <= max(values)
