"""`scorewatch rubric new FILE`: a rubric document for a result file of any agent, checked and tried on the file.

What the file seems to hold is decided by `scoring.proposal`, the words of the document by `reporting.rubric_document`.
Exit code 1 when no document could be written, or when scoring the file by it left something out.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.localised import Command, PathType, language_option, option, spoken
from cli.process_exit import EXIT_PROBLEMS, is_own_process
from reporting.wording import clean, excerpt, percent
from scoring import InputError, Problem
from scoring.sets import shown
from texts import Texts

if TYPE_CHECKING:
    from scoring.proposal import Proposal, Question, Sample

MAX_QUESTIONS = 3
_HEADER_CHARACTERS = 40


@click.command("new", cls=Command, help="help.rubric-new")
@click.argument("file", type=PathType(), metavar="FILE")
@option("--profile", metavar="NAME", help="option.new-profile")
@option("--out", type=PathType(), metavar="PATH", help="option.new-out")
@option("--force", is_flag=True, help="option.new-force")
@option("--yes", "takes_defaults", is_flag=True, help="option.new-yes")
@language_option
@click.pass_context
def new(
    context: click.Context, *, file: Path, profile: str | None, out: Path | None, force: bool, takes_defaults: bool
) -> None:
    """Look at the file, ask, write, check and score; say what comes next."""
    from cli.kept_files import Kept
    from cli.localised import load
    from cli.proposal import Trial, ask, place_of, refuse_taken, usual_profile, write
    from reporting.rubric_document import write_document
    from scoring.rubric.document import is_profile_name, parse_rubric
    from workers.processes import limit_memory

    settings = load()
    if is_own_process():
        limit_memory(settings.memory_limit_megabytes)
    place = place_of(out, settings.rubrics)
    t = spoken()
    if profile is not None and not is_profile_name(profile):
        raise click.UsageError(t("new.profile-name", name=clean(profile)))
    name = profile or usual_profile(file.name)
    path = place.path(name)
    Kept(inputs=(file,), reports=(settings.out,)).refuse(path)
    refuse_taken(path, name, force=force, t=t)
    sample = _read(file)
    answers: dict[Question, str] = {}
    proposal = _propose(sample, file, name, answers)
    _print(_column_lines(proposal, file, t))
    while not takes_defaults and _is_terminal() and proposal.open_choices and len(answers) < MAX_QUESTIONS:
        choice = proposal.open_choices[0]
        answers[choice.question] = ask(choice, proposal, t)
        proposal = _propose(sample, file, name, answers)
    _print(_doubt_lines(proposal, t))
    text = write_document(proposal, file_name=file.name, t=t)
    rubric = parse_rubric(text, source=path.name)  # before it is written: what is written is never wrong
    write(path, text, force=force, t=t)
    click.echo(t("new.written", path=clean(str(path))))
    with _readable(file):
        trial = Trial(file, rubric, t)
    _print(iter(trial.lines))
    if owner := place.owner(file.name, name):
        click.echo(t("new.claimed", profile=owner))
    click.echo(t("new.next"))
    document, source = map(_typed, (path, file))
    click.echo(f"  scorewatch rubric check {document}")
    click.echo(f"  scorewatch score {source} --rubric {document} --out docs/reports")
    if not trial.is_fine:
        context.exit(EXIT_PROBLEMS)


def _typed(path: Path) -> str:
    """A path as it is typed into a shell; one that begins with a dash is no option."""
    name = clean(str(path))
    return shlex.quote(f"./{name}" if name.startswith("-") else name)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _read(file: Path) -> Sample:
    """The first rows. Raises InputError."""
    from scoring.proposal import read_sample
    from scoring.reading import open_named

    with _readable(file), open_named(file) as stream:
        return read_sample(stream, file.name)


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    """Raise InputError, with the name of the file, for what cannot be read or is refused."""
    try:
        yield
    except OSError as error:
        values = {"reason": error.strerror or type(error).__name__}
        raise InputError((Problem(code="unreadable", source=shown(str(file)), values=values),)) from error
    except InputError as error:
        raise InputError(tuple(problem.at(shown(str(file))) for problem in error.problems)) from None


def _propose(sample: Sample, file: Path, profile: str, answers: dict[Question, str]) -> Proposal:
    """What the document says. Raises NoDocumentError."""
    from cli.proposal import NoDocumentError
    from reporting.rubric_document import reason_text
    from scoring.proposal import NoProposalError, propose
    from scoring.reading import JSON_EXTENSIONS, SPREADSHEET_EXTENSIONS, TEXT_EXTENSIONS

    is_json = file.name.lower().endswith(JSON_EXTENSIONS)
    extensions = JSON_EXTENSIONS if is_json else (*TEXT_EXTENSIONS, *SPREADSHEET_EXTENSIONS)

    try:
        return propose(sample, file_name=file.name, extensions=extensions, profile=profile, answers=answers)
    except NoProposalError as error:
        raise NoDocumentError(f"{clean(shown(str(file)))}: {reason_text(error.reason, spoken())}") from error


def _column_lines(proposal: Proposal, file: Path, t: Texts) -> Iterator[str]:
    from reporting.rubric_document import field_name, reason_text
    from scoring.proposal import Reason

    yield t("new.read", file=clean(shown(str(file))), rows=str(proposal.rows))
    measured = {measure.title for measure in proposal.measures if not measure.is_doubtful}
    for column in proposal.columns:
        header = excerpt(column.header, _HEADER_CHARACTERS) or "—"
        field = "" if column.is_doubtful else column.field
        is_measure = not field and column.title != "" and column.title in measured
        name = field_name("measure" if is_measure else field, t) if is_measure or field else "—"
        reason = Reason("measure") if is_measure else column.reason
        yield f"  {header} → {name} ({reason_text(reason, t)}, {percent(column.filled, 1.0)})"


def _doubt_lines(proposal: Proposal, t: Texts) -> Iterator[str]:
    from reporting.rubric_document import reason_text

    if proposal.doubts:
        yield t("new.unsure")
    yield from (f"  {reason_text(doubt, t)}" for doubt in proposal.doubts)


def _print(lines: Iterator[str]) -> None:
    for line in lines:
        click.echo(line)
