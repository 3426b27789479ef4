"""Evaluates `not worse than baseline`, with and without a margin (docs/gate.md, docs/statistics.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from scoring.comparison import (
    ANSWERED,
    PASS,
    Change,
    Difference,
    GroupChanges,
    GroupKind,
    MarginVerdict,
    Verdict,
    has_no_scale,
    margin_verdict,
)
from scoring.gate.rules import ANSWERED_RATE, PASS_RATE, GateState, NotWorse, RuleResult, Scope, worst_state
from scoring.rubric import Better, group_key
from scoring.statistics import ALPHA, adjusted
from scoring.text import normalise

_NAMES = {PASS_RATE: PASS, ANSWERED_RATE: ANSWERED}  # of a rule -> of a comparison
_ROUNDING = 1e-9


class Uncompared(NamedTuple):
    """Why there is nothing to compare with. reason: slug of the result. baseline: name of a run that is gone."""

    reason: str = "no-baseline"
    baseline: str = ""


class _Named(Protocol):
    @property
    def name(self) -> str: ...


class Compared(Protocol):
    """What a rule asks of a comparison, which was just made or is read from `compare.json`."""

    @property
    def before(self) -> _Named:
        """The baseline."""

    @property
    def groups(self) -> tuple[GroupChanges, ...]:
        """As in `Comparison`."""

    @property
    def differences(self) -> tuple[Difference, ...]:
        """What makes the runs differ besides the answers."""

    @property
    def is_like_with_like(self) -> bool:
        """Do rubric, engine, judge and profile agree?"""


def evaluate_not_worse(rule: NotWorse, comparison: Compared) -> RuleResult:
    """A rule that names no metric is about everything that is compared but seconds and measures."""
    facts = {"baseline": comparison.before.name}
    if not comparison.is_like_with_like:
        facts["what"] = ",".join(kind for kind in comparison.differences if kind is not Difference.QUESTIONS)
        return _undecidable(rule, "unlike", facts)
    group = next((group for group in comparison.groups if _is_in(group, rule.scope)), None)
    if group is None:
        return _undecidable(rule, "no-shared-group", facts)
    name = _NAMES.get(rule.name, rule.name)
    found = {
        change.metric: change
        for change in group.changes
        if change.difference is not None
        and change.p is not None
        and (change.metric == name if name else not has_no_scale(change.metric))
    }
    if not found:
        return _undecidable(rule, "not-compared", facts)
    if name in found and found[name].good is Better.NONE:
        return _undecidable(rule, "no-direction", facts | {"name": name})
    return _evaluate(rule, found, facts)


def _evaluate(rule: NotWorse, changes: Mapping[str, Change], facts: dict[str, str]) -> RuleResult:
    worse = _worse(changes)
    states = {name: _state(change, rule.margin, is_worse=name in worse) for name, change in changes.items()}
    state = worst_state(states.values())
    deciding = [name for name in changes if states[name] is state]
    shown = min(deciding, key=lambda name: changes[name].difference or 0.0)
    change = changes[shown]
    reason = {
        GateState.FAILED: "worse",
        GateState.UNDECIDABLE: "not-shown",
        GateState.PASSED: "not-worse" if rule.margin is None else "within",
    }[state]
    return RuleResult(
        rule=rule.text,
        state=state,
        reason=reason,
        facts=facts | {"name": shown, "names": shown if state is GateState.PASSED else ",".join(deciding)},
        value=change.difference,
        low=change.low,
        high=change.high,
        limit=rule.margin,
    )


def _worse(changes: Mapping[str, Change]) -> set[str]:
    """Which of them are worse: by its verdict alone, several as a family with p-values adjusted for their number."""
    p_values = adjusted([1.0 if change.p is None else change.p for change in changes.values()])
    return {
        name
        for (name, change), p in zip(changes.items(), p_values, strict=True)
        if change.verdict is Verdict.WORSE and p <= ALPHA
    }


def _state(change: Change, margin: float | None, *, is_worse: bool) -> GateState:
    """Without a margin, what is not shown to be worse passes; with one, "not worse" has to be shown."""
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
    return group.kind is GroupKind.ALL or normalise(group.category) == scope.key


def _undecidable(rule: NotWorse, reason: str, facts: dict[str, str]) -> RuleResult:
    return RuleResult(rule=rule.text, state=GateState.UNDECIDABLE, reason=reason, facts=facts)
