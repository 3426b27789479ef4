"""Student's t: quantiles as in published tables, and the interval of a mean worked out by hand."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.student import mean_interval_of_queries, t_quantile


@pytest.mark.parametrize(
    ("degrees", "t"),
    [
        (1, 12.706204736), (2, 4.302652730), (3, 3.182446305), (4, 2.776445105), (5, 2.570581836), (9, 2.262157163),
        (24, 2.063898562), (99, 1.984216952), (100, 1.983971519), (999, 1.962341461), (1000, 1.959963985),
    ],
)  # fmt: skip
def test_quantiles_are_those_of_the_tables(degrees: int, t: float) -> None:
    """scipy.stats.t.ppf(0.975, degrees); from 1,000 on the normal quantile."""
    assert t_quantile(degrees) == pytest.approx(t, abs=1.1e-9)


def test_interval_by_hand() -> None:
    # means 1500, 2500, 500: mean 1500, deviations 0, 1000, -1000, s = sqrt(2e6 / 2) = 1000, t of 2 degrees 4.30265273
    half = 4.302652730 * 1000 / sqrt(3)
    means = [1500.0, 2500.0, 500.0]
    assert mean_interval_of_queries(1500.0, means) == pytest.approx((1500 - half, 1500 + half))
    assert mean_interval_of_queries(1500.0, means, is_above_0=True) == pytest.approx((0.0, 1500 + half))


@pytest.mark.parametrize("means", [[], [3.0]])
def test_fewer_than_two_queries_have_no_interval(means: list[float]) -> None:
    assert mean_interval_of_queries(3.0, means) is None


@given(st.lists(st.floats(-1e12, 1e12), min_size=2, max_size=12))
def test_the_order_of_queries_changes_nothing(means: list[float]) -> None:
    shuffled = sorted(means)
    found = mean_interval_of_queries(1.0, means)
    assert found == mean_interval_of_queries(1.0, shuffled)
    assert found is not None
    assert found.low <= 1.0 <= found.high
