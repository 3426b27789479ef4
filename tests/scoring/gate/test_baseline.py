"""`not worse than baseline`: by the verdicts of a comparison, and by its intervals where there is a margin."""

from types import MappingProxyType

import msgspec
import pytest
from msgspec.structs import replace

from scoring.comparison import Change, Comparison, GroupChanges, GroupKind, Verdict, Why, WhyKind, compare_runs
from scoring.gate.baseline import Uncompared
from scoring.gate.evaluation import Figures, evaluate
from scoring.gate.grammar import parse_rule
from scoring.gate.rules import EVERYTHING, GateState, RuleResult, RuleSet, Scope
from scoring.rubric import Better
from tests.scoring.gate.runs import query_of, run_of

PASSED, FAILED, UNDECIDABLE = GateState.PASSED, GateState.FAILED, GateState.UNDECIDABLE
SCALES = MappingProxyType({"intent": 5.0, "consistency": 5.0})
FIGURES = Figures(
    values={EVERYTHING: {}, Scope("track", "3"): {}, Scope("category", "x"): {}, Scope("slice", "en", "언어"): {}}
)
QUERIES = [query_of("q1", "p", values={"intent": 4.0})]
ALIKE = compare_runs(run_of("run_1", QUERIES), run_of("run_2", QUERIES))


def _change(metric: str, difference: float, interval: tuple[float, float], p: float, verdict: Verdict) -> Change:
    return Change(
        metric=metric,
        queries=82,
        changed=6,
        before=4.5,
        after=4.5 + difference,
        difference=difference,
        low=interval[0],
        high=interval[1],
        p=p,
        verdict=verdict,
        smallest=0.1,
        margin=None,
    )


def _worse(metric: str = "intent") -> Change:
    return _change(metric, -0.5, (-0.8, -0.2), 0.001, Verdict.WORSE)


def _slightly(metric: str = "intent") -> Change:
    return _change(metric, -0.05, (-0.08, -0.02), 0.001, Verdict.WORSE)


def _chance(metric: str = "intent") -> Change:
    return _change(metric, -0.1, (-0.4, 0.1), 0.4, Verdict.NOT_DISTINGUISHABLE)


def _better(metric: str = "intent") -> Change:
    return _change(metric, 0.5, (0.2, 0.8), 0.001, Verdict.BETTER)


def _unlike(metric: str = "intent") -> Change:
    """Not comparable: the two runs were graded by other models."""
    found = _change(metric, -0.3, (-0.6, -0.01), 0.04, Verdict.NOT_COMPARABLE)
    why = Why(WhyKind.MODEL, "A", other="B")
    return msgspec.structs.replace(found, difference=None, low=None, high=None, p=None, comparable=False, why=why)


def _comparison(*changes: Change, kind: GroupKind = GroupKind.ALL) -> Comparison:
    group = GroupChanges(kind=kind, track=3, category="x", column="언 어", value="en", queries=82, changes=changes)
    return replace(ALIKE, groups=(group,))


def _one(rule: str, comparison: Comparison | Uncompared) -> RuleResult:
    return evaluate(RuleSet(rules=(parse_rule(rule, SCALES, ("measure.cost",)),)), FIGURES, comparison).rules[0]


C = "consistency"


@pytest.mark.parametrize(
    ("rule", "changes", "state", "reason"),
    [
        ("intent not worse than baseline", [_worse()], FAILED, "worse"),
        ("intent not worse than baseline", [_chance(), _worse(C)], PASSED, "not-worse"),
        ("intent not worse than baseline", [_better()], PASSED, "not-worse"),
        ("intent not worse than baseline", [_better(C)], UNDECIDABLE, "not-compared"),
        ("not worse than baseline", [_chance(), _worse(C)], FAILED, "worse"),
        ("not worse than baseline", [_chance(), _better(C)], PASSED, "not-worse"),
        ("not worse than baseline", [_better(), _worse("seconds")], FAILED, "worse"),
        ("not worse than baseline", [_better(), _unlike(C)], UNDECIDABLE, "unlike"),
        ("not worse than baseline", [_worse(), _unlike(C)], FAILED, "worse"),
        ("intent not worse than baseline", [_chance(), _unlike(C)], PASSED, "not-worse"),
        ("answered_rate not worse than baseline", [_worse("answered")], FAILED, "worse"),
        ("pass_rate not worse than baseline", [_worse("answered")], FAILED, "worse"),
        ("pass_rate not worse than baseline", [_worse("answered"), _better("pass")], PASSED, "not-worse"),
        ("pass_rate not worse than baseline by 5 %", [_slightly("pass")], UNDECIDABLE, "not-shown-within"),
        ("pass_rate not worse than baseline by 10 %", [_slightly("pass")], PASSED, "within"),
        ("intent not worse than baseline by 0.1", [_slightly()], PASSED, "within"),
        ("intent not worse than baseline by 0.08", [_slightly()], PASSED, "within"),
        ("intent not worse than baseline by 0.1", [_worse()], FAILED, "worse"),
        ("intent not worse than baseline by 0.1", [_chance()], UNDECIDABLE, "not-shown-within"),
        ("intent not worse than baseline by 0.4", [_chance()], PASSED, "within"),
        ("intent not worse than baseline by 0.1", [_better()], PASSED, "within"),
        ("not worse than baseline by 0.1", [_slightly(), _chance(C)], UNDECIDABLE, "not-shown-within"),
    ],
)
def test_not_worse(rule: str, changes: list[Change], state: GateState, reason: str) -> None:
    found = _one(rule, _comparison(*changes))
    assert (found.state, found.reason, found.facts["baseline"]) == (state, reason, "run_1")


