"""Intervals of the figures of a set: hand-computed ones, and what holds for every set."""

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
from scoring.statistics import Interval, Spread, in_one_round, interval_of_spread, mean_interval
from tests.inner import NORMAL, t_quantile, wilson
from tests.reporting.results import make_item, make_part, make_result, make_rubric
from tests.scoring.statistics.cases import queries_of

FAILED: dict[str, Any] = {"intent": 0.0, "accuracy": 0.0, "stability": 0.0, "status": Status.ERROR, "error": "x"}


def query(name: str, *rounds: bool, **changes: Any) -> list[Item]:
    """A query that passes or fails in each round."""
    return [
        make_item(at, query_id=name, round=f"{at}/1", **{**({} if passes else FAILED), **changes})
        for at, passes in enumerate(rounds, start=1)
    ]


def interval_of_points(value: float, queries: list[tuple[float, ...]], top: float = 5.0) -> Interval:
    """The items of a query are in the first round, the second …"""
    found = mean_interval(
        value, queries_of([{str(at): one for at, one in enumerate(values)} for values in queries]), top=top
    )
    assert found is not None
    return found


def test_one_round_is_a_wilson_interval_widened_for_few_queries() -> None:
    items = [make_item(row, **(FAILED if row < 4 else {})) for row in range(2, 12)]  # 8 of 10 pass
    mean = make_result(*items).groups[0].metrics["stability"].set
    assert (mean.value, mean.n, mean.queries) == (4.0, 10, 10)
    low, high = wilson(0.8, 10 * (NORMAL / t_quantile(9)) ** 2)
    assert mean.interval == pytest.approx((5 * low, 5 * high), abs=1e-9)


def test_rounds_are_repeats_inside_a_query() -> None:
    result = make_result(*query("A", True, True), *query("B", True, False), *query("C", False, False))
    everything = result.groups[0]
    metric = everything.metrics["intent"]
    assert (metric.set.n, metric.set.queries) == (6, 3)
    assert metric.set.interval == interval_of_points(2.5, [(5, 5), (5, 0), (0, 0)])
    # a round has one item of each query
    assert [mean.interval for mean in metric.rounds] == [
        interval_of_points(10 / 3, [(5,), (5,), (0,)]),
        interval_of_points(5 / 3, [(5,), (0,), (0,)]),
    ]
    assert result.answered == Mean(0.5, 6, 3, interval_of_points(0.5, [(1, 1), (1, 0), (0, 0)], top=1.0))
    assert result.passed is None


def test_consistency_has_one_value_per_query() -> None:
    result = make_result(*query("A", True, True, True), *query("B", True, False, True), *query("C", True))
    pairs = result.groups[0].pairs
    assert (pairs.queries, pairs.compared) == (2, 6)
    assert pairs.score == pytest.approx(10 / 3)  # 4 of 6 pairs agree
    assert pairs.interval == interval_of_points(10 / 3, [(5.0,), (5 / 3,)])
    assert result.groups[0].figure(CONSISTENCY) == Mean(pairs.score, 6, 2, pairs.interval)


def test_attempts_of_a_round_are_items_of_the_query() -> None:
    items = [*query("A", True, True), make_item(9, query_id="A", round="1/1", **FAILED), *query("B", True, True)]
    metric = make_result(*items).groups[0].metrics["intent"]
    queries = queries_of([{"1": [5.0, 0.0], "2": 5.0}, {"1": 5.0, "2": 5.0}])
    assert metric.set.value == (10 / 3 + 5) / 2
    assert metric.set.interval == mean_interval(metric.set.value, queries, top=5.0)
    assert metric.rounds[0].interval == mean_interval(10 / 3, queries_of([{"1": [5.0, 0.0]}, {"1": 5.0}]), top=5.0)


def test_a_query_in_two_tracks_counts_in_both_with_its_items_there() -> None:
    items = [
        item
        for name in ("A", "B")
        for item in (
            make_item(2, query_id=name, track=1),
            make_item(3, query_id=name, track=2, round="2/1", **FAILED),
        )
    ]
    everything, first, second = make_result(*items).groups
    assert everything.metrics["intent"].set.interval == interval_of_points(2.5, [(5, 0), (5, 0)])
    assert first.metrics["intent"].set.interval == interval_of_points(5.0, [(5,), (5,)])
    assert second.metrics["intent"].set.interval == interval_of_points(0.0, [(0,), (0,)])
    assert second.metrics["intent"].rounds[0] == Mean(None, 0)


def test_a_total_leaves_out_queries_that_lack_a_part_and_counts_them() -> None:
    rubric = make_rubric(weights={"intent": 3.0, CONSISTENCY: 1.0})
    result = make_result(*query("A", True, True), *query("B", True, False), *query("C", True), rubric=rubric)
    assert result.total is not None
    assert (result.total.queries, result.total.left_out) == (2, 1)
    value = result.total.value
    assert value is not None
    # Intent has 5 items in two rounds, weights 1/6 and 1/4, mean 3.75; A moves it by 5/12 x 1.25 and B by
    # 1/6 x 1.25 - 1/4 x 3.75. Consistency has one value a query, 5 and 0 around 2.5. C has no pair of rounds.
    of_intent = (5 / 12 * 1.25 / 5, (1 / 6 * 1.25 - 1 / 4 * 3.75) / 5)
    of_consistency = (0.5 / 2, -0.5 / 2)
    parts = [(3 * one + other) / 4 for one, other in zip(of_intent, of_consistency, strict=True)]
    spread = Spread(2, sum(part * part for part in parts), 2.0, 2.0)
    assert result.total.interval == pytest.approx(interval_of_spread(value, spread, top=5.0))


