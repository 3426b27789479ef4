"""Defines a run: what one set's report is about, reduced to one value per query and metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from scoring.comparison.basis import Basis
from scoring.results.table.execution import TimeRange
from scoring.rubric.tracks import TrackId


class Answer(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One item of a query. passes: None where there is nothing to assess. text: answer or error, an excerpt."""

    round: str
    status: str
    passes: bool | None
    seconds: float | None
    text: str


class Query(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One query of a run.

    questions, expected: the non-blank texts of its items, as they are compared, sorted. track: None is no track.
    is_split: its items differ in track or category, so that it belongs to no group. passed of assessed: items; those
    without anything to assess take no part. values: mean over the items by metric, only of those that there are.
    answers: by round.
    """

    query_id: str
    question: str
    questions: tuple[str, ...]
    expected: tuple[str, ...]
    track: TrackId | None
    category: str
    is_split: bool
    n: int
    passed: int
    assessed: int
    values: dict[str, float]
    answers: tuple[Answer, ...]

    @property
    def passes(self) -> bool | None:
        """Does every item pass? None where there is nothing to assess."""
        return self.passed == self.assessed if self.assessed else None


class Judge(msgspec.Struct, frozen=True):
    """Who judged a run. model: "" without a judge."""

    model: str = ""
    votes: int = 1
    prompt: str = ""


class RunId(NamedTuple):
    """What tells runs apart. The same three give the same values."""

    name: str
    key: str
    rubric_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One side of a comparison.

    name: of the set or file. key: identifies everything that the values depend on. selection: label of the one round
    that is compared, "" for all of them. rounds: labels of the whole run. executed: earliest `실행시각` as an ISO time,
    "" where none parses. titles: of the metrics, by name. times, run_ids: of all rounds, as they are written. shown:
    what the report shows of the run, by metric. queries: by Query ID, sorted. is_rescored: scored again for the
    comparison, under a rubric or engine other than that of its report.
    """

    name: str
    key: str
    selection: str
    profile: str
    rubric_digest: str
    engine_version: int
    judge: Judge
    basis: Basis
    rounds: tuple[str, ...]
    executed: str
    shown: Mapping[str, float | None]
    queries: Mapping[str, Query]
    titles: Mapping[str, str] = field(default_factory=dict)
    is_rescored: bool = False
    times: TimeRange | None = None
    run_ids: tuple[str, ...] = ()

    @property
    def id(self) -> RunId:
        """What tells this run from others."""
        return RunId(self.name, self.key, self.rubric_digest)

    @property
    def rules_digest(self) -> str:
        """Digest of the rules that scored it, whatever the language; a judge reads criteria, which have one."""
        return (self.basis.scores_as if not self.judge.model else "") or self.rubric_digest

    @property
    def items(self) -> int:
        """Number of items over all rounds."""
        return sum(query.n for query in self.queries.values())