def _costs_more(better: Better = Better.LOWER, verdict: Verdict = Verdict.WORSE) -> Change:
    return msgspec.structs.replace(_change("measure.cost", 0.5, (0.2, 0.8), 0.001, verdict), better=better)


@pytest.mark.parametrize(
    ("rule", "change", "state", "reason"),
    [
        ("measure.cost not worse than baseline", _costs_more(), FAILED, "worse"),
        ("measure.cost not worse than baseline by 0.1", _costs_more(), FAILED, "worse"),
        ("measure.cost not worse than baseline by 0.6", _costs_more(), UNDECIDABLE, "not-shown-within"),
        ("measure.cost not worse than baseline by 0.8", _costs_more(), PASSED, "within"),
        ("measure.cost not worse than baseline", _costs_more(Better.HIGHER, Verdict.BETTER), PASSED, "not-worse"),
        ("measure.cost not worse than baseline", _costs_more(Better.NONE, Verdict.CHANGED), UNDECIDABLE,
         "no-direction"),
        ("not worse than baseline", _costs_more(), FAILED, "worse"),
        ("not worse than baseline by 0.5", _costs_more(), PASSED, "within"),
    ],
)  # fmt: skip
def test_a_measure_is_worse_where_its_bad_values_grow(rule: str, change: Change, state: GateState, reason: str) -> None:
    found = _one(rule, _comparison(_chance(), change))
    assert (found.state, found.reason) == (state, reason)


def test_result_names_what_decided_and_by_how_much() -> None:
    found = _one("not worse than baseline", _comparison(_worse(), _worse(C), _better("answered")))
    assert found.facts["names"] == "intent,consistency"
    assert (found.value, found.low, found.high) == (-0.5, -0.8, -0.2)


@pytest.mark.parametrize(
    ("rule", "kind", "reason"),
    [
        ("track 3: intent not worse than baseline", GroupKind.TRACK, "worse"),
        ("category 'x': intent not worse than baseline", GroupKind.CATEGORY, "worse"),
        ('slice 언어 "en": intent not worse than baseline', GroupKind.SLICE, "worse"),
        ("track 3: intent not worse than baseline", GroupKind.CATEGORY, "no-shared-group"),
        ('slice 언어 "en": intent not worse than baseline', GroupKind.CATEGORY, "no-shared-group"),
    ],
)
def test_rule_of_a_group_takes_the_verdict_of_that_group(rule: str, kind: GroupKind, reason: str) -> None:
    assert _one(rule, _comparison(_worse(), kind=kind)).reason == reason


def test_group_that_is_too_small_for_a_verdict_is_undecidable() -> None:
    small = msgspec.structs.replace(_worse(), p=None, verdict=Verdict.TOO_FEW)
    found = _one("track 3: intent not worse than baseline", _comparison(small, kind=GroupKind.TRACK))
    assert (found.state, found.reason) == (UNDECIDABLE, "not-compared")


def test_without_a_baseline_it_is_undecidable() -> None:
    found = _one("not worse than baseline", Uncompared())
    assert (found.state, found.reason, found.facts) == (UNDECIDABLE, "no-baseline", {})


def test_a_baseline_that_is_gone_is_named() -> None:
    found = _one("not worse than baseline", Uncompared("pin-gone", "nightly"))
    assert (found.state, found.reason, found.facts) == (UNDECIDABLE, "pin-gone", {"baseline": "nightly"})


def test_figures_that_are_not_comparable_are_named_with_the_reason() -> None:
    compared = compare_runs(run_of("run_1", QUERIES), run_of("run_2", QUERIES, rubric_digest="other"))
    found = _one("intent not worse than baseline", compared)
    assert (found.state, found.reason) == (UNDECIDABLE, "unlike")
    assert found.facts == {"baseline": "run_1", "what": "intent", "why": "rules"}


def test_copies_of_a_figure_are_no_part_of_a_rule_without_a_name() -> None:
    copy = msgspec.structs.replace(_worse("accuracy"), copy_of="intent")
    found = _one("not worse than baseline", _comparison(_worse(), copy))
    assert found.facts["names"] == "intent"


def test_a_margin_that_cannot_be_shown_names_the_smallest_that_can() -> None:
    found = _one("intent not worse than baseline by 0.1", _comparison(_chance()))
    facts = [found.facts[name] for name in ("shared", "rounds", "smallest")]
    assert facts == ["82", "1", "0.25"]  # half of -0.4 to 0.1


def test_other_questions_do_not_keep_it_from_a_verdict() -> None:
    more = [*QUERIES, query_of("q2", "p")]
    compared = compare_runs(run_of("run_1", more), run_of("run_2", QUERIES))
    assert _one("intent not worse than baseline", compared).reason == "not-worse"
