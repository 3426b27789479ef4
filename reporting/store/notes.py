"""Notes in the shared work area, for index, `status` and the live screen; losing them costs a look at the folders.

`sources.json`: whether the files of a report were removed, renamed or duplicated; no part of a report, which is a
function of its key. `unread.json`: what cannot be listed, looked at or read, and why. Only the watcher writes both.
`apart.json`: sets that look like the rounds of one run; whoever asks for front pages writes it. `unused.json`: rows of
review files, question sheets and known failures that do not count, and runs that take the place of none; who writes the
index writes it.
`readings/`: how far workers are with large files: written now and then while a file is read, removed at the end, and
too old when its worker was killed.
"""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

import msgspec

from reporting.store.set_folders import WORK_AREA, work_area
from reporting.store.stored_file import StoredFile, write_atomic
from reporting.wording import excerpt
from scoring import Problem
from texts import Texts

FORMAT_VERSION = 1
READINGS = "readings"
OLD_SECONDS = 15.0
_NAME_CHARS = 120


class SourceState(StrEnum):
    """What happened to a set's files."""

    REMOVED = "removed"  # none of them is in the watched folder any more
    RENAMED = "renamed"  # the same content is there as another set
    DUPLICATE = "duplicate"  # they are there, and so is the same content as another set; both are reported
    SUPERSEDED = "superseded"  # another set has all of them; what the index finds out by itself
    REPLACED = "replaced"  # another set is said to take its place; likewise


class SourceMark(msgspec.Struct, frozen=True):
    """other: name of the other set, "" for a removed one."""

    state: SourceState
    other: str = ""


class _Sources(msgspec.Struct):
    format_version: int
    sets: dict[str, SourceMark]


class _Unread(msgspec.Struct):
    format_version: int
    paths: dict[str, str]


class _Apart(msgspec.Struct):
    format_version: int
    groups: tuple[tuple[str, ...], ...]


class _Unused(msgspec.Struct):
    format_version: int
    problems: tuple[Problem, ...]


APART = StoredFile(_Apart, "apart.json", FORMAT_VERSION)
SOURCES = StoredFile(_Sources, "sources.json", FORMAT_VERSION)
UNREAD = StoredFile(_Unread, "unread.json", FORMAT_VERSION)
UNUSED = StoredFile(_Unused, "unused.json", FORMAT_VERSION)


def read_sources(out: Path) -> dict[str, SourceMark]:
    """Set name -> mark; empty when there is no file that this version can read."""
    found = SOURCES.read(out / WORK_AREA)
    return {} if found is None else found.sets


def write_sources(out: Path, marks: Mapping[str, SourceMark]) -> None:
    """Write every mark. Raises OSError."""
    content = _Sources(FORMAT_VERSION, dict(sorted(marks.items())))
    SOURCES.write(work_area(out), content, temporary=work_area(out, "tmp"))


def source_text(mark: SourceMark, t: Texts) -> str:
    """A mark in a few words, without control characters."""
    other = excerpt(mark.other, _NAME_CHARS)
    return t(f"sources.{mark.state.value}", other=other)


def read_unread(out: Path) -> dict[str, str]:
    """Shown path -> reason; empty when there is no file that this version can read."""
    found = UNREAD.read(out / WORK_AREA)
    return {} if found is None else found.paths


def write_unread(out: Path, paths: Mapping[str, str]) -> None:
    """Write them all. Raises OSError."""
    content = _Unread(FORMAT_VERSION, dict(sorted(paths.items())))
    UNREAD.write(work_area(out), content, temporary=work_area(out, "tmp"))


def read_apart(out: Path) -> tuple[tuple[str, ...], ...]:
    """Names of sets that look like the rounds of one run; none when there is no file that this version can read."""
    found = APART.read(out / WORK_AREA)
    return () if found is None else found.groups


def write_apart(out: Path, groups: tuple[tuple[str, ...], ...]) -> None:
    """Write them all. Raises OSError."""
    APART.write(work_area(out), _Apart(FORMAT_VERSION, groups), temporary=work_area(out, "tmp"))


def read_unused(out: Path) -> tuple[Problem, ...]:
    """What does not count, each at its cell; nothing where there is no file that this version can read."""
    found = UNUSED.read(out / WORK_AREA)
    return () if found is None else found.problems


def keep_unused(out: Path, problems: tuple[Problem, ...]) -> None:
    """Write them all, unless they are there. Raises OSError."""
    if read_unused(out) != problems:
        UNUSED.write(work_area(out), _Unused(FORMAT_VERSION, problems), temporary=work_area(out, "tmp"))


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """How far a large file is read. path: as in its plan. started_at, at: seconds since the epoch."""

    set: str
    path: str
    size: int
    done: int
    started_at: float
    at: float

    @property
    def percent(self) -> int:
        """How much of it is read."""
        return 100 * self.done // self.size if self.size else 0

    @property
    def seconds_left(self) -> float | None:
        """At the speed until now; None before anything is read."""
        return (self.at - self.started_at) * (self.size - self.done) / self.done if self.done else None


_READING = StoredFile(Reading)


def write_reading(out: Path, reading: Reading) -> None:
    """Note how far a file is read; nothing depends on it, so a failure is passed over."""
    with suppress(OSError):
        path = work_area(out, READINGS) / _name(reading.set, reading.path)
        write_atomic(path, msgspec.json.encode(reading), temporary=work_area(out, "tmp"))


def clear_reading(out: Path, set_name: str, path: str) -> None:
    """Delete the note: the file is read, or it cannot be."""
    with suppress(OSError):
        (out / WORK_AREA / READINGS / _name(set_name, path)).unlink(missing_ok=True)


def read_readings(out: Path, now: float) -> list[Reading]:
    """What is being read, by set and path; empty where nothing is. now: seconds since the epoch."""
    found = []
    with suppress(OSError), os.scandir(out / WORK_AREA / READINGS) as entries:
        for entry in entries:
            reading = _READING.read_at(entry.path)
            if reading is not None and abs(now - reading.at) < OLD_SECONDS:
                found.append(reading)
    return sorted(found, key=lambda reading: (reading.set, reading.path))


def _name(set_name: str, path: str) -> str:
    return hashlib.sha256(f"{set_name}\0{path}".encode("utf-8", "surrogatepass")).hexdigest() + ".json"
