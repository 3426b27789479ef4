"""`scorewatch pack SET -o FILE.zip`: one version of a report as one file to forward.

Exit code 0 when it was written, 1 when the set has no report or is being written again, 2 for usage.
"""

import os
from pathlib import Path

import click

from cli.comparison import folder_of_report, unreadable
from cli.kept_files import Kept
from cli.localised import Command, PathType, language_option, option, spoken
from cli.process_exit import EXIT_PROBLEMS
from cli.score import ScoreSettings, load_score_settings
from cli.set_names import missing_report
from config import document_in_force
from reporting import ChangingError, pack_report
from reporting.runs import UnreadableRunError
from reporting.store import STATUS, State, StatusFile
from reporting.wording import clean, describe, system_reason
from scoring import Problem, RubricError
from scoring.sets import shown


@click.command(cls=Command, help="help.pack")
@click.argument("name", metavar="SET", required=False)
@option("-o", "--out", "target", type=PathType("file"), metavar="FILE", required=True, help="option.pack-out")
@language_option
def command(*, name: str | None, target: Path) -> int:
    """Pack the report of a set."""
    settings, t = load_score_settings(), spoken()
    if name is None:
        raise missing_report("pack SET -o FILE.zip", settings.out)
    folder = folder_of_report(name, settings)
    status = STATUS.read(folder)
    if status is None:
        raise unreadable(name, folder)
    Kept(inputs=(settings.watch,), documents=(settings.rubrics,), reports=(settings.out, folder)).refuse(target)
    if status.state is not State.REPORT:
        return _problem(Problem(code="pack-no-report", source=shown(status.set)))
    document = _document(status, settings)
    staged = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        packed = pack_report(folder, staged, document)
        staged.replace(target)
    except UnreadableRunError:
        raise unreadable(name, folder) from None
    except ChangingError as error:
        return _problem(Problem(code="pack-changing", source=shown(status.set), values={"file": str(error)}))
    except OSError as error:
        return _problem(Problem(code="not-written", source=shown(str(target)), values={"reason": system_reason(error)}))
    finally:
        staged.unlink(missing_ok=True)
    size = t("pack.size", n=str(len(packed) + 1), kilobytes=f"{-(-target.stat().st_size // 1024):,}")
    click.echo(t("pack.done", path=clean(shown(str(target))), size=size))
    if not document:
        click.echo(t("pack.other-rubric"))
    return 0


def _document(status: StatusFile, settings: ScoreSettings) -> dict[str, bytes]:
    """The rubric document that the report was made by; none where another one is in force by now."""
    try:
        path = document_in_force(status.rubric_digest, settings.rubrics, language=settings.language)
        return {} if path is None else {"rubric.md": path.read_bytes()}
    except (RubricError, OSError):
        return {}


def _problem(problem: Problem) -> int:
    click.echo(describe(problem, spoken().language), err=True)
    return EXIT_PROBLEMS
