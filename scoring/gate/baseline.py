"""Judges `not worse than baseline`, with and without a margin (docs/gate.md, docs/statistics.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scoring.gate.figures import Change, Comparison
from scoring.gate.result import GateState, RuleResult, worst_state
from scoring.gate.rules import ANSWERED_RATE, PASS_RATE, NotWorse
from scoring.statistics.false_discovery import adjusted

SIGNIFICANT = 0.05
_ROUNDING = 1e-9


def judge_not_worse(rule: NotWorse, metrics: Sequence[str], comparison: Comparison | None) -> RuleResult:
    """metrics: of the profile. A rule that names none is about all of them, and the share that leads."""
    if comparison is None:
        return _undecidable(rule, "no-baseline", {})
    facts = {"baseline": comparison.name}
    if comparison.unlike:
        return _undecidable(rule, f"unlike-{comparison.unlike}", facts)
    changes = comparison.changes.get(rule.scope, {})
    names = [rule.name] if rule.name else [*metrics, PASS_RATE, ANSWERED_RATE]
    found = {name: changes[name] for name in names if name in changes}
    if not found:
        return _undecidable(rule, "no-change-value", facts)
    worse = _worse(found) if len(found) > 1 else {name: change.is_worse for name, change in found.items()}
    states = {name: _state(change, rule.margin, is_worse=worse[name]) for name, change in found.items()}
    state = worst_state(states.values())
    deciding = [name for name in found if states[name] is state]
    shown = min(deciding, key=lambda name: found[name].difference)
    change = found[shown]
    reason = {
        GateState.FAILED: "worse",
        GateState.UNDECIDABLE: "not-shown",
        GateState.PASSED: "not-worse" if rule.margin is None else "within",
    }[state]
    return RuleResult(
        rule=rule.text,
        state=state,
        reason=reason,
        facts=facts | {"names": ", ".join(deciding), "name": shown, "before": repr(change.before)},
        value=change.after,
        low=change.low,
        high=change.high,
        limit=rule.margin,
    )


def _worse(changes: Mapping[str, Change]) -> dict[str, bool]:
    """Which of them are worse, as a family: p-values that were adjusted for their number."""
    p_values = adjusted([1.0 if change.p is None else change.p for change in changes.values()])
    return {
        name: change.difference < 0 and p <= SIGNIFICANT
        for (name, change), p in zip(changes.items(), p_values, strict=True)
    }


def _state(change: Change, margin: float | None, *, is_worse: bool) -> GateState:
    """Without a margin, what is not shown to be worse passes; with one, "not worse" has to be shown."""
    if margin is None:
        return GateState.FAILED if is_worse else GateState.PASSED
    if change.low is not None and change.low >= -margin - _ROUNDING:
        return GateState.PASSED
    if is_worse and change.difference < -margin - _ROUNDING:
        return GateState.FAILED
    return GateState.UNDECIDABLE


def _undecidable(rule: NotWorse, reason: str, facts: dict[str, str]) -> RuleResult:
    return RuleResult(rule=rule.text, state=GateState.UNDECIDABLE, reason=reason, facts=facts)
