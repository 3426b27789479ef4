"""One metric in one group: figures worked out by hand, and the right values of other libraries."""

from __future__ import annotations

import msgspec
import pytest

from scoring.comparison.changes import (
    Change,
    MarginVerdict,
    Verdict,
    adjusted_family,
    change_of,
    flips_of,
    margin_verdict,
)
from scoring.comparison.compare import compare_runs
from scoring.rubric import Better
from scoring.statistics import Interval, sign_flip, whole_steps
from tests.scoring.comparison.runs import run_of_points
from tests.scoring.statistics.cases import case, near

PAIRED = case("paired_points")


def _change(differences: list[float], **more: object) -> Change:
    values = [(5.0, 5.0 + difference) for difference in differences]
    interval = Interval(min(differences, default=0.0), max(differences, default=0.0))
    return change_of("intent", values, interval, length=5.0, **more)  # type: ignore[arg-type]


def test_paired_points_through_the_engine() -> None:
    before = run_of_points(PAIRED["inputs"]["before"], key="a")
    after = run_of_points(PAIRED["inputs"]["after"], key="b")
    found = compare_runs(before, after).groups[0].change("intent")
    assert found is not None
    right = PAIRED["results"]
    assert found.queries == 12
    assert found.difference == near(right["mean_difference"])
    assert found.p == near(right["sign_flip_exact_p"])
    assert found.verdict is Verdict.WORSE
    assert found.after is not None
    assert found.before is not None
    assert found.after - found.before == near(right["mean_difference"])
    assert found.interval == near(tuple(right["bootstrap_percentile"]), 0.15)


@pytest.mark.parametrize(
    "row", case("mcnemar")["results"], ids=lambda row: f"{row['worse']}-worse-{row['better']}-better"
)
def test_flips_through_the_engine_are_the_mcnemar_test(row: dict[str, float]) -> None:
    worse, better = int(row["worse"]), int(row["better"])
    before = run_of_points([[5.0]] * worse + [[0.0]] * better + [[5.0]], key="a")
    after = run_of_points([[0.0]] * worse + [[5.0]] * better + [[5.0]], key="b")
    comparison = compare_runs(before, after)
    assert (comparison.flips.to_fail, comparison.flips.to_pass) == (worse, better)
    assert comparison.flips.p == near(row["p_exact"])
    shares = comparison.groups[0].change("pass")
    assert shares is not None
    assert shares.p == near(row["p_exact"])


def test_family_is_adjusted_by_benjamini_and_hochberg() -> None:
    found = case("benjamini_hochberg")
    template = _change([-5.0] * 6)
    family = [_with_p(template, p) for p in found["inputs"]]
    adjusted = adjusted_family([*family, _change([-5.0] * 6, is_small=True)])
    assert [change.p for change in adjusted[:-1]] == near(found["results"]["adjusted_bh"])
    assert [change.verdict is Verdict.WORSE for change in adjusted[:-1]] == found["results"]["rejected_bh"]
    assert adjusted[-1].p is None
    assert adjusted[-1].verdict is Verdict.TOO_FEW


def _with_p(change: Change, p: float) -> Change:
    verdict = Verdict.WORSE if p <= 0.05 else Verdict.NOT_DISTINGUISHABLE
    return msgspec.structs.replace(change, p=p, verdict=verdict, low=-5.0, high=-1.0)


def test_a_verdict_that_the_family_takes_away_takes_zero_into_the_interval() -> None:
    (first, *_) = adjusted_family([_with_p(_change([-5.0] * 6), 0.04), _with_p(_change([-5.0] * 6), 0.9)])
    assert first.p == near(0.08)
    assert first.verdict is Verdict.NOT_DISTINGUISHABLE
    assert first.interval == Interval(-5.0, 0.0)


@pytest.mark.parametrize(
    ("differences", "verdict"),
    [
        pytest.param([0.0] * 12, Verdict.SAME, id="no-query-changed"),
        pytest.param([-5.0] + [0.0] * 11, Verdict.NOT_DISTINGUISHABLE, id="one"),
        pytest.param([-5.0] * 5 + [0.0] * 7, Verdict.NOT_DISTINGUISHABLE, id="five: p 0.0625"),
        pytest.param([-5.0] * 6 + [0.0] * 6, Verdict.WORSE, id="six: p 0.03125"),
        pytest.param([5.0] * 6 + [0.0] * 6, Verdict.BETTER, id="six for the better"),
        pytest.param([5.0, -5.0] * 6, Verdict.NOT_DISTINGUISHABLE, id="changes that cancel out"),
        pytest.param([], Verdict.NO_VALUE, id="nothing"),
    ],
)
def test_verdict(differences: list[float], verdict: Verdict) -> None:
    assert _change(differences).verdict is verdict


