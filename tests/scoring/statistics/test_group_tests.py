"""Groups and rounds: edges of the two tests; the right values are in `test_cases`."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.distributions import chi_square_above, f_above, t_below
from scoring.statistics.group_tests import Sample, lower_by_chance, rounds_alike, sample_of
from tests.scoring.statistics.cases import near

MEANS = st.lists(st.sampled_from([0.0, 1.5, 3.0, 4.0, 5.0]), min_size=10, max_size=30)


def test_a_sample_has_the_variance_with_n_minus_1() -> None:
    assert sample_of(Counter([1.0, 1.0, 4.0])) == Sample(3, 2.0, near(3.0))
    assert sample_of({2.0: 1}) == Sample(1, 2.0, 0.0)
    assert sample_of({}) == Sample(0, 0.0, 0.0)


@pytest.mark.parametrize(("sizes", "is_tested"), [((9, 40), False), ((10, 9), False), ((10, 10), True)])
def test_both_sides_need_ten_queries(sizes: tuple[int, int], is_tested: bool) -> None:
    group, others = sample_of({1.0: sizes[0]}), sample_of({2.0: sizes[1]})
    assert lower_by_chance(group, others) == (0.0 if is_tested else None)


def test_a_difference_that_comes_from_rounding_is_none() -> None:
    some = {0.3: 6, 0.5: 6}
    moved = {0.3 - 1e-12: 6, 0.5 - 1e-12: 6}
    assert lower_by_chance(sample_of(moved), sample_of(some)) == near(0.5)
    assert lower_by_chance(sample_of({0.5 - 1e-12: 12}), sample_of({0.5: 12})) == 1.0


@given(MEANS, MEANS)
def test_lower_one_way_is_higher_the_other_way(group: list[float], others: list[float]) -> None:
    one, other = sample_of(Counter(group)), sample_of(Counter(others))
    p = lower_by_chance(one, other, length=5.0)
    back = lower_by_chance(other, one, length=5.0)
    assert p is not None
    assert back is not None
    if one.variance or other.variance:
        assert p + back == near(1.0)


@pytest.mark.parametrize(
    ("queries", "reason"),
    [
        ({(1.0, 0.0): 9}, "nine queries"),
        ({(1.0,): 12}, "one round"),
        ({(1.0, None): 12}, "one round that queries have"),
        ({(1.0, 1.0): 6, (0.0, 0.0): 6}, "no query differs"),
    ],
)
def test_rounds_without_a_figure(queries: dict[tuple[float | None, ...], int], reason: str) -> None:
    assert rounds_alike(queries) is None, reason


def test_a_round_that_half_of_the_queries_have_is_compared() -> None:
    queries: dict[tuple[float | None, ...], int] = {(1.0, 0.0, 1.0): 10, (1.0, 1.0, None): 10}
    found = rounds_alike(queries)
    assert found is not None
    assert (found.rounds, found.queries, found.means) == ((0, 1, 2), 10, (1.0, 0.0, 1.0))
    assert found.p == 0.0
    queries[1.0, 1.0, None] = 11
    found = rounds_alike(queries)
    assert found is not None
    assert (found.rounds, found.queries) == ((0, 1), 21)


@pytest.mark.parametrize(
    ("found", "right"),
    [
        (t_below(-2.0, 5.5), 0.048377195115592),  # scipy.stats.t.cdf
        (t_below(2.0, 5.5), 1 - 0.048377195115592),
        (t_below(0.0, 3), 0.5),
        (f_above(5.956140350877194, 2, 28), 0.006993922318680),  # scipy.stats.f.sf
        (f_above(0.0, 2, 28), 1.0),
        (chi_square_above(11.555555555555555, 2), 0.003095586852365),  # scipy.stats.chi2.sf
        (chi_square_above(6.043478260869565, 3), 0.109513967562012),
        (chi_square_above(4.0, 1), 0.045500263896358),
        (chi_square_above(0.0, 4), 1.0),
    ],
)
def test_tails(found: float, right: float) -> None:
    assert found == near(right)
