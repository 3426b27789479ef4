"""The sets of one `scorewatch score`, one after the other: read, scored, judged and published."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import TYPE_CHECKING, BinaryIO, Protocol

from msgspec.structs import replace

from cli.process_exit import keep
from cli.score.inputs import PlannedSet, Work, hash_of
from cli.score.reviews import ScoreReviews
from cli.score.screen import Screen, SetOutcome
from cli.score.settings import ScoreSettings, time_limit
from reporting import SetReport, refusal_of, refuse_set, report_set
from reporting.runs import Outcome, Published
from reporting.store import (
    STATUS_HEAD,
    IndexEntry,
    State,
    StatusFile,
    keep_run_info,
    open_spool,
    problem_status,
    read_run_files,
    report_status,
    status_of_set,
    transient,
)
from scoring import (
    LEAST_BYTES,
    InputError,
    Problem,
    ScorewatchError,
    TransientError,
    group_problems,
    internal_error,
    refused,
    system_error,
)
from scoring.comparison import numbered
from scoring.items import ENGINE_VERSION, score_file
from scoring.items.spool import Part, SpoolSpace
from scoring.judging import JudgeState, Judging
from scoring.reading import open_named
from scoring.results import SetResult
from scoring.rubric import Rubric
from scoring.sets import Refusal, ReportBasis, SetId, refusal_key, shown
from watcher import stat_of

if TYPE_CHECKING:
    from cli.score.judge import ScoreJudge
    from reporting.runs import SetGate
    from reporting.store import KnownSets


class GateLike(Protocol):
    """What decides on sets that are scored: `cli.gate.ScoreGate`."""

    def scored(self, result: SetResult, set_name: str, key: str) -> SetGate:
        """A set with a result of which no report was written."""

    def written(self, folder: Path) -> SetGate:
        """A set with a report in this folder, and its comparison beside it."""

    def refused(self, set_name: str, profile: str) -> SetGate:
        """A set without one."""


CHANGING_SECONDS = 10.0
YOUNG_SECONDS = 1.0  # a file that was changed so lately, and is refused, may be about to be written
LOOK_SECONDS = 0.2


class Runner:
    """Scores and publishes one set after the other; a set that fails stops no other."""

    def __init__(
        self,
        settings: ScoreSettings,
        out: Path | None,
        screen: Screen,
        judge: ScoreJudge | None,
        gate: GateLike | None = None,
        *,
        jobs: int | None = None,
    ) -> None:
        """jobs: processes for a large file; None for one per core."""
        self._settings = settings
        self._out = out
        self._destination = None if out is None else settings.destination(out)
        self._screen = screen
        self._judge = judge
        self._gate = gate
        self._jobs = jobs
        self._reviews: ScoreReviews  # of the work that is run
        self.is_fine = True
        self.unused: tuple[Problem, ...] = ()  # why rows of review files are not used, each at its cell
        self._wrong: list[Problem] = []  # in what is said of runs
        self.gates: list[SetGate] = []  # in the order of the sets
        self.known: KnownSets | None = None  # the sets in the folder of reports, once they are compared

    def run(self, work: Work, only: Collection[str] | None = None) -> list[Problem]:
        """Do everything; returns the problems of sets that could not be read or written at all.

        only: names of the sets that are scored; None for all.
        """
        problems: list[Problem] = []
        outcomes: list[SetOutcome] = []
        self._reviews = ScoreReviews(work, self._settings, self._out)
        entries: list[PlannedSet | Refusal] = [*work.sets, *work.refused]
        chosen = [entry for entry in entries if only is None or _name_of(entry) in only]
        for entry in sorted(chosen, key=lambda entry: numbered(_name_of(entry))):
            try:
                outcome = self._outcome(entry)
            except InputError as error:
                problems += (problem.at(problem.source or _name_of(entry)) for problem in error.problems)
            except TransientError as error:
                problems.append(self._unwritten(error, _name_of(entry)))
            else:
                self.is_fine = self.is_fine and outcome.is_fine
                outcomes.append(outcome)
                if self._out is None:
                    self._finish(outcome)
        if self._out is not None:
            problems += self._compare(self._out)
            for outcome in outcomes:  # they tell of the comparison, and rules may need it
                try:
                    self._finish(outcome)
                except TransientError as error:
                    problems.append(refused("not-written", source=outcome.entry.set_name, reason=str(error)))
        reviewed = self._reviews.tallies()
        self._screen.reviewed(reviewed)
        self.unused = tuple(problem for one in reviewed for problem in one.problems)
        problems += [*self._wrong, *self.unused, *self._summarise()]
        if self._judge is not None and self._judge.problem is not None:
            problems.append(self._judge.problem)
        return problems

    def _unwritten(self, error: TransientError, name: str) -> Problem:
        """Without a folder of reports only the temporary folder is written to."""
        values = {"reason": str(error)}
        if self._out is None:
            values["folder"] = shown(gettempdir())
        return Problem(code="not-written" if self._out else "temporary-folder", source=name, values=values)

    def _finish(self, outcome: SetOutcome) -> None:
        """Decide on its gate and show it. Raises TransientError."""
        gated = self._gated(outcome)
        if gated.gate is not None:
            self.gates.append(gated.gate)
        known = None if self.known is None else self.known.entries.get(outcome.entry.set_name)
        if known is not None and known.key == outcome.entry.status.key:
            gated = replace(gated, entry=known.unpack()._replace(status=outcome.entry.status))  # with its texts
        self._screen.finished(gated)

    def _gated(self, outcome: SetOutcome) -> SetOutcome:
        """The outcome with its gate, where rules are to be evaluated. Raises TransientError."""
        if self._gate is None or outcome.gate is not None:
            return outcome
        name, status = outcome.entry.set_name, outcome.entry.status
        if status.state is State.REPORT and outcome.folder is not None:
            gated = replace(outcome, gate=self._gate.written(outcome.folder))
            if self.known is not None:
                self.known.look_at([name])  # it has a gate now
            return gated
        return replace(outcome, gate=self._gate.refused(name, status.profile))

    def _compare(self, out: Path) -> list[Problem]:
        """Compare the reports with their baselines, and others whose baseline they are."""
        from reporting.runs import compare_missing
        from reporting.store import KnownSets

        self.known = KnownSets(out)
        return compare_missing(self._settings.destination(out), self.known)[1]

    def _summarise(self) -> list[Problem]:
        """Write the front pages, which say how the gate ended, and those of others that were compared again."""
        if self._destination is None or self.known is None:
            return []
        from reporting.summary import summarise_missing

        return summarise_missing(self._destination, self.known)

    def _outcome(self, entry: PlannedSet | Refusal) -> SetOutcome:
        if isinstance(entry, Refusal):
            return self._refused(refuse_set(entry, self._destination))
        try:
            return self._score(entry)
        except ScorewatchError:
            raise
        except Exception as error:  # noqa: BLE001 -- a bug that one set meets must not cost the others
            self._screen.failed(traceback.format_exc())
            return self._failed(entry, error)

    def _score(self, planned: PlannedSet) -> SetOutcome:
        keep(None)  # the set before
        plan, rubric = planned.plan, planned.rubric
        parts = self.parts(planned)
        inputs = {name: part.sha256 for name, part in parts}
        judge = self._judge if rubric.judged else None
        identity = None if judge is None else judge.identity
        settings = self._settings
        basis = ReportBasis.of(rubric, language=settings.language, csv_titles=settings.csv_titles, judge=identity)
        grades = self._reviews.of(plan.name, rubric.profile, parts)
        ungraded = SetId(plan.name, basis.key(inputs.items()))
        key_of = partial(basis.key, tuple(inputs.items()))

        def report(*, judging: Judging | None, force: bool = False) -> SetReport:
            with time_limit(self._settings.task_time_limit_seconds):
                return report_set(
                    parts,
                    rubric,
                    self._destination,
                    ungraded,
                    judging=judging,
                    grades=grades,
                    key_of=key_of,
                    force=force,
                )

        judging = None if judge is None else judge.judging(plan.name, inputs.values())
        first = report(judging=judging)
        published, result, _ = first
        if result is None:
            return self._refused(first)
        if judge is not None and judging is not None and result.judge is not None and result.judge.requests:
            judge.ask(plan.name, rubric, result.judge.requests, judging.verdicts)
            again = judge.judging(plan.name, inputs.values())
            published, completed, _ = report(judging=again)
            assert completed is not None
            result = completed
            if self._has_lost_verdicts(published, result, plan.name):
                published = report(judging=again, force=True).published
        self._reviews.took(result)
        set_id = SetId(plan.name, key_of(result.used_grades))
        folder = _written(published)
        self._keep_run_info(planned, folder)
        gate = None if self._gate is None or folder is not None else self._gate.scored(result, *set_id)
        if judge is None:  # its connections are to be closed
            keep(result)
        status = self._standing(set_id) or report_status(result, set_id, language=self._settings.language, files={})
        is_shown = result.judge is None or result.judge.state is status.judge  # else a report that had lost verdicts
        return SetOutcome(
            entry=_entry(status),
            findings=result.findings,
            folder=folder,
            is_fine=_is_fine(result),
            judge=result.judge if is_shown else None,
            gate=gate,
            repeats=result.repeatability.counts if len(result.rounds) > 1 and is_shown else None,
            sessions=result.sessions if is_shown else None,
            replaced_engine=None if first.published is None else first.published.replaced_engine,
        )

    def _keep_run_info(self, planned: PlannedSet, folder: Path | None) -> None:
        """Write beside a report what files say of the run. Raises TransientError."""
        if folder is None:
            return
        said = read_run_files(planned.run_files)
        with transient(folder):
            keep_run_info(folder, said, self._settings.language)
        self._wrong += said.problems

    def parts(self, planned: PlannedSet) -> list[tuple[str, Part]]:
        """The files of a set, scored."""
        space = SpoolSpace(TemporaryFile if self._out is None else partial(open_spool, self._out))
        files = zip(planned.plan.names, planned.files, strict=True)
        return [(name, self._read(file, planned, space)) for name, file in files]

    def _standing(self, set_id: SetId) -> StatusFile | None:
        """What stands in the folder, while lost verdicts are pending of the report that had them."""
        status = None if self._out is None else status_of_set(self._out, set_id.name)
        return status if status is not None and status.key == set_id.key else None

    def _has_lost_verdicts(self, published: Published | None, result: SetResult, set_name: str) -> bool:
        """Is the published report complete with verdicts that were lost and that the judge did not give again?"""
        if self._out is None or published is None or published.outcome is not Outcome.UNCHANGED:
            return False
        standing = status_of_set(self._out, set_name)
        return _is_given_up(result) and standing is not None and standing.judge is JudgeState.DONE

    def _failed(self, planned: PlannedSet, error: Exception) -> SetOutcome:
        """A bug as the problem of the set that met it. Its key is no report's, so that the next run tries again."""
        plan, rubric = planned.plan, planned.rubric
        problem = internal_error(plan.names, error)
        inputs = [(name, hash_of(file)) for name, file in zip(plan.names, planned.files, strict=True)]
        key = refusal_key(inputs, [problem], rubric_digest=rubric.digest, language=self._settings.language)
        refusal = refusal_of(rubric, SetId(plan.name, key), (problem,), tuple(inputs))
        return self._refused(refuse_set(refusal, self._destination))

    def _refused(self, report: SetReport) -> SetOutcome:
        refusal = report.refusal
        assert refusal is not None
        language = self._settings.language
        return SetOutcome(
            entry=_entry(problem_status(refusal, engine_version=ENGINE_VERSION, language=language, files={})),
            findings=group_problems(refusal.problems),
            folder=_written(report.published),
            is_fine=False,
        )

    def _read(self, file: Path, planned: PlannedSet, space: SpoolSpace) -> Part:
        """Score one file; one that is being written is read again, for at most CHANGING_SECONDS."""
        until = time.monotonic() + CHANGING_SECONDS
        while True:
            part, before = self._read_once(file, planned, space)
            if before is None or time.monotonic() >= until:
                return part
            if part.refused and abs(time.time() - before.st_mtime) < YOUNG_SECONDS:
                time.sleep(LOOK_SECONDS)  # it may have been emptied to be written again
            if _is_unchanged(file, before):
                return part
            time.sleep(LOOK_SECONDS)

    def _read_once(self, file: Path, planned: PlannedSet, space: SpoolSpace) -> tuple[Part, os.stat_result | None]:
        """(part, stat before reading); the stat is None for a file that cannot be read."""
        try:
            with open_named(file) as stream, time_limit(self._settings.task_time_limit_seconds):
                before = os.fstat(stream.fileno())
                with self._screen.reading(file, before.st_size) as progress:
                    part = self._in_pieces(file, stream, planned.rubric, progress)
                    if part is None:
                        part = score_file(stream, name=str(file), rubric=planned.rubric, progress=progress, space=space)
                return part, before
        except InputError as error:  # when the time was over before or after the reading
            return _unread(planned, error.problems, hash_of(file)), None
        except MemoryError:
            limit = str(self._settings.memory_limit_megabytes)
            return _unread(planned, (Problem(code="memory-limit", values={"limit": limit}),), hash_of(file)), None
        except OSError as error:
            return _unread(planned, (system_error("unreadable", error),)), None

    def _in_pieces(
        self, file: Path, stream: BinaryIO, rubric: Rubric, progress: Callable[[int], None] | None
    ) -> Part | None:
        """The part of a large file, scored on several cores; None for a file that is scored in one piece."""
        if self._jobs == 1 or os.fstat(stream.fileno()).st_size < LEAST_BYTES:
            return None
        from cli.score.pieces import Pieces
        from workers.processes import usable_cores

        pieces = Pieces(self._jobs or usable_cores(), self._out)
        return pieces.score(file, stream, rubric=rubric, progress=progress)


