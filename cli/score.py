"""`scorewatch score`: files and folders to figures and reports, without a queue.

Writes through the same functions as the service's workers, so both give the same bytes. Exit code 0 when everything
was fine, 1 when some input had problems, 2 for usage and settings.
"""

from __future__ import annotations

import gc
import os
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from cli.commands import Command, asked_language, language_option, option
from cli.leaving import keep
from cli.score_inputs import PlannedSet, Refused, Rubrics, Work, plan_work
from cli.score_view import Screen, SetOutcome
from config.languages import DEFAULT_LANGUAGE
from config.variables import is_setting
from reporting.publish import Outcome, Published, publish_problem, publish_report, report_settings, sweep_temporary
from reporting.status_json import FILE_NAME, State, headline_of, read_head
from scoring.aggregate import merge
from scoring.hashing import whole_hash
from scoring.key import refusal_key, set_key
from scoring.part import ENGINE_VERSION, Part
from scoring.problems import InputError, Problem, ScorewatchError, Severity, TransientError, internal_error
from scoring.result import SetResult
from scoring.score import score_file
from scoring.set_names import shown
from scoring.verdicts import JudgeState, judge_settings

if TYPE_CHECKING:
    from cli.score_judge import ScoreJudge
    from config.settings import Settings
    from workers.judge import JudgeSettings

EXIT_PROBLEMS = 1
_COLLECT_AFTER = 500_000  # more objects made than let go
_SETTING_FILES = (".env", "scorewatch.toml")
_INPUT = click.Path(path_type=Path, readable=False)  # what may not be read is a problem with a text of its own


class ScoreSettings(NamedTuple):
    """The settings that matter without a service; the defaults are those of `config.settings`.

    judge: None when none is configured.
    """

    out: Path = Path("docs/reports")
    language: str = DEFAULT_LANGUAGE
    rubrics: Path | None = None
    ignore: tuple[str, ...] = ()
    strict_fsync: bool = False
    history_versions: int = 20
    judge: JudgeSettings | None = None


