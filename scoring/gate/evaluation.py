"""Evaluates the rules of a gate for the figures of a set: passed, failed or undecidable, each with its reason.

What a rule means is decided here and in `baseline`; the texts of the reasons are left to `reporting.gate`. Figures are
small and pure, so that a report just scored and a report on disk end alike.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import comb
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from scoring.comparison import Query, Run, has_no_scale, length_of
from scoring.gate.baseline import IS_PIN, Compared, Uncompared, evaluate_not_worse, metric_of, widest_margin
from scoring.gate.rules import (
    EVERYTHING,
    FAILING,
    FAILING_EXCEPT_KNOWN,
    PASS_RATE,
    EveryQuery,
    GateResult,
    GateState,
    Limit,
    NotWorse,
    Operator,
    Rule,
    RuleResult,
    RuleSet,
    Scope,
    excepts_known,
    worst_state,
)
from scoring.rubric import group_key
from scoring.statistics import FEW_QUERIES, LeastMargin, least_margin
from scoring.text import normalise

NOT_COMPARED = Uncompared()
MOST_NAMED = 20  # queries that a result names
_ROUNDING = 1e-9  # what means of exact points can be off by
_FAILING = (FAILING, FAILING_EXCEPT_KNOWN)
_HOLDS: Mapping[Operator, Callable[[float, float], bool]] = MappingProxyType(
    {
        Operator.AT_LEAST: lambda value, limit: value >= limit - _ROUNDING,
        Operator.AT_MOST: lambda value, limit: value <= limit + _ROUNDING,
        Operator.ABOVE: lambda value, limit: value > limit + _ROUNDING,
        Operator.BELOW: lambda value, limit: value < limit - _ROUNDING,
        Operator.EQUAL: lambda value, limit: abs(value - limit) <= _ROUNDING,
    }
)


class Figure(NamedTuple):
    """A value, with the ends of its interval where it has one."""

    value: float
    low: float | None = None
    high: float | None = None


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one set.

    values: by scope, then by the name that a rule writes ("intent", "pass_rate", "latency p95"); a value that there is
    none of is left out. queries: those of its run. ungraded: items that wait for a grade, by the names of the values
    that will change with it. known: Query IDs of those whose failures are known; None where that cannot be told.
    """

    values: Mapping[Scope, Mapping[str, Figure]]
    queries: tuple[Query, ...] = ()
    ungraded: Mapping[str, int] = {}
    known: frozenset[str] | None = frozenset()

    def waiting(self, rule: Rule) -> int:
        """Items that wait for a grade which the rule needs."""
        if isinstance(rule, NotWorse) and not rule.name:
            return max(self.ungraded.values(), default=0)
        name = rule.value.name if isinstance(rule, Limit) else rule.name if isinstance(rule, NotWorse) else PASS_RATE
        return self.ungraded.get(PASS_RATE if name in _FAILING else name, 0)

    def is_known(self, query: Query) -> bool:
        """Are all failures of the query known?"""
        return self.known is not None and query.query_id in self.known


_BAD_END: Mapping[Operator, Callable[[Figure], float | None]] = MappingProxyType(
    {
        Operator.AT_LEAST: operator.attrgetter("low"),
        Operator.ABOVE: operator.attrgetter("low"),
        Operator.AT_MOST: operator.attrgetter("high"),
        Operator.BELOW: operator.attrgetter("high"),
    }
)


def evaluate(rules: RuleSet, figures: Figures | None, comparison: Compared | Uncompared = NOT_COMPARED) -> GateResult:
    """The outcome of every rule, in their order.

    figures: None for a set without a report, which is said once, by an outcome without a text. comparison: with the
    baseline, or why there is none.
    """
    if figures is None:
        found = [RuleResult(rule="", state=GateState.UNDECIDABLE, reason="no-report")] if rules.rules else []
    else:
        found = [_evaluate(rule, figures, comparison, confident=rules.confident) for rule in rules.rules]
    return GateResult(worst_state(one.state for one in found), tuple(found))


