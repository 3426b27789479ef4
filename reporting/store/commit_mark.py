"""The commit mark of a report: its `report.json`, written last, with size and hash of every other file."""

from __future__ import annotations

from pathlib import Path

import msgspec

from reporting.store.status import FileMark

FORMAT_VERSION = 1
REPORT_JSON = "report.json"


class CommitMark(msgspec.Struct, frozen=True):
    """What a check of a report needs of its report.json."""

    format_version: int
    key: str
    files: dict[str, FileMark]


def read_commit_mark(path: Path) -> CommitMark | None:
    """The mark in the report.json at `path`; None when it is missing, damaged or of another format."""
    try:
        mark = msgspec.json.decode(path.read_bytes(), type=CommitMark)
    except (OSError, ValueError):
        return None
    return mark if mark.format_version == FORMAT_VERSION else None
