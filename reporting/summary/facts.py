"""What a front page is made of: the report, the comparison and the gate of one set, and the answers that it names."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import msgspec

from reporting.comparison import ComparisonReport, QueryEntry, QuerySide, metric_behind, read_recorded, untested
from reporting.data import Report, items_of
from reporting.runs import UnreadableRunError, known_of_report, read_report, read_run, run_id
from reporting.store import (
    CHANGES_HTML,
    ITEMS_CSV,
    BaselineFile,
    GateFile,
    RunInfoFile,
    ShownFinding,
    State,
    StatusFile,
    known_of,
    link,
    set_folder,
)
from scoring import InputError
from scoring.comparison import Change, Losses, Origin, Query, Verdict, reduce_items
from scoring.gate import GateResult
from scoring.known import KnownFailures
from scoring.statistics import VarianceSplit
from texts import Texts

MOST_ANSWERS = 5
MOST_FAILING = 200  # newly failing queries that are looked at for what they have in common


class Look(StrEnum):
    """Why an answer is to be looked at, in the order of a page."""

    NEW = "new"  # it passed in every round of the baseline
    LOST = "lost"  # it passed in a round of the baseline and in none now, and is not new
    SILENT = "silent"  # every item had an answer in the baseline, and one has none to assess now
    NEVER = "never"
    UNANSWERED = "unanswered"  # an item of it has no answer to assess, which is no failure of this profile
    FEWER = "fewer"  # it passes in fewer rounds than in the baseline
    DROPPED = "dropped"  # its points alone are fewer than those in the baseline
    SOMETIMES = "sometimes"


class Named(NamedTuple):
    """A query that a front page names. before: items that pass, of those assessed, in the baseline; None without it."""

    look: Look
    query_id: str
    before: tuple[int, int] | None = None


class Plan(NamedTuple):
    """What the next run of a set can be planned by. figure: that is split.

    flips: queries that pass in one round and not in another, of those that have some to assess: `of`.
    """

    figure: str
    split: VarianceSplit
    flips: int
    of: int
    rounds_differ: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of one set.

    report: None for a set that was refused, whose `problems` say why. compared: None where nothing was compared; then
    `why` is the reason, in words. is_pinned: is the baseline one that a person chose? gate: None where nothing was
    decided. plan: None where nothing is to be said of a next run. queries: those of `named` and those that newly
    fail, by Query ID. address: web address of the folder of the set, "" when it is not known. has_changes: is there
    a page about an earlier version? told: what people say of the run. again: metrics that are worse again,
    each with the one that it copies, "" for none. known: what it has of the failures that are known, None without
    a file of them. earlier: the report of the
    baseline, None where it is not the one that was compared, is damaged, or was scored by other rules. apart: the sets
    that look like the rounds of one run with it, itself included; none where it lies alone.
    """

    set_name: str
    report: Report | None = None
    problems: tuple[ShownFinding, ...] = ()
    compared: ComparisonReport | None = None
    why: str = ""
    is_pinned: bool = False
    gate: GateResult | None = None
    plan: Plan | None = None
    queries: Mapping[str, Query] = field(default_factory=dict)
    address: str = ""
    has_changes: bool = False
    again: Mapping[str, str] = field(default_factory=dict)
    told: RunInfoFile = field(default_factory=RunInfoFile)
    known: KnownFailures | None = None
    earlier: Report | None = None
    apart: tuple[str, ...] = ()

    @property
    def leading(self) -> str:
        """The figure that leads: the one that was compared first, else the report's own."""
        assert self.report is not None
        return self.compared.headline if self.compared is not None else leading_of_report(self.report)

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes over all shared queries, those of copies included; none without a comparison.

        None either of damaged figures, which are not to be used.
        """
        if self.compared is None or self.is_damaged:
            return ()
        changes = self.compared.groups[0].changes
        return tuple(map(untested, changes)) if self.is_graded_anew else changes

    @property
    def is_damaged(self) -> bool:
        """Is the figure that leads made of values that could not be read?"""
        return self.report is not None and bool(self.report.banner)

    @property
    def is_graded_anew(self) -> bool:
        """Do both runs have the same answers, so that nothing but grades of people or a judge can differ?"""
        return self.compared is not None and self.compared.graded_anew is not msgspec.UNSET

    @property
    def named(self) -> tuple[Named, ...]:
        """The queries to look at first."""
        return () if self.report is None else named_queries(self.report, self.compared)

    def change(self, metric: str) -> Change | None:
        """The change of a figure; None where it was not compared, or has no value on a side."""
        found = next((change for change in self.changes if change.metric == metric), None)
        return None if found is None or found.verdict is Verdict.NO_VALUE else found


def leading_of_report(report: Report) -> str:
    """The figure that leads in a report; one of an earlier engine does not say whether its items are graded."""
    return report.leading or report.basis.leading(is_graded=False)


def leading_metric(report: Report, figure: str = "") -> str:
    """The metric in points behind a figure that leads: what costs the total most, what an item passes by.

    figure: without it the one that leads in the report.
    """
    is_repeated = len(report.rounds) > 1
    return metric_behind(figure or leading_of_report(report), report.basis, losses_of(report), is_repeated=is_repeated)


def losses_of(report: Report) -> Losses:
    """Where the run of a report lost points."""
    return Losses(report.insights.losses, report.insights.patterns)


def named_queries(report: Report, compared: ComparisonReport | None) -> tuple[Named, ...]:
    """The queries to look at first, at most MOST_ANSWERS: what fails newly, what never passes, what lost most.

    What fails newly, and what lost the last rounds in which it passed, are in the order of the rounds that they lost.
    """
    found: dict[str, Named] = {}
    for one in _candidates(report, compared):
        found.setdefault(one.query_id, one)
        if len(found) == MOST_ANSWERS:
            break
    return tuple(found.values())


def _candidates(report: Report, compared: ComparisonReport | None) -> Iterator[Named]:
    repeated = report.repeatability
    before = {}
    if compared is not None:
        silent = compared.now_unanswered or ()
        for entries in (compared.now_fails, compared.dropped, compared.now_passes, compared.rose, silent):
            before.update({entry.query_id: (entry.before.passed, entry.before.assessed) for entry in entries})
        looks = {Look.NEW: compared.now_fails, Look.LOST: lost_queries(compared), Look.SILENT: silent}
        for look, entries in looks.items():
            yield from (Named(look, one.query_id, before[one.query_id]) for one in sorted(entries, key=_gain))
    yield from (Named(Look.NEVER, one.query_id, before.get(one.query_id)) for one in repeated.never_passing)
    if 0 < report.headline.assessed < report.headline.n:
        flaky = {one.query_id for one in repeated.flaky}  # these have answers
        unanswered = [query_id for pattern in report.insights.patterns for query_id in pattern.query_ids]
        for query_id in sorted(unanswered, key=lambda query_id: query_id in flaky):
            yield Named(Look.UNANSWERED, query_id, before.get(query_id))
    if compared is not None:
        for entry in compared.dropped:
            look = Look.FEWER if _gain(entry) < 0 else Look.DROPPED
            yield Named(look, entry.query_id, before[entry.query_id])
    yield from (Named(Look.SOMETIMES, one.query_id, before.get(one.query_id)) for one in repeated.flaky)


def lost_queries(compared: ComparisonReport) -> tuple[QueryEntry, ...]:
    """The queries that passed in a round of the baseline and in none now, apart from those that newly fail."""
    return tuple([entry for entry in compared.dropped if entry.before.passed and _share(entry.after) == 0.0])


def _share(side: QuerySide) -> float | None:
    return side.passed / side.assessed if side.assessed else None


def _gain(entry: QueryEntry) -> float:
    """How much more of its items pass, as a part of all; 0 where a side has none to assess."""
    before, after = _share(entry.before), _share(entry.after)
    return 0.0 if before is None or after is None else after - before


def _earlier(out: Path, compared: ComparisonReport | None) -> Report | None:
    """As `Facts.earlier`."""
    if compared is None or compared.before.is_rescored:
        return None
    try:
        report = read_report(set_folder(out, compared.before.name))
    except (UnreadableRunError, InputError):
        return None
    return report if run_id(report).key == compared.before.key and not report.banner else None


def facts_of_folder(
    out: Path, status: StatusFile, mark: BaselineFile | None, gate: GateFile | None, *, public_url: str, t: Texts
) -> Facts:
    """What the files in the folder of a set say. out: of all reports.

    Raises UnreadableRunError when its report is another by now.
    """
    folder = set_folder(out, status.set)
    address = f"{public_url.rstrip('/')}/{link(status.set, '')}" if public_url else ""
    if status.state is not State.REPORT:
        return Facts(set_name=status.set, problems=status.findings, address=address)
    report = read_report(folder)
    if report.key != status.key:
        raise UnreadableRunError(report.key)
    compared = None if mark is None else read_recorded(folder, mark)
    ids = [one.query_id for one in named_queries(report, compared)]
    ids += [] if compared is None else [one.query_id for one in compared.now_fails[:MOST_FAILING]]
    lines = known_of(folder, status.set, status.profile)
    if lines is None:
        measures = tuple(measure.key for measure in report.basis.measures)
        queries: Mapping[str, Query] = reduce_items(items_of(folder / ITEMS_CSV, ids, measures), report.basis)
    else:
        queries = read_run(folder).queries
    return Facts(
        set_name=status.set,
        report=report,
        compared=compared,
        why=t("summary.waiting") if mark is None else mark.sentence,
        is_pinned=mark is not None and mark.origin is Origin.PINNED,
        gate=None if gate is None else gate.result,
        queries=queries,
        address=address,
        has_changes=(folder / CHANGES_HTML).is_file(),
        again={} if mark is None or mark.again is msgspec.UNSET else mark.again,
        known=known_of_report(report, queries, lines, leading_metric(report)),
        earlier=_earlier(out, compared),
    )
