"""Adjusted p-values: edges, and what holds for any family."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.chance import adjusted

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
def test_adjusted_at_its_edges(p_values: list[float], right: list[float]) -> None:
    assert adjusted(p_values) == right


@given(FAMILIES, st.randoms(use_true_random=False))
def test_adjusted_keeps_the_ranking_and_raises_no_suspicion(p_values: list[float], random: Random) -> None:
    found = adjusted(p_values)
    # p * n / rank with n / rank of 1 or more, up to rounding
    assert all(p * (1 - 1e-15) <= q <= 1 for p, q in zip(p_values, found, strict=True))
    assert sorted(found) == [q for _, q in sorted(zip(p_values, found, strict=True))]
    order = random.sample(range(len(p_values)), len(p_values))
    assert adjusted([p_values[at] for at in order]) == [found[at] for at in order]
