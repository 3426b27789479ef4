"""Evaluates the rules of a gate for the figures of a set: passed, failed or undecidable, each with its reason.

What a rule means is decided here and in `baseline`; the texts of the reasons are left to `reporting.gate`. Figures are
small and pure, so that a report just scored and a report on disk end alike.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from scoring.comparison import Query
from scoring.gate.baseline import IS_PIN, Compared, Uncompared, evaluate_not_worse
from scoring.gate.rules import (
    EVERYTHING,
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
    worst_state,
)
from scoring.rubric import group_key
from scoring.text import normalise

NOT_COMPARED = Uncompared()
MOST_NAMED = 20  # queries that a result names
_ROUNDING = 1e-9  # what means of exact points can be off by
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
    that will change with it.
    """

    values: Mapping[Scope, Mapping[str, Figure]]
    queries: tuple[Query, ...] = ()
    ungraded: Mapping[str, int] = {}

    def waiting(self, rule: Rule) -> int:
        """Items that wait for a grade which the rule needs."""
        if isinstance(rule, NotWorse) and not rule.name:
            return max(self.ungraded.values(), default=0)
        name = rule.value.name if isinstance(rule, Limit) else rule.name if isinstance(rule, NotWorse) else PASS_RATE
        return self.ungraded.get(name, 0)


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
    return rule.scope.key == (group_key(query.track) if rule.scope.kind == "track" else normalise(query.category))


def _evaluate(rule: Rule, figures: Figures, comparison: Compared | Uncompared, *, confident: bool) -> RuleResult:
    if rule.scope not in figures.values:
        return _undecidable(rule, f"no-{rule.scope.kind}", {"key": rule.scope.key})
    if isinstance(rule, NotWorse) and isinstance(comparison, Uncompared) and comparison.reason == IS_PIN:
        return RuleResult(rule=rule.text, state=GateState.PASSED, reason=comparison.reason)
    if waiting := figures.waiting(rule):
        return _undecidable(rule, "ungraded", {"n": str(waiting)})
    if isinstance(rule, EveryQuery):
        return _evaluate_queries(rule, figures.queries)
    if isinstance(rule, NotWorse):
        if isinstance(comparison, Uncompared):
            facts = {"baseline": comparison.baseline} if comparison.baseline else None
            return _undecidable(rule, comparison.reason, facts)
        return evaluate_not_worse(rule, comparison)
    return _evaluate_limit(rule, figures, confident=confident)


def _evaluate_limit(rule: Limit, figures: Figures, *, confident: bool) -> RuleResult:
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


def _evaluate_queries(rule: EveryQuery, queries: Sequence[Query]) -> RuleResult:
    """Failed by one query that passes too seldom; else undecidable by one with too few items.

    Queries that have nothing to check take no part.
    """
    meant = [query for query in queries if query.assessed and in_scope(query, rule)]
    if not meant:
        return _undecidable(rule, "no-queries")
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
