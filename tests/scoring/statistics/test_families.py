"""Adjusted p-values: edges, and what holds for any family."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.change_intervals import benjamini_hochberg, holm

FAMILIES = st.lists(st.floats(0, 1), max_size=20)


@pytest.mark.parametrize(
    ("p_values", "right"),
    [
        pytest.param([], [], id="none"),
        pytest.param([0.03], [0.03], id="one-is-unchanged"),
        pytest.param([0.04, 0.04, 0.04], [0.04, 0.04, 0.04], id="all-equal"),
        pytest.param([1.0, 0.01], [1.0, 0.02], id="in-the-order-given"),
        pytest.param([0.01, 0.011], [0.011, 0.011], id="never-above-a-larger-one"),
        pytest.param([0.0, 1.0], [0.0, 1.0], id="ends"),
    ],
)
def test_false_discovery_at_its_edges(p_values: list[float], right: list[float]) -> None:
    assert benjamini_hochberg(p_values) == right


@pytest.mark.parametrize(
    ("p_values", "right"),
    [
        pytest.param([], [], id="none"),
        pytest.param([0.03], [0.03], id="one-is-unchanged"),
        pytest.param([0.25, 0.25, 0.25], [0.75, 0.75, 0.75], id="all-equal"),
        pytest.param([1.0, 0.25], [1.0, 0.5], id="in-the-order-given"),
        pytest.param([0.25, 0.375], [0.5, 0.5], id="never-below-a-smaller-one"),
        pytest.param([0.5, 0.75, 1.0], [1.0, 1.0, 1.0], id="never-above-1"),
    ],
)
def test_holm_at_its_edges(p_values: list[float], right: list[float]) -> None:
    assert holm(p_values) == right


@given(FAMILIES, st.randoms(use_true_random=False), st.sampled_from([holm, benjamini_hochberg]))
def test_adjusted_keeps_the_ranking_and_raises_no_suspicion(p_values: list[float], random: Random, method) -> None:  # type: ignore[no-untyped-def]
    found = method(p_values)
    # p * n / rank with n / rank of 1 or more, up to rounding
    assert all(p * (1 - 1e-15) <= q <= 1 for p, q in zip(p_values, found, strict=True))
    assert sorted(found) == [q for _, q in sorted(zip(p_values, found, strict=True))]
    order = random.sample(range(len(p_values)), len(p_values))
    assert method([p_values[at] for at in order]) == [found[at] for at in order]


@given(FAMILIES)
def test_holm_is_the_stricter_one(p_values: list[float]) -> None:
    pairs = zip(holm(p_values), benjamini_hochberg(p_values), strict=True)
    assert all(strict >= mild * (1 - 1e-15) for strict, mild in pairs)
