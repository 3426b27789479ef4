"""What the rules of a gate mean: passed, failed or undecidable, and why."""

from collections.abc import Mapping
from types import MappingProxyType

import pytest
from msgspec.structs import replace

from scoring.comparison import Query
from scoring.gate.evaluation import Figure, Figures, evaluate
from scoring.gate.grammar import parse_rule
from scoring.gate.rules import EVERYTHING, GateState, RuleResult, RuleSet, Scope
from tests.scoring.gate.runs import query_of

PASSED, FAILED, UNDECIDABLE = GateState.PASSED, GateState.FAILED, GateState.UNDECIDABLE
SCALES = MappingProxyType({"intent": 5.0, "consistency": 5.0, "latency": 5.0})
TRACK_3 = Scope("track", "3")
EMPTY = Figures(values={EVERYTHING: {}})


def _figures(values: Mapping[str, Figure], *queries: Query, **of_track: Figure) -> Figures:
    scopes = {EVERYTHING: values, **({TRACK_3: of_track} if of_track else {})}
    return Figures(values=scopes, queries=queries)


def _one(rule: str, figures: Figures | None, *, confident: bool = False) -> RuleResult:
    rules = RuleSet(rules=(parse_rule(rule, SCALES),), confident=confident)
    result = evaluate(rules, figures)
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
def test_everyquery_of(queries: list[str], state: GateState, reason: str, named: tuple[str, ...]) -> None:
    made = [query_of(f"q{at}", passes) for at, passes in enumerate(queries, 1)]
    found = _one("every query passes >= 2 of 3", _figures({}, *made))
    assert (found.state, found.reason, found.queries) == (state, reason, named)


def test_every_query_of_a_track_or_category() -> None:
    queries = [query_of("q1", "p", track=3, category="여행"), query_of("q2", "f")]
    figures = Figures(values={EVERYTHING: {}, TRACK_3: {}, Scope("category", "여행"): {}}, queries=tuple(queries))
    assert _one("track 3: every query passes >= 1 of 1", figures).state is PASSED
    assert _one("category '여행': every query passes >= 1 of 1", figures).state is PASSED
    assert _one("every query passes >= 1 of 1", figures).queries == ("q2",)


def test_set_without_a_report_has_one_outcome_however_many_rules() -> None:
    rules = RuleSet(rules=tuple(parse_rule(text, SCALES) for text in ("intent >= 3", "every query passes >= 1 of 2")))
    (outcome,) = evaluate(rules, None).rules
    assert (outcome.rule, outcome.state, outcome.reason) == ("", UNDECIDABLE, "no-report")
    assert evaluate(RuleSet(rules=()), None).rules == ()


def test_state_of_a_gate_is_the_worst_of_its_rules() -> None:
    figures = _figures({"intent": Figure(4.0)})
    texts = ["intent >= 3", "consistency >= 3", "intent >= 5"]
    for n, state in ((1, PASSED), (2, UNDECIDABLE), (3, FAILED)):
        rules = RuleSet(rules=tuple(parse_rule(text, SCALES) for text in texts[:n]))
        assert evaluate(rules, figures).state is state
    assert evaluate(RuleSet(rules=()), figures).state is PASSED


@pytest.mark.parametrize(
    ("rule", "state"),
    [
        pytest.param("intent >= 4", UNDECIDABLE, id="waits-for-grades"),
        pytest.param("pass_rate >= 0.5", UNDECIDABLE, id="follows-from-them"),
        pytest.param("every query passes >= 1 of 1", UNDECIDABLE, id="queries"),
        pytest.param("not worse than baseline", UNDECIDABLE, id="any-figure"),
        pytest.param("latency p95 <= 60", PASSED, id="has-no-grades"),
        pytest.param("judged >= 0.9", FAILED, id="how-many-have-theirs"),
    ],
)
def test_a_rule_that_needs_grades_which_are_to_come_is_undecidable(rule: str, state: GateState) -> None:
    values = {"intent": Figure(5.0), "pass_rate": Figure(1.0), "latency p95": Figure(3.0), "judged": Figure(0.5)}
    figures = Figures(
        values={EVERYTHING: values}, queries=(query_of("q", "p"),), ungraded={"intent": 7, "pass_rate": 7}
    )
    found = _one(rule, figures)
    assert found.state == state
    if state is UNDECIDABLE:
        assert (found.reason, found.facts) == ("ungraded", {"n": "7"})


KNOWN_QUERIES = (query_of("q1", "ppf"), query_of("q2", "fff"), query_of("q3", "ppp"), query_of("q4", "ff", track=3))


@pytest.mark.parametrize(
    ("rule", "known", "state", "queries"),
    [
        ("failing queries <= 3", (), PASSED, ()),
        ("failing queries <= 2", (), FAILED, ("q1", "q2", "q4")),
        ("failing queries <= 0", ("q1", "q2", "q4"), FAILED, ("q1", "q2", "q4")),
        ("failing queries except known <= 0", ("q1", "q2", "q4"), PASSED, ()),
        ("failing queries except known <= 0", ("q1", "q4"), FAILED, ("q2",)),
        ("track 3: failing queries except known <= 0", ("q1",), FAILED, ("q4",)),
        ("every query passes >= 2 of 3", ("q2", "q4"), FAILED, ("q2",)),
        ("every query passes >= 2 of 3 except known", ("q2", "q4"), PASSED, ()),
        ("every query passes >= 2 of 3 except known", ("q4",), FAILED, ("q2",)),
        ("every query passes >= 3 of 3 except known", ("q1", "q2", "q3", "q4"), PASSED, ()),
        ("failing queries except known <= 0", None, UNDECIDABLE, ()),
        ("every query passes >= 2 of 3 except known", None, UNDECIDABLE, ()),
        ("failing queries <= 3", None, PASSED, ()),
    ],
)
def test_failures_that_are_known(
    rule: str, known: tuple[str, ...] | None, state: GateState, queries: tuple[str, ...]
) -> None:
    """None: the file of known failures cannot be read."""
    figures = replace(_figures({}, *KNOWN_QUERIES, x=Figure(0.0)), known=None if known is None else frozenset(known))
    result = _one(rule, figures)
    assert (result.state, result.queries) == (state, queries)
    assert (result.reason == "known-unreadable") is (state is UNDECIDABLE)


def test_failing_queries_that_wait_for_a_grade_are_undecidable() -> None:
    figures = replace(_figures({}, *KNOWN_QUERIES), ungraded={"pass_rate": 2})
    assert _one("failing queries except known <= 9", figures).reason == "ungraded"
