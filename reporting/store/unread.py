"""`unread.json` in the shared work area: what in the watched folder cannot be listed, looked at or read, and why.

Only the watcher writes it; index and `status` show it. Losing it costs one look at the folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from reporting.store.json import encode_json
from reporting.store.set_folder import WORK_AREA, work_area
from reporting.store.staging import write_atomic
from scoring.reading.regular_file import read_named

FILE_NAME = "unread.json"
FORMAT_VERSION = 1


class _Stored(msgspec.Struct):
    format_version: int
    paths: dict[str, str]


def read_unread(out: Path) -> dict[str, str]:
    """Shown path -> reason; empty when there is no file that this version can read."""
    try:
        stored = msgspec.json.decode(read_named(out / WORK_AREA / FILE_NAME), type=_Stored)
    except (OSError, ValueError):
        return {}
    return stored.paths if stored.format_version == FORMAT_VERSION else {}


def write_unread(out: Path, paths: Mapping[str, str]) -> None:
    """Write them all. Raises OSError."""
    data = encode_json(_Stored(FORMAT_VERSION, dict(sorted(paths.items()))))
    write_atomic(work_area(out) / FILE_NAME, data, temporary=work_area(out, "tmp"))
