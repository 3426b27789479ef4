"""Intervals of the figures of a set: hand-computed ones, and what holds for every set."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.items import Item
from scoring.results.insights import find_insights
from scoring.results.merging import merge
from scoring.results.model import Mean, SetResult
from scoring.results.uncertainty import ANSWERED, PASSED, Axis
from scoring.rubric import ALL, CONSISTENCY, PassRule, Status
from scoring.statistics import Interval, mean_interval
from tests.reporting.results import make_item, make_part, make_result, make_rubric

FAILED: dict[str, Any] = {"intent": 0.0, "accuracy": 0.0, "stability": 0.0, "status": Status.ERROR, "error": "x"}


def query(name: str, *rounds: bool, **changes: Any) -> list[Item]:
    """A query that passes or fails in each round."""
    return [
        make_item(at, query_id=name, round=f"{at}/1", **{**({} if passes else FAILED), **changes})
        for at, passes in enumerate(rounds, start=1)
    ]


def wilson_of_points(value: float, queries: list[tuple[float, ...]], top: float = 5.0) -> Interval:
    found = mean_interval(value, queries, top=top)
    assert found is not None
    return found


def test_one_round_is_the_plain_wilson_interval() -> None:
    items = [make_item(row, **(FAILED if row < 4 else {})) for row in range(2, 12)]  # 8 of 10 pass
    mean = make_result(*items).groups[0].metrics["stability"].set
    assert (mean.value, mean.n, mean.queries) == (4.0, 10, 10)
    # Wilson, 8 of 10: 0.490162 to 0.943318, times 5
    assert mean.interval == pytest.approx((2.450812, 4.716589), abs=1e-6)


def test_rounds_are_repeats_inside_a_query() -> None:
    result = make_result(*query("A", True, True), *query("B", True, False), *query("C", False, False))
    everything = result.groups[0]
    metric = everything.metrics["intent"]
    assert (metric.set.n, metric.set.queries) == (6, 3)
    assert metric.set.interval == wilson_of_points(2.5, [(5, 5), (5, 0), (0, 0)])
    # a round has one item of each query: plain Wilson, 2 of 3 and 1 of 3
    assert [mean.interval for mean in metric.rounds] == [
        pytest.approx((1.038298, 4.692540), abs=1e-6),
        pytest.approx((0.307460, 3.961702), abs=1e-6),
    ]
    assert result.answered == Mean(0.5, 6, 3, wilson_of_points(0.5, [(1, 1), (1, 0), (0, 0)], top=1.0))
    assert result.passed is None


def test_consistency_has_one_value_per_query() -> None:
    result = make_result(*query("A", True, True, True), *query("B", True, False, True), *query("C", True))
    pairs = result.groups[0].pairs
    assert (pairs.queries, pairs.compared) == (2, 6)
    assert pairs.score == pytest.approx(10 / 3)  # 4 of 6 pairs agree
    assert pairs.interval == wilson_of_points(10 / 3, [(5.0,), (5 / 3,)])
    assert result.groups[0].figure(CONSISTENCY) == Mean(pairs.score, 6, 2, pairs.interval)


def test_attempts_of_a_round_are_items_of_the_query() -> None:
    items = [*query("A", True, True), make_item(9, query_id="A", round="1/1", **FAILED)]
    metric = make_result(*items).groups[0].metrics["intent"]
    assert metric.set.interval == wilson_of_points(3.75, [(5, 0, 5)])
    assert metric.rounds[0].interval == wilson_of_points(2.5, [(5, 0)])


def test_a_query_in_two_tracks_counts_in_both_with_its_items_there() -> None:
    items = [make_item(2, query_id="A", track=1), make_item(3, query_id="A", track=2, round="2/1", **FAILED)]
    result = make_result(*items)
    everything, first, second = result.groups
    assert everything.metrics["intent"].set.interval == wilson_of_points(2.5, [(5, 0)])
    assert first.metrics["intent"].set.interval == wilson_of_points(5.0, [(5,)])
    assert second.metrics["intent"].set.interval == wilson_of_points(0.0, [(0,)])
    assert second.metrics["intent"].rounds[0] == Mean(None, 0)


def test_a_total_leaves_out_queries_that_lack_a_part_and_counts_them() -> None:
    rubric = make_rubric(weights={"intent": 3.0, CONSISTENCY: 1.0})
    result = make_result(*query("A", True, True), *query("B", True, False), *query("C", True), rubric=rubric)
    assert result.total is not None
    assert (result.total.queries, result.total.left_out) == (2, 1)
    value = result.total.value
    assert value is not None
    # A: (3 x 5 + 1 x 5) / 4, B: (3 x 2.5 + 1 x 0) / 4; C has no pair of rounds
    assert result.total.interval == wilson_of_points(value, [(5.0,), (1.875,)])


def test_a_total_without_a_value_has_no_interval() -> None:
    total = make_result(rubric=make_rubric(weights={"intent": 3.0, CONSISTENCY: 1.0})).total
    assert total is not None
    assert (total.value, total.interval) == (None, None)


def test_items_without_points_take_no_part() -> None:
    rubric = make_rubric(pass_points=PassRule(metric="intent", points=3.0))
    items = [*query("A", True, False), make_item(8, query_id="B", intent=None)]
    result = make_result(*items, rubric=rubric)
    assert result.passed == Mean(0.5, 2, 1, wilson_of_points(0.5, [(1, 0)], top=1.0))
    assert result.groups[0].metrics["intent"].set.queries == 1
    assert result.query_values.everywhere(PASSED) == {(1.0, 0.0): 1}
    assert result.query_values.everywhere(ANSWERED) == {(1.0, 0.0): 1, (1.0,): 1}


def test_accuracy_that_copies_intent_is_found_and_consistency_never_is() -> None:
    values = make_result(*query("A", True, False)).query_values
    assert values.twin("accuracy", ["intent"]) == "intent"
    assert values.twin("latency", ["intent"]) == "latency"


def test_a_category_has_the_intervals_of_its_items() -> None:
    result = make_result(*query("A", True, False, category="가"), *query("B", True, True, category="나"))
    rows = {row.category: row for row in find_insights(result).categories}
    assert rows["가"].queries == 1
    assert rows["가"].intervals["intent"] == wilson_of_points(2.5, [(5, 0)])
    assert rows["나"].intervals[ANSWERED] == wilson_of_points(1.0, [(1, 1)], top=1.0)
    assert rows["나"].intervals.keys() == {ANSWERED, "intent", "accuracy", "stability", "latency"}


@pytest.mark.parametrize(
    ("failing", "is_distinct"),
    [pytest.param(4, True, id="5-of-9-below-40-of-40"), pytest.param(1, False, id="8-of-9-within-chance")],
)
def test_a_track_is_the_weakest_only_below_the_others(failing: int, is_distinct: bool) -> None:
    weak = [item for n in range(9) for item in query(f"W{n}", n >= failing, track=2, category="약")]
    strong = [item for n in range(40) for item in query(f"S{n}", True, track=1, category="강")]
    found = find_insights(make_result(*weak, *strong))
    for entry in (found.weakest_tracks["stability"], found.weakest_categories["stability"]):
        assert entry is not None
        assert (entry.key in {"2", "약"}, entry.queries, entry.is_distinct) == (True, 9, is_distinct)
        # 40 of 40: from 5 x 0.912 on; 5 of 9: up to 5 x 0.811, 8 of 9: up to 5 x 0.980
        assert entry.interval.high == pytest.approx(4.0563 if is_distinct else 4.9009, abs=1e-3)


outcomes = st.lists(
    st.tuples(
        st.integers(0, 6),  # query
        st.integers(1, 3),  # round
        st.sampled_from([0.0, 1 / 3, 2.5, 4.0, 5.0]),
        st.sampled_from([1, 2, None]),
        st.sampled_from(["가", "나", ""]),
    ),
    min_size=1,
    max_size=25,
)


def items_of(rows: list[tuple[int, int, float, int | None, str]]) -> list[Item]:
    return [
        make_item(
            at, item_id=f"i{at}", query_id=f"Q{name}", round=f"{number}/1", intent=points, accuracy=points, track=track,
            category=category, status=Status.OK if points else Status.ERROR, stability=5.0 if points else 0.0,
        )
        for at, (name, number, points, track, category) in enumerate(rows, start=2)
    ]  # fmt: skip


def means_of(result: SetResult) -> list[Mean]:
    found = [result.answered]
    for group in result.groups:
        found += [mean for metric in group.metrics.values() for mean in (*metric.rounds, metric.set)]
        found.append(group.figure(CONSISTENCY))
    return found


@given(outcomes)
def test_every_interval_holds_its_value_and_lies_on_the_scale(rows: list[Any]) -> None:
    for mean in means_of(make_result(*items_of(rows))):
        assert (mean.interval is None) == (mean.value is None)
        if mean.value is not None and mean.interval is not None:
            assert 0 <= mean.interval.low <= mean.value <= mean.interval.high <= 5
            assert 1 <= mean.queries <= max(mean.n, 1)


@given(outcomes, st.randoms(use_true_random=False))
def test_row_order_changes_no_interval(rows: list[Any], order: random.Random) -> None:
    items = items_of(rows)
    shuffled = order.sample(items, len(items))
    assert means_of(make_result(*items)) == means_of(make_result(*shuffled))
    in_order, mixed = find_insights(make_result(*items)), find_insights(make_result(*shuffled))
    assert in_order.weakest_tracks == mixed.weakest_tracks
    assert in_order.weakest_categories == mixed.weakest_categories
    assert in_order.categories == mixed.categories


def test_splitting_a_file_changes_no_interval() -> None:
    rubric = make_rubric()
    items = [item for n in range(8) for item in query(f"Q{n}", n % 2 == 0, n % 3 == 0, track=1 + n % 2)]
    whole = make_result(*items)
    by_round = [[item for item in items if item.round == label] for label in ("1/1", "2/1")]
    split = merge(
        [(f"resume_agent_{n}.csv", make_part(*part, sha256=str(n))) for n, part in enumerate(by_round)], rubric
    )
    assert means_of(split) == means_of(whole)
    assert find_insights(split).categories == find_insights(whole).categories


def test_values_are_told_apart_by_any_key_of_the_place() -> None:
    values = make_result(*query("A", True, False, track=1), *query("B", False, False, track=2)).query_values
    assert values.by("intent", Axis.GROUP, lambda at: (at.name == "1",)) == {
        True: {(5.0, 0.0): 1},
        False: {(0.0, 0.0): 1},
    }
    assert values.by_group("intent")[ALL, 1] == {(0.0,): 2}
    assert values.by_group(CONSISTENCY) == {
        (ALL, None): {(0.0,): 1, (5.0,): 1}, ("1", None): {(0.0,): 1}, ("2", None): {(5.0,): 1},
    }  # fmt: skip
