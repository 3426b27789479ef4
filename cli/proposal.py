"""What `scorewatch rubric new` asks on a terminal, where the document goes, and what the file gives with it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import click

from config import DOCUMENT_SUFFIX, claiming, load_rubrics, read_document, shipped_rubrics
from reporting.document import set_pieces
from reporting.store import State, headline_of, write_atomic
from reporting.wording import clean, describe, describe_finding, excerpt, system_reason
from scoring import InputError, RubricError, ScorewatchError, Severity, number
from scoring.items import score_file
from scoring.items.spool import SpoolSpace
from scoring.proposal import NONE, Choice, Proposal, profile_of
from scoring.reading import open_named
from scoring.results import merge
from scoring.rubric import Rubric
from texts import Texts

_OPTION_CHARACTERS = 60
_DIGITS = 3
LARGEST = 100_000_000  # bytes; scoring a larger file takes too long for a first look
_MAX_FINDINGS = 5


def ask(choice: Choice, proposal: Proposal, t: Texts) -> str:
    """The answer, one of the options or a number of points; asks again until it is one.

    Raises click.Abort at the end of the input.
    """
    low, high = (f"{points:g}" for points in proposal.scale)
    click.echo(t(f"new.ask.{choice.question}", low=low, high=high))
    return _one_of(choice, t) if choice.options else _points(choice, proposal, t)


def _one_of(choice: Choice, t: Texts) -> str:
    for at, option in enumerate(choice.options, start=1):
        click.echo(f"  {at}) {t('new.none') if option == NONE else excerpt(option, _OPTION_CHARACTERS)}")
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


class Place(NamedTuple):
    """chosen: the document, or its folder. in_force: the documents that score files now."""

    chosen: Path
    in_force: tuple[Rubric, ...]

    def path(self, profile: str) -> Path:
        """The document of a profile."""
        is_document = self.chosen.suffix == DOCUMENT_SUFFIX and not self.chosen.is_dir()
        return self.chosen if is_document else self.chosen / f"{profile}{DOCUMENT_SUFFIX}"

    def owner(self, file_name: str, profile: str) -> str:
        """Another profile that scores files of this name; "" without one."""
        try:
            rubric = claiming(file_name, self.in_force)
        except RubricError as error:
            return error.problems[0].values.get("profiles", "")
        return "" if rubric is None or rubric.profile == profile else rubric.profile


def place_of(out: Path | None, rubrics: Path | None) -> Place:
    """The document or folder that was asked for, else the folder of the setting `rubrics`, else the current one."""
    return Place(out or rubrics or Path(), load_rubrics(rubrics))


def usual_profile(file_name: str) -> str:
    """A name after the file that no shipped document has."""
    name = profile_of(file_name)
    return f"{name}-2" if name in {rubric.profile for rubric in shipped_rubrics()} else name


def refuse_taken(path: Path, profile: str, *, force: bool, t: Texts) -> None:
    """Raise NoDocumentError where the file is there already, or another document of the folder has the profile.

    Two documents of one profile in the folder in use would stop every command that reads it.
    """
    if path.exists() and not force:
        raise NoDocumentError(t("new.exists", path=clean(str(path))))
    for other in sorted(path.parent.glob(f"*{DOCUMENT_SUFFIX}")) if path.parent.is_dir() else ():
        if other.name != path.name and _profile_in(other) == profile:
            raise NoDocumentError(t("new.profile-taken", profile=profile, path=clean(str(other))))


def write(path: Path, text: str, *, force: bool, t: Texts) -> None:
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
    from scoring.rubric.document import parse_rubric

    try:
        return parse_rubric(read_document(document), source=document.name).profile
    except RubricError:
        return ""


class Trial:
    """lines: what to say. is_fine: is there no refusal, and no row left out?"""

    def __init__(self, file: Path, rubric: Rubric, t: Texts) -> None:
        """Score the file. Raises OSError."""
        self.is_fine = True
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
            self.is_fine = False
            yield t("new.problems")
            yield from (f"  {describe(problem, t.language)}" for problem in error.problems[:_MAX_FINDINGS])
            return
        _, *figures = set_pieces(file.name, State.REPORT, headline_of(result), t)
        yield t("new.scored", figures=", ".join(figures))
        self.is_fine = all(finding.severity is Severity.NOTE for finding in result.findings)
        yield from (f"  {describe_finding(finding, t.language)}" for finding in result.findings[:_MAX_FINDINGS])
