"""Checks a comparison on disk by its commit mark."""

import hashlib
from pathlib import Path

import msgspec

from reporting.store import COMPARE_HTML, COMPARE_JSON, COMPARE_MD, FileMark


class _Mark(msgspec.Struct, frozen=True):
    key: str
    files: dict[str, FileMark]


def published_key(folder: Path) -> str | None:
    """The key of the comparison in a folder; None where there is none with all its pages."""
    try:
        mark = msgspec.json.decode((folder / COMPARE_JSON).read_bytes(), type=_Mark)
        found = {name: _mark_of(folder / name) for name in (COMPARE_HTML, COMPARE_MD)}
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    return mark.key if mark.files == found else None


def _mark_of(path: Path) -> FileMark:
    data = path.read_bytes()
    return FileMark(len(data), hashlib.sha256(data).hexdigest())
