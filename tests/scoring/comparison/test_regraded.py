"""Items that say the same with another grade are found by the hash of their texts, and left out of the change."""

from typing import Any

import pytest

from scoring.comparison import Run, compare_runs
from scoring.rubric import PassRule
from tests.scoring.comparison.runs import make_basis, make_run, make_values

QUERIES = 12


def run_of(*intents: float, hashes: bool = True, name: str = "run", **changes: Any) -> Run:
    """A run with one item a query, whose answers are the same in every run."""
    items = [
        make_values(
            f"Q{n}", intent, **{"answer": f"답 {n}", "status": "ok", "text_hash": f"h{n}" if hashes else "", **changes}
        )
        for n, intent in enumerate(intents)
    ]
    return make_run(items, name=name)


@pytest.mark.parametrize(("hashes", "by_cut_text"), [(True, False), (False, True)])
def test_an_equal_answer_is_neither_better_nor_worse(hashes: bool, by_cut_text: bool) -> None:
    before = run_of(*[5.0] * QUERIES, hashes=hashes, name="a")
    after = run_of(*[1.0] * 8, *[5.0] * 4, hashes=True, name="b")
    compared = compare_runs(before, after)
    assert [(one.query_id, one.before.points[0], one.after.points[0]) for one in compared.regraded.items] == [
        (f"Q{n}", 5.0, 1.0) for n in range(8)
    ]
    assert compared.regraded.by_cut_text is by_cut_text
    intent = compared.groups[0].change("intent")
    assert intent is not None
    assert (intent.before, intent.changed, intent.difference) == (5.0, 0, 0.0)
    assert intent.after == pytest.approx((8 * 1 + 4 * 5) / QUERIES, abs=1e-12)


@pytest.mark.parametrize(
    ("digest", "text_hash", "passing"),
    [
        pytest.param("d2", "h", [], id="equal-answers"),
        pytest.param("d2", "other", ["Q0", "Q1"], id="other-answers"),
        pytest.param("d1", "h", ["Q0", "Q1"], id="the-same-rules"),
    ],
)
def test_a_query_that_passes_by_another_rule_alone_does_not_newly_pass(
    digest: str, text_hash: str, passing: list[str]
) -> None:
    def run(limit: float, of: str, digest: str) -> Run:
        basis = make_basis(passes=PassRule(metric="intent", points=limit))
        points = [3.0] * 2 + [5.0] * 10
        items = [make_values(f"Q{n}", value, answer="답", text_hash=of) for n, value in enumerate(points)]
        return make_run(items, basis=basis, rubric_digest=digest)

    compared = compare_runs(run(4.0, "h", "d1"), run(2.0, text_hash, digest))
    assert [one.pair.after.query_id for one in compared.lists.now_passes] == passing
    assert compared.regraded.items == ()


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"text_hash": "other"}, id="text-beyond-what-is-kept"),
        pytest.param({"status": "partial"}, id="status"),
        pytest.param({"round": "2/1"}, id="round"),
    ],
)
def test_what_differs_in_text_status_or_round_is_a_change(changes: dict[str, Any]) -> None:
    before = run_of(*[5.0] * QUERIES, name="a")
    after = run_of(*[1.0] * QUERIES, **changes, name="b")
    compared = compare_runs(before, after)
    assert compared.regraded.items == ()
    intent = compared.groups[0].change("intent")
    assert intent is not None
    assert intent.changed == QUERIES


def test_another_origin_of_equal_points_is_regraded_and_seconds_are_never() -> None:
    before = run_of(*[5.0] * QUERIES, name="a", seconds=2.0)
    after = run_of(*[5.0] * QUERIES, name="b", seconds=9.0, intent_source="judge")
    compared = compare_runs(before, after)
    assert len(compared.regraded.items) == QUERIES
    seconds = compared.groups[0].change("seconds")
    assert seconds is not None
    assert seconds.changed == QUERIES


def test_attempts_of_one_round_that_say_the_same_are_paired_one_to_one() -> None:
    def run(*intents: float) -> Run:
        return make_run([make_values("Q1", intent, answer="답", status="ok", text_hash="h") for intent in intents])

    assert len(compare_runs(run(5.0, 5.0), run(1.0)).regraded.items) == 1
    assert len(compare_runs(run(5.0), run(1.0, 1.0)).regraded.items) == 1
