"""`scorewatch score`: files and folders to figures and reports, without a queue.

Writes through the same functions as the service's workers, so both give the same bytes. Exit code 0 when everything
was fine, 1 when some input had problems, 2 for usage and settings.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.localised.command import Command, PathType, language_option, option
from cli.process_exit import is_own_process
from cli.score.inputs import Work, plan_work
from cli.score.rubrics import Rubrics
from cli.score.run import Runner
from cli.score.screen import Screen
from cli.score.settings import ScoreSettings, load_score_settings
from reporting.store.staging import sweep_temporary
from scoring.problems import Problem
from scoring.sets.names import shown
from workers.processes.memory_limit import limit_memory

if TYPE_CHECKING:
    from cli.score.judge import ScoreJudge

EXIT_PROBLEMS = 1
_COLLECT_AFTER = 500_000  # more objects made than let go
_INPUT = PathType()


@click.command(cls=Command, help="help.score")
@click.argument("paths", nargs=-1, required=True, type=_INPUT, metavar="FILE|FOLDER…")
@option("--out", type=PathType(), metavar="DIR", help="option.score-out")
@option("--set", "set_name", metavar="NAME", help="option.score-set")
@option("--rubric", "document", type=_INPUT, metavar="FILE|PROFILE", help="option.score-rubric")
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
    if is_own_process():
        limit_memory(settings.memory_limit_megabytes)
    rubrics = Rubrics(settings.rubrics, document)
    work = plan_work(paths, rubrics, out=out or settings.out, ignore=settings.ignore, set_name=set_name)
    screen = Screen(quiet=quiet, as_json=as_json)
    if out is not None:
        sweep_temporary(out)
    judge = _judge_of(settings, work, out, screen)
    runner = Runner(settings, out, screen, judge)
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


def _judge_of(settings: ScoreSettings, work: Work, out: Path | None, screen: Screen) -> ScoreJudge | None:
    """The judge, when one is configured and some set has something for it."""
    if settings.judge is None or not any(planned.rubric.judged for planned in work.sets):
        return None
    from cli.score.judge import ScoreJudge

    return ScoreJudge(settings.judge, out, screen)


def _write_index(out: Path, unclaimed: Sequence[str], problems: list[Problem], language: str) -> Path | None:
    from reporting.index.write import INDEX_MD, write_index

    path = out / INDEX_MD
    try:
        write_index(out, unclaimed=unclaimed, language=language)
    except OSError as error:
        values = {"reason": error.strerror or type(error).__name__}
        problems.append(Problem(code="not-written", source=shown(str(path)), values=values))
        return None
    return path
