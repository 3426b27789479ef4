"""Percentiles, against values that numpy.percentile gave (numpy 2, method linear, the default)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.intervals import percentile

# 82 seconds as of a round of the sample.
ROUND = (
    "12.958 76.422 68.976 23.701 45.094 41.005 58.992 71.196 9.354 3.523 75.383 39.516 68.843 1.187 40.639 65.217 "
    "21.36 85.129 81.227 3.723 3.265 49.186 84.584 34.927 20.277 38.568 3.585 20.731 39.972 45.127 21.745 21.547 "
    "20.472 41.905 26.791 2.913 75.544 50.524 58.164 17.546 89.336 77.535 11.759 30.61 65.212 64.296 84.343 38.568 "
    "74.873 60.657 28.0 53.295 79.541 76.312 45.97 53.421 4.073 22.604 71.969 37.874 16.398 49.843 63.571 61.029 "
    "34.349 40.068 46.25 70.281 47.364 36.0 44.583 3.632 4.87 63.601 88.504 53.793 36.03 16.161 45.699 88.405 "
    "69.577 49.026"
)
NUMBERS = st.lists(st.floats(0, 1e6), min_size=1, max_size=50)


@pytest.mark.parametrize(
    ("values", "p50", "p95"),
    [
        pytest.param([1.0], 1.0, 1.0, id="one"),
        pytest.param([1.0, 2.0], 1.5, 1.95, id="two"),
        pytest.param([3.0, 1.0, 2.0], 2.0, 2.9, id="odd"),
        pytest.param([4.2, 7.3, 9.1, 10.4], 8.2, 10.205, id="even"),  # nearest rank: 7.3 and 10.4
        pytest.param([0.1, 0.2, 0.4], 0.2, 0.38, id="fractions"),
        pytest.param([*map(float, range(1, 21))], 10.5, 19.05, id="twenty"),
        pytest.param([12.608, 7.125, 9.095, 30.26, 3.841], 9.095, 26.729599999999998, id="seconds"),
        pytest.param([*map(float, ROUND.split())], 45.1105, 84.57195, id="a round"),
    ],
)
def test_values_are_those_of_numpy(values: list[float], p50: float, p95: float) -> None:
    ordered = sorted(values)
    assert (percentile(ordered, 50), percentile(ordered, 95)) == pytest.approx((p50, p95), rel=1e-15, abs=0)


def test_no_numbers_have_none() -> None:
    assert percentile([], 50) is None


@pytest.mark.parametrize("percent", [-1, 101])
def test_a_percent_is_between_0_and_100(percent: int) -> None:
    with pytest.raises(ValueError, match=f"^{percent} is not a percent$"):
        percentile([1.0], percent)


@given(NUMBERS, st.integers(0, 99))
def test_it_stays_within_its_neighbours_and_rises_with_the_percent(values: list[float], percent: int) -> None:
    ordered = sorted(values)
    low, high = percentile(ordered, percent), percentile(ordered, percent + 1)
    assert low is not None
    assert high is not None
    assert ordered[0] <= low <= high <= ordered[-1]


@given(NUMBERS)
def test_its_ends_are_the_least_and_the_most(values: list[float]) -> None:
    ordered = sorted(values)
    assert (percentile(ordered, 0), percentile(ordered, 100)) == (ordered[0], ordered[-1])
