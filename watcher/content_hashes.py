"""SHA-256 of inputs, cached by stat so that unchanged files are not read again.

The cache is in the state folder; without it every file is read once.
"""

import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from reporting.store import write_atomic
from scoring.reading import open_regular, whole_hash
from watcher.settle import Stat, stat_of

CACHE_NAME = "hashes"
FORMAT_VERSION = 3
READ_SECONDS = 240.0  # less than the watcher's loop may take for one step, see `cli.service.stopping`
# A file changed twice within one tick of the file system's clock may keep its stat (FAT: 2 s).
YOUNG_SECONDS = 2.5
COARSE_NS = 10_000_000  # clocks of other file systems give times that are no whole number of these


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
    entries: dict[bytes, tuple[bytes, bytes]]  # path -> `Stat`, and SHA-256


class Hashes:
    """SHA-256 of every input of one watched folder.

    file: of the cache; root: absolute path of the folder; now_ns: nanoseconds since the epoch.
    """

    def __init__(self, file: Path, root: str, *, now_ns: Callable[[], int] = time.time_ns) -> None:
        self._file = file
        self._root = root
        self._now_ns = now_ns
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
            os.fsdecode(path): Known(Stat(stat), sys.intern(sha256.hex()), True)
            for path, (stat, sha256) in stored.entries.items()
        }

    def save(self) -> None:
        """Write the cache if it changed. A failure only makes the next start slower."""
        if not self._changed:
            return
        entries = {
            os.fsencode(path): (bytes(known.stat), bytes.fromhex(known.sha256))
            for path, known in self._known.items()
            if known.trusted
        }
        data = msgspec.msgpack.encode(_Stored(FORMAT_VERSION, _text(self._root), entries))
        with contextlib.suppress(OSError):
            write_atomic(self._file, data)
            self._changed = False

    def get(self, path: str, stat: Stat) -> Known | None:
        """The trusted hash of `path` with this stat, if there is one."""
        known = self._known.get(path)
        return known if known is not None and known.stat == stat and known.trusted else None

    def __bool__(self) -> bool:
        """Has anything been read, now or by an earlier watcher?"""
        return bool(self._known)

    def knows(self, path: str) -> bool:
        """Is there an entry for this path, whatever its stat?"""
        return path in self._known

    def may_hide_a_change(self, path: str) -> bool:
        """Was the file read so early, and is the clock of its mount so coarse, that its stat may miss a change?"""
        known = self._known.get(path)
        return known is not None and not known.trusted and not known.stat.times.ctime_ns % COARSE_NS

    def read(self, path: str, real: str) -> Known:
        """Hash the file at `real`, its path without links.

        Raises ChangedError when it changes meanwhile, OSError when it cannot be read or takes longer than
        READ_SECONDS.
        """
        started_ns = self._now_ns()
        with open_regular(real) as stream:
            before = os.fstat(stream.fileno())
            sha256 = whole_hash(stream, each_block=_Deadline(READ_SECONDS).check).sha256
            after = os.fstat(stream.fileno())
        there = os.stat(real)  # noqa: PTH116
        stats = set(map(stat_of, (before, after, there)))
        if len(stats) > 1:
            raise ChangedError
        stat = stats.pop()
        is_old = started_ns - max(stat.times[1:]) > YOUNG_SECONDS * 1e9
        known = self._known[path] = Known(stat, sys.intern(sha256), is_old)
        self._changed = True
        return known

    def forget(self, path: str) -> None:
        """Drop the entry of a file that is gone."""
        if self._known.pop(path, None) is not None:
            self._changed = True


class _Deadline:
    """Raises TimeoutError once `seconds` have passed."""

    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def check(self) -> None:
        if time.monotonic() > self._at:
            raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))


def _text(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
