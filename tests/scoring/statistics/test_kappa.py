"""Agreement: published worked examples, edges, and what holds for any levels; intervals are also in `test_cases`."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.statistics.kappa import exact_agreement, kappa_interval, repeatability, weighted_kappa
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


LEVELS = st.lists(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=3), min_size=10, max_size=25
)


@settings(deadline=None, max_examples=examples(30))
@given(LEVELS, st.randoms(use_true_random=False))
def test_interval_is_ordered_and_the_same_in_any_order(queries: list[list[tuple[int, int]]], random: Random) -> None:
    interval = kappa_interval(queries, 4)
    mixed = [random.sample(query, len(query)) for query in random.sample(queries, len(queries))]
    assert interval == (None if interval is None else pytest.approx(kappa_interval(mixed, 4), abs=1e-12))
    if interval is not None:
        assert -1 <= interval.low <= interval.high <= 1


def _alike(queries: int, disagreeing: int, levels: int) -> list[list[tuple[int, int]]]:
    """Queries of one item; of the first ones the second series is one level beside."""
    found = [[(at % levels, at % levels)] for at in range(queries)]
    return [[(one, (one + 1) % levels)] if at < disagreeing else [(one, one)] for at, [(one, _)] in enumerate(found)]


@pytest.mark.parametrize(
    ("queries", "disagreeing", "levels", "has_interval"),
    [
        pytest.param(9, 2, 5, False, id="nine-queries"),
        pytest.param(10, 2, 5, True, id="ten-queries"),
        pytest.param(10, 0, 5, True, id="ten-queries-that-agree"),
        pytest.param(39, 9, 2, False, id="two-levels-39-queries"),
        pytest.param(40, 4, 2, False, id="two-levels-four-disagree"),
        pytest.param(40, 5, 2, True, id="two-levels-five-disagree"),
    ],
)
def test_few_queries_have_no_interval(queries: int, disagreeing: int, levels: int, has_interval: bool) -> None:
    assert (kappa_interval(_alike(queries, disagreeing, levels), levels) is not None) is has_interval


def test_one_level_throughout_has_no_interval() -> None:
    assert kappa_interval([[(1, 1)]] * 20, 3) is None


def test_repeats_of_queries_add_nothing_to_the_interval() -> None:
    once = _alike(30, 6, 4)
    few, many = kappa_interval(once, 4), kappa_interval([query * 5 for query in once], 4)
    assert few is not None
    assert few == pytest.approx(many)


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