@click.command(cls=Command, help="help.score")
@click.argument("paths", nargs=-1, required=True, type=_INPUT, metavar="FILE|FOLDER…")
@option("--out", type=click.Path(path_type=Path), metavar="DIR", help="option.score-out")
@option("--set", "set_name", metavar="NAME", help="option.score-set")
@option("--rubric", "document", type=_INPUT, metavar="FILE", help="option.score-rubric")
@option("--json", "as_json", is_flag=True, help="option.score-json")
@option("-q", "--quiet", is_flag=True, help="option.score-quiet")
@language_option
@click.pass_context
def command(
    context: click.Context,
    *,
    paths: Sequence[Path],
    out: Path | None,
    set_name: str | None,
    document: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Score what is named, print, write with `--out`, and exit by what was found."""
    _collect_rarely()
    settings = load_score_settings()
    rubrics = Rubrics(settings.rubrics, document)
    work = plan_work(paths, rubrics, out=out or settings.out, ignore=settings.ignore, set_name=set_name)
    screen = Screen(quiet=quiet, as_json=as_json)
    if out is not None:
        sweep_temporary(out)
    judge = _judge_of(settings, work, out, screen)
    runner = _Runner(settings, out, screen, judge)
    problems = [*work.problems, *runner.run(work)]
    if not (work.sets or work.refused or problems):
        problems.append(Problem(code="nothing-to-score", source=", ".join(shown(str(path)) for path in paths)))
    index = _write_index(out, work.unclaimed, problems, settings.language) if out is not None else None
    unkept = 0 if judge is None else judge.unkept
    screen.close(problems=problems, unclaimed=work.unclaimed, index=index, unkept=unkept)
    if problems or not runner.is_fine:
        context.exit(EXIT_PROBLEMS)


def _collect_rarely() -> None:
    """Look for cycles hardly ever: items hold none, and this process ends with its work.

    100,000 items: 0.3 s with Python's own threshold (700), 0.1 s with 10,000, nothing with this one.
    """
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, 10, 10)


def load_score_settings() -> ScoreSettings:
    """Settings of the surroundings. Where there are none, their library is not even imported (0.4 s).

    Raises SettingsError as `config.settings.load_settings` does.
    """
    is_set = any(map(is_setting, os.environ))
    if not is_set and not any(Path(name).exists() for name in _SETTING_FILES):
        return ScoreSettings(language=asked_language() or DEFAULT_LANGUAGE)
    from cli.loading import load

    settings = load()
    values = {name: getattr(settings, name) for name in ScoreSettings._fields if name != "judge"}
    return ScoreSettings(**values, judge=_judge_settings(settings))


def _judge_settings(settings: Settings) -> JudgeSettings | None:
    if settings.judge is None:
        return None
    from workers.judge import JudgeSettings

    return JudgeSettings.of(settings)


def _judge_of(settings: ScoreSettings, work: Work, out: Path | None, screen: Screen) -> ScoreJudge | None:
    """The judge, when one is configured and some set has something for it."""
    if settings.judge is None or not any(planned.rubric.judged for planned in work.sets):
        return None
    from cli.score_judge import ScoreJudge

    return ScoreJudge(settings.judge, out, screen)


class _Runner:
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
            result = merge(parts, rubric, None if judge is None else judge.judging(plan.name))
        except InputError as error:
            return self._problem(
                error.problems, set_name=plan.name, key=key, inputs=inputs, profile=rubric.profile, digest=rubric.digest
            )
        folder = self._publish(result, plan.name, key)
        if judge is not None and result.judge is not None and result.judge.requests:
            judge.ask(plan.name, rubric, result.judge.requests)
            result = merge(parts, rubric, judge.judging(plan.name))
            folder = self._publish(result, plan.name, key)
        if judge is None:  # its connections are to be closed
            keep(result)
        return SetOutcome(
            name=plan.name,
            profile=rubric.profile,
            state=State.REPORT,
            key=key,
            headline=headline_of(result),
            problems=result.problems,
            problem_count=result.problem_count,
            inputs=inputs,
            folder=folder,
            is_fine=_is_fine(result),
            judge=result.judge,
        )

    def _publish(self, result: SetResult, set_name: str, key: str) -> Path | None:
        if self._out is None:
            return None
        return _written(
            publish_report(
                result,
                set_name=set_name,
                key=key,
                out=self._out,
                language=self._settings.language,
                strict=self._settings.strict_fsync,
                history_versions=self._settings.history_versions,
            )
        )

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
            problems=problems,
            problem_count=len(problems),
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
            problem = Problem(code="unreadable", severity=Severity.REFUSED, values=values)
            digest = planned.rubric.digest
            return Part(sha256="", size=0, rubric_digest=digest, refused=True, problems=(problem,), problem_count=1)


def _hash(file: Path) -> str:
    """SHA-256 of a file, "" when it cannot be read."""
    try:
        with file.open("rb") as stream:
            return whole_hash(stream).sha256
    except OSError:
        return ""


def _name_of(entry: PlannedSet | Refused) -> str:
    return entry.plan.name if isinstance(entry, PlannedSet) else entry.name


def _is_fine(result: SetResult) -> bool:
    """Was every row of every input used, and judged where a judge is to? Notes take nothing away."""
    if result.judge is not None and result.judge.state in {JudgeState.PENDING, JudgeState.INCOMPLETE}:
        return False
    return not any(entry.refused or entry.unusable_rows for entry in result.inputs) and not any(
        problem.severity is not Severity.NOTE for problem in result.problems
    )


def _written(published: Published) -> Path:
    if published.outcome is Outcome.NEWER_ENGINE:
        raise InputError((_engine_mismatch(published.folder),))
    return published.folder


def _engine_mismatch(folder: Path) -> Problem:
    head = read_head(folder / FILE_NAME)
    found = "?" if head is None else str(head.engine_version)
    source = shown(str(folder))
    return Problem(
        code="engine-mismatch", source=source, found=found, values={"found": found, "own": str(ENGINE_VERSION)}
    )


def _write_index(out: Path, unclaimed: Sequence[str], problems: list[Problem], language: str) -> Path | None:
    from reporting import index

    path = out / index.FILE_NAME
    try:
        index.write_index(out, unclaimed=unclaimed, language=language)
    except OSError as error:
        values = {"reason": error.strerror or type(error).__name__}
        problems.append(Problem(code="not-written", source=shown(str(path)), values=values))
        return None
    return path
