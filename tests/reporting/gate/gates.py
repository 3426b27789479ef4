"""Gates of sets made by hand."""

from collections.abc import Sequence

from reporting.runs import SetGate
from reporting.store import Headline
from scoring.comparison import Query
from scoring.gate import EVERYTHING, Figure, Figures, RuleSet, evaluate, parse_rule
from scoring.statistics import Interval
from tests.scoring.gate.runs import query_of

SCALES = {"intent": 5.0, "consistency": 5.0, "latency": 5.0}
VALUES = {"intent": Figure(4.37, 3.96, 4.63), "pass_rate": Figure(0.895), "latency p95": Figure(72.4)}
HEADLINE = Headline(
    n=4,
    answered=3,
    answered_rate=0.75,
    metrics={"intent": 4.37},
    queries=2,
    intervals={"intent": None},
    answered_interval=Interval(0.3, 0.95),
    pass_interval=None,
)
QUERIES = (query_of("q1", "pp"), query_of("q2", "pf", text="timed out"), query_of("q3", "--"))


def gate_of(*rules: str, name: str = "nightly", queries: Sequence[Query] = QUERIES, confident: bool = False) -> SetGate:
    """The gate of a set with VALUES, or one without rules."""
    rule_set = RuleSet(rules=tuple(parse_rule(rule, SCALES) for rule in rules), confident=confident)
    figures = Figures(values={EVERYTHING: VALUES}, queries=tuple(queries))
    return SetGate(
        set_name=name,
        profile="resume-agent",
        headline=HEADLINE,
        rules=rule_set if rules else None,
        result=evaluate(rule_set, figures),
        queries=tuple(queries),
    )


def gate_without_report(*rules: str) -> SetGate:
    """The gate of a set whose inputs were refused."""
    rule_set = RuleSet(rules=tuple(parse_rule(rule, SCALES) for rule in rules))
    return SetGate(
        set_name="nightly", profile="resume-agent", headline=None, rules=rule_set, result=evaluate(rule_set, None)
    )
