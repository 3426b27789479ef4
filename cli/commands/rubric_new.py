"""`scorewatch rubric new FILE`: a rubric document for a result file of any agent, checked and tried on the file.

A file that a document in force takes gets a copy of that document: its figures stay those of `scorewatch score FILE`.
What any other file seems to hold is decided by `scoring.proposal`, the words of the document by
`reporting.rubric_document`. Exit code 1 when no document could be written, when something that scores depend on could
not be told, when nothing says whether an answer passes, or when scoring the file by it left something out.
"""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import click

from cli.kept_files import Kept
from cli.localised import Command, PathType, language_option, load, option, spoken
from cli.process_exit import EXIT_PROBLEMS, is_own_process
from cli.screen import typed
from config import DOCUMENT_SUFFIX, claiming, document_in_force, load_rubrics, read_document, shipped_rubrics
from reporting import field_name, not_run_lines, reason_text, write_document
from reporting.document import all_pieces
from reporting.store import headline_of, write_atomic
from reporting.wording import clean, count, describe, describe_finding, excerpt, percent, system_reason
from scoring import InputError, RubricError, ScorewatchError, Severity, number, system_error
from scoring.items import score_file
from scoring.items.spool import SpoolSpace
from scoring.proposal import (
    NONE,
    Choice,
    NoProposalError,
    Proposal,
    Question,
    Reason,
    Sample,
    profile_of,
    propose,
    read_sample,
)
from scoring.reading import JSON_EXTENSIONS, SPREADSHEET_EXTENSIONS, TEXT_EXTENSIONS, open_named
from scoring.results import merge
from scoring.rubric import Rubric
from scoring.rubric.document import is_profile_name, parse_rubric
from scoring.sets import Likely, closest_profile, shown
from texts import Texts
from workers.processes import limit_memory

MAX_QUESTIONS = 3
_OPTION_CHARACTERS = 60
_DIGITS = 3
LARGEST = 100_000_000  # bytes; scoring a larger file takes too long for a first look
_MAX_FINDINGS = 5
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
    settings = load()
    if is_own_process():
        limit_memory(settings.memory_limit_megabytes)
    t = spoken()
    place = _Place(
        out or settings.rubrics or Path(), settings.rubrics, load_rubrics(settings.rubrics, language=t.language)
    )
    if profile is not None and not is_profile_name(profile):
        raise click.UsageError(t("new.profile-name", name=clean(profile)))
    own = None if profile else place.fitting(file, t)
    name = profile or (_usual_profile(file.name) if own is None else own.profile)
    path = place.path(name)
    Kept(inputs=(file,), reports=(settings.out,)).refuse(path)
    _refuse_taken(path, name, force=force, t=t)
    document, source = map(typed, (path, file))
    if own is None:
        text, undecided = _proposed(file, name, takes_defaults=takes_defaults, t=t)
    else:
        text, undecided = place.document(own, t), ""
        click.echo(t("new.copied", profile=name, command=f"scorewatch score {source}"))
    rubric = parse_rubric(text, source=path.name)  # before it is written: what is written is never wrong
    _write(path, text, force=force, t=t)
    click.echo(t("new.written", path=clean(str(path))))
    with _readable(file):
        trial = _Trial(file, rubric, t)
    _print(iter(trial.lines))
    if owner := place.owner(file.name, name):
        click.echo(t("new.claimed", profile=owner))
    elif own is None and (likely := place.likely(file, rubric)) is not None:
        values = {"matched": str(likely.matched), "required": str(likely.required)}
        command = f"scorewatch score {source} --rubric {likely.profile}"
        click.echo(t("new.closest", profile=likely.profile, command=command, **values))
    if undecided:
        click.echo(t(undecided))
    click.echo(t("new.next"))
    click.echo(f"  scorewatch rubric check {document}")
    click.echo(f"  scorewatch score {source} --rubric {document} --out docs/reports")
    if undecided or not trial.is_fine:
        context.exit(EXIT_PROBLEMS)


