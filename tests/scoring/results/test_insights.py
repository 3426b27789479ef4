import random
from typing import Any

import pytest

from scoring.items import Item
from scoring.results.execution import TimeRange
from scoring.results.insights import FailurePattern, IntentSources, PatternGroup, find_insights
from scoring.results.losses import Loss, Weakest
from scoring.rubric import CONSISTENCY, Status
from tests.reporting.results import make_item, make_result

FAILED: dict[str, Any] = {"intent": 0.0, "accuracy": 0.0, "stability": 0.0, "why": "error-column"}


def _failed(row: int, **changes: Any) -> Item:
    return make_item(row, **{**FAILED, "status": Status.ERROR, "error": "timeout after 60s", **changes})


def _figures(entry: Weakest | None) -> tuple[str, float, int, int]:
    assert entry is not None
    return entry.key, entry.value, entry.n, entry.queries


def test_counts_answered_and_failed() -> None:
    items = [
        make_item(2),
        make_item(3, status=Status.PARTIAL, intent=4.0),
        _failed(4),
        _failed(5, status=Status.EMPTY, error=""),
    ]
    result = make_result(*items)
    found = find_insights(result)
    assert result.groups[0].status_counts == {Status.ERROR: 1, Status.EMPTY: 1, Status.PARTIAL: 1, Status.OK: 1}
    assert (found.failed_items, found.below) == ((2, 3), ())


def test_weakest_track_and_category_per_metric() -> None:
    items = [
        make_item(2, track=1, category="가"),
        make_item(3, track=3, category="나", latency=2.0),
        _failed(4, track=3, category="나"),
        make_item(5, track=None, category="가", stability=4.0),
    ]
    found = find_insights(make_result(*items))
    assert {name: entry and _figures(entry) for name, entry in found.weakest_tracks.items()} == {
        "intent": ("3", 2.5, 2, 2),
        "accuracy": ("3", 2.5, 2, 2),
        "stability": ("3", 2.5, 2, 2),
        "latency": ("3", 3.5, 2, 2),
        CONSISTENCY: None,
    }
    assert _figures(found.weakest_categories["latency"]) == ("나", 3.5, 2, 2)
    assert _figures(found.weakest_categories["stability"]) == ("나", 2.5, 2, 2)


def test_weakest_is_none_for_one_track_or_equal_ones() -> None:
    assert set(find_insights(make_result(make_item(2), _failed(3))).weakest_tracks.values()) == {None}
    equal = find_insights(make_result(make_item(2, track=1), make_item(3, track=2)))
    assert set(equal.weakest_tracks.values()) == {None}
    assert set(equal.weakest_categories.values()) == {None}


def test_losses_are_points_below_the_scale_by_track_and_status() -> None:
    items = [make_item(2, latency=3.0), _failed(3, track=3), make_item(4, track=3, status=Status.PARTIAL, intent=4.0)]
    losses = {loss.metric: loss for loss in find_insights(make_result(*items)).losses}
    assert list(losses) == ["intent", "accuracy", "stability", "latency", CONSISTENCY]
    assert (losses["intent"].points, losses["intent"].possible) == (6.0, 15.0)
    assert losses["intent"].places == (
        Loss("3", Status.ERROR, 5.0, 1, kind="status"),
        Loss("3", Status.PARTIAL, 1.0, 1, kind="status"),
    )
    assert losses["latency"].places == (Loss("1", None, 2.0, 1, kind="band", cause="3"),)
    assert losses[CONSISTENCY].possible == 0


def test_consistency_loses_a_scale_per_mismatch() -> None:
    items = [
        make_item(2, query_id="A", round="1/1"),
        _failed(3, query_id="A", round="2/1"),
        make_item(4, query_id="B", round="1/1"),
        make_item(5, query_id="B", round="2/1"),
    ]
    found = find_insights(make_result(*items))
    loss = found.losses[-1]
    assert (loss.points, loss.possible, loss.places) == (5.0, 10.0, (Loss("1", None, 5.0, 1),))
    assert [query.query_id for query in found.disagreeing] == ["A"]
    assert found.missing == ()


def test_missing_queries_stand_in_another_round() -> None:
    items = [make_item(2, query_id="A", round="1/1"), make_item(3, query_id="B", round="2/1")]
    found = find_insights(make_result(*items))
    assert [(query.query_id, query.statuses) for query in found.missing] == [
        ("A", (Status.OK, None)),
        ("B", (None, Status.OK)),
    ]
    assert found.disagreeing == ()


