"""The rubric documents in force: the shipped ones and those of the folder in the setting `rubrics`.

Decides which document speaks for a profile and which claims a file. What a document says is decided by
`scoring.rubric.document.read`, which is imported only when there is something to read.
"""

from __future__ import annotations

import fnmatch
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path, PurePosixPath

from config.rubrics_cache import cache_rubric, cached_rubric
from scoring.problems import Problem, RubricError, refused
from scoring.reading.regular_file import open_named
from scoring.rubric.model import Rubric

SHIPPED_FOLDER = Path(__file__).with_name("rubrics")
DOCUMENT_SUFFIX = ".md"
EXCEPT = "!"  # before a file pattern: files that the document does not claim


class RubricFolderError(RubricError):
    """The folder in the setting `rubrics` is not there or cannot be listed: the operator corrects it."""


class UnknownProfileError(RubricError):
    """A profile that was named and that no document in force has: wrong usage."""


@cache
def shipped_rubrics() -> tuple[Rubric, ...]:
    """The rubrics that come with Scorewatch, by file name. Raises RubricError when one was edited wrongly."""
    paths = sorted(SHIPPED_FOLDER.glob(f"*{DOCUMENT_SUFFIX}"))
    cached = tuple(rubric for rubric in map(cached_rubric, paths) if rubric is not None)
    if len(cached) == len(paths):
        return cached
    read = _read_folder(SHIPPED_FOLDER)
    for path, rubric in read:
        cache_rubric(path, rubric)
    return tuple(rubric for _, rubric in read)


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
            other = sources[rubric.profile]
            problems.append(refused("rubric-profile-twice", source=str(path), found=rubric.profile, other=other))
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
        raise RubricError((refused("rubric-claimed-twice", source=file_name, profiles=profiles),))
    return claims[0] if claims else None


def profile_named(profile: str, rubrics: Sequence[Rubric]) -> Rubric:
    """The rubric of a profile. Raises UnknownProfileError that lists the known ones."""
    for rubric in rubrics:
        if rubric.profile == profile:
            return rubric
    known = ", ".join(rubric.profile for rubric in rubrics)
    raise UnknownProfileError((refused("rubric-profile-unknown", found=profile, known=known),))


def read_document(path: Path) -> str:
    """Text of a rubric document. Raises RubricError when it cannot be read or is not UTF-8."""
    from scoring.rubric.document.read import MAX_DOCUMENT

    try:
        with open_named(path) as file:
            data = file.read(4 * MAX_DOCUMENT + 1)
    except OSError as error:
        raise _not_readable(path, error) from error
    if len(data) > 4 * MAX_DOCUMENT:
        raise RubricError((refused("rubric-too-large", source=str(path), limit=str(MAX_DOCUMENT)),))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RubricError((refused("rubric-not-utf8", source=str(path), offset=str(error.start + 1)),)) from error


def _claims(rubric: Rubric, name: str) -> bool:
    """Does a pattern match, and none of the excluding ones (`!…`)?"""
    matching = [pattern for pattern in rubric.files if fnmatch.fnmatchcase(name, _fold(pattern.removeprefix(EXCEPT)))]
    return bool(matching) and not any(pattern.startswith(EXCEPT) for pattern in matching)


def _read_folder(folder: Path) -> list[tuple[Path, Rubric]]:
    from scoring.rubric.document.read import parse_rubric

    if not folder.is_dir():
        raise RubricFolderError((refused("rubric-folder-missing", source=str(folder)),))
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
    reason = error.strerror or type(error).__name__
    return RubricError((refused("rubric-not-readable", source=str(path), reason=reason),))


if __name__ == "__main__":
    sys.dont_write_bytecode = False
    shipped_rubrics()
