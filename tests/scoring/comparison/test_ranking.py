"""More than two runs: which queries count, what makes a figure have no rank, and what a pair says."""

from collections.abc import Sequence
from typing import Any

import pytest

from scoring.comparison import NoSharedQueryError, UnrankedKind, WhyKind, compare_runs, rank_runs
from scoring.comparison.run import Run
from tests.scoring.comparison.runs import make_basis, make_run, make_values, run_of_points

BEST: list[list[float]] = [[5.0, 5.0]] * 12
WORST: list[list[float]] = [[5.0, 0.0]] * 12


def run(points: Sequence[Sequence[float]], **changes: Any) -> Run:
    return run_of_points(points, **{"rounds": ("1/1", "2/1"), **changes})


def test_ranks_are_ranges_and_a_pair_is_that_of_a_comparison_of_two() -> None:
    runs = [run(WORST, key="a"), run(BEST, key="b"), run([[5.0, 5.0]] * 11 + [[5.0, 0.0]], key="c")]
    found = rank_runs(runs)
    assert found.board is not None
    assert found.board.ranks == ((3, 3), (1, 2), (1, 2))
    assert found.order == [1, 2, 0]
    assert found.figure == "pass"
    assert found.means == (0.5, 1.0, 23 / 24)
    pair = found.board.pairs[0]
    change = compare_runs(runs[0], runs[1]).groups[0].change("pass")
    assert change is not None
    assert (pair.difference, pair.p, pair.interval) == (change.difference, change.p, change.interval)
    assert (pair.win, pair.tie, pair.loss) == (12, 0, 0)
    assert pair.mirrored.mirrored == pair
    assert len(found.differing) == 12


def test_queries_that_not_all_have_or_that_are_reworded_are_left_out() -> None:
    one = run(BEST, key="a")
    items = [
        make_values(f"Q{at:03}", 5.0, question="다른 질문" if at == 3 else f"Q{at:03} 지원자 수") for at in range(2, 12)
    ]
    found = rank_runs([one, run(BEST, key="b"), make_run(items, key="c", rounds=("1/1", "2/1"))])
    assert len(found.shared) == 9
    assert found.reworded == ("Q003",)
    assert found.left_out == (3, 3, 1)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"profile": "other"}, UnrankedKind.PROFILE),
        ({"rubric_digest": "d2"}, UnrankedKind.RUBRIC),
        ({"engine_version": 5}, UnrankedKind.ENGINE),
        ({"rounds": ("1/1",)}, UnrankedKind.ROUNDS),
        ({"selection": "1/1"}, UnrankedKind.ROUNDS),
    ],
)
def test_runs_that_are_not_alike_have_no_rank(changes: dict[str, Any], kind: UnrankedKind) -> None:
    found = rank_runs([run(BEST, key="a"), run(BEST, key="b"), run(WORST, key="c", **changes)])
    assert found.board is None
    assert [(one.a, one.b, one.kind) for one in found.unranked] == [(0, 2, kind), (1, 2, kind)]
    assert found.means == (1.0, 1.0, 0.5)


def test_grades_of_another_origin_have_no_rank() -> None:
    def graded(source: str, key: str) -> Run:
        items = [make_values(f"Q{at:03}", 5.0, intent_source=source) for at in range(12)]
        return make_run(items, key=key)

    found = rank_runs([graded("recorded", "a"), graded("recorded", "b"), graded("judge", "c")])
    assert found.board is None
    assert [(one.a, one.b) for one in found.unranked] == [(0, 2), (1, 2)]
    assert {one.why.kind for one in found.unranked if one.why is not None} == {WhyKind.GRADED}


def test_what_was_only_graded_anew_is_no_difference() -> None:
    def graded(points: float, key: str) -> Run:
        items = [
            make_values(f"Q{at:03}", points, answer="같은 답", text_hash=f"{at:016}", status="ok") for at in range(12)
        ]
        return make_run(items, key=key, basis=make_basis(passes=None))

    found = rank_runs([graded(5.0, "a"), graded(4.0, "b"), graded(3.0, "c")])
    assert found.board is not None
    assert found.regraded == 36
    assert {pair.difference for pair in found.board.pairs} == {0.0}
    assert set(found.board.ranks) == {(1, 3)}


def test_without_a_shared_query_nothing_is_ranked() -> None:
    others = [make_run([make_values(name)], key=name) for name in ("x", "y", "z")]
    with pytest.raises(NoSharedQueryError):
        rank_runs(others)
