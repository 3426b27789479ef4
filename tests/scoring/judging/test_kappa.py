"""Agreement: published worked examples, edges, and an interval that is the same everywhere."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.judging.kappa import _Bits, exact_agreement, kappa_interval, repeatability, weighted_kappa
from tests.examples import examples
from tests.scoring.statistics.cases import case, near

# J. Cohen, Psychological Bulletin 70 (1968), table 1: 200 cases, with the weights of disagreement that he gives them.
COHEN_1968 = ((88, 14, 18), (10, 40, 10), (2, 6, 12))
COHEN_WEIGHTS = ((0, 1, 3), (1, 0, 6), (3, 6, 0))
# K. Gwet, Handbook of Inter-Rater Reliability (4th ed., 2014): 100 abstracted cases; R package irrCAC prints both.
GWET = ((13, 0, 0), (0, 20, 7), (0, 4, 56))


def nominal(row: int, column: int) -> int:
    return int(row != column)


def test_weighted_kappa_of_cohen_1968() -> None:
    kappa = weighted_kappa(COHEN_1968, lambda row, column: COHEN_WEIGHTS[row][column])
    assert kappa == pytest.approx(0.348, abs=5e-4)
    assert weighted_kappa(COHEN_1968, nominal) == pytest.approx(0.492, abs=5e-4)


def test_quadratic_kappa_of_gwet() -> None:
    assert weighted_kappa(GWET) == pytest.approx(0.8921569, abs=5e-8)
    assert weighted_kappa(GWET, nominal) == pytest.approx(0.7964094, abs=5e-8)
    assert exact_agreement(GWET) == 0.89


def test_kappa_of_scikit_learn_and_statsmodels() -> None:
    found = case("judge_agreement")
    matrix, right = found["inputs"], found["results"]
    assert exact_agreement(matrix) == near(right["exact_agreement"])
    assert weighted_kappa(matrix) == near(right["kappa_quadratic"])
    assert weighted_kappa(matrix, nominal) == near(right["kappa_unweighted"])
    # a bootstrap interval beside the one by formula: a fifth of a standard error is let pass
    assert kappa_interval(matrix) == near(tuple(right["kappa_quadratic_ci"]), 0.01)


@pytest.mark.parametrize(
    ("matrix", "kappa"),
    [
        pytest.param(((20, 5), (10, 15)), 0.4, id="two-levels"),  # (0.7 - 0.5) / (1 - 0.5)
        pytest.param(((4, 0), (0, 6)), 1.0, id="always-equal"),
        pytest.param(((0, 5), (5, 0)), -1.0, id="always-apart"),
        pytest.param(((5, 5), (5, 5)), 0.0, id="chance"),
        pytest.param(((0, 7), (0, 0)), 0.0, id="one-level-each-but-another"),
        pytest.param(((7, 0), (0, 0)), None, id="one-level"),
        pytest.param(((0, 0), (0, 0)), None, id="no-items"),
    ],
)
def test_kappa_at_its_edges(matrix: tuple[tuple[int, ...], ...], kappa: float | None) -> None:
    assert weighted_kappa(matrix) == kappa


MATRICES = st.integers(2, 6).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, 9), min_size=size, max_size=size), min_size=size, max_size=size)
)


@given(MATRICES)
def test_kappa_is_the_textbook_formula_in_fractions(matrix: list[list[int]]) -> None:
    size, n = len(matrix), sum(map(sum, matrix))
    rows = [sum(row) for row in matrix]
    columns = [sum(row[at] for row in matrix) for at in range(size)]
    weights = [[1 - Fraction((i - j) ** 2, (size - 1) ** 2) for j in range(size)] for i in range(size)]
    pairs = [(i, j) for i in range(size) for j in range(size)]
    kappa = weighted_kappa(matrix)
    if not n or (expected := sum(weights[i][j] * Fraction(rows[i] * columns[j], n * n) for i, j in pairs)) == 1:
        assert kappa is None
        return
    observed = sum(weights[i][j] * Fraction(matrix[i][j], n) for i, j in pairs)
    assert kappa == pytest.approx(float((observed - expected) / (1 - expected)))


@settings(deadline=None, max_examples=examples(30))
@given(MATRICES)
def test_interval_is_ordered_and_the_same_every_time(matrix: list[list[int]]) -> None:
    interval = kappa_interval(matrix, resamples=100)
    assert interval == kappa_interval(matrix, resamples=100)
    if interval is not None:
        assert -1 <= interval.low <= interval.high <= 1


def test_interval_of_a_published_table_is_near_its_normal_one() -> None:
    # irrCAC: unweighted standard error 0.0589; the quadratic one is smaller. The digits are those of any machine.
    interval = kappa_interval(GWET)
    assert interval is not None
    assert (round(interval.low, 3), round(interval.high, 3)) == (0.806, 0.953)
    assert interval.low < 0.8921569 < interval.high


def test_interval_of_a_hundred_times_the_items_is_a_tenth_as_wide() -> None:
    few, many = kappa_interval(GWET), kappa_interval([[100 * n for n in row] for row in GWET])
    assert few is not None
    assert many is not None
    assert (few.high - few.low) / (many.high - many.low) == pytest.approx(10, rel=0.15)
    assert many.low < 0.8921569 < many.high


@pytest.mark.parametrize("matrix", [((1, 0), (0, 0)), ((9, 0), (0, 0)), ((0, 0), (0, 0))])
def test_no_interval_without_a_kappa(matrix: tuple[tuple[int, ...], ...]) -> None:
    assert kappa_interval(matrix) is None


def test_draws_are_binomial() -> None:
    bits = _Bits(b"test")
    drawn = Counter(bits.binomial(10, 3, 10) for _ in range(4_000))
    assert sum(n * times for n, times in drawn.items()) / 4_000 == pytest.approx(3.0, abs=0.1)
    assert sum((n - 3) ** 2 * times for n, times in drawn.items()) / 4_000 == pytest.approx(2.1, abs=0.2)
    assert [bits.binomial(7, part, 5) for part in (0, 5)] == [0, 7]
    assert bits.binomial(0, 2, 5) == 0


def test_draws_of_many_are_as_wide_as_binomial_ones() -> None:
    bits = _Bits(b"test")
    drawn = sorted(bits.binomial(1_000, 1, 3) for _ in range(4_000))  # deviation: sqrt(1000 / 3 * 2 / 3) = 14.9
    assert sum(drawn) / 4_000 == pytest.approx(333.3, abs=1.0)
    assert (drawn[100] - 333.3, drawn[3_900] - 333.3) == pytest.approx((-29.2, 29.2), abs=1.5)  # 1.96 deviations


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        pytest.param([], (0, None, None), id="nothing"),
        pytest.param([["4"], ["3"]], (0, None, None), id="one-vote-each"),
        pytest.param([["4", "4", "4"]], (1, 1.0, 1.0), id="unanimous"),
        pytest.param([["4", "4", "3"]], (1, 0.0, 1 / 3), id="two-of-three"),  # 1 of 3 pairs
        pytest.param([["4", "4"], ["4", "3"], ["1"]], (2, 0.5, 0.5), id="half"),
    ],
)
def test_repeatability(votes: list[list[str]], expected: tuple[int, float | None, float | None]) -> None:
    assert tuple(repeatability(votes)) == expected
