"""`status.json`: the state of a set, small enough to read thousands of. It is written last of all files.

Before it comes the commit mark of a report, `report.json`, with size and hash of every other file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET, UnsetType

from reporting.store.stored_file import StoredFile
from reporting.wording import damage_text, describe_finding, in_short
from scoring import Finding, Severity, group_problems
from scoring.comparison import earliest
from scoring.judging import JudgeState
from scoring.rubric import CONSISTENCY, METRICS, USUAL_SCALE, Measure, Scale
from scoring.sets import RunInfo, info_of_columns
from scoring.statistics import Interval
from texts import texts

if TYPE_CHECKING:
    from scoring.results import Group, Mean, SetResult, Total
    from scoring.sets import Refusal, SetId

FORMAT_VERSION = 3
STATUS_JSON = "status.json"
REPORT_FORMAT_VERSION = 3
REPORT_JSON = "report.json"
TOTAL = "total"


class State(StrEnum):
    """What a set's folder holds."""

    REPORT = "report"
    PROBLEM = "problem"


class FileMark(msgspec.Struct, frozen=True):
    """size in bytes and SHA-256 (hex) of one written file."""

    size: int
    sha256: str


class CommitMark(msgspec.Struct, frozen=True):
    """What a check of a report needs of its report.json."""

    format_version: int
    key: str
    files: dict[str, FileMark]


class MeasuredHeadline(msgspec.Struct, frozen=True, kw_only=True):
    """A measure of the whole set. mean, with its interval, and sum: None without any value."""

    title: str
    unit: str
    decimals: int | None
    sum: float | None
    mean: float | None
    interval: Interval | None


class Headline(msgspec.Struct, frozen=True, kw_only=True):
    """n: items. answered: those whose status says so; answered_rate: of all items, 0..1.

    passed: items at or above the points that the document names, None where it names none. assessed: items that take
    part in that; pass_rate: passed / assessed, None without any.
    metrics: set values by name of those that the profile has ("intent", "consistency", "accuracy", "latency",
    "stability", "rubrics", "latency.<class>", "total"), null without a value.
    queries: that the items belong to. intervals: how far the metrics could move if other queries of the same kind had
    been asked, by name; answered_interval, pass_interval: the same of the two rates. None without a value.
    measures: by the name among metrics (`measure.cost`); left out for profiles without any. leading: the metric that
    leads; left out where the total or a rate does. scale: lowest and highest
    points, left out where they are 0 and 5.
    """

    n: int
    answered: int
    answered_rate: float | None
    passed: int | None = None
    assessed: int = 0
    pass_rate: float | None = None
    metrics: dict[str, float | None]
    queries: int
    intervals: dict[str, Interval | None]
    answered_interval: Interval | None
    pass_interval: Interval | None
    measures: dict[str, MeasuredHeadline] | UnsetType = UNSET
    leading: str | UnsetType = UNSET
    scale: Scale | UnsetType = UNSET

    @property
    def points(self) -> Scale:
        """The scale of the metrics in points."""
        return USUAL_SCALE if self.scale is UNSET else self.scale

    @property
    def measured(self) -> Mapping[str, MeasuredHeadline]:
        """The measures, empty without any."""
        return {} if self.measures is UNSET else self.measures

    @property
    def share(self) -> float | None:
        """The share that leads: of items that pass, else of those answered."""
        return self.answered_rate if self.passed is None else self.pass_rate


class ShownFinding(msgspec.Struct, frozen=True, omit_defaults=True):
    """code: stable slug. count: how often, in the unit of its code. text: one line in the report's language.

    short: what leaves the set out and what to do, in a few words; left out where it is "", as of all else.
    """

    code: str
    severity: Severity
    count: int
    text: str
    short: str = ""


class StatusFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of `status.json`.

    headline: None when state is "problem". findings: the worst first; in state "problem" why there is no report.
    inputs: SHA-256 of each input by its name relative to the set.
    judge: progress of the judge; "pending" means that the report of this key is still to be completed. judge_digest:
    of the verdicts in it, "" without any. executed: earliest `실행시각` as an ISO time, "" where none is a time. asked:
    digest of what the queries ask, "" without any. judged_by: model, votes and prompt of the judge, "" without one.
    files: marks of the file that completes the state, `report.json` or
    `problem.md`. damaged: too much is lost of the leading figure for comparing other runs with it. banner: says so,
    left out else. run: what columns of the inputs say of the run, left out where they say nothing.
    """

    format_version: int
    set: str
    state: State
    key: str
    profile: str
    engine_version: int
    rubric_digest: str
    headline: Headline | None
    findings: tuple[ShownFinding, ...]
    judge: JudgeState = JudgeState.NONE
    judge_digest: str = ""
    executed: str = ""
    asked: str = ""
    judged_by: str = ""
    inputs: dict[str, str]
    files: dict[str, FileMark]
    damaged: bool = False
    banner: str | UnsetType = UNSET
    run: RunInfo | UnsetType = UNSET

    @property
    def shown_banner(self) -> str:
        """What stands above everything on its pages, "" for nothing."""
        return "" if self.banner is UNSET else self.banner

    @property
    def is_final(self) -> bool:
        """Is nothing left to do for this key?"""
        return self.judge is not JudgeState.PENDING

    @property
    def errors(self) -> int:
        """Number of findings by which something was refused, left out or replaced; 0 means that all is well."""
        return sum(finding.severity is not Severity.NOTE for finding in self.findings)


class CountedFinding(msgspec.Struct, frozen=True):
    """How severe a finding is."""

    severity: Severity


class CountedStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What is counted of a `StatusFile`."""

    format_version: int
    state: State
    key: str
    engine_version: int
    findings: tuple[CountedFinding, ...]
    judge: JudgeState = JudgeState.NONE
    judge_digest: str = ""


