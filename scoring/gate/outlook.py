"""What can be said of rules before anything is compared: margins that a set can show, and agents that fail by chance.

A margin is shown only by enough queries and rounds, and a rule about every query fails the more often the more queries
there are (docs/gate.md).
"""

from collections.abc import Iterable, Sequence
from math import comb

import msgspec

from scoring.comparison import Query, Run, has_no_scale, length_of
from scoring.gate.baseline import metric_of
from scoring.gate.evaluation import in_scope
from scoring.gate.rules import EveryQuery, NotWorse
from scoring.statistics import FEW_QUERIES, LeastMargin, least_margin


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


def margin_outlook(rule: NotWorse, rounds: Sequence[Run]) -> MarginOutlook:
    """What the queries and rounds of a run can show of a rule with a margin. rounds: the run of each round alone."""
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
