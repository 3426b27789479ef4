"""One metric in one group: figures worked out by hand, and the right values of other libraries."""

import pytest

from scoring.comparison.changes import Change, Flips, MarginVerdict, Measured, Values, Verdict, flips_of, margin_verdict
from scoring.comparison.compare import compare_runs
from scoring.comparison.like_with_like import Why, WhyKind
from scoring.rubric import Better
from scoring.statistics import ALPHA, Interval, change_interval, sign_flip, whole_steps
from tests.scoring.comparison.runs import make_basis, run_of_points
from tests.scoring.statistics.cases import case, near

PAIRED = case("paired_points")


def _change(differences: list[float], metric: str = "intent", before: float = 5.0, **more: object) -> Change:
    """The change of a metric by its own test."""
    values = [Values(before, before + difference, difference) for difference in differences]
    better = more.pop("better", None)
    is_small = bool(more.pop("is_small", False))
    measured = Measured(metric, values, length=5.0, is_small=is_small, better=better)  # type: ignore[arg-type]
    return measured.change(**{"p": measured.p, "is_found": measured.p <= ALPHA, **more})  # type: ignore[arg-type]


def test_paired_points_through_the_engine() -> None:
    basis = make_basis(passes=None)  # intent leads: it is tested by itself
    before = run_of_points(PAIRED["inputs"]["before"], key="a", basis=basis)
    after = run_of_points(PAIRED["inputs"]["after"], key="b", basis=basis)
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
    assert found.interval == near(change_interval(right["query_differences"], length=5.0, is_found=True))


def test_grades_given_anew_are_in_the_values_and_not_in_the_difference() -> None:
    values = [Values(5.0, 2.0, -1.0), *[Values(5.0, 4.0, -1.0)] * 7]  # 2 of the first 3 points are of a later grade
    measured = Measured("intent", values, length=5.0, is_small=False)
    found = measured.change(p=measured.p, is_found=True)
    assert (found.before, found.after, found.difference) == (5.0, 3.75, -1.0)
    assert found.leaves_out
    assert not _change([-1.0] * 8).leaves_out


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


def test_a_verdict_that_the_family_takes_away_takes_zero_into_the_interval() -> None:
    differences = [-5.0] * 6 + [0.0] * 6
    found = _change(differences)
    assert (found.verdict, found.p) == (Verdict.WORSE, 2 / 2**6)
    assert found.interval is not None
    assert found.interval.high < 0
    lost = _change(differences, p=0.08, is_found=False)
    assert (lost.verdict, lost.p) == (Verdict.NOT_DISTINGUISHABLE, 0.08)
    assert lost.interval == change_interval(differences, length=5.0, is_found=False)
    assert lost.interval is not None
    assert lost.interval.high >= 0


def test_a_small_group_has_a_difference_and_nothing_that_says_how_sure_it_is() -> None:
    found = _change([-5.0] * 6, is_small=True)
    assert (found.verdict, found.difference, found.interval, found.p) == (Verdict.TOO_FEW, -5.0, None, None)


def test_what_is_not_comparable_has_both_values_and_nothing_else() -> None:
    why = Why(WhyKind.CHECKS, "has", 0.0, 1.0)
    found = _change([-5.0] * 6, why=why, margin=0.1)
    assert (found.before, found.after, found.verdict, found.why) == (5.0, 0.0, Verdict.NOT_COMPARABLE, why)
    assert (found.difference, found.interval, found.p, found.smallest, found.margin) == (None,) * 5
    assert not found.is_found


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


STEPS = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 700.0]


def test_seconds_are_worse_when_they_grow_and_go_by_ranks_and_shift() -> None:
    found = _change(STEPS, "seconds", 10.0)
    assert found.verdict is Verdict.WORSE
    assert found.p == near(2 / 2**7)  # all ranks on one side
    assert found.difference == 4.0  # of the 28 averages of two the 14th and the 15th are 4
    assert found.interval == Interval(2.0, 352.5)  # three of 128 sums on either side: 1, 1.5 and 2; 700, 353 and 352.5
    assert found.smallest is None
    assert _change([-step for step in STEPS], "seconds", 800.0).verdict is Verdict.BETTER


@pytest.mark.parametrize(
    ("better", "verdict"),
    [(Better.LOWER, Verdict.WORSE), (Better.HIGHER, Verdict.BETTER), (Better.NONE, Verdict.CHANGED)],
)
def test_measures_go_by_ranks_and_by_what_their_document_calls_good(better: Better, verdict: Verdict) -> None:
    found = _change(STEPS, "measure.tokens", 1e6, better=better)
    assert (found.verdict, found.p, found.difference) == (verdict, near(2 / 2**7), 4.0)
    assert (found.interval, found.smallest, found.better) == (Interval(2.0, 352.5), None, better)
    assert found.is_found
    assert _change(STEPS[:5], "measure.tokens", better=better).interval is None  # fewer than six
    assert _change([], "measure.tokens", better=better).better is better


@pytest.mark.parametrize("is_found", [True, False])
def test_the_interval_of_seconds_holds_0_where_no_change_is_found(is_found: bool) -> None:
    """Ties among the ranks can make the test and the interval disagree."""
    for differences in ([-1.0] * 6 + [0.0] * 20, STEPS):
        interval = _change(differences, "seconds", 10.0, p=0.05, is_found=is_found).interval
        assert interval is not None
        assert (interval.low <= 0.0 <= interval.high) is not is_found


def test_a_found_change_of_seconds_is_of_the_queries_that_changed_as_its_test() -> None:
    """Of 26 queries 6 are slower: the median over all would be 0 beside *worse*."""
    found = _change([0.0] * 20 + [9.0] * 6, "seconds", 10.0)
    assert (found.verdict, found.difference, found.interval) == (Verdict.WORSE, 9.0, Interval(9.0, 9.0))
    assert (found.changed, found.queries, found.tells_all) == (6, 26, False)
    assert _change(STEPS, "seconds", 10.0).tells_all
    unfound = _change([0.0] * 20 + [9.0] * 5, "seconds", 10.0)
    assert (unfound.verdict, unfound.difference, unfound.tells_all) == (Verdict.NOT_DISTINGUISHABLE, 0.0, True)


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
    run = run_of_points([[5.0]] * 12)
    wide, narrow = (
        {change.metric: change.margin for change in compare_runs(run, run, margin=margin).groups[0].changes}
        for margin in (1.2, 1.1)
    )
    assert (wide["intent"], narrow["intent"]) == (MarginVerdict.SAME, MarginVerdict.NOT_SHOWN)  # 0.00 (-1.13 to 1.13)
    assert wide["pass"] is wide["answered"] is wide["seconds"] is None


def test_flips_count_queries_that_pass_on_one_side_only() -> None:
    outcomes = [(True, False), (True, True), (False, True), (True, False)]
    assert flips_of(outcomes, unequal=0) == Flips(to_fail=2, to_pass=1, p=1.0)
    assert flips_of(outcomes, unequal=1) == Flips(to_fail=2, to_pass=1, p=None, unequal=1)
    assert flips_of([], unequal=0).p == 1.0


def test_the_p_value_is_that_of_the_sign_flip_test() -> None:
    differences = [-1.0, -2.5, 0.5, -0.25, 3.0, -4.0, 0.0]
    assert _change(differences).p == sign_flip(whole_steps(differences, 5.0))