class StatusHead(msgspec.Struct, frozen=True):
    """What every format of `status.json` has, newer ones included."""

    format_version: int
    engine_version: int
    key: str = ""


def run_key(key: str, judge_digest: str, selection: str = "") -> str:
    """Key of a run: that of its report, with what else decides the values: verdicts of a judge, the chosen round."""
    if not judge_digest and not selection:
        return key
    return hashlib.sha256(f"{key}\0{judge_digest}\0{selection}".encode()).hexdigest()


def headline_of(result: SetResult) -> Headline:
    """The figures that an index shows of a set."""
    from scoring.results import INTENT, find_passes, leading_of  # a program that only reads a status needs no results

    everything = result.groups[0]
    answered = sum(counted.get(status, 0) for counted in everything.statuses for status in result.rubric.pass_statuses)
    passes = None if result.rubric.pass_points is None else find_passes(result.table.traits(), result.rubric)
    sets: dict[str, Mean | Total] = {name: metric.set for name, metric in everything.metrics.items()}
    figures = {"intent": sets["intent"]} if "intent" in sets else {}
    if result.rubric.has_metric(CONSISTENCY):
        figures[CONSISTENCY] = everything.figure(CONSISTENCY)
    figures |= {name: sets[name] for name in METRICS if name in sets}
    figures |= sets
    if result.total is not None:
        figures[TOTAL] = result.total
    return Headline(
        n=everything.n,
        answered=answered,
        answered_rate=answered / everything.n if everything.n else None,
        passed=None if passes is None else passes.passed,
        assessed=0 if passes is None else passes.assessed,
        pass_rate=None if passes is None or not passes.assessed else passes.passed / passes.assessed,
        metrics={name: figure.value for name, figure in figures.items()},
        queries=result.answered.queries,
        intervals={name: figure.interval for name, figure in figures.items()},
        answered_interval=result.answered.interval,
        pass_interval=None if result.passed is None else result.passed.interval,
        measures={measure.key: _measured(measure, everything) for measure in result.rubric.measures} or UNSET,
        leading=INTENT if leading_of(result.rubric, result.kinds) == INTENT else UNSET,
        scale=UNSET if result.rubric.points == USUAL_SCALE else result.rubric.points,
    )


def _measured(measure: Measure, everything: Group) -> MeasuredHeadline:
    figures = everything.measures[measure.name].set
    return MeasuredHeadline(
        title=measure.title,
        unit=measure.unit,
        decimals=measure.decimals,
        sum=figures.sum,
        mean=figures.mean,
        interval=figures.interval,
    )


def show_findings(findings: Iterable[Finding], language: str) -> tuple[ShownFinding, ...]:
    """The findings as people read them."""
    t = texts(language)
    return tuple(
        ShownFinding(
            finding.code,
            finding.severity,
            finding.count,
            describe_finding(finding, language),
            in_short(finding.places[0], t) if finding.places else "",
        )
        for finding in findings
    )


def report_status(
    result: SetResult, set_id: SetId, *, language: str, files: dict[str, FileMark], asked: str = ""
) -> StatusFile:
    """The status of a set that has a report. asked: digest of what its queries ask."""
    from scoring.results import leading_of  # reading a status needs no results

    judge = result.judge
    return StatusFile(
        format_version=FORMAT_VERSION,
        set=set_id.name,
        state=State.REPORT,
        key=set_id.key,
        profile=result.rubric.profile,
        engine_version=result.engine_version,
        rubric_digest=result.rubric_digest,
        headline=headline_of(result),
        findings=show_findings(result.findings, language),
        judge=JudgeState.NONE if judge is None else judge.state,
        judge_digest="" if judge is None else judge.digest,
        executed=earliest(result.table.executed.written),
        asked=asked,
        judged_by="" if judge is None or not judge.model else f"{judge.model} {judge.votes} {judge.prompt}",
        inputs={entry.name: entry.sha256 for entry in result.inputs},
        files=files,
        damaged=leading_of(result.rubric, result.kinds) in {damage.metric for damage in result.damaged},
        banner=damage_text(result, texts(language)) or UNSET,
        run=_said_of_run(result) or UNSET,
    )


def _said_of_run(result: SetResult) -> RunInfo | None:
    info = info_of_columns(result.extra_columns, result.items.column("extra"))
    return info if info.said else None


def problem_status(refusal: Refusal, *, engine_version: int, language: str, files: dict[str, FileMark]) -> StatusFile:
    """The status of a set that could not be reported."""
    return StatusFile(
        format_version=FORMAT_VERSION,
        set=refusal.id.name,
        state=State.PROBLEM,
        key=refusal.id.key,
        profile=refusal.profile,
        engine_version=engine_version,
        rubric_digest=refusal.rubric_digest,
        headline=None,
        findings=show_findings(group_problems(refusal.problems), language),
        inputs=dict(sorted(refusal.inputs)),
        files=files,
    )


STATUS = StoredFile(StatusFile, STATUS_JSON, FORMAT_VERSION)
STATUS_HEAD = StoredFile(StatusHead, STATUS_JSON)
COMMIT_MARK = StoredFile(CommitMark, REPORT_JSON, REPORT_FORMAT_VERSION)
