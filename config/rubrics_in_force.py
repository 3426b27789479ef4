"""The rubric documents in force: the shipped ones and those of the folder in the setting `rubrics`.

Decides which document gives the rubric of a profile, also in another language, and which claims a file. What a document
says is decided by `scoring.rubric.document`, which is imported only when there is something to read.

Parsed shipped documents are cached, so that a start reads neither Markdown nor YAML (0.2 s). The files lie beside
Python's own compiled modules and follow the same rules: none is written where the folder is read-only or the
interpreter writes no bytecode. An installation fills the cache: `python -m config.rubrics_in_force`.
"""

import fnmatch
import importlib.util
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path, PurePosixPath

import msgspec

import scoring
from scoring import Problem, RubricError, refused
from scoring.reading import open_named
from scoring.rubric import EXCEPT, Rubric, decode_rubric, encode_rubric, translation_of
from scoring.sets import names_packed
from texts import DEFAULT_LANGUAGE, LANGUAGES, keep

SHIPPED_FOLDER = Path(__file__).with_name("rubrics")
DOCUMENT_SUFFIX = ".md"


def cached_rubric(document: Path) -> Rubric | None:
    """The rubric of a document; None without a copy that this code made of just these bytes."""
    with suppress(OSError, msgspec.DecodeError):
        key, _, encoded = _cache_file(document).read_bytes().partition(b"\n")
        if key == _key(document):
            return decode_rubric(encoded)
    return None


def cache_rubric(document: Path, rubric: Rubric) -> None:
    """Keep the rubric of a document, whole or not at all: other processes may be reading."""
    if sys.dont_write_bytecode:
        return
    with suppress(OSError):
        keep(_cache_file(document), _key(document) + b"\n" + encode_rubric(rubric))


def _cache_file(document: Path) -> Path:
    return Path(importlib.util.cache_from_source(str(document))).with_suffix(".json")


def _key(document: Path) -> bytes:
    return sha256(_code_digest() + document.read_bytes()).hexdigest().encode()


@cache
def _code_digest() -> bytes:
    """SHA-256 of the code that reads documents."""
    digest = sha256()
    folder = Path(scoring.__file__).parent
    for path in (*sorted(folder.glob("*.py")), *sorted((folder / "rubric").rglob("*.py"))):
        digest.update(path.read_bytes())
    return digest.digest()


class RubricFolderError(RubricError):
    """The folder in the setting `rubrics` is not there or cannot be listed: the operator corrects it."""


class UnknownProfileError(RubricError):
    """A profile that was named and that no document in force has: wrong usage."""


@cache
def shipped_rubrics(language: str = DEFAULT_LANGUAGE) -> tuple[Rubric, ...]:
    """The rubrics that come with Scorewatch, by file name, each in the language where there is such a document.

    language: one of `texts.LANGUAGES`. Raises RubricError when a document was edited wrongly.
    """
    rubrics = {rubric.profile: rubric for rubric in _shipped(SHIPPED_FOLDER)}
    translated = {rubric.profile: rubric for rubric in _shipped(SHIPPED_FOLDER / language)}
    return tuple(_translate(rubrics, translated).values())


def load_rubrics(folder: Path | None = None, *, language: str = DEFAULT_LANGUAGE) -> tuple[Rubric, ...]:
    """Shipped rubrics, and the full documents (`*.md`) of `folder`; one of a shipped profile replaces it.

    language: of the reports. A document in the sub-folder of that name (`en/`) replaces the one of its profile, among
    the shipped documents and in `folder`. Raises RubricFolderError for a folder that cannot be used, RubricError with
    the problems of every document, or when two documents of a folder have one profile.
    """
    rubrics = {rubric.profile: rubric for rubric in shipped_rubrics(language)}
    if folder is not None:
        rubrics |= _by_profile(_read_folder(folder))
        if (folder / language).is_dir():
            rubrics = _translate(rubrics, _by_profile(_read_folder(folder / language)))
    return tuple(rubrics.values())


def set_patterns(rubrics: Iterable[Rubric]) -> dict[str, str]:
    """By profile, how names of files outside of folders say that they are one set; none where no document says so."""
    return {rubric.profile: rubric.set_pattern for rubric in rubrics if rubric.set_pattern}


def document_paths(folder: Path | None, *, language: str) -> Iterator[Path]:
    """The documents that `load_rubrics` reads. Raises RubricFolderError as it does."""
    for parent in (SHIPPED_FOLDER, *([] if folder is None else [folder])):
        for place in (parent, parent / language):
            if place is parent or place.is_dir():
                yield from _documents(place)


