"""Why a rule of a gate ended as it did, in words of one language; and how the single queries ended under the rules."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum

from reporting.comparison import interval_text, metric_of, moved_text, size_text
from reporting.runs import SetGate
from reporting.wording import (
    between,
    brief_seconds,
    category_name,
    clean,
    count,
    excerpt,
    metric_word,
    minus,
    percent,
    quantity,
    score,
)
from scoring.comparison import Query, Run
from scoring.gate import (
    NOT_COMPARED,
    Compared,
    EveryQuery,
    GateState,
    NotWorse,
    RuleResult,
    RuleSet,
    Uncompared,
    Unit,
    chance_to_fail,
    fits_every_query,
    in_scope,
    margin_outlook,
)
from scoring.results import ANSWERED, PASS, SECONDS
from scoring.sets import shown
from scoring.statistics import Interval
from texts import Texts

NAME_CHARS = 60
_MOST_QUERIES = 5
_ROUNDING = 1e-9
_COUNTS = ("n", "of", "items")
_SHOW: Mapping[Unit, Callable[[float], str]] = {
    Unit.SHARE: lambda share: percent(share, 1),
    Unit.SECONDS: brief_seconds,
    Unit.POINTS: score,
    Unit.MEASURE: quantity,
}
_OWN_WORDS = {PASS: "headline.pass-rate", ANSWERED: "headline.answered-rate", SECONDS: "compare.seconds"}


def state_name(result: RuleResult, t: Texts) -> str:
    """`passed`, `failed`, `undecidable`."""
    return t(f"gate.state.{result.state}")


def state_line(gates: Sequence[SetGate], t: Texts) -> str:
    """`Gate: passed 1, failed 0, undecidable 0`."""
    states = [gate.result.state for gate in gates if gate.rules is not None]
    return t("gate.summary", **{state.value: count(states.count(state)) for state in GateState})


def rule_name(result: RuleResult, t: Texts) -> str:
    """The text of the rule; of a set whose rules are not decided one by one, words for all of them."""
    return clean(result.rule) or t("gate.every-rule")


def rule_line(set_name: str, result: RuleResult, t: Texts) -> str:
    """`nightly: failed intent >= 4.0 (value 3.91)`."""
    rule = {"rule": rule_name(result, t), "reason": reason_text(result, t)}
    return t("gate.line-rule", name=clean(shown(set_name)), state=state_name(result, t), **rule)


def reason_text(result: RuleResult, t: Texts) -> str:
    """One sentence without a full stop; texts from files are cleaned and short, and not yet escaped."""
    facts = {name: excerpt(value, NAME_CHARS) for name, value in result.facts.items()}
    facts |= {name: count(int(value)) for name, value in result.facts.items() if name in _COUNTS}
    if facts.get("key") == "":
        facts["key"] = category_name("", t)
    if result.unit is not None and result.value is not None:
        facts["value"] = _amount(result.value, result.unit, result.limit)
        if result.low is not None and result.high is not None:
            low, high = (_amount(end, result.unit, result.limit) for end in (result.low, result.high))
            facts["interval"] = between(low, high)
    elif result.value is not None:
        facts |= _change_facts(result, t)
    if result.queries:
        names = [excerpt(name, NAME_CHARS) for name in result.queries[:_MOST_QUERIES]]
        facts["queries"] = ", ".join(names) + (", …" if int(result.facts["n"]) > _MOST_QUERIES else "")
    if "what" in facts:
        facts["what"] = ", ".join(_word(name, t) for name in result.facts["what"].split(","))
    if "why" in facts:
        facts["why"] = ", ".join(t(f"gate.why.{kind}") for kind in facts["why"].split(","))
    return t(f"gate.reason.{result.reason if _is_told(result) else 'not-shown'}", **facts)


def _is_told(result: RuleResult) -> bool:
    """Does a result have all that its reason tells? A `gate.json` of before names no rounds beside a margin."""
    return "smallest" not in result.facts or "rounds" in result.facts


def _change_facts(result: RuleResult, t: Texts) -> dict[str, str]:
    """The change and the margin of a rule against the baseline, with what can be shown where that is too little."""
    assert result.value is not None
    name = result.facts["name"]
    facts = {"change": _change(result, t), "margin": size_text(name, result.limit or 0.0, t)}
    if "smallest" in result.facts and _is_told(result):
        facts["smallest"] = size_text(result.facts.get("widest", name), float(result.facts["smallest"]), t)
        facts["shared"] = t.counted("queries", count(int(result.facts["shared"])))
        facts["rounds"] = t.counted("rounds", count(int(result.facts["rounds"])))
    return facts


def _amount(value: float, unit: Unit, limit: float | None) -> str:
    """A value in its unit, with all digits where the rounded value would look like the limit and is not."""
    if unit is Unit.COUNT:
        return count(int(value))
    show = _SHOW[unit]
    shown = show(value)
    is_close = limit is not None and shown == show(limit) and abs(value - limit) > _ROUNDING
    return minus(repr(value) if is_close else shown)


def _change(result: RuleResult, t: Texts) -> str:
    """`intent −0.50 (−0.80 to −0.20)`, of several metrics the one that changed most, with the names of all."""
    assert result.value is not None
    names = [_word(name, t) for name in result.facts["names"].split(",")]
    first = result.facts["name"]
    ordered = [_word(first, t), *(name for name in names if name != _word(first, t))]
    values = [result.facts.get(name, "None") for name in ("before", "after")]
    before, after = (None if value == "None" else float(value) for value in values)
    shown = {"name": ordered[0], "difference": moved_text(first, (before, after), result.value, t)}
    if result.low is None or result.high is None:
        text = t("gate.change", **shown)
    else:
        text = t("gate.change-between", **shown, interval=interval_text(first, Interval(result.low, result.high), t))
    return ", ".join([text, *ordered[1:]])


def _word(name: str, t: Texts) -> str:
    return t(_OWN_WORDS[name]) if name in _OWN_WORDS else metric_word(name, t)


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


GOOD = 0.95  # of the answers of the agent that is taken as an example


def outlook_lines(
    rules: RuleSet, rounds: Sequence[Run], t: Texts, *, against: Compared | Uncompared = NOT_COMPARED
) -> Iterator[str]:
    """A line per rule with a margin, and per rule about every query.

    rounds: the run of each round of the set. against: its comparison, by whose intervals the gate decides.
    """
    for rule in rules.rules:
        if isinstance(rule, NotWorse) and rule.margin is not None:
            yield _margin_line(rule, rounds, None if isinstance(against, Uncompared) else against, t)
        elif isinstance(rule, EveryQuery):
            queries = {name for run in rounds for name, query in run.queries.items() if in_scope(query, rule)}
            share = chance_to_fail(rule, len(queries), GOOD)
            told = {"good": percent(GOOD, 1), "share": percent(share, 1), "n": count(len(queries))}
            yield t("gate.outlook.every-query", rule=clean(rule.text), **told)


def _margin_line(rule: NotWorse, rounds: Sequence[Run], against: Compared | None, t: Texts) -> str:
    outlook = margin_outlook(rule, rounds, against)
    told = {"rule": clean(rule.text), "n": count(outlook.queries), "rounds": t.counted("rounds", count(len(rounds)))}
    told["queries"] = t.counted("queries", told["n"])
    if outlook.least is None:
        return t("gate.outlook.no-scale" if outlook.has_queries else "gate.outlook.few", **told)
    told["metric"] = metric_of(rounds[-1], outlook.metric, t)
    told["smallest"] = size_text(outlook.metric, outlook.least.margin, t)
    floor = "-floor" if outlook.least.is_floor else ""
    return t(f"gate.outlook.{'within' if outlook.is_within_reach else 'beyond'}{floor}", **told)
