"""What the rules of a gate can decide for a set, in words, before there is anything to compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reporting.comparison import metric_of, size_text
from reporting.wording import clean, count, percent
from scoring.comparison import Run
from scoring.gate import EveryQuery, NotWorse, RuleSet, chance_to_fail, in_scope, margin_outlook
from texts import Texts

GOOD = 0.95  # of the answers of the agent that is taken as an example


def outlook_lines(rules: RuleSet, rounds: Sequence[Run], t: Texts) -> Iterator[str]:
    """A line per rule with a margin, and per rule about every query. rounds: the run of each round of the set."""
    for rule in rules.rules:
        if isinstance(rule, NotWorse) and rule.margin is not None:
            yield _margin_line(rule, rounds, t)
        elif isinstance(rule, EveryQuery):
            queries = {name for run in rounds for name, query in run.queries.items() if in_scope(query, rule)}
            share = chance_to_fail(rule, len(queries), GOOD)
            told = {"good": percent(GOOD, 1), "share": percent(share, 1), "n": count(len(queries))}
            yield t("gate.outlook.every-query", rule=clean(rule.text), **told)


def _margin_line(rule: NotWorse, rounds: Sequence[Run], t: Texts) -> str:
    outlook = margin_outlook(rule, rounds)
    told = {"rule": clean(rule.text), "n": count(outlook.queries), "rounds": t.counted("rounds", count(len(rounds)))}
    told["queries"] = t.counted("queries", told["n"])
    if outlook.least is None:
        return t("gate.outlook.no-scale" if outlook.has_queries else "gate.outlook.few", **told)
    told["metric"] = metric_of(rounds[-1], outlook.metric, t)
    told["smallest"] = size_text(outlook.metric, outlook.least.margin, t)
    floor = "-floor" if outlook.least.is_floor else ""
    return t(f"gate.outlook.{'within' if outlook.is_within_reach else 'beyond'}{floor}", **told)
