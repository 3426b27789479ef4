"""Grades of people on one side only are no change of the agent."""

import pytest

from scoring.comparison.changes import Verdict
from scoring.comparison.compare import compare_runs
from scoring.comparison.reduce import ByPeople, ItemValues
from scoring.comparison.regraded import GradedAnew
from scoring.comparison.run import Judge
from tests.scoring.comparison.runs import make_basis, make_run, make_values


def _items(reviewed: int, now: float, *, queries: int = 20) -> list[ItemValues]:
    """Everything was recorded as 4; of the first queries a person gave `now`."""
    return [
        make_values(
            f"Q{number:02}",
            now if number < reviewed else 4.0,
            intent_source="reviewed" if number < reviewed else "recorded",
            graded={"intent": ByPeople(4.0, "recorded")} if number < reviewed else {},
        )
        for number in range(queries)
    ]


def test_corrections_of_one_side_are_told_and_change_nothing() -> None:
    before, after = make_run(_items(0, 4.0)), make_run(_items(12, 1.0), key="k2")
    found = compare_runs(before, after)
    change = found.groups[0].change("intent")
    assert change is not None
    assert (found.reviewed, change.verdict, change.difference) == (12, Verdict.SAME, 0.0)
    assert (change.before, change.after) == (4.0, (12 * 1 + 8 * 4) / 20)  # as the reports have them
    assert (found.lists.dropped, found.lists.now_fails, found.regraded.items) == ((), (), ())
    assert found.is_like_with_like  # a reviewed item counts by the origin it had before


def test_it_is_the_same_the_other_way_round() -> None:
    found = compare_runs(make_run(_items(12, 5.0)), make_run(_items(0, 4.0), key="k2"))
    change = found.groups[0].change("intent")
    assert change is not None
    assert (found.reviewed, change.difference) == (12, 0.0)


def test_where_people_graded_both_sides_their_grades_count() -> None:
    found = compare_runs(make_run(_items(12, 5.0)), make_run(_items(12, 2.0), key="k2"))
    change = found.groups[0].change("intent")
    assert change is not None
    assert (found.reviewed, change.verdict) == (0, Verdict.WORSE)
    assert change.difference == -3 * 12 / 20


def test_a_change_beside_them_is_found() -> None:
    """People graded a few answers of the later run; all others got worse by themselves."""
    after = [
        item if item.graded else item._replace(answer="다른 답", points={**item.points, "intent": 2.0})
        for item in _items(4, 5.0)
    ]
    found = compare_runs(make_run(_items(0, 4.0)), make_run(after, key="k2"))
    change = found.groups[0].change("intent")
    assert change is not None
    assert (found.reviewed, change.verdict, change.difference) == (4, Verdict.WORSE, -2 * 16 / 20)


@pytest.mark.parametrize(
    ("before", "after", "inputs", "expected"),
    [
        pytest.param(_items(0, 4.0), _items(12, 1.0), ("f" * 64,), 12, id="graded"),
        pytest.param(_items(12, 1.0), _items(0, 4.0), ("f" * 64,), 12, id="withdrawn"),
        pytest.param(_items(12, 1.0), _items(12, 2.0), ("f" * 64,), 12, id="graded-again"),
        pytest.param(_items(3, 1.0), _items(12, 1.0), ("f" * 64,), 9, id="nine-more"),
        pytest.param(_items(0, 4.0), _items(12, 4.0), ("f" * 64,), 0, id="confirmed"),
        pytest.param(_items(12, 1.0), _items(12, 1.0), ("f" * 64,), None, id="nothing-changed"),
        pytest.param(_items(0, 4.0), _items(12, 1.0), ("e" * 64,), None, id="other-inputs"),
        pytest.param(_items(0, 4.0), [*_items(12, 1.0)[:19], make_values("Q19", 2.0)], ("f" * 64,), None, id="another"),
        pytest.param(_items(0, 4.0), _items(12, 1.0, queries=19), ("f" * 64,), None, id="a-query-less"),
    ],
)
def test_people_alone_changed_the_grades_of_the_same_inputs(
    before: list[ItemValues], after: list[ItemValues], inputs: tuple[str, ...], expected: int | None
) -> None:
    found = compare_runs(make_run(before, inputs=("f" * 64,)), make_run(after, key="k2", inputs=inputs))
    assert found.graded_anew == (None if expected is None else GradedAnew(people=expected))


def test_under_other_rules_it_is_not_people_who_changed_the_grades() -> None:
    before, after = (make_run(_items(n, 1.0), inputs=("f" * 64,), rubric_digest=f"d{n}") for n in (0, 12))
    assert compare_runs(before, after).graded_anew is None


def _judged(lower: int, *, people: int = 0) -> list[ItemValues]:
    """A judge gave 4, and 2 to the first answers; of the last answers people gave 1."""
    items = [make_values(f"Q{at:02}", 2.0 if at < lower else 4.0, intent_source="judge") for at in range(20)]
    by_people = {"intent": ByPeople(4.0, "judge")}
    graded = [
        item._replace(points={**item.points, "intent": 1.0}, intent_source="reviewed", graded=by_people)
        for item in items[20 - people :]
    ]
    return [*items[: 20 - people], *graded]


@pytest.mark.parametrize(
    ("before", "after", "models", "expected"),
    [
        pytest.param(_judged(0), _judged(5), "aa", GradedAnew(judge=5), id="asked-again"),
        pytest.param(_judged(0), _judged(5), "ab", GradedAnew(judge=5), id="another"),
        pytest.param(_judged(3), _judged(3), "ab", GradedAnew(judge=0), id="another-agrees"),
        pytest.param(_judged(3), _judged(3), "aa", None, id="nothing-changed"),
        pytest.param(_judged(0), _judged(5, people=2), "aa", GradedAnew(people=2, judge=5), id="and-people"),
        pytest.param(_judged(0), _judged(0, people=2), "aa", GradedAnew(people=2), id="people-alone"),
    ],
)
def test_a_judge_alone_changed_the_grades_of_the_same_inputs(
    before: list[ItemValues], after: list[ItemValues], models: str, expected: GradedAnew | None
) -> None:
    old, new = (
        make_run(items, key=model, inputs=("f" * 64,), judge=Judge(model))
        for items, model in zip((before, after), models, strict=True)
    )
    assert compare_runs(old, new).graded_anew == expected
    assert compare_runs(old, make_run(after, inputs=("e" * 64,), judge=Judge("a"))).graded_anew is None


def test_who_graded_is_told_by_the_names_of_the_levels() -> None:
    basis = make_basis(levels={"intent": {"미흡": 1.0, "충족": 4.0}})
    item = make_values(
        "Q1",
        1.0,
        graded={
            "intent": ByPeople(4.0, "judge", "김 1, 이 3", "근거 없음", "검색"),
            "rubrics": ByPeople(None, "none", "박", "말이 어색함"),
        },
    )
    (answer,) = make_run([item], basis=basis).queries["Q1"].answers
    assert [(one.before_text, one.after_text, one.origin, *one.opinions) for one in answer.reviews] == [
        ("충족", "미흡", "judge", ("김 1, 이 3", "", "근거 없음", "검색")),
        ("", "", "none", ("박", "", "말이 어색함", "")),
    ]
    (other,) = make_run([make_values("Q1")]).queries["Q1"].answers
    assert other.reviews == ()
