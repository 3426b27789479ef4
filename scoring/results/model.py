"""Defines the scored set, from which every report is rendered.

All figures have full precision. `None` means that there is no value, never 0.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, overload

import msgspec
from msgspec import UNSET, UnsetType

from scoring.findings import Finding
from scoring.items.spool import Items
from scoring.judging import JudgeFigures
from scoring.problems import Problem, Severity
from scoring.results.damage import Damage
from scoring.results.item_table import ItemTable, Traits
from scoring.results.repeatability import Repeatability
from scoring.results.reviewing import Reviews
from scoring.results.sessions import Sessions
from scoring.results.uncertainty import QueryValues
from scoring.review import Applied, PersonGrade
from scoring.rubric import CONSISTENCY, Rubric, Status, TrackId
from scoring.statistics import Interval


class Mean(msgspec.Struct, frozen=True, gc=False):
    """A mean over `n` values; null when n is 0. queries: that the values come from.

    interval: how far the mean could move if other queries of the same kind had been asked; null without a value.
    """

    value: float | None
    n: int
    queries: int = 0
    interval: Interval | None = None


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of one group. rounds: one per round of the set, in order.

    set: plain mean of the rounds' values; its n is the number of their items.
    """

    rounds: tuple[Mean, ...]
    set: Mean


class Seconds(msgspec.Struct, frozen=True, kw_only=True):
    """Latency in seconds over the items that have a usable value.

    n: items with a value; missing: items without. mean: of a round its items' mean, of the set the plain
    mean of the rounds' means. p50, p95: percentiles over the items (pooled for
    the set), interpolated linearly between neighbours as numpy.percentile and Excel's PERCENTILE.INC do it by default.
    """

    n: int
    missing: int
    mean: float | None
    p50: float | None
    p95: float | None
    max: float | None


class MeasureFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One measure over some items, in its unit; every figure is None where no item has a value.

    n: items with a value, of `queries` different queries; missing: items without. sum: exact. mean: of a round its
    items' mean, of the set the plain mean of the rounds' means. interval: of the mean; None for fewer than two queries.
    p50, p95: percentiles over the items, as of `Seconds`. per_answered: the sum by the number of answered items; None
    without any. Of named scores alone: passed: items within the limit of `assessed` ones, with the interval of their
    share, where the document has a limit; lost: points below the best end of the scale, over all items.
    """

    n: int
    missing: int
    queries: int
    sum: float | None
    mean: float | None
    interval: Interval | None
    p50: float | None
    p95: float | None
    max: float | None
    per_answered: float | None
    passed: int | UnsetType = UNSET
    assessed: int | UnsetType = UNSET
    pass_interval: Interval | UnsetType | None = UNSET
    lost: float | UnsetType = UNSET


class MeasureOfGroup(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of one group. rounds: one per round of the set, in order."""

    rounds: tuple[MeasureFigures, ...]
    set: MeasureFigures


class Pairs(msgspec.Struct, frozen=True, kw_only=True):
    """Consistency over every unordered pair of rounds and every query in both.

    queries: queries of at least two rounds of this group. score: None when nothing was compared. interval: of the
    score, from one value per query; None without a score, and for two rounds compared by themselves.
    """

    both_pass: int
    both_fail: int
    mismatch: int
    queries: int
    score: float | None
    interval: Interval | None = None

    @property
    def compared(self) -> int:
        """Number of compared pairs."""
        return self.both_pass + self.both_fail + self.mismatch


class AgreementFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Consistency by label and signature, over the queries of a group.

    queries: all of them, single: those of one item, which score by rule. ratio_label, ratio_signature: means over
    the queries of two items or more. score: mean over all queries; None when there is none. interval: of the score.
    """

    queries: int
    single: int
    ratio_label: float | None
    ratio_signature: float | None
    score: float | None
    interval: Interval | None = None


class ClassFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Items of one latency class in a group. items, seconds: one per round of the set."""

    items: tuple[int, ...]
    seconds: tuple[Seconds, ...]
    set_seconds: Seconds


