"""Where reports are written, and how: said once, and handed on to everything that writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reporting.store.history import DEFAULT_VERSIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A folder of reports.

    language: of the pages. strict: every file is on disk before it can be seen. history_versions: earlier versions of a
    set that stay under history/; the oldest goes first, 0 keeps none. may_fork: may a second process write a part of a
    large set?
    """

    out: Path
    language: str
    strict: bool = False
    history_versions: int = DEFAULT_VERSIONS
    may_fork: bool = False