def _proposed(file: Path, profile: str, *, takes_defaults: bool, t: Texts) -> tuple[str, str]:
    """A document for the file, as it looks and as a person answers, and which text says what is undecided, if any."""
    sample = _read(file)
    answers: dict[Question, str] = {}
    proposal = _propose(sample, file, profile, answers)
    _print(_column_lines(proposal, file, t))
    while not takes_defaults and _is_terminal() and proposal.open_choices and len(answers) < MAX_QUESTIONS:
        choice = proposal.open_choices[0]
        answers[choice.question] = _ask(choice, proposal, t)
        proposal = _propose(sample, file, profile, answers)
    _print(_doubt_lines(proposal, t))
    undecided = "new.decide" if not proposal.is_sure else "new.nothing-passes" if not proposal.tells_passing else ""
    return write_document(proposal, file_name=file.name, t=t), undecided


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _read(file: Path) -> Sample:
    """The first rows. Raises InputError."""
    with _readable(file), open_named(file) as stream:
        return read_sample(stream, file.name)


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    """Raise InputError, with the name of the file, for what cannot be read or is refused."""
    try:
        yield
    except OSError as error:
        raise InputError((system_error("unreadable", error, shown(str(file))),)) from error
    except InputError as error:
        raise InputError(tuple(problem.at(shown(str(file))) for problem in error.problems)) from None


def _propose(sample: Sample, file: Path, profile: str, answers: dict[Question, str]) -> Proposal:
    """What the document says. Raises NoDocumentError."""
    is_json = file.name.lower().endswith(JSON_EXTENSIONS)
    extensions = JSON_EXTENSIONS if is_json else (*TEXT_EXTENSIONS, *SPREADSHEET_EXTENSIONS)

    try:
        return propose(sample, file_name=file.name, extensions=extensions, profile=profile, answers=answers)
    except NoProposalError as error:
        raise NoDocumentError(f"{clean(shown(str(file)))}: {reason_text(error.reason, spoken())}") from error


def _column_lines(proposal: Proposal, file: Path, t: Texts) -> Iterator[str]:
    yield t("new.read", file=clean(shown(str(file))), rows=str(proposal.rows))
    measured = {
        one.title: "unscaled" if one.is_unscaled else "measure" if one.scale is None else "score"
        for one in proposal.measures
        if not one.is_doubtful
    }
    for column in proposal.columns:
        header = excerpt(column.header, _HEADER_CHARACTERS) or "—"
        field = "" if column.is_doubtful else column.field
        kind = measured.get(column.title, "") if not field else ""
        name = field_name(kind or field, t) if kind or field else "—"
        reason = Reason(kind) if kind else column.reason
        yield f"  {header} → {name} ({reason_text(reason, t)}, {percent(column.filled, 1.0)})"


def _doubt_lines(proposal: Proposal, t: Texts) -> Iterator[str]:
    yield from not_run_lines(proposal, t)
    if proposal.doubts:
        yield t("new.unsure")
    yield from (f"  {reason_text(doubt, t)}" for doubt in proposal.doubts)


def _print(lines: Iterator[str]) -> None:
    for line in lines:
        click.echo(line)


def _ask(choice: Choice, proposal: Proposal, t: Texts) -> str:
    """The answer, one of the options or a number of points; asks again until it is one.

    Raises click.Abort at the end of the input.
    """
    low, high = (f"{points:g}" for points in proposal.scale)
    click.echo(t(f"new.ask.{choice.question}", low=low, high=high))
    return _one_of(choice, t) if choice.options else _points(choice, proposal, t)


def _one_of(choice: Choice, t: Texts) -> str:
    for at, offered in enumerate(choice.options, start=1):
        click.echo(f"  {at}) {t('new.none') if offered == NONE else excerpt(offered, _OPTION_CHARACTERS)}")
    default = choice.options.index(choice.default) + 1
    while True:
        answer = _prompt(t("new.number"), str(default))
        if answer.isascii() and answer.isdigit() and 1 <= int(answer[:_DIGITS]) <= len(choice.options):
            return choice.options[int(answer[:_DIGITS]) - 1]
        click.echo(t("new.ask-again"))


def _points(choice: Choice, proposal: Proposal, t: Texts) -> str:
    low, high = proposal.scale
    while True:
        answer = _prompt(t("proposal.points"), choice.default)
        points = number(answer)
        if points is not None and low <= points <= high:
            return answer
        click.echo(t("new.ask-again-points", low=f"{low:g}", high=f"{high:g}"))


def _prompt(text: str, default: str) -> str:
    answer: str = click.prompt(text, default=default)
    return answer.strip()


class NoDocumentError(ScorewatchError):
    """No document was written; the text says why."""