class Group(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All items (key ALL), or those of one track (key "1", "2" … or UNASSIGNED), as `report.json` has them.

    n: items over all rounds. items, statuses, seconds: one per round of the set. metrics: those of METRICS that the
    profile has, "rubrics", and "latency.<class>" where it has a metric per class, then with their figures in `classes`.
    pairs: called "consistency". agreement: by label and signature, null where pairs are compared. measures: by name, of
    those that the profile has, left out without any.
    """

    key: str
    track: TrackId | None
    n: int
    items: tuple[int, ...]
    statuses: tuple[dict[Status, int], ...]
    metrics: dict[str, Metric]
    seconds: tuple[Seconds, ...]
    set_seconds: Seconds
    pairs: Pairs = msgspec.field(name="consistency")
    agreement: AgreementFigures | None
    classes: dict[str, ClassFigures]
    measures: dict[str, MeasureOfGroup] = {}

    @property
    def status_counts(self) -> dict[Status, int]:
        """Items per status over all rounds."""
        return {status: sum(counted[status] for counted in self.statuses) for status in Status}

    @property
    def consistency(self) -> float | None:
        """The group's consistency, however it is found."""
        return self.pairs.score if self.agreement is None else self.agreement.score

    def figure(self, name: str) -> Mean:
        """A metric over the set. n of consistency: the pairs that it compares, or queries by label and signature."""
        if name != CONSISTENCY:
            return self.metrics[name].set
        if self.agreement is not None:
            found = self.agreement
            return Mean(found.score, found.queries, found.queries, found.interval)
        return Mean(self.pairs.score, self.pairs.compared, self.pairs.queries, self.pairs.interval)


class Distribution(msgspec.Struct, frozen=True, kw_only=True):
    """Items per latency score for one latency class.

    points: the possible scores, ascending. rounds: per round one count per score; set: their sum.
    """

    name: str
    title: str
    points: tuple[float, ...]
    rounds: tuple[tuple[int, ...], ...]
    set: tuple[int, ...]


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """label: "1/1" or as written; number: its place in the order, from 1 (`1회차`).

    file: of a round that is told apart from other files' rounds of the same label, "" else. Then the label ends with it
    ("1/1, w1.csv"), in items too, and no two rounds share one.
    """

    label: str
    number: int
    file: str = ""


class InputSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One input file. rows = items + duplicates + blank_rows + unusable_rows.

    name: relative to the set, NFC. items: items of this file that are in the set. left_out: a conflict copy, of which
    nothing counts; its rows are not among the rows.
    """

    name: str
    sha256: str
    size: int
    encoding: str
    delimiter: str
    sheet: str
    refused: bool
    rows: int
    items: int
    duplicates: int
    blank_rows: int
    unusable_rows: int
    left_out: bool = False


class QueryRounds(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One query over the rounds: its status, of several items of a round the worst; None where it is missing.

    question, track, category: of its item in the last round that has it. passes: whether every item of a round passes
    by points, for profiles that say which points pass in pairs; else empty. differs: within a round some items pass and
    some fail.
    """

    query_id: str
    question: str
    track: TrackId | None
    category: str
    statuses: tuple[Status | None, ...]
    passes: tuple[bool | None, ...] = ()
    differs: bool = False


class QueryEnds(NamedTuple):
    """How a query ends over the rounds, as `QueryRounds` has it; many queries end alike."""

    track: TrackId | None
    category: str
    statuses: tuple[Status | None, ...]
    passes: tuple[bool | None, ...]
    differs: bool


class Queries(Sequence[QueryRounds]):
    """The queries of a set in order of first appearance, each made when it is read: there may be half a million."""

    def __init__(self, query_ids: Sequence[str], questions: Sequence[str], ends: Sequence[QueryEnds]) -> None:
        """One of each for every query."""
        self._query_ids = query_ids
        self._questions = questions
        self.ends = ends

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[QueryRounds]:
        return map(self._query, range(len(self)))

    @overload
    def __getitem__(self, index: int) -> QueryRounds: ...
    @overload
    def __getitem__(self, index: slice) -> list[QueryRounds]: ...
    def __getitem__(self, index: int | slice) -> QueryRounds | list[QueryRounds]:
        chosen = range(len(self))[index]
        return self._query(chosen) if isinstance(chosen, int) else list(map(self._query, chosen))

    def where(self, is_one: Callable[[QueryEnds], bool]) -> tuple[QueryRounds, ...]:
        """Those that end in some way."""
        return tuple([self._query(at) for at, ends in enumerate(self.ends) if is_one(ends)])

    def _query(self, at: int) -> QueryRounds:
        track, category, statuses, passes, differs = self.ends[at]
        return QueryRounds(
            query_id=self._query_ids[at],
            question=self._questions[at],
            track=track,
            category=category,
            statuses=statuses,
            passes=passes,
            differs=differs,
        )


class RoundPair(msgspec.Struct, frozen=True, kw_only=True):
    """Two rounds compared over every query in both."""

    first: Round
    second: Round
    pairs: Pairs


class QueryAgreement(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Label and signature of one query per round, None where it is missing, of several items joined by " / ".

    n: its items. The ratios are None and the score is that of the rule when n is 1.
    """

    query_id: str
    question: str
    track: TrackId | None
    labels: tuple[str | None, ...]
    signatures: tuple[str | None, ...]
    n: int
    ratio_label: float | None
    ratio_signature: float | None
    score: float


class TotalPart(msgspec.Struct, frozen=True, kw_only=True):
    """One metric in the total; value: of the set, None when there is none."""

    metric: str
    weight: float
    value: float | None


class Total(msgspec.Struct, frozen=True, kw_only=True):
    """The weighted total of a set. value: None while any part has none.

    queries: those with a value of every part, which the interval comes from; left_out: the others.
    """

    parts: tuple[TotalPart, ...]
    value: float | None
    queries: int = 0
    left_out: int = 0
    interval: Interval | None = None


class LevelCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Items per level of the rubrics metric in one group, in the order of the rubric's levels.

    rounds: one per round of the set; set: their sum. none: items without a level, per round.
    """

    key: str
    rounds: tuple[tuple[int, ...], ...]
    set: tuple[int, ...]
    none: tuple[int, ...]


class SetResult(msgspec.Struct, frozen=True, kw_only=True):
    """One scored set.

    items: after de-duplication, in the order (NFC file name, row), those of a large set in files. sources: for each the
    index into inputs. extra_columns: titles of the columns that no rubric column claims, as `Item.extra` has their
    cells.
    table: what figures need of the items. kinds: how many there are of each. slow: indices of the items at or above
    `slow_seconds` of their latency class.
    query_values: what intervals are computed from. answered, passed: shares of items, the latter None where nothing
    says what passes.
    groups: ALL first, then tracks ascending, UNASSIGNED last; only tracks that occur. queries: one per Query ID in
    order of first appearance, and so are agreements, which are empty where pairs are compared. repeatability: how these
    queries end over their items. total: None without
    weights. counts: data quality of all parts added up. findings: what to look at, the worst first. levels: one per
    group, empty without the rubrics metric. round_pairs: of three to six rounds, where pairs are compared. judge: None
    for profiles with nothing for a judge. sessions: None where no item has one.
    damaged: figures of which too much is lost. reviews: of people, None without their grades; applied: what became of
    each grade, with the cell of those that do not count.
    """

    rubric: Rubric
    rubric_digest: str
    engine_version: int
    inputs: tuple[InputSummary, ...]
    rounds: tuple[Round, ...]
    items: Items
    sources: Sequence[int]
    extra_columns: tuple[str, ...]
    groups: tuple[Group, ...]
    distributions: tuple[Distribution, ...]
    table: ItemTable
    kinds: dict[Traits, int]
    query_values: QueryValues
    answered: Mean
    passed: Mean | None
    slow: tuple[int, ...]
    queries: Queries
    repeatability: Repeatability
    counts: dict[str, int]
    restored_rounds: tuple[str, ...]
    findings: tuple[Finding, ...]
    agreements: tuple[QueryAgreement, ...] = ()
    total: Total | None = None
    levels: tuple[LevelCounts, ...] = ()
    round_pairs: tuple[RoundPair, ...] = ()
    judge: JudgeFigures | None = None
    sessions: Sessions | None = None
    damaged: tuple[Damage, ...] = ()
    reviews: Reviews | None = None
    applied: Applied | None = None

    @property
    def used_grades(self) -> tuple[PersonGrade, ...]:
        """The grades of people that count."""
        return () if self.applied is None else self.applied.outcome.used

    @property
    def has_errors(self) -> bool:
        """Was anything refused, left out or replaced?"""
        return any(finding.severity is not Severity.NOTE for finding in self.findings)

    @property
    def refusals(self) -> tuple[Problem, ...]:
        """Why files of the set were refused; empty when all were read."""
        return tuple(
            place for finding in self.findings if finding.severity is Severity.REFUSED for place in finding.places
        )

    def group(self, key: str) -> Group | None:
        """The group with this key, None when the set has no such items."""
        return next((group for group in self.groups if group.key == key), None)