def test_ok_and_partial_agree() -> None:
    items = [make_item(2, query_id="A"), make_item(3, query_id="A", round="2/1", status=Status.PARTIAL)]
    assert find_insights(make_result(*items)).disagreeing == ()


def test_a_pattern_is_one_error_text_with_its_categories_tracks_and_queries() -> None:
    items = [
        _failed(2, error="timeout after 60s", category="나", why="error-payload", track=3),
        _failed(3, error="timeout after 61s", category="가"),
        _failed(4, error="timeout after 60s", category="가", query_id="Q-3", round="2/1", track=None),
        _failed(5, error="timeout after 60s", category="나", track=3),
        _failed(6, error="timeout after 60s", category="나", track=3),
    ]
    (pattern,) = find_insights(make_result(*items)).patterns
    assert pattern == FailurePattern(
        status=Status.ERROR,
        text="timeout after ‹n›s",
        why="",
        n=5,
        queries=4,
        categories=(PatternGroup("나", 3), PatternGroup("가", 2)),
        tracks=(PatternGroup("3", 3), PatternGroup("1", 1), PatternGroup("unassigned", 1)),
        query_ids=("Q-2", "Q-3", "Q-5", "Q-6"),
        lost={"intent": 25.0, "latency": 0.0, "stability": 25.0},
    )


def test_failures_without_a_text_are_told_apart_by_status_and_rule() -> None:
    items = [
        _failed(2),
        _failed(3, error="", status=Status.EMPTY, why="nothing", category="nan"),
        _failed(4, error="", why="payload:truncated"),
        _failed(5, error="", why="payload:truncated"),
    ]
    patterns = find_insights(make_result(*items)).patterns
    assert [(p.status, p.text, p.why, p.n, p.categories) for p in patterns] == [
        (Status.ERROR, "", "payload:truncated", 2, (PatternGroup("공고", 2),)),
        (Status.EMPTY, "", "nothing", 1, (PatternGroup("", 1),)),
        (Status.ERROR, "timeout after ‹n›s", "", 1, (PatternGroup("공고", 1),)),
    ]


def test_patterns_name_five_distinct_queries() -> None:
    items = [_failed(row, query_id=f"Q-{row // 2}") for row in range(2, 30)]
    (pattern,) = find_insights(make_result(*items)).patterns
    assert (pattern.n, pattern.queries) == (28, 14)
    assert pattern.query_ids == ("Q-1", "Q-2", "Q-3", "Q-4", "Q-5")


def test_categories_have_means_over_their_items() -> None:
    items = [
        make_item(2, category="가", seconds=4.0),
        make_item(3, category="가", seconds=None, latency=0.0),
        _failed(4, category=" 나 ", seconds=10.0),
    ]
    rows = find_insights(make_result(*items)).categories
    assert [(r.category, r.n, r.answered, r.failed, r.intent, r.latency, r.seconds, r.seconds_n) for r in rows] == [
        ("나", 1, 0, 1, 0.0, 5.0, 10.0, 1),
        ("가", 2, 2, 0, 5.0, 2.5, 4.0, 1),
    ]


def test_slowest_are_ten_and_slow_ones_reach_the_limit_of_their_class() -> None:
    items = [make_item(row, track=3, seconds=float(row)) for row in range(50, 70)]
    items += [make_item(70, track=1, seconds=500.0), make_item(71, track=3, seconds=None)]
    result = make_result(*items)
    found = find_insights(result)
    assert [result.items[index].row for index in found.slowest] == [70, *range(69, 60, -1)]
    assert [result.items[index].row for index in found.slow] == list(range(60, 70))


def test_slowest_of_equal_ones_are_the_first() -> None:
    assert find_insights(make_result(*[make_item(row) for row in range(2, 40)])).slowest == tuple(range(10))


def test_without_seconds_nothing_is_slow() -> None:
    found = find_insights(make_result(make_item(2, seconds=None)))
    assert (found.slowest, found.slow, found.categories[0].seconds) == ((), (), None)


def test_hidden_failures_keep_their_status() -> None:
    found = find_insights(make_result(make_item(2), make_item(3, failure_word="실패")))
    assert (found.hidden_failures, found.failed_items) == ((1,), ())