def document_in_force(digest: str, folder: Path | None, *, language: str) -> Path | None:
    """The document of the rubric in force with this digest; None where there is none. Raises as `load_rubrics`."""
    from scoring.rubric.document import parse_rubric

    rubric = next((one for one in load_rubrics(folder, language=language) if one.digest == digest), None)
    if rubric is None:
        return None
    found = None
    for path in document_paths(folder, language=language):  # a later one replaces those of its profile
        of_path = cached_rubric(path) or parse_rubric(read_document(path), source=path.name)
        if of_path.profile == rubric.profile:
            found = path
    return found


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


def packed_patterns(rubrics: Iterable[Rubric]) -> tuple[str, ...]:
    """The patterns of packed files that documents name."""
    patterns = (pattern for rubric in rubrics for pattern in rubric.files)
    return tuple(pattern for pattern in patterns if names_packed(pattern) and not pattern.startswith(EXCEPT))


def profile_named(profile: str, rubrics: Sequence[Rubric]) -> Rubric:
    """The rubric of a profile. Raises UnknownProfileError that lists the known ones."""
    for rubric in rubrics:
        if rubric.profile == profile:
            return rubric
    known = ", ".join(rubric.profile for rubric in rubrics)
    raise UnknownProfileError((refused("rubric-profile-unknown", found=profile, known=known),))


def read_document(path: Path) -> str:
    """Text of a rubric document. Raises RubricError when it cannot be read or is not UTF-8."""
    from scoring.rubric.document import MAX_DOCUMENT

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
    """Does a pattern match, and none of the excluding ones (`!…`)? Packed files are claimed by their extension only."""
    if rubric.records is not None and rubric.records.is_joined(name):
        return True
    matching = [pattern for pattern in rubric.files if fnmatch.fnmatchcase(name, _fold(pattern.removeprefix(EXCEPT)))]
    if names_packed(name):
        matching = [pattern for pattern in matching if names_packed(pattern) or pattern.startswith(EXCEPT)]
    return bool(matching) and not any(pattern.startswith(EXCEPT) for pattern in matching)


def _shipped(folder: Path) -> tuple[Rubric, ...]:
    """The rubrics of one folder, from their cache where all are in it; empty where there is no such folder."""
    paths = sorted(folder.glob(f"*{DOCUMENT_SUFFIX}"))
    cached = tuple(rubric for rubric in map(cached_rubric, paths) if rubric is not None)
    if len(cached) == len(paths):
        return cached
    read = _read_folder(folder)
    for path, rubric in read:
        cache_rubric(path, rubric)
    return tuple(rubric for _, rubric in read)


def _translate(rubrics: dict[str, Rubric], translated: dict[str, Rubric]) -> dict[str, Rubric]:
    """The rubrics, with those of `translated` in place of others of their profile, marked where they score alike."""
    marked = {
        profile: translation_of(rubrics[profile], rubric) if profile in rubrics else rubric
        for profile, rubric in translated.items()
    }
    return rubrics | marked


def _by_profile(documents: Iterable[tuple[Path, Rubric]]) -> dict[str, Rubric]:
    """Rubrics by profile. Raises RubricError where two documents have one profile."""
    rubrics: dict[str, Rubric] = {}
    sources: dict[str, str] = {}
    problems = []
    for path, rubric in documents:
        if rubric.profile in sources:
            other = sources[rubric.profile]
            problems.append(refused("rubric-profile-twice", source=str(path), found=rubric.profile, other=other))
        sources.setdefault(rubric.profile, str(path))
        rubrics[rubric.profile] = rubric
    if problems:
        raise RubricError(tuple(problems))
    return rubrics


def _read_folder(folder: Path) -> list[tuple[Path, Rubric]]:
    from scoring.rubric.document import parse_rubric

    rubrics = []
    problems: list[Problem] = []
    for path in _documents(folder):
        try:
            rubrics.append((path, parse_rubric(read_document(path), source=path.name)))
        except RubricError as error:
            problems += error.problems
    if problems:
        raise RubricError(tuple(problems))
    return rubrics


def _documents(folder: Path) -> list[Path]:
    """The documents of a folder by name. Raises RubricFolderError."""
    if not folder.is_dir():
        raise RubricFolderError((refused("rubric-folder-missing", source=str(folder)),))
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise RubricFolderError(_not_readable(folder, error).problems) from error
    return [path for path in paths if path.suffix.lower() == DOCUMENT_SUFFIX and not path.name.startswith(".")]


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _not_readable(path: Path, error: OSError) -> RubricError:
    reason = error.strerror or type(error).__name__
    return RubricError((refused("rubric-not-readable", source=str(path), reason=reason),))


if __name__ == "__main__":
    sys.dont_write_bytecode = False
    for one in LANGUAGES:
        shipped_rubrics(one)