def _unread(planned: PlannedSet, problems: tuple[Problem, ...], sha256: str = "") -> Part:
    """The part of a file that could not be read to its end."""
    return Part(sha256=sha256, size=0, rubric_digest=planned.rubric.digest, refused=True, problems=problems)


def _is_unchanged(file: Path, before: os.stat_result) -> bool:
    """Does the path still name the same file with the same content? True when it is gone: it cannot be read again."""
    try:
        return stat_of(file.stat()) == stat_of(before)
    except OSError:
        return True


def _name_of(entry: PlannedSet | Refusal) -> str:
    return entry.plan.name if isinstance(entry, PlannedSet) else entry.id.name


def _is_given_up(result: SetResult) -> bool:
    return result.judge is not None and result.judge.state is JudgeState.INCOMPLETE


def _is_fine(result: SetResult) -> bool:
    """Was every row of every input used, and judged where a judge is to? Notes take nothing away."""
    if result.judge is not None and result.judge.state in {JudgeState.PENDING, JudgeState.INCOMPLETE}:
        return False
    return not result.has_errors


def _entry(status: StatusFile) -> IndexEntry:
    return IndexEntry(status.set, status, time.time_ns())


def _written(published: Published | None) -> Path | None:
    if published is None:
        return None
    if published.outcome is Outcome.NEWER_ENGINE:
        raise InputError((_engine_mismatch(published.folder),))
    return published.folder


def _engine_mismatch(folder: Path) -> Problem:
    head = STATUS_HEAD.read(folder)
    found = "?" if head is None else str(head.engine_version)
    source = shown(str(folder))
    return Problem(
        code="engine-mismatch", source=source, found=found, values={"found": found, "own": str(ENGINE_VERSION)}
    )
