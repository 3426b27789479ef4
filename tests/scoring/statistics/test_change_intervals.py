"""Intervals of a change: against all averages counted one by one, and what holds for any data."""

from itertools import combinations_with_replacement
from random import Random
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.statistics.change_intervals import (
    EXACT_RANKS_BELOW,
    _rank_sums_outside,
    change_interval,
    least_margin,
    shift,
    sign_flip,
    signed_ranks,
)
from tests.examples import examples
from tests.scoring.statistics.cases import near

STEPS = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=40)


@given(STEPS, st.booleans())
def test_interval_of_a_change_holds_the_mean_and_lies_on_the_scale(differences: list[float], is_found: bool) -> None:
    is_found = is_found and any(differences)
    low, high = change_interval(differences, length=5.0, is_found=is_found)
    assert -5.0 <= low <= high <= 5.0
    if not is_found:
        assert low <= 0.0 <= high
        assert low <= sum(differences) / len(differences) / 2 <= high


@given(STEPS)
def test_a_change_that_is_found_is_never_beyond_0(differences: list[float]) -> None:
    total = sum(differences)
    if total:
        low, high = change_interval(differences, length=5.0, is_found=True)
        assert (high <= 0.0) if total < 0 else (low >= 0.0)


@given(STEPS, st.booleans())
def test_the_other_way_round_is_the_mirror(differences: list[float], is_found: bool) -> None:
    is_found = is_found and sum(differences) != 0
    forth = change_interval(differences, length=5.0, is_found=is_found)
    back = change_interval([-one for one in differences], length=5.0, is_found=is_found)
    assert (forth.low, forth.high) == near((-back.high, -back.low))


@settings(max_examples=examples(60))
@given(st.lists(st.integers(-30, 30).map(lambda n: n / 4), min_size=1, max_size=90))
def test_shift_is_the_median_of_all_averages_of_two(differences: list[float]) -> None:
    averages = [(one + other) / 2 for one, other in combinations_with_replacement(differences, 2)]
    assert shift(differences).estimate == near(median(averages))


@settings(max_examples=examples(60))
@given(
    st.lists(
        st.one_of(st.integers(-3, 3), st.integers(-(10**15), 10**15).map(lambda n: n / 7), st.just(0.25)).map(float),
        min_size=1,
        max_size=60,
    )
)
def test_ends_of_a_shift_are_sums_at_their_places(differences: list[float]) -> None:
    """Whatever the numbers: outliers by many powers of ten, ties, and none that differs."""
    sums = sorted(one + other for one, other in combinations_with_replacement(sorted(differences), 2))
    found = shift(differences)
    outside = _rank_sums_outside(len(differences))
    assert (found.interval is None) is (outside == 0)
    if found.interval is not None:
        ends = sums[outside - 1] / 2, sums[len(sums) - outside] / 2
        assert found.interval == pytest.approx(ends, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("n", [6, 7, 12, 40, 99, 100, 150])
def test_shift_has_the_values_that_the_test_does_not_exclude(n: int) -> None:
    """Just inside an end the signed-rank test of the differences less that value is above 5 %, just outside not."""
    random = Random(n)
    differences = [random.gauss(0.3, 1.0) for _ in range(n)]
    interval = shift(differences).interval
    assert interval is not None
    for end, inward in ((interval.low, 1), (interval.high, -1)):
        for step, is_inside in ((1e-6 * inward, True), (-1e-6 * inward, False)):
            moved = [one - end - step for one in differences]
            p = sign_flip(signed_ranks(moved), exact_below=EXACT_RANKS_BELOW)
            assert (p > 0.05) is is_inside, (n, end, p)


@pytest.mark.parametrize(
    ("queries", "rounds", "margin"),
    [(12, 3, 1.4), (30, 3, 0.65), (82, 3, 0.32), (82, 10, 0.24), (200, 3, 0.18), (500, 3, 0.11)],
)
def test_least_margin_is_the_one_that_was_measured(queries: int, rounds: int, margin: float) -> None:
    """In the world of docs/statistics.md: 75 % easy queries, and hard ones of which some answers fail."""
    random = Random(queries + rounds)
    told = []
    for _ in range(40):
        hard = [random.random() if random.random() < 0.25 else 0.02 for _ in range(queries)]
        points = [
            [5.0 if random.random() > one else random.choice([0.0, 0.0, 1.0, 2.0]) for _ in range(rounds)]
            for one in hard
        ]
        told.append(least_margin(points, length=5.0).margin)
    assert median(told) == pytest.approx(margin, rel=0.12)


def test_fewer_than_six_differences_have_no_interval() -> None:
    assert shift([1.0] * 5).interval is None
    assert shift([1.0] * 6).interval == (1.0, 1.0)
    assert shift([0.0] * 200) == (0.0, (0.0, 0.0))


def test_many_differences_are_searched_and_not_listed() -> None:
    random = Random(7)
    differences = [round(random.lognormvariate(0, 1) - 1, 3) for _ in range(3_000)]
    found = shift(differences)
    assert found.interval is not None
    assert found.interval.low < found.estimate < found.interval.high
    assert found.interval.high - found.interval.low < 0.15
