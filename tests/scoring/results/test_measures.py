"""Figures of measures, worked out by hand; and sums that no order of items or files changes."""

from math import fsum, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.results.merging import merge
from scoring.results.model import MeasureFigures, SetResult
from tests.examples import examples
from tests.measured import EXAMPLE, Row, measured_csv, measured_part, measured_rubric, measured_set

AMOUNT = st.floats(-1e12, 1e12).map(lambda value: value + 0.0)


def _of(result: SetResult, key: str, name: str, at: int | None = None) -> MeasureFigures:
    group = result.group(key)
    assert group is not None
    found = group.measures[name]
    return found.set if at is None else found.rounds[at]


def test_example_by_hand() -> None:
    """Tokens: 1000, 3000, none; then 2000, 2000, 500 (failed). Query means 1500, 2500, 500: s 1000, t 4.30265273."""
    result = measured_set(*EXAMPLE)
    tokens = _of(result, "all", "tokens")
    assert (tokens.n, tokens.missing, tokens.queries) == (5, 1, 3)
    assert (tokens.sum, tokens.mean) == (8500.0, (2000.0 + 1500.0) / 2)
    assert [tokens.p50, tokens.p95, tokens.max] == pytest.approx([2000.0, 2800.0, 3000.0])
    assert tokens.per_answered == 8500 / 5  # five of six items are answered
    assert tokens.interval == pytest.approx((0.0, 1750 + 4.302652730 * 1000 / sqrt(3)))
    first, second = (_of(result, "all", "tokens", at) for at in (0, 1))
    assert (first.n, first.missing, first.sum, first.mean, first.per_answered) == (2, 1, 4000.0, 2000.0, 4000 / 3)
    assert (second.n, second.missing, second.sum, second.mean, second.per_answered) == (3, 0, 4500.0, 1500.0, 2250.0)


def test_tracks_have_their_own_items() -> None:
    result = measured_set(*EXAMPLE)
    one, two = _of(result, "1", "tokens"), _of(result, "2", "tokens")
    assert (one.n, one.missing, one.sum, one.mean, one.per_answered) == (4, 0, 8000.0, 2000.0, 2000.0)
    assert (two.n, two.missing, two.sum, two.queries, two.interval) == (1, 1, 500.0, 1, None)
    assert _of(result, "2", "tokens", 0) == MeasureFigures(
        n=0, missing=1, queries=0, sum=None, mean=None, interval=None, p50=None, p95=None, max=None, per_answered=None
    )
    assert _of(result, "2", "saved").sum is None
    assert _of(result, "2", "saved").missing == 2


def test_negative_values_lower_the_sum_and_open_the_interval_below_0() -> None:
    saved = _of(measured_set(Row("Q-1", saved="-3"), Row("Q-2", saved="1")), "all", "saved")
    assert (saved.sum, saved.mean, saved.p50, saved.max, saved.per_answered) == (-2.0, -1.0, -1.0, 1.0, -1.0)
    # means -3 and 1: s = sqrt(8), s / sqrt(2) = 2, t of one degree 12.706204736
    assert saved.interval == pytest.approx((-1 - 2 * 12.706204736, -1 + 2 * 12.706204736))


def test_a_set_without_an_answer_has_a_sum_and_nothing_per_answered_item() -> None:
    found = _of(measured_set(Row("Q-1", error="timeout", tokens="7")), "all", "tokens")
    assert (found.sum, found.per_answered) == (7.0, None)


def test_items_without_any_value_are_missing() -> None:
    result = measured_set(Row("Q-1"), Row("Q-2", tokens="x"))
    assert [_of(result, "all", name).missing for name in ("tokens", "cost", "saved", "steps")] == [2] * 4
    assert [finding.code for finding in result.findings] == ["measure-unusable", "path-never-found"]
    assert [finding.count for finding in result.findings] == [1, 4]


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(AMOUNT, min_size=1, max_size=12), st.randoms(use_true_random=False), st.integers(0, 12))
def test_no_order_of_rows_and_no_split_into_files_changes_a_figure(
    amounts: list[float], random: object, cut: int
) -> None:
    rows = [Row(f"Q-{at % 5}", f"{at // 5 + 1}/1", tokens=repr(amount)) for at, amount in enumerate(amounts)]
    together = measured_set(*rows).groups[0].measures["tokens"]
    assert together.set.sum == fsum(amounts)
    assert together.set.max == max(amounts)
    shuffled = rows[::-1]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert measured_set(*shuffled).groups[0].measures["tokens"] == together
    pieces = [piece for piece in (shuffled[:cut], shuffled[cut:]) if piece]
    parts = [(f"{at}.csv", measured_part(measured_csv(piece))) for at, piece in enumerate(pieces)]
    assert merge(parts, measured_rubric()).groups[0].measures["tokens"] == together