def test_a_total_without_a_value_has_no_interval() -> None:
    total = make_result(rubric=make_rubric(weights={"intent": 3.0, CONSISTENCY: 1.0})).total
    assert total is not None
    assert (total.value, total.interval) == (None, None)


def test_items_without_points_take_no_part() -> None:
    rubric = make_rubric(pass_points=PassRule(metric="intent", points=3.0))
    items = [*query("A", True, False), make_item(8, query_id="B", intent=None)]
    result = make_result(*items, rubric=rubric)
    assert result.passed == Mean(0.5, 2, 1, None)  # one query says nothing about others
    assert result.groups[0].metrics["intent"].set.queries == 1
    assert result.query_values.everywhere(PASSED) == {(0, 1): {(1.0, 0.0): 1}}
    assert result.query_values.everywhere(ANSWERED) == {(0, 1): {(1.0, 0.0): 1}, (0,): {(1.0,): 1}}


def test_accuracy_that_copies_intent_is_found_and_consistency_never_is() -> None:
    values = make_result(*query("A", True, False)).query_values
    assert values.twin("accuracy", ["intent"]) == "intent"
    assert values.twin("latency", ["intent"]) == "latency"


def test_a_category_has_the_intervals_of_its_items() -> None:
    items = [item for name in "AC" for item in query(name, True, False, category="가")]
    items += [item for name in "BD" for item in query(name, True, True, category="나")]
    rows = {row.category: row for row in find_insights(make_result(*items)).categories}
    assert rows["가"].queries == 2
    assert rows["가"].intervals["intent"] == mean_interval(2.5, in_one_round([(5.0, 0.0)] * 2), top=5.0)
    assert rows["나"].intervals[ANSWERED] == interval_of_points(1.0, [(1, 1), (1, 1)], top=1.0)
    assert rows["나"].intervals.keys() == {ANSWERED, "intent", "accuracy", "stability", "latency"}


@pytest.mark.parametrize(
    ("queries", "failing", "p", "is_distinct"),
    [
        pytest.param(12, 12, 0.0, True, id="all-fail"),
        pytest.param(12, 6, 0.0088, True, id="half-fails"),  # t = -0.5 / sqrt(0.25 x 12 / 11 / 12), 11 degrees
        pytest.param(12, 1, 0.34, False, id="one-fails"),
        pytest.param(9, 9, None, False, id="too-few"),
    ],
)
def test_a_place_is_the_weakest_only_by_more_than_chance(
    queries: int, failing: int, p: float | None, is_distinct: bool
) -> None:
    weak = [item for n in range(queries) for item in query(f"W{n}", n >= failing, track=2, category="약")]
    strong = [item for n in range(40) for item in query(f"S{n}", True, track=1, category="강")]
    found = find_insights(make_result(*weak, *strong))
    for entry in (found.weakest_tracks["stability"], found.weakest_categories["stability"]):
        assert entry is not None
        assert (entry.key in {"2", "약"}, entry.queries, entry.is_distinct) == (True, queries, is_distinct)
        assert (entry.p is None) == (p is None)


def test_others_of_a_place_are_the_items_outside_it() -> None:
    """Query A has an item in either track; B and C are in one."""
    items = [make_item(2, query_id="A", track=1, intent=5.0), make_item(3, query_id="A", track=2, intent=1.0)]
    items += [make_item(4, query_id="B", track=1, intent=4.0), make_item(5, query_id="C", track=2, intent=2.0)]
    found = make_result(*items).query_values.contrasts("intent", Axis.GROUP, str)
    assert found == {"1": ({5.0: 1, 4.0: 1}, {1.0: 1, 2.0: 1}), "2": ({1.0: 1, 2.0: 1}, {5.0: 1, 4.0: 1})}


def test_rounds_that_differ_are_a_finding() -> None:
    items = [item for n in range(12) for item in query(f"Q{n}", True, True, n > 9)]
    found = {finding.code: finding for finding in make_result(*items).findings}
    # stability and accuracy have the table of the answers: one figure
    assert found["rounds-differ"].count == 1
    assert found["rounds-differ"].places[0].found == "answered (1/1: 1.00, 2/1: 1.00, 3/1: 0.17)"
    alike = [item for n in range(12) for item in query(f"Q{n}", True, n > 1, n < 10)]
    assert "rounds-differ" not in {finding.code for finding in make_result(*alike).findings}


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
        assert (mean.interval is None) == (mean.value is None or mean.queries < 2)
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


def test_of_equal_categories_the_first_by_name_is_the_lowest() -> None:
    items = [
        *query("A", True, False, category="나"),
        *query("B", True, False, category="가"),
        *query("C", True, True, category="다"),
    ]
    for rows in (items, items[::-1]):
        lowest = find_insights(make_result(*rows)).weakest_categories["intent"]
        assert lowest is not None
        assert lowest.key == "가"


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
        True: {(0, 1): {(5.0, 0.0): 1}},
        False: {(0, 1): {(0.0, 0.0): 1}},
    }
    assert values.by_group("intent")[ALL, 1] == {(1,): {(0.0,): 2}}
    assert values.by_group(CONSISTENCY) == {
        (ALL, None): {(0,): {(0.0,): 1, (5.0,): 1}}, ("1", None): {(0,): {(0.0,): 1}}, ("2", None): {(0,): {(5.0,): 1}},
    }  # fmt: skip
