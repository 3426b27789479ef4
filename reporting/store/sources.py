"""`sources.json` in the shared work area: whether the files of a report were removed, renamed or duplicated.

Only the watcher writes it; index and `status` show it. It is no part of a report, which is a function of its key.
Losing it costs one look at the folders.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import msgspec

from reporting.store.json import encode_json
from reporting.store.set_folder import WORK_AREA, work_area
from reporting.store.staging import write_atomic
from reporting.wording.catalogue import Texts
from reporting.wording.display import excerpt
from scoring.reading.regular_file import read_named

FILE_NAME = "sources.json"
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


class _Stored(msgspec.Struct):
    format_version: int
    sets: dict[str, SourceMark]


def read_sources(out: Path) -> dict[str, SourceMark]:
    """Set name -> mark; empty when there is no file that this version can read."""
    try:
        stored = msgspec.json.decode(read_named(out / WORK_AREA / FILE_NAME), type=_Stored)
    except (OSError, ValueError):
        return {}
    return stored.sets if stored.format_version == FORMAT_VERSION else {}


def write_sources(out: Path, marks: Mapping[str, SourceMark]) -> None:
    """Write every mark. Raises OSError."""
    data = encode_json(_Stored(FORMAT_VERSION, dict(sorted(marks.items()))))
    write_atomic(work_area(out) / FILE_NAME, data, temporary=work_area(out, "tmp"))


def source_text(mark: SourceMark, t: Texts) -> str:
    """A mark in a few words, without control characters."""
    other = excerpt(mark.other, _NAME_CHARS)
    return t(f"sources.{mark.state.value}", other=other)