def test_seconds_are_worse_when_they_grow_and_go_by_ranks_and_median() -> None:
    values = [(10.0, 10.0 + step) for step in (1, 2, 3, 4, 5, 6, 700)]
    found = change_of("seconds", values, None, length=5.0)
    assert found.verdict is Verdict.WORSE
    assert found.p == near(2 / 2**7)  # all ranks on one side
    assert found.difference == 4.0
    assert found.interval == Interval(1.0, 700.0)  # of seven values the first and the last: 2 / 2**7 < 0.05
    assert found.smallest is None
    faster = change_of("seconds", [(new, old) for old, new in values], None, length=5.0)
    assert faster.verdict is Verdict.BETTER


@pytest.mark.parametrize(
    ("better", "verdict"),
    [(Better.LOWER, Verdict.WORSE), (Better.HIGHER, Verdict.BETTER), (Better.NONE, Verdict.CHANGED)],
)
def test_measures_go_by_ranks_and_by_what_their_document_calls_good(better: Better, verdict: Verdict) -> None:
    values = [(1e6, 1e6 + step) for step in (1, 2, 3, 4, 5, 6, 700)]
    found = change_of("measure.tokens", values, None, length=5.0, better=better)
    assert (found.verdict, found.p, found.difference) == (verdict, near(2 / 2**7), 4.0)
    assert (found.interval, found.smallest, found.better) == (Interval(1.0, 700.0), None, better)
    assert found.is_found
    (lost,) = adjusted_family([found])
    assert lost.verdict is verdict
    assert change_of("measure.tokens", values[:5], None, length=5.0, better=better).interval is None  # fewer than six
    assert change_of("measure.tokens", [], None, length=5.0, better=better).better is better


def test_the_smallest_change_is_none_where_the_scale_is_too_short() -> None:
    assert _change([-5.0, 0.0]).smallest is None
    assert _change([-5.0] * 2 + [0.0] * 10).smallest == 6 * 5.0 / 12  # six queries that change as much


@pytest.mark.parametrize(
    ("interval", "better", "verdict"),
    [
        ((-0.1, 0.1), Better.HIGHER, MarginVerdict.SAME),
        ((-0.1, 0.100001), Better.HIGHER, MarginVerdict.NOT_WORSE),
        ((0.5, 0.9), Better.HIGHER, MarginVerdict.NOT_WORSE),
        ((-0.100001, 0.1), Better.HIGHER, MarginVerdict.NOT_SHOWN),
        ((-0.9, -0.5), Better.HIGHER, MarginVerdict.NOT_SHOWN),
        ((-5.0, 0.1), Better.LOWER, MarginVerdict.NOT_WORSE),
        ((-0.1, 5.0), Better.LOWER, MarginVerdict.NOT_SHOWN),
        ((-0.1, 0.1), Better.LOWER, MarginVerdict.SAME),
        ((-5.0, 0.100001), Better.LOWER, MarginVerdict.NOT_SHOWN),
    ],
)
def test_margin(interval: tuple[float, float], better: Better, verdict: MarginVerdict) -> None:
    assert margin_verdict(Interval(*interval), 0.1, better) is verdict


def test_only_metrics_with_points_have_a_margin() -> None:
    comparison = compare_runs(run_of_points([[5.0]] * 12), run_of_points([[5.0]] * 12), margin=0.1)
    margins = {change.metric: change.margin for change in comparison.groups[0].changes}
    assert margins["intent"] is MarginVerdict.SAME
    assert margins["pass"] is margins["answered"] is margins["seconds"] is None


def test_flips_count_queries_that_pass_on_one_side_only() -> None:
    found = flips_of([(True, False), (True, True), (False, True), (True, False)])
    assert (found.to_fail, found.to_pass, found.p) == (2, 1, 1.0)
    assert flips_of([]).p == 1.0


def test_the_p_value_is_that_of_the_sign_flip_test() -> None:
    differences = [-1.0, -2.5, 0.5, -0.25, 3.0, -4.0, 0.0]
    assert _change(differences).p == sign_flip(whole_steps(differences, 5.0))
