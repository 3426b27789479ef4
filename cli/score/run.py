"""The sets of one `scorewatch score`, one after the other: read, scored, judged and published."""

from __future__ import annotations

import traceback
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cli.process_exit import keep
from cli.score.inputs import PlannedSet, Refused, Work
from cli.score.screen import Screen, SetOutcome
from cli.score.settings import ScoreSettings
from reporting.publish import Outcome, Published, publish_problem, publish_report, report_settings
from reporting.store.set_folder import status_of_set
from reporting.store.status import STATUS_JSON, Headline, State, headline_of, read_head
from scoring.findings import group_problems
from scoring.items.part import ENGINE_VERSION, Part
from scoring.items.score_file import score_file
from scoring.judging.figures import JudgeFigures
from scoring.judging.verdicts import JudgeState, judge_settings
from scoring.problems import InputError, Problem, ScorewatchError, TransientError, internal_error
from scoring.reading.content_hash import whole_hash
from scoring.results.merge import merge
from scoring.results.model import SetResult
from scoring.sets.key import refusal_key, set_key
from scoring.sets.names import shown

if TYPE_CHECKING:
    from cli.score.judge import ScoreJudge


class Runner:
    """Scores and publishes one set after the other; a set that fails stops no other."""

    def __init__(self, settings: ScoreSettings, out: Path | None, screen: Screen, judge: ScoreJudge | None) -> None:
        self._settings = settings
        self._report_settings = report_settings(settings.language)
        self._out = out
        self._screen = screen
        self._judge = judge
        self.is_fine = True

    def run(self, work: Work) -> list[Problem]:
        """Do everything; returns the problems of sets that could not be read or written at all."""
        problems: list[Problem] = []
        entries: list[PlannedSet | Refused] = [*work.sets, *work.refused]
        for entry in sorted(entries, key=_name_of):
            try:
                outcome = self._outcome(entry)
            except InputError as error:
                problems += error.problems
            except TransientError as error:
                values = {"reason": str(error)}
                problems.append(Problem(code="not-written", source=_name_of(entry), values=values))
            else:
                self.is_fine = self.is_fine and outcome.is_fine
                self._screen.finished(outcome)
        if self._judge is not None and self._judge.problem is not None:
            problems.append(self._judge.problem)
        return problems

    def _outcome(self, entry: PlannedSet | Refused) -> SetOutcome:
        if isinstance(entry, Refused):
            return self._refuse(entry)
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
        parts = [(name, self._read(file, planned)) for name, file in zip(plan.names, planned.files, strict=True)]
        inputs = {name: part.sha256 for name, part in parts}
        judge = self._judge if rubric.judged else None
        identity = None if judge is None else judge.identity
        key = set_key(
            inputs.items(),
            rubric_digest=rubric.digest,
            engine_version=ENGINE_VERSION,
            report_settings={**self._report_settings, **judge_settings(rubric.judged, identity)},
        )
        try:
            judging = None if judge is None else judge.judging(plan.name, inputs.values())
            result = merge(parts, rubric, judging)
        except InputError as error:
            return self._problem(
                error.problems, set_name=plan.name, key=key, inputs=inputs, profile=rubric.profile, digest=rubric.digest
            )
        folder = self._publish(result, plan.name, key)
        if judge is not None and judging is not None and result.judge is not None and result.judge.requests:
            judge.ask(plan.name, rubric, result.judge.requests, judging.verdicts)
            result = merge(parts, rubric, judge.judging(plan.name, inputs.values()))
            folder = self._publish(result, plan.name, key)
        headline, figures = self._shown(result, plan.name, key)
        if judge is None:  # its connections are to be closed
            keep(result)
        return SetOutcome(
            name=plan.name,
            profile=rubric.profile,
            state=State.REPORT,
            key=key,
            headline=headline,
            findings=result.findings,
            inputs=inputs,
            folder=folder,
            is_fine=_is_fine(result),
            judge=figures,
        )

    def _publish(self, result: SetResult, set_name: str, key: str) -> Path | None:
        if self._out is None:
            return None
        publish = partial(
            publish_report,
            result,
            set_name=set_name,
            key=key,
            out=self._out,
            language=self._settings.language,
            strict=self._settings.strict_fsync,
            history_versions=self._settings.history_versions,
        )
        published = publish()
        if published.outcome is Outcome.UNCHANGED and _is_given_up(result):
            standing = status_of_set(self._out, set_name)
            if standing is not None and standing.judge is JudgeState.DONE:
                # Its verdicts were lost, and the judge did not give all of them again.
                published = publish(force=True)
        return _written(published)

    def _shown(self, result: SetResult, set_name: str, key: str) -> tuple[Headline, JudgeFigures | None]:
        """The figures that stand in the folder: while lost verdicts are pending, those of the report that had them."""
        if self._out is not None and result.judge is not None and result.judge.state is JudgeState.PENDING:
            standing = status_of_set(self._out, set_name)
            if standing is not None and standing.key == key and standing.is_final and standing.headline is not None:
                return standing.headline, replace(result.judge, state=standing.judge, metrics=(), requests=())
        return headline_of(result), result.judge

    def _failed(self, planned: PlannedSet, error: Exception) -> SetOutcome:
        """A bug as the problem of the set that met it. Its key is no report's, so that the next run tries again."""
        plan, rubric = planned.plan, planned.rubric
        problem = internal_error(plan.names, error)
        inputs = [(name, _hash(file)) for name, file in zip(plan.names, planned.files, strict=True)]
        key = refusal_key(
            inputs,
            [problem],
            rubric_digest=rubric.digest,
            engine_version=ENGINE_VERSION,
            report_settings=self._report_settings,
        )
        return self._problem(
            (problem,), set_name=plan.name, key=key, inputs=dict(inputs), profile=rubric.profile, digest=rubric.digest
        )

    def _refuse(self, refused: Refused) -> SetOutcome:
        inputs = [(name, "" if file is None else _hash(file)) for name, file in refused.inputs]
        key = refusal_key(
            inputs,
            [refused.problem],
            rubric_digest=refused.rubric_digest,
            engine_version=ENGINE_VERSION,
            report_settings=self._report_settings,
        )
        return self._problem(
            (refused.problem,), set_name=refused.name, key=key, inputs=dict(inputs), profile=refused.profile, digest=""
        )

    def _problem(
        self,
        problems: tuple[Problem, ...],
        *,
        set_name: str,
        key: str,
        inputs: dict[str, str],
        profile: str,
        digest: str,
    ) -> SetOutcome:
        folder = None
        if self._out is not None:
            folder = _written(
                publish_problem(
                    problems,
                    inputs=inputs.items(),
                    set_name=set_name,
                    key=key,
                    out=self._out,
                    profile=profile,
                    rubric_digest=digest,
                    language=self._settings.language,
                    strict=self._settings.strict_fsync,
                    history_versions=self._settings.history_versions,
                )
            )
        return SetOutcome(
            name=set_name,
            profile=profile,
            state=State.PROBLEM,
            key=key,
            headline=None,
            findings=group_problems(problems),
            inputs=inputs,
            folder=folder,
            is_fine=False,
        )

    def _read(self, file: Path, planned: PlannedSet) -> Part:
        try:
            with file.open("rb") as stream, self._screen.reading(file, file.stat().st_size) as progress:
                return score_file(stream, name=str(file), rubric=planned.rubric, progress=progress)
        except OSError as error:
            values = {"reason": error.strerror or type(error).__name__}
            problem = Problem(code="unreadable", values=values)
            digest = planned.rubric.digest
            return Part(sha256="", size=0, rubric_digest=digest, refused=True, problems=(problem,))


def _hash(file: Path) -> str:
    """SHA-256 of a file, "" when it cannot be read."""
    try:
        with file.open("rb") as stream:
            return whole_hash(stream).sha256
    except OSError:
        return ""


def _name_of(entry: PlannedSet | Refused) -> str:
    return entry.plan.name if isinstance(entry, PlannedSet) else entry.name


def _is_given_up(result: SetResult) -> bool:
    return result.judge is not None and result.judge.state is JudgeState.INCOMPLETE


def _is_fine(result: SetResult) -> bool:
    """Was every row of every input used, and judged where a judge is to? Notes take nothing away."""
    if result.judge is not None and result.judge.state in {JudgeState.PENDING, JudgeState.INCOMPLETE}:
        return False
    return not result.has_errors


def _written(published: Published) -> Path:
    if published.outcome is Outcome.NEWER_ENGINE:
        raise InputError((_engine_mismatch(published.folder),))
    return published.folder


def _engine_mismatch(folder: Path) -> Problem:
    head = read_head(folder / STATUS_JSON)
    found = "?" if head is None else str(head.engine_version)
    source = shown(str(folder))
    return Problem(
        code="engine-mismatch", source=source, found=found, values={"found": found, "own": str(ENGINE_VERSION)}
    )
