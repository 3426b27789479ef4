"""What the rules of a gate mean: passed, failed or undecidable, and why."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from scoring.gate.figures import Change, Comparison, Figure, Figures, Outcome, Query
from scoring.gate.grammar import parse_rule
from scoring.gate.judge import judge
from scoring.gate.result import GateState, RuleResult
from scoring.gate.rules import EVERYTHING, RuleSet, Scope

PASSED, FAILED, UNDECIDABLE = GateState.PASSED, GateState.FAILED, GateState.UNDECIDABLE
SCALES = MappingProxyType({"intent": 5.0, "consistency": 5.0, "latency": 5.0})
TRACK_3 = Scope("track", "3")
EMPTY = Figures(metrics=("intent",), values={EVERYTHING: {}})


def _query(name: str, passes: str, *, track: str = "1", category: str = "") -> Query:
    """passes: a letter per item: p passes, f fails, - takes no part."""
    outcomes = [Outcome(f"{at}/1", "ok", {"p": True, "f": False, "-": None}[one]) for at, one in enumerate(passes, 1)]
    return Query(name, "", track, category, tuple(outcomes))


def _figures(values: Mapping[str, Figure], *queries: Query, **of_track: Figure) -> Figures:
    scopes = {EVERYTHING: values, **({TRACK_3: of_track} if of_track else {})}
    return Figures(metrics=("intent", "consistency"), values=scopes, queries=queries)


def _one(
    rule: str, figures: Figures | None, comparison: Comparison | None = None, *, confident: bool = False
) -> RuleResult:
    rules = RuleSet(rules=(parse_rule(rule, SCALES),), confident=confident)
    result = judge(rules, figures, comparison)
    assert result.state == result.rules[0].state
    return result.rules[0]


@pytest.mark.parametrize(
    ("rule", "value", "state"),
    [
        ("intent >= 4", 4.0, PASSED),
        ("intent >= 4", 3.9999999999999996, PASSED),  # what a mean of exact points can be off by
        ("intent >= 4", 3.99, FAILED),
        ("intent > 4", 4.0, FAILED),
        ("intent > 4", 4.01, PASSED),
        ("intent <= 4", 4.0, PASSED),
        ("intent <= 4", 4.01, FAILED),
        ("intent < 4", 4.0, FAILED),
        ("intent = 4", 4.0, PASSED),
        ("intent = 4", 4.5, FAILED),
        ("pass_rate >= 85 %", 17 / 20, PASSED),
        ("pass_rate >= 0.8", 0.7 + 0.1, PASSED),
        ("unreadable <= 0", 0.0, PASSED),
        ("unreadable <= 0", 1.0, FAILED),
        ("latency p95 <= 60", 60.0, PASSED),
    ],
)
def test_limit(rule: str, value: float, state: GateState) -> None:
    name = rule.rpartition(" %")[0].rsplit(" ", 2)[0] if "%" in rule else rule.rsplit(" ", 2)[0]
    found = _one(rule, _figures({name: Figure(value)}))
    assert (found.state, found.value, found.reason) == (state, value, "limit")


def test_limit_of_a_track() -> None:
    figures = _figures({"intent": Figure(5.0)}, intent=Figure(2.9))
    assert _one("track 3: intent >= 3", figures).state is FAILED
    assert _one("intent >= 3", figures).state is PASSED


@pytest.mark.parametrize(
    ("rule", "state", "reason"),
    [
        ("intent >= 4", FAILED, "confident"),
        ("intent <= 5", PASSED, "confident"),
        ("intent <= 4.6", FAILED, "confident"),
        ("intent >= 3.9", PASSED, "confident"),
        ("intent = 4.5", FAILED, "confident"),
        ("latency p95 <= 60", PASSED, "limit"),  # seconds have no interval and are left alone
    ],
)
def test_confident_asks_the_bad_end_of_the_interval(rule: str, state: GateState, reason: str) -> None:
    figures = _figures({"intent": Figure(4.5, 3.9, 4.8), "latency p95": Figure(60.0)})
    found = _one(rule, figures, confident=True)
    assert (found.state, found.reason) == (state, reason)


def test_without_confident_the_value_itself_counts() -> None:
    assert _one("intent >= 4", _figures({"intent": Figure(4.5, 3.9, 4.8)})).state is PASSED


@pytest.mark.parametrize(
    ("rule", "figures", "reason"),
    [
        ("intent >= 4", None, "no-report"),
        ("intent >= 4", EMPTY, "no-value"),
        ("track 3: intent >= 4", EMPTY, "no-track"),
        ("category 'x': intent >= 4", EMPTY, "no-category"),
        ("every query passes >= 1 of 1", EMPTY, "no-queries"),
        ("not worse than baseline", EMPTY, "no-baseline"),
    ],
)
def test_what_there_is_no_figure_of_is_undecidable(rule: str, figures: Figures | None, reason: str) -> None:
    found = _one(rule, figures)
    assert (found.state, found.reason) == (UNDECIDABLE, reason)


@pytest.mark.parametrize(
    ("queries", "state", "reason", "named"),
    [
        (["ppp", "ppf", "fpp"], PASSED, "queries-pass", ()),
        (["ppp", "pff"], FAILED, "queries-fail", ("q2",)),
        (["pp", "ppp"], UNDECIDABLE, "queries-few", ("q1",)),
        (["pp", "pff"], FAILED, "queries-fail", ("q2",)),  # what fails is certain, whatever is open
        (["p-p", "ppp"], UNDECIDABLE, "queries-few", ("q1",)),  # an item without checks is none of the three
        (["---", "ppp"], PASSED, "queries-pass", ()),
        (["---"], UNDECIDABLE, "no-queries", ()),
        (["ppppff"], PASSED, "queries-pass", ()),  # 4 of 6 is the share of 2 of 3
        (["pppfff"], FAILED, "queries-fail", ("q1",)),
    ],
)
def test_every_query(queries: list[str], state: GateState, reason: str, named: tuple[str, ...]) -> None:
    made = [_query(f"q{at}", passes) for at, passes in enumerate(queries, 1)]
    found = _one("every query passes >= 2 of 3", _figures({}, *made))
    assert (found.state, found.reason, found.queries) == (state, reason, named)


def test_every_query_of_a_track_or_category() -> None:
    queries = [_query("q1", "p", track="3", category="여행"), _query("q2", "f")]
    figures = Figures(
        metrics=(), values={EVERYTHING: {}, TRACK_3: {}, Scope("category", "여행"): {}}, queries=tuple(queries)
    )
    assert _one("track 3: every query passes >= 1 of 1", figures).state is PASSED
    assert _one("category '여행': every query passes >= 1 of 1", figures).state is PASSED
    assert _one("every query passes >= 1 of 1", figures).queries == ("q2",)


def _against(**changes: Change) -> Comparison:
    return Comparison(name="run_1", changes={EVERYTHING: changes})


WORSE = Change(4.5, 4.0, -0.8, -0.2, 0.001, is_worse=True)
SLIGHTLY = Change(4.5, 4.45, -0.08, -0.02, 0.001, is_worse=True)
CHANCE = Change(4.5, 4.4, -0.4, 0.1, 0.4, is_worse=False)
BETTER = Change(4.0, 4.5, 0.2, 0.8, 0.001, is_worse=False)
NEARLY = Change(4.5, 4.2, -0.6, -0.01, 0.04, is_worse=True)  # alone worse, not among two


@pytest.mark.parametrize(
    ("rule", "changes", "state", "reason"),
    [
        ("intent not worse than baseline", {"intent": WORSE}, FAILED, "worse"),
        ("intent not worse than baseline", {"intent": CHANCE, "consistency": WORSE}, PASSED, "not-worse"),
        ("intent not worse than baseline", {"intent": BETTER}, PASSED, "not-worse"),
        ("intent not worse than baseline", {"intent": NEARLY}, FAILED, "worse"),
        ("intent not worse than baseline", {"consistency": BETTER}, UNDECIDABLE, "no-change-value"),
        ("not worse than baseline", {"intent": CHANCE, "consistency": WORSE}, FAILED, "worse"),
        ("not worse than baseline", {"intent": CHANCE, "consistency": BETTER}, PASSED, "not-worse"),
        ("not worse than baseline", {"intent": NEARLY, "consistency": CHANCE}, PASSED, "not-worse"),
        ("not worse than baseline", {"intent": NEARLY}, FAILED, "worse"),
        ("intent not worse than baseline by 0.1", {"intent": SLIGHTLY}, PASSED, "within"),
        ("intent not worse than baseline by 0.1", {"intent": WORSE}, FAILED, "worse"),
        ("intent not worse than baseline by 0.1", {"intent": CHANCE}, UNDECIDABLE, "not-shown"),
        ("intent not worse than baseline by 0.4", {"intent": CHANCE}, PASSED, "within"),
        ("not worse than baseline by 0.1", {"intent": SLIGHTLY, "consistency": CHANCE}, UNDECIDABLE, "not-shown"),
    ],
)
def test_not_worse(rule: str, changes: dict[str, Change], state: GateState, reason: str) -> None:
    found = _one(rule, EMPTY if "consistency" not in changes else _figures({}), _against(**changes))
    assert (found.state, found.reason) == (state, reason)


def test_what_is_not_like_with_like_is_undecidable_whatever_the_figures_say() -> None:
    comparison = Comparison(name="run_1", unlike="rubric", changes={EVERYTHING: {"intent": WORSE}})
    found = _one("intent not worse than baseline", EMPTY, comparison)
    assert (found.state, found.reason, found.facts) == (UNDECIDABLE, "unlike-rubric", {"baseline": "run_1"})


def test_state_of_a_gate_is_the_worst_of_its_rules() -> None:
    figures = _figures({"intent": Figure(4.0)})
    texts = ["intent >= 3", "consistency >= 3", "intent >= 5"]
    for n, state in ((1, PASSED), (2, UNDECIDABLE), (3, FAILED)):
        rules = RuleSet(rules=tuple(parse_rule(text, SCALES) for text in texts[:n]))
        assert judge(rules, figures).state is state
    assert judge(RuleSet(rules=()), figures).state is PASSED