class _Place(NamedTuple):
    """chosen: the document, or its folder. folder: the setting. in_force: the documents that score files now."""

    chosen: Path
    folder: Path | None
    in_force: tuple[Rubric, ...]

    def path(self, profile: str) -> Path:
        """The document of a profile."""
        is_document = self.chosen.suffix == DOCUMENT_SUFFIX and not self.chosen.is_dir()
        return self.chosen if is_document else self.chosen / f"{profile}{DOCUMENT_SUFFIX}"

    def fitting(self, file: Path, t: Texts) -> Rubric | None:
        """What scores files of this name now; None where nothing does, and where the file is of another kind."""
        try:
            rubric = claiming(file.name, self.in_force)
        except RubricError:
            return None
        with _readable(file):
            return None if rubric is None or _Trial(file, rubric, t).is_refused else rubric

    def document(self, rubric: Rubric, t: Texts) -> str:
        """Its document."""
        path = document_in_force(rubric.digest, self.folder, language=t.language)
        assert path is not None
        return read_document(path)

    def likely(self, file: Path, rubric: Rubric) -> Likely | None:
        """The profile whose required columns the file has, all of several or nearly all of many; None without one.

        One column is enough where records lie in the same list. rubric: made for the file.
        """
        with _readable(file), open_named(file) as stream:
            likely = closest_profile(stream, file.name, self.in_force)
        has_all = likely is not None and likely.matched == likely.required
        if likely is not None and likely.required == 1:
            own = next(one.records for one in self.in_force if one.profile == likely.profile)
            has_all = (
                own is not None and rubric.records is not None and not {*own.paths}.isdisjoint(rubric.records.paths)
            )
        return likely if likely is not None and (has_all or likely.fits) else None

    def owner(self, file_name: str, profile: str) -> str:
        """Another profile that scores files of this name; "" without one."""
        try:
            rubric = claiming(file_name, self.in_force)
        except RubricError as error:
            return error.problems[0].values.get("profiles", "")
        return "" if rubric is None or rubric.profile == profile else rubric.profile


def _usual_profile(file_name: str) -> str:
    """A name after the file that no shipped document has."""
    name = profile_of(file_name)
    return f"{name}-2" if name in {rubric.profile for rubric in shipped_rubrics()} else name


def _refuse_taken(path: Path, profile: str, *, force: bool, t: Texts) -> None:
    """Raise NoDocumentError where the file is there already, or another document of the folder has the profile.

    Two documents of one profile in the folder in use would stop every command that reads it.
    """
    if path.exists() and not force:
        raise NoDocumentError(t("new.exists", path=clean(str(path))))
    for other in sorted(path.parent.glob(f"*{DOCUMENT_SUFFIX}")) if path.parent.is_dir() else ():
        if other.name != path.name and _profile_in(other) == profile:
            raise NoDocumentError(t("new.profile-taken", profile=profile, path=clean(str(other))))


def _write(path: Path, text: str, *, force: bool, t: Texts) -> None:
    """Write the document whole. Raises NoDocumentError, also where another process was faster."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not force:
            path.open("x").close()
        write_atomic(path, text.encode())
    except FileExistsError as error:
        raise NoDocumentError(t("new.exists", path=clean(str(path)))) from error
    except OSError as error:
        raise NoDocumentError(t("new.not-written", path=clean(str(path)), reason=system_reason(error))) from error


def _profile_in(document: Path) -> str:
    """The profile of a document, "" where it cannot be read or has none."""
    try:
        return parse_rubric(read_document(document), source=document.name).profile
    except RubricError:
        return ""


class _Trial:
    """lines: what to say. is_refused: was the file? is_fine: it was not, and no row was left out?"""

    def __init__(self, file: Path, rubric: Rubric, t: Texts) -> None:
        """Score the file. Raises OSError."""
        self.is_fine, self.is_refused = True, False
        self.lines = list(self._score(file, rubric, t))

    def _score(self, file: Path, rubric: Rubric, t: Texts) -> Iterator[str]:
        with open_named(file) as stream:
            if stream.seek(0, io.SEEK_END) > LARGEST:
                yield t("new.not-scored", limit=str(LARGEST // 1_000_000))
                return
            part = score_file(stream, name=file.name, rubric=rubric, space=SpoolSpace(TemporaryFile))
        try:
            result = merge([(file.name, part)], rubric)
        except InputError as error:
            self.is_fine, self.is_refused = False, True
            yield t("new.problems")
            yield from (f"  {describe(problem, t.language)}" for problem in error.problems[:_MAX_FINDINGS])
            return
        headline = headline_of(result)
        yield t("new.scored", figures=", ".join([t.counted("items", count(headline.n)), *all_pieces(headline, t)]))
        self.is_fine = all(finding.severity is Severity.NOTE for finding in result.findings)
        yield from (f"  {describe_finding(finding, t.language)}" for finding in result.findings[:_MAX_FINDINGS])