def fits_every_query(query: Query, rule: EveryQuery) -> bool | None:
    """Does the query pass often enough? None with too few items to say.

    Of more items than the rule names, the same share has to pass.
    """
    if query.assessed < rule.of:
        return None
    return query.passed * rule.of >= rule.passes * query.assessed


def in_scope(query: Query, rule: Rule) -> bool:
    """Is the rule about this query?"""
    if rule.scope == EVERYTHING:
        return True
    if rule.scope.kind == "slice":
        return query.slices.get(rule.scope.column) == rule.scope.key
    return rule.scope.key == (group_key(query.track) if rule.scope.kind == "track" else normalise(query.category))


def _evaluate(rule: Rule, figures: Figures, comparison: Compared | Uncompared, *, confident: bool) -> RuleResult:
    if rule.scope not in figures.values:
        return _undecidable(rule, f"no-{rule.scope.kind}", {"key": rule.scope.key})
    if isinstance(rule, NotWorse) and isinstance(comparison, Uncompared) and comparison.reason == IS_PIN:
        return RuleResult(rule=rule.text, state=GateState.PASSED, reason=comparison.reason)
    if waiting := figures.waiting(rule):
        return _undecidable(rule, "ungraded", {"n": str(waiting)})
    if figures.known is None and excepts_known(rule):
        return _undecidable(rule, "known-unreadable")
    if isinstance(rule, EveryQuery):
        return _evaluate_queries(rule, figures)
    if isinstance(rule, NotWorse):
        if isinstance(comparison, Uncompared):
            facts = {"baseline": comparison.baseline} if comparison.baseline else None
            return _undecidable(rule, comparison.reason, facts)
        return evaluate_not_worse(rule, comparison)
    return _evaluate_limit(rule, figures, confident=confident)


def _evaluate_limit(rule: Limit, figures: Figures, *, confident: bool) -> RuleResult:
    if rule.value.name in _FAILING:
        return _evaluate_failing(rule, figures)
    figure = figures.values[rule.scope].get(rule.value.name)
    if figure is None:
        return _undecidable(rule, "no-value", {"name": rule.value.name})
    value = figure.value
    if confident and figure.low is not None and figure.high is not None:
        ends = [figure.low, figure.high] if rule.operator is Operator.EQUAL else [_BAD_END[rule.operator](figure)]
    else:
        ends = [value]
    holds = all(end is not None and _HOLDS[rule.operator](end, rule.limit) for end in ends)
    reason = "limit" if ends == [value] else "confident"
    state = GateState.PASSED if holds else GateState.FAILED
    return RuleResult(
        rule=rule.text,
        state=state,
        reason=reason,
        unit=rule.value.unit,
        value=value,
        low=figure.low,
        high=figure.high,
        limit=rule.limit,
    )


def _evaluate_failing(rule: Limit, figures: Figures) -> RuleResult:
    """By the number of queries of which not every item passes."""
    failing = [query for query in figures.queries if query.passes is False and in_scope(query, rule)]
    if excepts_known(rule):
        failing = [query for query in failing if not figures.is_known(query)]
    n = len(failing)
    holds = _HOLDS[rule.operator](n, rule.limit)
    return RuleResult(
        rule=rule.text,
        state=GateState.PASSED if holds else GateState.FAILED,
        reason="failing" if failing and not holds else "limit",
        facts={"n": str(n)},
        unit=rule.value.unit,
        value=float(n),
        limit=rule.limit,
        queries=() if holds else tuple([query.query_id for query in failing[:MOST_NAMED]]),
    )


