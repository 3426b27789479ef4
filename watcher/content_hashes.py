"""SHA-256 of inputs, cached by stat so that unchanged files are not read again.

The cache is in the state folder; without it every file is read once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from reporting.store.staging import write_atomic
from watcher.settle import Stat

CACHE_NAME = "hashes"
FORMAT_VERSION = 1
# A file changed twice within one tick of the file system's clock may keep its stat (FAT: 2 s).
YOUNG_NS = 2_500_000_000


class ChangedError(Exception):
    """The file changed while it was read."""


class Known(NamedTuple):
    """Hash of a file with this stat. trusted: the file was old enough when it was read."""

    stat: Stat
    sha256: str
    trusted: bool


class _Stored(msgspec.Struct):
    format_version: int
    root: str
    entries: dict[bytes, tuple[int, int, int, str]]


class Hashes:
    """SHA-256 of every input of one watched folder. file: of the cache; root: absolute path of the folder."""

    def __init__(self, file: Path, root: str) -> None:
        self._file = file
        self._root = root
        self._known: dict[str, Known] = {}
        self._changed = False

    def load(self) -> None:
        """Read the cache; a missing, damaged or foreign one counts as empty."""
        try:
            stored = msgspec.msgpack.decode(self._file.read_bytes(), type=_Stored)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return
        if stored.format_version != FORMAT_VERSION or stored.root != _text(self._root):
            return
        self._known = {
            os.fsdecode(path): Known(Stat(size, mtime_ns, inode), sha256, True)
            for path, (size, mtime_ns, inode, sha256) in stored.entries.items()
        }

    def save(self) -> None:
        """Write the cache if it changed. A failure only makes the next start slower."""
        if not self._changed:
            return
        entries = {
            os.fsencode(path): (*known.stat, known.sha256) for path, known in self._known.items() if known.trusted
        }
        data = msgspec.msgpack.encode(_Stored(FORMAT_VERSION, _text(self._root), entries))
        with contextlib.suppress(OSError):
            write_atomic(self._file, data)
            self._changed = False

    def get(self, path: str, stat: Stat) -> str | None:
        """The trusted hash of `path` with this stat, if there is one."""
        known = self._known.get(path)
        return known.sha256 if known is not None and known.stat == stat and known.trusted else None

    def knows(self, path: str) -> bool:
        """Is there an entry for this path, whatever its stat?"""
        return path in self._known

    def read(self, path: str, full: str) -> tuple[Stat, str]:
        """Hash the file. Raises ChangedError when it changes meanwhile, OSError when it cannot be read."""
        started_ns = time.time_ns()
        with Path(full).open("rb", buffering=0) as stream:
            before = os.fstat(stream.fileno())
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
            after = os.fstat(stream.fileno())
        there = os.stat(full)  # noqa: PTH116
        stats = [Stat(found.st_size, found.st_mtime_ns, found.st_ino) for found in (before, after, there)]
        if len(set(stats)) > 1:
            raise ChangedError
        self._known[path] = Known(stats[0], sha256, started_ns - stats[0].mtime_ns > YOUNG_NS)
        self._changed = True
        return stats[0], sha256

    def forget(self, path: str) -> None:
        """Drop the entry of a file that is gone."""
        if self._known.pop(path, None) is not None:
            self._changed = True


def _text(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
