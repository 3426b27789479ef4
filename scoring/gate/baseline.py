"""Evaluates `not worse than baseline`, with and without a margin (docs/gate.md, docs/statistics.md)."""

from collections.abc import Container, Mapping
from typing import NamedTuple, Protocol

from scoring.comparison import Change, GroupChanges, GroupKind, MarginVerdict, Verdict, has_no_scale, margin_verdict
from scoring.gate.rules import ANSWERED_RATE, PASS_RATE, GateResult, GateState, NotWorse, RuleResult, Scope, worst_state
from scoring.results import ANSWERED, PASS
from scoring.rubric import Better, group_key, normalise_header
from scoring.text import compared_text

_NAMES = {PASS_RATE: PASS, ANSWERED_RATE: ANSWERED}  # of a rule -> of a comparison
_COMPARING = frozenset("<>=")  # what an operator begins with
_ROUNDING = 1e-9
IS_PIN = "is-pin"  # the run is itself the pinned baseline: it is not worse than itself


class Uncompared(NamedTuple):
    """Why there is nothing to compare with. reason: slug of the result. baseline: name of a run that is gone."""

    reason: str = "no-baseline"
    baseline: str = ""


class _Side(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def rounds(self) -> tuple[str, ...]: ...


class Compared(Protocol):
    """What a rule asks of a comparison, which was just made or is read from `compare.json`."""

    @property
    def before(self) -> _Side:
        """The baseline."""

    @property
    def after(self) -> _Side:
        """The run."""

    @property
    def groups(self) -> tuple[GroupChanges, ...]:
        """As in `Comparison`."""


def metric_of(rule: NotWorse, metrics: Container[str]) -> str:
    """The one of the metrics of a comparison that a rule names, "" for all that lead.

    Where a document does not say what passes, the share that passes is the share answered.
    """
    return _named(rule.name, metrics)


def _named(name: str, metrics: Container[str]) -> str:
    of_run = _NAMES.get(name, name)
    return ANSWERED if of_run == PASS and PASS not in metrics else of_run


def evaluate_not_worse(rule: NotWorse, comparison: Compared) -> RuleResult:
    """By the verdicts of the comparison. A rule that names no metric is about every figure that is told apart."""
    facts = {"baseline": comparison.before.name}
    group = next((group for group in comparison.groups if _is_in(group, rule.scope)), None)
    if group is None:
        return _undecidable(rule, "no-shared-group", facts)
    name = metric_of(rule, {change.metric for change in group.changes})
    meant = _meant(rule, group)
    unlike = {change.metric: change.why for change in meant if change.why is not None}
    found = {change.metric: change for change in meant if change.p is not None and change.metric not in unlike}
    if not found and not unlike:
        return _undecidable(rule, "not-compared", facts)
    if name in found and found[name].good is Better.NONE:
        return _undecidable(rule, "no-direction", facts | {"name": name})
    result = _evaluate(rule, found, facts, rounds=len(comparison.after.rounds)) if found else None
    if unlike and (result is None or result.state is not GateState.FAILED):
        kinds = dict.fromkeys(why.kind.value for why in unlike.values())
        return _undecidable(rule, "unlike", facts | {"what": ",".join(unlike), "why": ",".join(kinds)})
    assert result is not None
    return result


def _leads(change: Change, rule: NotWorse) -> bool:
    """Is a figure part of a rule without a name? A copy of another is not; nothing but points has a margin."""
    return not change.copy_of and (rule.margin is None or not has_no_scale(change.metric))


def _evaluate(rule: NotWorse, changes: Mapping[str, Change], facts: dict[str, str], *, rounds: int) -> RuleResult:
    states = {name: _state(change, rule.margin) for name, change in changes.items()}
    state = worst_state(states.values())
    deciding = [name for name in changes if states[name] is state]
    shown = min(deciding, key=lambda name: changes[name].difference or 0.0)
    change = changes[shown]
    reason = {
        GateState.FAILED: "worse",
        GateState.UNDECIDABLE: "not-shown" if change.smallest_margin is None else "not-shown-within",
        GateState.PASSED: "not-worse" if rule.margin is None else "within",
    }[state]
    values = {"before": repr(change.before), "after": repr(change.after)}
    if state is GateState.UNDECIDABLE and change.smallest_margin is not None:
        widest = max(changes.values(), key=_smallest)
        shown_by = {"shared": str(widest.queries), "rounds": str(rounds), "widest": widest.metric}
        facts = facts | shown_by | {"smallest": repr(_smallest(widest))}
    return RuleResult(
        rule=rule.text,
        state=state,
        reason=reason,
        facts=facts | values | {"name": shown, "names": shown if state is GateState.PASSED else ",".join(deciding)},
        value=change.difference,
        low=change.low,
        high=change.high,
        limit=rule.margin,
    )


def _smallest(change: Change) -> float:
    return change.smallest_margin or 0.0


def widest_margin(rule: NotWorse, comparison: Compared) -> Change | None:
    """The change that needs the widest margin of those that a rule is about; None where none can be told."""
    group = next((group for group in comparison.groups if _is_in(group, rule.scope)), None)
    found = [] if group is None else [one for one in _meant(rule, group) if one.p is not None and one.why is None]
    return max((one for one in found if one.smallest_margin is not None), key=_smallest, default=None)


def _meant(rule: NotWorse, group: GroupChanges) -> list[Change]:
    """The changes that a rule is about."""
    name = metric_of(rule, {change.metric for change in group.changes})
    return [change for change in group.changes if change.metric == name or (not name and _leads(change, rule))]


def _state(change: Change, margin: float | None) -> GateState:
    """Without a margin, what is not shown to be worse passes; with one, "not worse" has to be shown."""
    is_worse = change.verdict is Verdict.WORSE
    if margin is None:
        return GateState.FAILED if is_worse else GateState.PASSED
    limit = margin + _ROUNDING
    if change.interval is not None:
        verdict = margin_verdict(change.interval, limit, change.good)
        if verdict is not MarginVerdict.NOT_SHOWN:
            return GateState.PASSED
    loss = change.difference or 0.0
    if is_worse and (loss if change.good is Better.LOWER else -loss) > limit:
        return GateState.FAILED
    return GateState.UNDECIDABLE


def _is_in(group: GroupChanges, scope: Scope) -> bool:
    if group.kind != scope.kind:
        return False
    if group.kind is GroupKind.TRACK:
        return group_key(group.track) == scope.key
    if group.kind is GroupKind.SLICE:
        return (normalise_header(group.column), group.value) == (scope.column, scope.key)
    return group.kind is GroupKind.ALL or compared_text(group.category) == compared_text(scope.key)


def _undecidable(rule: NotWorse, reason: str, facts: dict[str, str]) -> RuleResult:
    return RuleResult(rule=rule.text, state=GateState.UNDECIDABLE, reason=reason, facts=facts)


def limit_of(result: GateResult | None, metric: str, metrics: Container[str]) -> RuleResult | None:
    """The rule that holds a figure of the whole set, as a comparison calls it, against a limit; None for none.

    metrics: that the set has.
    """
    for one in () if result is None else result.rules:
        name, _, rest = one.rule.partition(" ")
        if one.limit is not None and rest[:1] in _COMPARING and _named(name, metrics) == metric:
            return one
    return None