def _evaluate_queries(rule: EveryQuery, figures: Figures) -> RuleResult:
    """Failed by one query that passes too seldom; else undecidable by one with too few items.

    Queries that have nothing to check take no part.
    """
    meant = [query for query in figures.queries if query.assessed and in_scope(query, rule)]
    if not meant:
        return _undecidable(rule, "no-queries")
    meant = [query for query in meant if not (rule.except_known and figures.is_known(query))]
    fits = [fits_every_query(query, rule) for query in meant]
    for answer, state, reason in (
        (False, GateState.FAILED, "queries-fail"),
        (None, GateState.UNDECIDABLE, "queries-few"),
    ):
        named = [query.query_id for query, fit in zip(meant, fits, strict=True) if fit is answer]
        if named:
            facts = {"n": str(len(named)), "of": str(len(meant)), "items": str(rule.of)}
            return RuleResult(
                rule=rule.text, state=state, reason=reason, facts=facts, queries=tuple(named[:MOST_NAMED])
            )
    return RuleResult(rule=rule.text, state=GateState.PASSED, reason="queries-pass", facts={"of": str(len(meant))})


def _undecidable(rule: Rule, reason: str, facts: dict[str, str] | None = None) -> RuleResult:
    return RuleResult(rule=rule.text, state=GateState.UNDECIDABLE, reason=reason, facts=facts or {})


class MarginOutlook(msgspec.Struct, frozen=True, kw_only=True):
    """What a set can show of the margin of a rule.

    queries: that the rule is about. metric: the figure that needs the widest margin, "" where none has a scale. least:
    its smallest one; None where there are too few queries for a verdict, or no scale.
    """

    rule: NotWorse
    queries: int
    metric: str = ""
    least: LeastMargin | None = None

    @property
    def has_queries(self) -> bool:
        """Are there enough queries for a verdict?"""
        return self.queries >= FEW_QUERIES

    @property
    def is_within_reach(self) -> bool:
        """Will an agent that did not change usually pass?"""
        return self.least is not None and self.rule.margin is not None and self.least.margin <= self.rule.margin


def margin_outlook(rule: NotWorse, rounds: Sequence[Run], against: Compared | None = None) -> MarginOutlook:
    """What the queries and rounds of a run can show of a rule with a margin. rounds: the run of each round alone.

    against: the comparison of the run, whose interval says it better than the rounds; None before there is one.
    """
    change = None if against is None else widest_margin(rule, against)
    if change is not None and change.smallest_margin is not None:
        least = LeastMargin(change.smallest_margin, is_floor=False)
        return MarginOutlook(rule=rule, queries=change.queries, metric=change.metric, least=least)
    queries: dict[str, list[Query]] = {}
    for run in rounds:
        for query_id, query in run.queries.items():
            if in_scope(query, rule):
                queries.setdefault(query_id, []).append(query)
    if len(queries) < FEW_QUERIES:
        return MarginOutlook(rule=rule, queries=len(queries))
    basis = rounds[0].basis
    meant = [metric_of(rule, basis.names)] if rule.name else [one for one in basis.names if basis.source_of(one) == one]
    found = {
        name: _least(name, queries.values(), length_of(name, basis.points.length))
        for name in meant
        if not has_no_scale(name)
    }
    if not found:
        return MarginOutlook(rule=rule, queries=len(queries))
    widest = max(found, key=lambda name: found[name].margin)
    return MarginOutlook(rule=rule, queries=len(queries), metric=widest, least=found[widest])


def _least(metric: str, queries: Iterable[Sequence[Query]], length: float) -> LeastMargin:
    repeats = [[query.values[metric] for query in of_query if metric in query.values] for of_query in queries]
    return least_margin(repeats, length=length)


def chance_to_fail(rule: EveryQuery, queries: int, share: float) -> float:
    """How often an agent fails a rule about every query whose every answer passes with this probability.

    queries: each of as many items as the rule names.
    """
    passes = sum(comb(rule.of, k) * share**k * (1 - share) ** (rule.of - k) for k in range(rule.passes, rule.of + 1))
    return 1 - min(passes, 1.0) ** queries
