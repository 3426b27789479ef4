"""How a single query ended under the rules of a gate, for the pages that list queries."""

from __future__ import annotations

from enum import StrEnum

from scoring.comparison.run import Query
from scoring.gate.evaluate import fits_every_query, in_scope
from scoring.gate.rules import EveryQuery, RuleSet


class QueryState(StrEnum):
    """UNASSESSED: nothing that could pass. FEW: too few items for a rule."""

    PASSED = "passed"
    FAILED = "failed"
    FEW = "few"
    UNASSESSED = "unassessed"


def query_state(query: Query, rules: RuleSet | None) -> QueryState:
    """By the rules `every query passes …` that are about it; without one it passes when all its items do."""
    if not query.assessed:
        return QueryState.UNASSESSED
    meant = [rule for rule in (() if rules is None else rules.rules) if isinstance(rule, EveryQuery)]
    fits = [fits_every_query(query, rule) for rule in meant if in_scope(query, rule)]
    if not fits:
        fits = [query.passes]
    if False in fits:
        return QueryState.FAILED
    return QueryState.FEW if None in fits else QueryState.PASSED
