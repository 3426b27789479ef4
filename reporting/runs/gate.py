"""Evaluates the rules of a profile for a set: in its folder, or one without a report, as if it were published there."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from reporting.comparison import read_recorded
from reporting.data import Report
from reporting.runs.baselines import hindrance_of
from reporting.runs.gate_figures import figures_of
from reporting.runs.read import ReportedRun, UnreadableRunError, read_reported, read_run
from reporting.store import (
    GATE,
    GATE_JSON,
    BaselineFile,
    GateFile,
    Headline,
    KnownSets,
    ShownFinding,
    State,
    StatusFile,
    known_of,
    read_asked,
    read_baseline,
    read_gate,
    read_pins,
    set_folder,
)
from reporting.wording import system_reason
from scoring import Problem, refused
from scoring.comparison import (
    Asked,
    Chain,
    NoSharedQueryError,
    Origin,
    Overlaps,
    Query,
    Run,
    RunMark,
    asked_digest,
    asked_of_queries,
    compare_runs,
    order_key,
)
from scoring.gate import NOT_COMPARED, Compared, GateResult, GateRules, GateState, RuleSet, Uncompared, evaluate
from scoring.known import KnownFailures, KnownLines, known_failures
from scoring.sets import shown

_NOW = sys.maxsize  # a run without a date comes after all that are published


@dataclass(frozen=True, slots=True, kw_only=True)
class SetGate:
    """How the gate ended for a set, with what its pages show beside.

    rules: None for a profile without rules; the result is passed and empty then. headline, reported: None without a
    report, of which `problems` say why. baseline: name of the run that rules compared it with, "" without one. against:
    the comparison, whether rules need it or not. mark: of the one beside the report, None without. known: what the set
    has of the failures that are known, None without a file of them.
    """

    set_name: str
    profile: str
    headline: Headline | None
    rules: RuleSet | None
    result: GateResult
    queries: tuple[Query, ...] = ()
    baseline: str = ""
    reported: ReportedRun | None = None
    problems: tuple[ShownFinding, ...] = ()
    against: Compared | Uncompared = NOT_COMPARED
    mark: BaselineFile | None = None
    known: KnownFailures | None = None


def evaluate_set(
    set_name: str,
    *,
    profile: str,
    reported: ReportedRun | None,
    rules: GateRules,
    against: Run | Compared | Uncompared = NOT_COMPARED,
    run: Run | None = None,
    problems: tuple[ShownFinding, ...] = (),
    mark: BaselineFile | None = None,
    lines: KnownLines | None = None,
) -> SetGate:
    """Evaluate the rules for a set. reported: None when it has no report.

    against: a run is compared with now. run: what is compared with it; None takes that of the report. problems: why it
    has none. mark: of the comparison beside it. lines: of known failures, None without a file.
    """
    of_profile = rules.of(profile)
    known = None if reported is None else known_of_report(reported.report, reported.run.queries, lines)
    figures = None if reported is None else figures_of(reported.report, reported.run.queries, known)
    comparison: Compared | Uncompared = NOT_COMPARED
    if not isinstance(against, Run):
        comparison = against
    elif reported is not None:
        try:
            comparison = compare_runs(against, run or reported.run)
        except NoSharedQueryError:
            comparison = Uncompared("no-shared-query")
    return SetGate(
        set_name=set_name,
        profile=profile,
        headline=None if reported is None else reported.report.headline,
        rules=of_profile,
        result=GateResult(GateState.PASSED, ()) if of_profile is None else evaluate(of_profile, figures, comparison),
        queries=() if figures is None else figures.queries,
        baseline=_name_of(against) if isinstance(against, Run) or _needs(of_profile) else "",
        reported=reported,
        problems=problems,
        against=comparison,
        mark=mark,
        known=known,
    )


def known_of_report(
    report: Report, queries: Mapping[str, Query], lines: KnownLines | None, metric: str = ""
) -> KnownFailures | None:
    """What a report has of the failures that are known. lines: None without a file. metric: whose points are lost."""
    if lines is None:
        return None
    return known_failures(lines, queries.values(), metric=metric, highest=report.basis.points.highest)


def evaluate_folder(
    folder: Path, status: StatusFile, rules: GateRules, baseline: Run | None = None, *, run: Run | None = None
) -> SetGate:
    """Evaluate the rules for the set in a folder.

    baseline: None takes the comparison beside the report. run: as of `evaluate_set`. Raises UnreadableRunError when its
    report cannot be read, or is another by now.
    """
    reported = mark = None
    against: Run | Compared | Uncompared = baseline or NOT_COMPARED
    if status.state is State.REPORT:
        reported = read_reported(folder)
        if reported.report.key != status.key:
            raise UnreadableRunError(reported.report.key)
        mark = read_baseline(folder, status) if baseline is None else None
        if mark is not None:
            against = read_recorded(folder, mark) or uncompared(mark.origin, mark.baseline)
    problems = status.findings if reported is None else ()
    return evaluate_set(
        status.set,
        profile=status.profile,
        reported=reported,
        rules=rules,
        against=against,
        run=run,
        problems=problems,
        mark=mark,
        lines=known_of(folder, status.set, status.profile),
    )


def _name_of(against: Run | Compared | Uncompared) -> str:
    if isinstance(against, Run):
        return against.name
    return "" if isinstance(against, Uncompared) else against.before.name


def uncompared(origin: Origin, name: str) -> Uncompared:
    """Why a run is compared with nothing. A pin is never replaced silently: one that is gone is named."""
    if origin is Origin.PIN_GONE:
        return Uncompared(Origin.PIN_GONE, name)
    return Uncompared(Origin.IS_PIN) if origin is Origin.IS_PIN else NOT_COMPARED


def write_set_gate(folder: Path, status: StatusFile, gate: SetGate, baseline: Run | None = None) -> GateFile | None:
    """Write `gate.json` of an evaluated set. None for a profile without rules: then the file goes. Raises OSError."""
    if gate.rules is None:
        GATE.remove(folder)
        return None
    file = GateFile(
        set=status.set,
        key=status.key,
        judge_digest=status.judge_digest,
        rules=gate.rules.digest,
        **_compared_with(folder, status, gate.rules, baseline)._asdict(),
        known=_known_digest(folder, status, gate.rules),
        result=gate.result,
    )
    GATE.write(folder, file)
    return file


def known_gate(folder: Path, status: StatusFile, rules: GateRules, baseline: Run | None = None) -> GateFile | None:
    """How these rules ended for this report and baseline; None when that has not been evaluated yet."""
    of_profile = rules.of(status.profile)
    known = read_gate(folder, status)
    if of_profile is None or known is None:
        return None
    found = (known.rules, known.baseline, known.uncompared, known.known)
    compared = _compared_with(folder, status, of_profile, baseline)
    return known if found == (of_profile.digest, *compared, _known_digest(folder, status, of_profile)) else None


def _known_digest(folder: Path, status: StatusFile, rules: RuleSet) -> str | msgspec.UnsetType:
    """What `gate.json` says of the known failures that rules leave out."""
    if not rules.needs_known:
        return msgspec.UNSET
    lines = known_of(folder, status.set, status.profile)
    return "" if lines is None else lines.digest


def keep_gate(folder: Path, status: StatusFile, rules: GateRules, baseline: Run | None = None) -> GateFile | None:
    """Evaluate the rules for the set in a folder unless that was done, and write `gate.json`.

    None for a profile without rules; then the file goes. Raises UnreadableRunError as `evaluate_folder`, OSError.
    """
    if rules.of(status.profile) is None:
        GATE.remove(folder)
        return None
    known = known_gate(folder, status, rules, baseline)
    if known is not None:
        return known
    return write_set_gate(folder, status, evaluate_folder(folder, status, rules, baseline), baseline)


class DecidedAgain(NamedTuple):
    """names: of sets whose gate was decided again. others: how many are as they were, decided by other rules."""

    names: tuple[str, ...]
    others: int
    problems: tuple[Problem, ...]


def decide_again(known: KnownSets, find_rules: Callable[[], GateRules]) -> DecidedAgain:
    """Decide the gates again that compare with a baseline, of sets that have another one now.

    find_rules: those in force, asked for when there is such a gate. A gate that was decided by other rules is left.
    """
    names, problems, others = list[str](), list[Problem](), 0
    rules: GateRules | None = None
    for name, packed in known.entries.items():
        entry = packed.unpack()
        gate, mark = entry.gate, entry.compared
        if gate is None or mark is None or not (gate.baseline or gate.uncompared) or not mark.is_about(entry.status):
            continue
        if (gate.baseline, gate.uncompared) == tuple(_named_by(mark)):
            continue
        rules = find_rules() if rules is None else rules
        of_profile = rules.of(entry.status.profile)
        if of_profile is None or of_profile.digest != gate.rules:
            others += 1
            continue
        try:
            keep_gate(set_folder(known.out, name), entry.status, rules)
            names.append(name)
        except OSError as error:
            problems.append(refused("not-written", source=shown(f"{name}/{GATE_JSON}"), reason=system_reason(error)))
        except UnreadableRunError:  # another report by now, whose writer sees to its gate
            others += 1
    known.look_at(names)
    return DecidedAgain(tuple(names), others, tuple(problems))


def needs_baseline(status: StatusFile, rules: GateRules) -> bool:
    """Does a rule for the profile of the set compare with its baseline?"""
    return _needs(rules.of(status.profile))


def _needs(rules: RuleSet | None) -> bool:
    return rules is not None and rules.needs_baseline


class _ComparedWith(NamedTuple):
    """What `gate.json` says of the comparison that rules need; both "" where they need none."""

    baseline: str = ""
    uncompared: str = ""


def _compared_with(folder: Path, status: StatusFile, rules: RuleSet, baseline: Run | None) -> _ComparedWith:
    if not rules.needs_baseline:
        return _ComparedWith()
    if baseline is not None:
        return _ComparedWith(baseline.key)
    mark = read_baseline(folder, status)
    if mark is None:
        return _ComparedWith()
    return _named_by(mark)


def _named_by(mark: BaselineFile) -> _ComparedWith:
    return _ComparedWith(mark.baseline_key) if mark.baseline_key else _ComparedWith(uncompared=mark.origin)


def find_baseline(out: Path, run: Run) -> Run | Uncompared:
    """The pinned run, else the nearest earlier one that asks the same; why there is none otherwise.

    out: folder of the reports. A report of the same name is that of the run itself, so it is no baseline.
    """
    asks = asked_of_queries(run.queries.values())
    own = RunMark(order_key(run.executed, run.name, published=_NOW), run.name, run.key, asked_digest(asks))
    known = KnownSets(out)
    known.look()
    others = [
        RunMark(
            entry.order,
            entry.set_name,
            entry.run_key,
            status.asked,
            hindrance_of(status, is_superseded=entry.set_name in known.superseded),
        )
        for entry in known.entries.values()
        if (entry.state, entry.profile) == (State.REPORT, run.profile) and entry.set_name != run.name
        for status in (entry.unpack().status,)
    ]

    @cache
    def asked(digest: str) -> Asked:
        return asks if digest == own.asked else read_asked(out, digest) or {}

    chosen = Chain(Overlaps(asked)).change([*others, own], pin=read_pins(out).get(run.profile))
    baseline = next(found for mark, found in chosen if mark is own)
    if not baseline.exists:
        return uncompared(baseline.origin, baseline.name)
    try:
        return read_run(set_folder(out, baseline.name))
    except UnreadableRunError:
        return uncompared(Origin.PIN_GONE if baseline.origin is Origin.PINNED else baseline.origin, baseline.name)
