"""Defines what the rules of a gate are about: the figures of one set, and its queries.

Small and pure, so that a report just scored and a report on disk end alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from scoring.comparison.run import Query
from scoring.gate.rules import Scope


class Figure(NamedTuple):
    """A value, with the ends of its interval where it has one."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of one set.

    values: by scope, then by the name that a rule writes ("intent", "pass_rate", "latency p95"); a value that there is
    none of is left out. queries: those of its run.
    """

    values: Mapping[Scope, Mapping[str, Figure]]
    queries: tuple[Query, ...] = ()
