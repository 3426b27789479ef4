"""Two runs compared: which queries, in which groups, in which lists, and what is said of the runs."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scoring.comparison.changes import Verdict
from scoring.comparison.compare import (
    MAX_GROUPS,
    Comparison,
    Difference,
    GroupKind,
    NoSharedQueryError,
    changes_of_all_queries,
    compare_runs,
)
from scoring.comparison.pairing import QueryChange
from scoring.comparison.reduce import ItemValues
from scoring.comparison.run import Judge, Run
from scoring.rubric import PassRule
from tests.scoring.comparison.runs import make_basis, make_run, make_values, run_of_points


def _ids(changes: tuple[QueryChange, ...]) -> list[str]:
    return [entry.pair.after.query_id for entry in changes]


def test_shown_values_are_those_of_the_shared_queries() -> None:
    before = make_run([make_values("Q1", 5.0), make_values("Q2", 4.0), make_values("Q3", 0.0)])
    after = make_run([make_values("Q1", 4.0), make_values("Q2", 4.0), make_values("Q4", 0.0)], key="k2")
    comparison = compare_runs(before, after)
    intent = comparison.groups[0].change("intent")
    assert intent is not None
    assert (intent.before, intent.after, intent.difference, intent.queries) == (4.5, 4.0, -0.5, 2)
    assert [query.query_id for query in comparison.pairing.appeared] == ["Q4"]
    assert [query.query_id for query in comparison.pairing.gone] == ["Q3"]
    assert comparison.differences == (Difference.QUESTIONS,)
    assert comparison.is_like_with_like


@pytest.mark.parametrize(
    ("before", "after", "pairs"),
    [
        (["1", "2"], ["1.0", "2.0"], [("1", "1.0"), ("2", "2.0")]),
        (["Q-1", "Q-2"], ["q-1", "Q-2"], [("Q-1", "q-1"), ("Q-2", "Q-2")]),
        (["Q-1", "q-1", "x"], ["Q–1", "x"], [("x", "x")]),  # two before that look alike
        (["Q-1", "x"], ["q-1", "Q–1", "x"], [("x", "x")]),  # two after
        (["Q-1", "q-1", "x"], ["Q-1", "Q–1", "x"], [("Q-1", "Q-1"), ("x", "x")]),
        (["1.1", "x"], ["1.10", "x"], [("x", "x")]),
    ],
)
def test_ids_that_look_alike_are_paired_where_each_run_has_one(
    before: list[str], after: list[str], pairs: list[tuple[str, str]]
) -> None:
    runs = [make_run([make_values(one, question="") for one in ids], key=f"k{len(ids)}") for ids in (before, after)]
    pairing = compare_runs(*runs).pairing
    assert [(pair.before.query_id, pair.after.query_id) for pair in pairing.shared] == pairs
    assert len(pairing.appeared) == len(after) - len(pairs)
    assert len(pairing.gone) == len(before) - len(pairs)


@pytest.mark.parametrize(
    ("before", "after", "is_reworded"),
    [
        ({"question": "몇 명?"}, {"question": "몇  명? "}, False),
        ({"question": "몇 명?"}, {"question": "누구?"}, True),
        ({"question": "몇 명?"}, {"question": ""}, False),
        ({"question": "nan"}, {"question": "누구?"}, False),
        ({"expected": "12명"}, {"expected": "13명"}, True),
    ],
)
def test_reworded_queries_are_listed_and_left_out(
    before: dict[str, Any], after: dict[str, Any], is_reworded: bool
) -> None:
    first = make_run([make_values("Q1", **before), make_values("Q2")])
    second = make_run([make_values("Q1", **after), make_values("Q2")], key="k2")
    pairing = compare_runs(first, second).pairing
    assert [pair.after.query_id for pair in pairing.reworded] == (["Q1"] if is_reworded else [])
    assert len(pairing.shared) == 2 - is_reworded


def test_a_query_with_one_text_in_common_is_the_same() -> None:
    first = make_run([make_values("Q1", question="a"), make_values("Q1", round="2/1", question="b")])
    second = make_run([make_values("Q1", question="b"), make_values("Q1", round="2/1", question="c")])
    assert len(compare_runs(first, second).pairing.shared) == 1


def test_no_shared_query_is_an_error() -> None:
    with pytest.raises(NoSharedQueryError):
        compare_runs(make_run([make_values("Q1")]), make_run([make_values("Q2")]))
    with pytest.raises(NoSharedQueryError):
        compare_runs(make_run([make_values("Q1", question="a")]), make_run([make_values("Q1", question="b")]))


def test_groups_are_tracks_and_categories_and_moved_queries_count_in_all_only() -> None:
    def items(broken: bool) -> list[ItemValues]:
        made = [make_values(f"A{n:02}", 0.0 if broken and n < 7 else 5.0, track=1, category="x") for n in range(12)]
        made += [make_values(f"B{n:02}", 5.0, track=None, category="y") for n in range(3)]
        return [*made, make_values("M", 5.0, track=2 if broken else 3, category="x")]

    comparison = compare_runs(make_run(items(False)), make_run(items(True), key="k2"))
    assert [(group.kind, group.track, group.category, group.queries) for group in comparison.groups] == [
        (GroupKind.ALL, None, "", 16),
        (GroupKind.TRACK, 1, "", 12),
        (GroupKind.TRACK, None, "", 3),
        (GroupKind.CATEGORY, None, "x", 12),
        (GroupKind.CATEGORY, None, "y", 3),
    ]
    assert [pair.after.query_id for pair in comparison.pairing.moved] == ["M"]
    verdicts = [change.verdict for group in comparison.groups if (change := group.change("intent"))]
    assert verdicts == [Verdict.WORSE, Verdict.WORSE, Verdict.TOO_FEW, Verdict.WORSE, Verdict.TOO_FEW]
    everything, track, *_ = [group.change("intent") for group in comparison.groups]
    assert everything is not None
    assert track is not None
    assert everything.p == track.p == 2 / 2**7  # the family has two members with equal p: adjusted, it stays


def _sliced(values: Sequence[str | None], *, broken: int, listed: Mapping[str, tuple[str, ...]], **more: Any) -> Run:
    """A run whose n-th query has this value of a column; the first ones are broken."""
    items = [
        make_values(f"Q{n:02}", 0.0 if n < broken else 5.0, track=n % 2, slices={"언어": value})
        for n, value in enumerate(values)
    ]
    return make_run(items, slices=listed, **more)


def test_slices_are_the_values_that_both_reports_list_and_a_query_has_in_both() -> None:
    values = ["en"] * 12 + ["ko"] * 15 + ["ja"] * 2 + [None]
    moved = ["en"] * 11 + ["ko"] * 16 + ["ja"] * 2 + [None]
    before = _sliced(values, broken=0, listed={"언어": ("ko", "en", "ja")})
    after = _sliced(moved, broken=8, listed={"언 어": ("en", "ko"), "버전": ("1", "2")}, key="k2")
    queries = {name: replace(one, slices={**one.slices, "버전": "1"}) for name, one in after.queries.items()}
    after = replace(after, queries=queries)
    found = [group for group in compare_runs(before, after).groups if group.kind is GroupKind.SLICE]
    assert [(group.column, group.value, group.queries) for group in found] == [("언 어", "en", 11), ("언 어", "ko", 15)]
    changes = [group.change("intent") for group in found]
    assert [change and change.verdict for change in changes] == [Verdict.WORSE, Verdict.SAME]


def test_a_value_that_differs_between_the_rounds_of_a_query_is_none() -> None:
    items = [make_values("Q1", round=f"{at}/1", slices={"언어": value}) for at, value in enumerate(("en", "ko"))]
    assert make_run(items).queries["Q1"].slices == {"언어": None}
    assert make_run([items[0], items[0]._replace(round="2/1")]).queries["Q1"].slices == {"언어": "en"}


def test_slices_change_no_verdict_of_another_group() -> None:
    values = ["en"] * 15 + ["ko"] * 15
    plain = compare_runs(*[_sliced(values, broken=n, listed={}) for n in (0, 12)])
    sliced = compare_runs(*[_sliced(values, broken=n, listed={"언어": ("en", "ko")}) for n in (0, 12)])
    assert sliced.groups[: len(plain.groups)] == plain.groups
    assert [group.value for group in sliced.groups[len(plain.groups) :]] == ["en", "ko"]


def test_a_value_that_all_queries_have_is_not_repeated() -> None:
    run = _sliced(["en"] * 12, broken=0, listed={"언어": ("en",)})
    assert {group.kind for group in compare_runs(run, run).groups} == {GroupKind.ALL, GroupKind.TRACK}


def test_one_group_that_holds_all_is_not_repeated() -> None:
    run = run_of_points([[5.0]] * 12)
    assert [group.kind for group in compare_runs(run, run).groups] == [GroupKind.ALL]


def test_the_largest_groups_are_compared() -> None:
    items = [make_values(f"Q{n:03}", category=f"c{n:03}") for n in range(MAX_GROUPS + 5)]
    items += [make_values("Z", category="c104")]
    comparison = compare_runs(make_run(items), make_run(items))
    categories = [group.category for group in comparison.groups if group.kind is GroupKind.CATEGORY]
    assert len(categories) == MAX_GROUPS
    assert "c104" in categories
    assert categories == sorted(categories)
    assert comparison.groups_left_out == 5


def test_four_lists_and_no_query_is_in_two() -> None:
    points = {
        "always, then once": ([5.0, 5.0], [5.0, 0.0]),
        "always, then never": ([5.0, 5.0], [0.0, 0.0]),
        "once, then never": ([5.0, 0.0], [0.0, 0.0]),
        "never, then always": ([0.0, 0.0], [5.0, 4.0]),
        "passes, fewer points": ([5.0, 5.0], [4.0, 4.0]),
        "fails, more points": ([0.0, 0.0], [2.0, 0.0]),
        "the same": ([5.0, 0.0], [0.0, 5.0]),
    }

    def items(side: int) -> list[ItemValues]:
        return [
            make_values(query, value, round=f"{at + 1}/1")
            for query, sides in points.items()
            for at, value in enumerate(sides[side])
        ]

    lists = compare_runs(make_run(items(0)), make_run(items(1), key="k2")).lists
    assert _ids(lists.now_fails) == ["always, then never", "always, then once"]
    assert _ids(lists.now_passes) == ["never, then always"]
    assert _ids(lists.dropped) == ["once, then never", "passes, fewer points"]
    assert _ids(lists.rose) == ["fails, more points"]
    assert [entry.change for entry in lists.now_fails] == [-1.0, -0.5]


def test_queries_that_newly_lack_answers_are_listed_where_a_document_assesses_no_such_item() -> None:
    basis = make_basis(metrics=("rubrics",), passes=PassRule(metric="rubrics", points=0.5))
    rounds = {
        "answered, then never": ((1.0, 1.0), (None, None)),
        "answered, then once": ((1.0, 0.0), (1.0, None)),
        "once, then never": ((1.0, None), (None, None)),
        "never, then answered": ((None, None), (1.0, 1.0)),
    }

    def run(side: int, key: str) -> Run:
        items = [
            make_values(query, points={"rubrics": level}, status="error" if level is None else "ok", round=f"{at}/1")
            for query, sides in rounds.items()
            for at, level in enumerate(sides[side])
        ]
        return make_run(items, basis=basis, key=key)

    lists = compare_runs(run(0, "k1"), run(1, "k2")).lists
    assert sorted(_ids(lists.now_unanswered)) == ["answered, then never", "answered, then once"]
    assert _ids(lists.now_fails) == []
    # Where an error fails like a wrong answer, such a query is among those that newly fail.
    failing = compare_runs(make_run([make_values("Q1")]), make_run([make_values("Q1", 0.0)], key="k2")).lists
    assert (_ids(failing.now_fails), failing.now_unanswered) == (["Q1"], ())


def test_another_rubric_engine_judge_or_profile_is_named() -> None:
    before = make_run([make_values("Q1")])
    after = replace(before, rubric_digest="d2", engine_version=5, judge=Judge("m", 3, "p"), profile="other")
    comparison = compare_runs(before, after)
    assert set(comparison.differences) == {
        Difference.RUBRIC, Difference.ENGINE, Difference.JUDGE, Difference.PROFILE
    }  # fmt: skip
    assert not comparison.is_like_with_like
    assert compare_runs(before, before).differences == ()


def test_a_translated_rubric_is_the_same_one_unless_a_judge_read_it() -> None:
    before = make_run([make_values("Q1")])
    basis = make_basis(scores_as="d1")
    assert compare_runs(before, replace(before, rubric_digest="d2", basis=basis)).differences == ()
    assert compare_runs(before, replace(before, rubric_digest="d2", basis=make_basis(scores_as="d0"))).differences == (
        Difference.RUBRIC,
    )
    judged = replace(before, judge=Judge("m", 3, "p"))
    assert compare_runs(judged, replace(judged, rubric_digest="d2", basis=basis)).differences == (Difference.RUBRIC,)


def test_metrics_that_one_run_lacks_are_not_compared() -> None:
    before = make_run([make_values("Q1")], basis=make_basis(metrics=("intent", "latency")))
    after = make_run([make_values("Q1")], basis=make_basis(metrics=("rubrics", "intent")))
    comparison = compare_runs(before, after)
    assert [change.metric for change in comparison.groups[0].changes] == ["pass", "answered", "intent", "seconds"]
    assert comparison.headline.metric == "pass"  # the level score leads the run after, and is not in both


def test_totals_with_the_consistency_of_a_rule_on_one_side_are_not_compared() -> None:
    basis = make_basis(single=0.0, weights={"intent": 1.0, "consistency": 1.0})
    once = make_run([make_values("Q1")], basis=basis)
    twice = make_run([make_values("Q1"), make_values("Q1", round="2/1")], basis=basis)
    assert once.queries["Q1"].values["total"] == 2.5
    comparison = compare_runs(once, twice)
    total = comparison.groups[0].change("total")
    assert total is not None
    assert total.verdict is Verdict.NO_VALUE
    assert comparison.headline.metric == "pass"  # the first figure with a value
    assert compare_runs(once, once).headline.verdict is Verdict.SAME
    assert compare_runs(twice, twice).headline.verdict is Verdict.SAME


POINTS = st.sampled_from([0.0, 1.0, 2.5, 4.0, 5.0])
QUERIES = st.lists(
    st.tuples(st.lists(POINTS, min_size=1, max_size=3), st.lists(POINTS, min_size=1, max_size=3)),
    min_size=1,
    max_size=25,
)


def _runs(queries: list[tuple[list[float], list[float]]]) -> tuple[Comparison, Comparison]:
    before = run_of_points([old for old, _ in queries], key="a")
    after = run_of_points([new for _, new in queries], key="b")
    return compare_runs(before, after), compare_runs(after, before)


@given(QUERIES)
def test_a_run_compared_with_itself_is_the_same_everywhere(queries: list[tuple[list[float], list[float]]]) -> None:
    run = run_of_points([old for old, _ in queries])
    comparison = compare_runs(run, run, margin=0.01)
    for group in comparison.groups:
        for change in group.changes:
            assert change.verdict in {Verdict.SAME, Verdict.TOO_FEW, Verdict.NO_VALUE}
            assert change.difference in {0.0, None}
    assert comparison.flips.to_fail == comparison.flips.to_pass == 0
    assert not any(getattr(comparison.lists, name) for name in ("now_fails", "now_passes", "dropped", "rose"))


@given(QUERIES)
def test_swapping_the_runs_mirrors_everything(queries: list[tuple[list[float], list[float]]]) -> None:
    forth, back = _runs(queries)
    mirrored = {Verdict.WORSE: Verdict.BETTER, Verdict.BETTER: Verdict.WORSE}
    for there, here in zip(forth.groups[0].changes, back.groups[0].changes, strict=True):
        assert (there.before, there.after) == (here.after, here.before)
        assert there.p == here.p
        assert mirrored.get(there.verdict, there.verdict) is here.verdict
        assert there.difference == (None if here.difference is None else -here.difference)
        if there.interval is not None and here.interval is not None:
            assert (there.interval.low, there.interval.high) == (-here.interval.high, -here.interval.low)
    assert _ids(forth.lists.now_fails) == _ids(back.lists.now_passes)
    assert _ids(forth.lists.dropped) == _ids(back.lists.rose)
    for one in (forth, back):  # what two bad weeks are told by is what the page says
        assert changes_of_all_queries(one.before, one.after) == one.groups[0].changes


def test_the_keys_of_the_runs_change_no_figure() -> None:
    points = [([5.0, 4.0], [0.0, 5.0]), ([1.0], [4.0]), ([5.0], [2.5]), ([0.0], [5.0])] * 5
    forth, _ = _runs(points)
    other = compare_runs(replace(forth.before, key="c"), forth.after)
    assert other.groups == forth.groups
