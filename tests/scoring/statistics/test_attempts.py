"""Reliability: against all choices of attempts counted one by one, and at its edges."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.attempts import Attempts, Repeats, Share, reliability, repeats
from scoring.statistics.distributions import NORMAL, t_quantile
from scoring.statistics.intervals import wilson
from tests.scoring.statistics.cases import near

RUNS = st.lists(st.lists(st.booleans(), max_size=6), min_size=1, max_size=12)


def _attempts(runs: list[list[bool]]) -> list[Attempts]:
    return [Attempts(sum(run), len(run)) for run in runs]


@pytest.mark.parametrize(
    ("attempts", "ends"),
    [
        (Attempts(0, 0), None),
        (Attempts(0, 1), Repeats.NEVER),
        (Attempts(1, 1), Repeats.ALWAYS),
        (Attempts(0, 3), Repeats.NEVER),
        (Attempts(1, 3), Repeats.SOMETIMES),
        (Attempts(3, 3), Repeats.ALWAYS),
    ],
)
def test_repeats(attempts: Attempts, ends: Repeats | None) -> None:
    assert repeats(attempts) == ends


@given(RUNS, st.integers(1, 6))
def test_reliability_counts_all_choices_of_attempts(runs: list[list[bool]], k: int) -> None:
    found = reliability(_attempts(runs), k)
    enough = [list(combinations(run, k)) for run in runs if len(run) >= k]
    assert (found.k, found.queries, found.left_out) == (k, len(enough), len(runs) - len(enough))
    if not enough:
        assert found.all_pass == found.any_passes == Share(None, None)
        return
    every = [sum(map(all, chosen)) / len(chosen) for chosen in enough]
    some = [sum(map(any, chosen)) / len(chosen) for chosen in enough]
    assert found.all_pass.value == near(sum(every) / len(enough))
    assert found.any_passes.value == near(sum(some) / len(enough))


@given(RUNS, st.integers(1, 6))
def test_all_pass_is_rarer_than_any_passes(runs: list[list[bool]], k: int) -> None:
    queries = _attempts(runs)
    found = reliability(queries, k)
    assert reliability(Counter(reversed(queries)), k) == found
    if found.all_pass.value is None or found.any_passes.value is None:
        return
    assert 0 <= found.all_pass.value <= found.any_passes.value <= 1
    for value, interval in (found.all_pass, found.any_passes):
        assert value is not None
        if interval is None:
            assert found.queries == 1
            continue
        assert interval.low <= value <= interval.high


def test_one_attempt_says_the_same_of_both() -> None:
    found = reliability([Attempts(1, 2), Attempts(2, 2)], 1)
    assert found.all_pass == found.any_passes
    assert found.all_pass.value == 0.75


def test_intervals_have_one_value_per_query() -> None:
    found = reliability([Attempts(2, 2)] * 3 + [Attempts(1, 2)] + [Attempts(0, 1)], 2)
    assert (found.queries, found.left_out) == (4, 1)
    # p(1 - p) / v = 0.1875 / (0.75² + 3 x 0.25²) x 16 = 4, by (1.96 / t of three degrees) squared
    assert found.all_pass == (0.75, near(wilson(0.75, 4 * (NORMAL / t_quantile(3)) ** 2)))
    assert found.any_passes == (1.0, near(wilson(1.0, 4)))


def test_no_queries_have_no_reliability() -> None:
    assert reliability([], 1) == (1, 0, 0, (None, None), (None, None))
