"""Scoring from a program: the same functions, and the same bytes, as `scorewatch score`."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from cli import one_set, refuse_own_inputs
from cli.score import Rubrics, Runner, Screen
from reporting.store import State, set_folder, sweep_temporary
from scorewatch.reports import Report
from scorewatch.surroundings import within
from scoring import InputError

if TYPE_CHECKING:
    from cli.score import ScoreSettings, Work


def score(
    path: str | Path,
    *,
    out: str | Path | None = None,
    rubric: str | Path | None = None,
    language: str | None = None,
    jobs: int = 1,
) -> Report:
    """Score a file, or a folder that holds one set, and give its report.

    out: folder of reports to write to; with None the report is in a temporary folder, which goes with the last use of
    what is returned. rubric: document or name of a profile, None for the one whose pattern the name fits. language: of
    report and messages, "ko" or "en", None for that of the settings. jobs: processes for a file of many megabytes. No
    judge is asked; `scorewatch score` asks one.

    Raises RefusedError for a file that cannot be scored, RequestError for a path that is not there or holds several
    sets, SettingsError.
    """
    return within(language, lambda settings: _scored(Path(path), out, rubric, settings, jobs))


def _scored(
    path: Path, out: str | Path | None, rubric: str | Path | None, settings: ScoreSettings, jobs: int
) -> Report:
    rubrics = Rubrics(settings.rubrics, None if rubric is None else Path(rubric), language=settings.language)
    work = one_set(path, settings, rubrics)
    folder = Path(mkdtemp(prefix="scorewatch-")) if out is None else Path(out)
    try:
        report = Report(_written(work, settings, folder, jobs))
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if out is None:
        report.remove_with_last_use(folder)
    if work.unclaimed:
        warnings.warn(f"{path}: not scored: {', '.join(work.unclaimed)}", stacklevel=5)
    return report


def _written(work: Work, settings: ScoreSettings, out: Path, jobs: int) -> Path:
    """The folder of the report that is written. Raises InputError for a set, or a file beside it, that has none."""
    refuse_own_inputs(out, ((one.plan.name, one.files) for one in work.sets))
    sweep_temporary(out)
    screen = Screen(quiet=True, as_json=True)  # prints nothing
    problems = [*work.problems, *Runner(settings, out, screen, None, jobs=jobs).run(work)]
    if not problems:
        (outcome,) = screen.outcomes
        if outcome.entry.status.state is State.REPORT:
            return set_folder(out, outcome.entry.set_name)
        problems = [place for finding in outcome.findings for place in finding.places]
    raise InputError(tuple(problems))
