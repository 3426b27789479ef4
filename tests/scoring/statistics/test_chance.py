"""Sign-flip test: against all assignments of signs counted one by one, at its edges, and the approximation."""

from fractions import Fraction
from itertools import product
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.change_intervals import (
    EXACT_BELOW,
    EXACT_RANKS_BELOW,
    sign_flip,
    signed_ranks,
    smallest_change,
    whole_steps,
)
from tests.scoring.statistics.cases import near

DIFFERENCES = st.lists(st.integers(-12, 12), max_size=9)


@given(DIFFERENCES)
def test_p_counts_all_assignments_of_signs(differences: list[int]) -> None:
    observed = abs(sum(differences))
    sums = [sum(map(int.__mul__, differences, signs)) for signs in product((1, -1), repeat=len(differences))]
    assert sign_flip(differences) == float(Fraction(sum(abs(total) >= observed for total in sums), len(sums)))


@given(st.lists(st.integers(-1200, 1200), max_size=260), st.integers(1, 7))
def test_p_depends_on_neither_order_direction_nor_unit(differences: list[int], unit: int) -> None:
    p = sign_flip(differences)
    assert 0 < p <= 1
    assert sign_flip([*reversed(differences), 0]) == p
    assert sign_flip([-unit * difference for difference in differences]) == p


@given(st.lists(st.floats(0, 5), max_size=260))
def test_p_of_a_run_against_itself_is_one(values: list[float]) -> None:
    differences = [value - value for value in values]
    assert sign_flip(whole_steps(differences, 5.0)) == 1.0
    assert sign_flip(signed_ranks(differences), exact_below=EXACT_RANKS_BELOW) == 1.0
    assert smallest_change(differences) is None


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        pytest.param([], 1.0, id="none"),
        pytest.param([0, 0], 1.0, id="no-change"),
        pytest.param([7], 1.0, id="one-query"),
        pytest.param([3, -3], 1.0, id="balanced"),
        pytest.param([-5] * 5, 2 / 2**5, id="five-alike"),
        pytest.param([-5] * 6, 2 / 2**6, id="six-alike"),
        pytest.param([1] * 199, 2 / 2**199, id="as-many-as-are-counted"),
    ],
)
def test_p_at_its_edges(differences: list[int], p: float) -> None:
    assert sign_flip(differences) == p


@pytest.mark.parametrize("changed", [199, 200])
def test_approximation_begins_at_200_changed_queries_and_meets_the_count(changed: int) -> None:
    random = Random(changed)
    differences = [int(random.random() * 40) - 18 or 1 for _ in range(changed)]
    exact = sign_flip(differences, exact_below=1000)
    normal = sign_flip(differences, exact_below=0)
    assert exact != normal
    assert exact == pytest.approx(normal, rel=0.03)
    assert sign_flip(differences) == (exact if changed < EXACT_BELOW else normal)


def test_ranks_share_ties_and_leave_out_zeros() -> None:
    assert signed_ranks([0.0, -2.0, 1.0, 2.0, 0.0, 5.0]) == [-5, 2, 5, 8]  # ranks 2.5, 1, 2.5, 4
    assert signed_ranks([0.1 + 0.2, -0.3, 0.3 - (0.1 + 0.2)]) == [3, -3]  # equal and 0 but for rounding
    assert signed_ranks([]) == []


def test_steps_are_those_of_means_of_up_to_six_items() -> None:
    assert whole_steps([5 / 2, -5 / 3, 5 / 6, 0.0], 5.0) == [600, -400, 200, 0]
    assert whole_steps([1 / 3 - 1 / 4], 1.0) == [100]
    assert whole_steps([5 / 2401, -5 / 2399], 5.0) == [0, -1]


@pytest.mark.parametrize(
    ("differences", "least"),
    [
        pytest.param([], None, id="none"),
        pytest.param([0.0] * 40, None, id="no-change"),
        pytest.param([2.0], 12.0, id="one-query"),
        pytest.param([1.0] * 20, 6 / 20, id="all-alike"),  # no spread: six changed queries of 20
        pytest.param([1.0] + [0.0] * 99, 6 / 100, id="few-changed"),  # the spread would say 0.028
        pytest.param([3.0, -3.0] * 8, 2.8015852181 * 3 * sqrt(16 / 15) / 4, id="spread-decides"),
    ],
)
def test_smallest_change(differences: list[float], least: float | None) -> None:
    assert smallest_change(differences) == (None if least is None else near(least))