def test_intent_sources_say_why_a_score_was_not_recorded() -> None:
    items = [
        make_item(2, intent_source="recorded", recorded="4", intent=4.0),
        make_item(3),
        make_item(4, recorded="우수", recorded_issue="not-a-number"),
        make_item(5, recorded="85", recorded_issue="out-of-range"),
        make_item(6, recorded="-1", recorded_issue="out-of-range"),
    ]
    found = find_insights(make_result(*items))
    assert found.intent_sources == IntentSources(recorded=1, from_status=4, blank=1, not_a_number=1, out_of_range=2)


def test_llm_statuses_runs_and_models_leave_blanks_out() -> None:
    items = [
        make_item(2, llm_status="PASS", llm_model="m-2", run_id="r2"),
        make_item(3, llm_status=" PASS ", llm_model="nan", run_id="r1"),
        make_item(4, llm_status="FAIL", llm_model="m-1", run_id="r1"),
        make_item(5, llm_status="null"),
    ]
    found = find_insights(make_result(*items))
    assert list(found.llm_statuses.items()) == [("PASS", 2), ("FAIL", 1)]
    assert found.run_ids == ("r1", "r2", "run-1")
    assert found.llm_models == ("m-1", "m-2")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param(["", "nan"], None, id="none"),
        pytest.param(["2026-03-02 09:00:00"], ("2026-03-02 09:00:00", "2026-03-02 09:00:00", True), id="one"),
        pytest.param(
            ["2026-03-02 09:00:00", "2026-03-01T23:00:00", ""],
            ("2026-03-01T23:00:00", "2026-03-02 09:00:00", True),
            id="iso",
        ),
        pytest.param(
            ["2026/03/02 09:00:00", " 2026-03-01 23:00:00 "],
            ("2026-03-01 23:00:00", "2026/03/02 09:00:00", True),
            id="slashes-and-spaces",
        ),
        pytest.param(
            ["2026-03-02T09:00:00+09:00", "2026-03-02T01:00:00+00:00"],
            ("2026-03-02T01:00:00+00:00", "2026-03-02T09:00:00+09:00", True),
            id="zones-as-written",
        ),
        pytest.param(
            ["2026-03-02T09:00:00+09:00", "2026-03-01 09:00:00"],
            ("2026-03-01 09:00:00", "2026-03-02T09:00:00+09:00", True),
            id="mixed-zones",
        ),
        pytest.param(["오전 9시", "2026-03-02"], ("2026-03-02", "오전 9시", False), id="no-time"),
    ],
)
def test_executed_is_the_range_of_times(texts: list[str], expected: tuple[str, str, bool] | None) -> None:
    items = [make_item(row, executed_at=text) for row, text in enumerate(texts, start=2)]
    found = find_insights(make_result(*items)).executed
    assert found == (TimeRange(*expected) if expected else None)


def test_payloads_come_from_the_counts_of_the_parts() -> None:
    counts = {"payload:truncated": 2, "payload:excel-cut": 1, "ui-object": 4}
    assert find_insights(make_result(make_item(2), counts=counts)).payloads == {"excel-cut": 1, "truncated": 2}


def test_row_order_changes_no_figure() -> None:
    rng = random.Random(7)
    items = [
        make_item(
            row,
            track=rng.choice([1, 2, 3, None]),
            category=rng.choice("가나다"),
            round=rng.choice(["1/1", "2/1"]),
            query_id=f"Q-{row}",
            seconds=rng.random() * 100,
            latency=float(rng.randrange(6)),
            executed_at=f"2026-03-{rng.randrange(1, 29):02}",
            **(FAILED | {"status": Status.ERROR, "error": f"code {row}"} if rng.random() < 0.3 else {}),
        )
        for row in range(2, 200)
    ]
    shuffled = items[:]
    rng.shuffle(shuffled)
    one, other = find_insights(make_result(*items)), find_insights(make_result(*shuffled))
    for name in (
        "weakest_tracks", "weakest_categories", "losses", "categories", "intent_sources",
        "run_ids", "executed",
    ):  # fmt: skip
        assert getattr(one, name) == getattr(other, name), name
    assert [(p.text, p.n) for p in one.patterns] == [(p.text, p.n) for p in other.patterns]
