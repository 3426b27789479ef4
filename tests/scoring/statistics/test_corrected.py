"""What people would give: edges that the handed cases do not have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics import Graded, corrected_points, rogan_gladen
from tests.scoring.statistics.cases import near


def test_a_report_that_people_repeat_is_not_corrected() -> None:
    scores = [0.0, 1.0, 2.0, 3.0, 5.0]
    found = corrected_points(scores, dict(enumerate(scores[:4])), top=5.0)
    assert found is not None
    assert (found.slope, found.value) == near((1.0, 2.2))  # mean 1.5 of the reviewed + 1 x (2.2 - 1.5)


def test_points_that_do_not_differ_say_nothing_about_a_slope() -> None:
    found = corrected_points([4.0] * 20, {0: 3.0, 1: 4.0, 2: 5.0}, top=5.0)
    assert found is not None
    assert (found.slope, found.value) == near((0.0, 4.0))


@pytest.mark.parametrize("reviewed", [{}, {0: 1.0}, {0: 1.0, 1: 2.0}])
def test_two_queries_say_nothing_about_what_a_line_leaves(reviewed: dict[int, float]) -> None:
    assert corrected_points([1.0, 2.0, 3.0], reviewed, top=5.0) is None


@given(
    st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=3, max_size=20), st.lists(st.integers(0, 10))
)
def test_value_and_interval_stay_on_the_scale(both: list[tuple[int, int]], others: list[int]) -> None:
    scores = [one / 2 for one, _ in both] + [one / 2 for one in others]
    found = corrected_points(scores, {at: theirs / 2 for at, (_, theirs) in enumerate(both)}, top=5.0)
    assert found is not None
    assert 0 <= found.interval.low <= found.value <= found.interval.high <= 5


def test_a_class_without_an_item_cannot_be_told() -> None:
    assert rogan_gladen(0.9, 80.0, Graded(30, 30, 0, 0, 30, 0)) is None
    assert rogan_gladen(0.9, 80.0, Graded(0, 0, 5, 5, 0, 5)) is None


def test_rates_are_of_items_and_their_weight_is_of_queries() -> None:
    """30 items of 10 queries pass as often as 30 items of 30, and say less about it."""
    few = rogan_gladen(0.8, 164.0, Graded(27, 30, 16, 20, 10, 7))
    many = rogan_gladen(0.8, 164.0, Graded(27, 30, 16, 20, 30, 20))
    assert few is not None
    assert many is not None
    assert few[:3] == many[:3] == near((0.9, 0.8, 6 / 7))
    assert few.interval.low < many.interval.low
