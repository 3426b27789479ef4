"""Where a new rubric document goes, and why it may not go there."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from config.rubrics_in_force import DOCUMENT_SUFFIX, claiming, load_rubrics, read_document, shipped_rubrics
from reporting.store.stored_file import write_atomic
from reporting.wording.catalogue import Texts
from reporting.wording.display import clean, system_reason
from scoring.problems import RubricError, ScorewatchError
from scoring.proposal.claims import profile_of
from scoring.rubric.model import Rubric


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
    from scoring.rubric.document.read import parse_rubric

    try:
        return parse_rubric(read_document(document), source=document.name).profile
    except RubricError:
        return ""
