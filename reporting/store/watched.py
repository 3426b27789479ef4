"""What the watcher has seen of the watched folder, for index and `status`: two files in the shared work area.

`sources.json`: whether the files of a report were removed, renamed or duplicated; no part of a report, which is a
function of its key. `unread.json`: what cannot be listed, looked at or read, and why. Only the watcher writes them;
losing them costs one look at the folders.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import msgspec

from reporting.store.set_folder import WORK_AREA, work_area
from reporting.store.stored_file import StoredFile
from reporting.wording.display import excerpt
from texts import Texts

FORMAT_VERSION = 1
_NAME_CHARS = 120


class SourceState(StrEnum):
    """What happened to a set's files."""

    REMOVED = "removed"  # none of them is in the watched folder any more
    RENAMED = "renamed"  # the same content is there as another set
    DUPLICATE = "duplicate"  # they are there, and so is the same content as another set; both are reported


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


SOURCES = StoredFile(_Sources, "sources.json", FORMAT_VERSION)
UNREAD = StoredFile(_Unread, "unread.json", FORMAT_VERSION)


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
