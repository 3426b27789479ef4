"""Defines what a gate judges: the figures of one set, its queries, and how they differ from a baseline.

Small and pure, so that a report just scored and a report on disk are judged alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from scoring.gate.rules import Scope


class Figure(NamedTuple):
    """A value, with the ends of its interval where it has one."""

    value: float
    low: float | None = None
    high: float | None = None


class Outcome(NamedTuple):
    """One item of a query. round: its label. passes: None for an item that takes no part in passing."""

    round: str
    status: str
    passes: bool | None


class Query(NamedTuple):
    """One query over the rounds. track: key of its group. error: the first error text of its items, "" without."""

    query_id: str
    question: str
    track: str
    category: str
    outcomes: tuple[Outcome, ...]
    error: str = ""

    @property
    def passed(self) -> int:
        """Number of items that pass."""
        return sum(outcome.passes is True for outcome in self.outcomes)

    @property
    def assessed(self) -> int:
        """Number of items that take part in passing."""
        return sum(outcome.passes is not None for outcome in self.outcomes)


class Change(NamedTuple):
    """A value of the baseline and of the set, over the shared queries.

    low, high: interval of the difference (after - before); None without one. p: of the test whether anything changed,
    not adjusted; None where nothing was tested. is_worse: the verdict of the comparison, adjusted as its page shows it.
    """

    before: float
    after: float
    low: float | None
    high: float | None
    p: float | None
    is_worse: bool

    @property
    def difference(self) -> float:
        """After minus before."""
        return self.after - self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A set against its baseline. name: of the baseline. unlike: why they are not like with like, "" when they are.

    changes: by scope, then by name of a metric; what could not be compared is left out.
    """

    name: str
    unlike: str = ""
    changes: Mapping[Scope, Mapping[str, Change]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of one set.

    metrics: names of the metrics of its profile, in the order of the report. values: by scope, then by the name that a
    rule writes ("intent", "pass_rate", "latency p95"); a value that there is none of is left out. queries: in order of
    first appearance.
    """

    metrics: tuple[str, ...]
    values: Mapping[Scope, Mapping[str, Figure]]
    queries: tuple[Query, ...] = ()
