"""The rubric documents in force: the shipped ones and those of the folder in the setting `rubrics`.

Decides which document speaks for a profile and which claims a file. What a document says is decided by
`scoring.rubric.document.read`, which is imported only when there is something to read.
"""

from __future__ import annotations

import fnmatch
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path, PurePosixPath

from config.rubrics_cache import parsed_copy
from scoring.problems import Problem, RubricError, Severity
from scoring.rubric.model import Rubric

SHIPPED_FOLDER = Path(__file__).with_name("rubrics")
DOCUMENT_SUFFIX = ".md"
EXCEPT = "!"  # before a file pattern: files that the document does not claim


class RubricFolderError(RubricError):
    """The folder in the setting `rubrics` is not there or cannot be listed: the operator mends it."""


@cache
def shipped_rubrics() -> tuple[Rubric, ...]:
    """The rubrics that come with Scorewatch, by file name. Raises RubricError when one was edited wrongly."""
    paths = sorted(SHIPPED_FOLDER.glob(f"*{DOCUMENT_SUFFIX}"))
    copies = tuple(rubric for rubric in map(parsed_copy, paths) if rubric is not None)
    if len(copies) == len(paths):
        return copies
    return tuple(rubric for _, rubric in _read_folder(SHIPPED_FOLDER))


def load_rubrics(folder: Path | None = None) -> tuple[Rubric, ...]:
    """Shipped rubrics, and the full documents (`*.md`) of `folder`; one of a shipped profile takes its place.

    Raises RubricFolderError for a folder that cannot be used, RubricError with the problems of every document, or when
    two documents of the folder have one profile.
    """
    if folder is None:
        return shipped_rubrics()
    rubrics = {rubric.profile: rubric for rubric in shipped_rubrics()}
    sources: dict[str, str] = {}
    problems = []
    for path, rubric in _read_folder(folder):
        if rubric.profile in sources:
            values = {"other": sources[rubric.profile]}
            problems.append(_refusal("rubric-profile-twice", str(path), found=rubric.profile, values=values))
        sources.setdefault(rubric.profile, str(path))
        rubrics[rubric.profile] = rubric
    if problems:
        raise RubricError(tuple(problems))
    return tuple(rubrics.values())


def claiming(file_name: str, rubrics: Iterable[Rubric]) -> Rubric | None:
    """The rubric whose file patterns match; None when no document claims the file.

    file_name: a name or a relative path, whose folders do not count; compared in NFC and without case.
    Raises RubricError when two documents claim it.
    """
    name = _fold(PurePosixPath(file_name).name)
    claims = [rubric for rubric in rubrics if _claims(rubric, name)]
    if len(claims) > 1:
        profiles = ", ".join(rubric.profile for rubric in claims)
        raise RubricError((_refusal("rubric-claimed-twice", file_name, values={"profiles": profiles}),))
    return claims[0] if claims else None


def profile_named(profile: str, rubrics: Sequence[Rubric]) -> Rubric:
    """The rubric of a profile. Raises RubricError that lists the known ones."""
    for rubric in rubrics:
        if rubric.profile == profile:
            return rubric
    known = ", ".join(rubric.profile for rubric in rubrics)
    raise RubricError((_refusal("rubric-profile-unknown", "", found=profile, values={"known": known}),))


def read_document(path: Path) -> str:
    """Text of a rubric document. Raises RubricError when it cannot be read or is not UTF-8."""
    from scoring.rubric.document.read import MAX_DOCUMENT

    try:
        with path.open("rb") as file:
            data = file.read(4 * MAX_DOCUMENT + 1)
    except OSError as error:
        raise _not_readable(path, error) from error
    if len(data) > 4 * MAX_DOCUMENT:
        values = {"limit": str(MAX_DOCUMENT)}
        raise RubricError((_refusal("rubric-too-large", str(path), values=values),))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        values = {"offset": str(error.start + 1)}
        raise RubricError((_refusal("rubric-not-utf8", str(path), values=values),)) from error


def _claims(rubric: Rubric, name: str) -> bool:
    """Does a pattern match, and none of those behind a `!`?"""
    matching = [pattern for pattern in rubric.files if fnmatch.fnmatchcase(name, _fold(pattern.removeprefix(EXCEPT)))]
    return bool(matching) and not any(pattern.startswith(EXCEPT) for pattern in matching)


def _read_folder(folder: Path) -> list[tuple[Path, Rubric]]:
    from scoring.rubric.document.read import parse_rubric

    if not folder.is_dir():
        raise RubricFolderError((_refusal("rubric-folder-missing", str(folder)),))
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise RubricFolderError(_not_readable(folder, error).problems) from error
    rubrics = []
    problems: list[Problem] = []
    for path in paths:
        if path.suffix.lower() != DOCUMENT_SUFFIX or path.name.startswith("."):
            continue
        try:
            rubrics.append((path, parse_rubric(read_document(path), source=path.name)))
        except RubricError as error:
            problems += error.problems
    if problems:
        raise RubricError(tuple(problems))
    return rubrics


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _not_readable(path: Path, error: OSError) -> RubricError:
    values = {"reason": error.strerror or type(error).__name__}
    return RubricError((_refusal("rubric-not-readable", str(path), values=values),))


def _refusal(code: str, source: str, *, found: str = "", values: dict[str, str] | None = None) -> Problem:
    return Problem(code=code, severity=Severity.REFUSED, source=source, found=found, values=values or {})
