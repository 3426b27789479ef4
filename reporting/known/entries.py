"""What the small files of one set say, and what they looked like: `status.json`, `gate.json`, `baseline.json`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reporting.store.gate import GATE, GATE_JSON, GateFile
from reporting.store.history import first_published, is_dated
from reporting.store.set_folder import BASELINE_JSON, COMPARE_HTML
from reporting.store.status import STATUS, STATUS_JSON, StatusFile
from scoring.comparison.order import OrderKey, order_key

if TYPE_CHECKING:
    from reporting.store.baseline import BaselineFile

LOOKED_AT = frozenset({STATUS_JSON, GATE_JSON, BASELINE_JSON, COMPARE_HTML})
Mark = tuple[int, int, int]  # inode, size and time of a file: every publication makes a new one


class IndexEntry(NamedTuple):
    """set_name: path of the set's folder below the output folder, "/" between components.

    published_ns: when its status was written. gate: how its rules
    ended, None where that is not known. compared: what the comparison beside the report says, outdated ones too; None
    without one. first_published_ns: of a run without a date, 0 for others.
    """

    set_name: str
    status: StatusFile
    published_ns: int = 0
    gate: GateFile | None = None
    compared: BaselineFile | None = None
    first_published_ns: int = 0


class Read(NamedTuple):
    """An entry with what it was read from. gate, baseline: None where there is no such file."""

    entry: IndexEntry
    status: Mark
    gate: Mark | None
    baseline: Mark | None


def order_of(entry: IndexEntry) -> OrderKey:
    """The place of a run among those of its profile."""
    return order_key(entry.status.executed, entry.set_name, published=entry.first_published_ns)


def files_of(folder: str) -> dict[str, os.DirEntry[str]]:
    """The files of a set's folder that are looked at, by name; none when it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry for entry in entries if entry.name in LOOKED_AT}
    except OSError:
        return {}


def read_entry(out: Path, name: str, files: Mapping[str, os.DirEntry[str]], known: Read | None = None) -> Read | None:
    """The set with these of its files; None when its status cannot be read.

    known: the result of the last time. Files that look the same are not read again; if nothing changed, it is returned.
    """
    status_mark = _mark(files.get(STATUS_JSON))
    if status_mark is None:
        return None
    gate_mark = _mark(files.get(GATE_JSON))
    baseline_mark = _mark(files.get(BASELINE_JSON)) if COMPARE_HTML in files else None
    before = None if known is None else known.entry
    if known is not None and known[1:] == (status_mark, gate_mark, baseline_mark):
        return known
    folder = f"{out}/{name}"  # a path object for each of many sets costs as much as reading its status
    if before is not None and known is not None and known.status == status_mark:
        status, first = before.status, before.first_published_ns
    else:
        found = STATUS.read(folder)
        if found is None:
            return None
        status, first = found, 0 if is_dated(found) else first_published(out, name)
    gate = None if gate_mark is None else GATE.read(folder)
    compared = None
    if baseline_mark is not None:
        from reporting.store.baseline import BASELINE  # `status` needs no statistics without a comparison

        compared = BASELINE.read(folder)
    entry = IndexEntry(
        name,
        status,
        status_mark[2],
        gate if gate is not None and gate.is_about(status) else None,
        compared,
        first,
    )
    return Read(entry, status_mark, gate_mark, baseline_mark)


def _mark(file: os.DirEntry[str] | None) -> Mark | None:
    try:
        found = None if file is None else file.stat(follow_symlinks=False)
    except OSError:
        return None
    return None if found is None else (found.st_ino, found.st_size, found.st_mtime_ns)
