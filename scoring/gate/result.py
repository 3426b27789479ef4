"""Defines the outcome of a gate: per rule and for the whole set."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from scoring.gate.rules import Unit


class GateState(StrEnum):
    """How a rule ended, or a gate. The first one is the worst."""

    FAILED = "failed"
    UNDECIDABLE = "undecidable"  # no value, no baseline, or not like with like
    PASSED = "passed"


class RuleResult(msgspec.Struct, frozen=True, kw_only=True):
    """How one rule ended.

    rule: its text. reason: slug of a text. facts: what that text names. value: what was compared, in `unit`, with its
    interval; None where the rule names no value or there is none. queries: Query IDs by which it failed or stayed open,
    the first ones.
    """

    rule: str
    state: GateState
    reason: str
    facts: dict[str, str] = {}
    unit: Unit | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    limit: float | None = None
    queries: tuple[str, ...] = ()


class GateResult(msgspec.Struct, frozen=True):
    """state: the worst of the rules; passed without any."""

    state: GateState
    rules: tuple[RuleResult, ...]


def worst_state(states: Iterable[GateState]) -> GateState:
    """The worst of the states, passed without any."""
    return min(states, key=list(GateState).index, default=GateState.PASSED)
