"""Intervals of changes: the same bytes everywhere, edges, and what holds for any data."""

from __future__ import annotations

from math import sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.statistics.bootstrap import NORMAL_FROM, agreeing_interval, change_intervals
from scoring.statistics.intervals import Interval
from tests.examples import examples
from tests.scoring.statistics.cases import near

SEED = "3f9a 77c1"
POINTS = st.sampled_from([0.0, 0.5, -0.5, 1.0, 5.0, -5.0, 1 / 3, -0.001])
DIFFERENCES = st.lists(POINTS, min_size=2, max_size=15)


def _interval(differences: list[float], seed: str = SEED) -> Interval:
    (interval,) = change_intervals([differences], seed=seed)
    assert interval is not None
    return interval


def _made(n: int) -> list[list[float]]:
    """Differences of three metrics that follow from n: in halves, in thirds and in thousandths."""
    return [
        [(at * at % 7 - 3) / 2 for at in range(n)],
        [(at * 5 % 11 - 4) / 3 for at in range(n)],
        [(at * 7919 % 4001 - 2000) / 1000 for at in range(n)],
    ]


# Written by this code once. They change only with the seed, the draw or the order of the metrics: then every
# comparison changes its bytes too.
GOLDEN: dict[int, list[tuple[float, float]]] = {
    2: [(-1.5, -1.0), (-1.3333333333333333, 0.3333333333333333), (-2.0, 1.918)],
    12: [(-0.9166666666666666, -0.125), (-0.4173611111111111, 0.8055555555555556), (0.58575, 1.60675)],
    82: [
        (-0.6525914634146341, -0.3475609756097561),
        (0.11382113821138211, 0.5853658536585366),
        (-0.0530375, 0.43205274390243903),
    ],
    499: [
        (-0.5671342685370742, -0.44085671342685373),
        (0.23979625918503675, 0.4268704074816299),
        (-0.06979088176352706, 0.12885796593186372),
    ],
    500: [
        (-0.5631356483380416, -0.43886435166195836),
        (0.24268858346769634, 0.4279780831989703),
        (-0.06884073918710684, 0.13520873918710685),
    ],
}


@pytest.mark.parametrize("n", GOLDEN)
def test_intervals_are_these_to_the_last_bit(n: int) -> None:
    assert change_intervals(_made(n), seed=SEED) == GOLDEN[n]


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_queries_have_no_interval(n: int) -> None:
    assert change_intervals([[1.0] * n, [2.0] * n], seed=SEED) == [None, None]


def test_no_metrics_have_no_intervals() -> None:
    assert change_intervals([], seed=SEED) == []


def test_metrics_of_different_queries_are_a_bug_of_the_caller() -> None:
    with pytest.raises(ValueError, match="shorter"):
        change_intervals([[1.0, 2.0, 3.0], [1.0, 2.0]], seed=SEED)


@pytest.mark.parametrize("n", [2, 82, NORMAL_FROM - 1, NORMAL_FROM])
@pytest.mark.parametrize("difference", [0.0, -2.5, 1 / 3])
def test_equal_differences_have_no_width(n: int, difference: float) -> None:
    assert _interval([difference] * n) == near((difference, difference), 1e-6)


def test_another_pair_of_runs_draws_other_queries() -> None:
    differences = _made(30)[2]
    assert _interval(differences) == _interval(differences)
    assert _interval(differences) != _interval(differences, "77c1 3f9a")


@settings(max_examples=examples(25))
@given(DIFFERENCES, st.randoms(use_true_random=False))
def test_order_of_queries_changes_no_bit(differences: list[float], random: Random) -> None:
    shuffled = random.sample(differences, len(differences))
    assert _interval(shuffled) == _interval(differences)


@settings(max_examples=examples(25))
@given(st.lists(st.tuples(POINTS, POINTS), min_size=2, max_size=15))
def test_interval_lies_between_the_smallest_and_the_largest_difference(queries: list[tuple[float, float]]) -> None:
    metrics = [list(metric) for metric in zip(*queries, strict=True)]
    for metric, interval in zip(metrics, change_intervals(metrics, seed=SEED), strict=True):
        assert interval is not None
        assert min(metric) - 1e-6 <= interval.low <= interval.high <= max(metric) + 1e-6


@settings(max_examples=examples(25))
@given(DIFFERENCES)
def test_metrics_share_one_draw(differences: list[float]) -> None:
    plain, mirrored, double = change_intervals(
        [differences, [-one for one in differences], [2 * one for one in differences]], seed=SEED
    )
    assert plain is not None
    assert mirrored == near((-plain.high, -plain.low), 1e-6)
    assert double == near((2 * plain.low, 2 * plain.high), 1e-6)


@pytest.mark.parametrize("n", [NORMAL_FROM - 1, NORMAL_FROM])
def test_normal_interval_takes_over_at_500_queries_without_a_jump(n: int) -> None:
    differences = _made(n)[2]
    mean = sum(differences) / n
    half = 1.96 * sqrt(sum((one - mean) ** 2 for one in differences) / (n - 1) / n)
    exact = 1e-9 if n >= NORMAL_FROM else 0.1 * half
    assert _interval(differences) == near((mean - half, mean + half), exact)
    assert (_interval(differences) == near((mean - half, mean + half))) is (n >= NORMAL_FROM)


def test_resamples_cover_the_mean_as_often_as_the_level_says() -> None:
    """95 % intervals of 100 samples of 30 normal differences: from 88 to 99 hold the mean of 0."""
    random = Random(11)
    samples = [[random.gauss(0, 1) for _ in range(30)] for _ in range(100)]
    covered = sum(low <= 0 <= high for low, high in map(_interval, samples))
    assert 88 <= covered <= 99


@pytest.mark.parametrize(
    ("interval", "p", "shown"),
    [
        pytest.param((0.1, 0.9), 0.051, (0.0, 0.9), id="above-0-not-significant"),
        pytest.param((-0.9, -0.1), 0.051, (-0.9, 0.0), id="below-0-not-significant"),
        pytest.param((0.1, 0.9), 0.05, (0.1, 0.9), id="significant-at-the-level"),
        pytest.param((-0.1, 0.9), 1.0, (-0.1, 0.9), id="holds-0-anyway"),
        pytest.param((-0.1, 0.9), 0.01, (-0.1, 0.9), id="significant-and-holds-0"),
    ],
)
def test_interval_agrees_with_the_test(interval: tuple[float, float], p: float, shown: tuple[float, float]) -> None:
    assert agreeing_interval(Interval(*interval), p) == shown
