"""Decides when a file is complete. Pure: no clock or disk; `now` is monotonic.

A file is ready when its stat (size, times, inode, device) has not changed for long enough; how long depends on the last
event.
`watcher.inputs` passes in events and stat results, and opens a file only when it is ready.
"""

import heapq
import math
import os
from dataclasses import dataclass, replace
from enum import StrEnum
from struct import Struct
from typing import NamedTuple, Self


class Times(NamedTuple):
    """Of a file. size: bytes; mtime_ns, ctime_ns: nanoseconds since the epoch."""

    size: int
    mtime_ns: int
    ctime_ns: int


class Stat(bytes):
    """What identifies the state of a file: size, times, inode and device, packed; one is kept of every file.

    ctime_ns changes also where a program writes other content and sets mtime back (rsync, tar, cp -p).
    """

    __slots__ = ()

    @classmethod
    def of(cls, size: int, mtime_ns: int, ctime_ns: int, inode: int, device: int) -> Self:
        """Of these values."""
        return cls(_STAT.pack(size, mtime_ns, ctime_ns, inode & _MOST, device & _MOST))

    @property
    def size(self) -> int:
        """Of the file, in bytes."""
        return self.times.size

    @property
    def times(self) -> Times:
        """The values that a plan names."""
        return Times._make(_STAT.unpack(self)[:3])


_STAT = Struct("<qqqQQ")
_MOST = (1 << 64) - 1  # of an inode: those of Windows may be longer


def stat_of(found: os.stat_result) -> Stat:
    """The stat of a file as the system gives it."""
    return Stat.of(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev)


class Hint(StrEnum):
    """The last event of a file."""

    SEEN = "seen"  # by a scan, or created; it may still be written to
    MODIFIED = "modified"  # and not closed since: the writer may only be pausing
    CLOSED = "closed"  # closed after writing, or renamed into place


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlePolicy:
    """Seconds without change after which a file is ready, by its last event.

    polling: the folder is polled or remote and closing gives no event; then `polling_seconds` apply to all.
    empty_seconds: for a file of zero bytes, which is usually about to be filled.
    """

    settle_seconds: float = 1.0
    closed_seconds: float = 0.2
    open_seconds: float = 10.0
    polling_seconds: float = 5.0
    empty_seconds: float = 60.0
    polling: bool = False

    def quiet_seconds(self, hint: Hint, size: int) -> float:
        """Seconds without change after which a file of `size` bytes is ready."""
        if self.polling:
            quiet = self.polling_seconds
        elif hint is Hint.CLOSED:
            quiet = min(self.closed_seconds, self.settle_seconds)
        elif hint is Hint.MODIFIED:
            quiet = max(self.open_seconds, self.settle_seconds)
        else:
            quiet = self.settle_seconds
        return max(quiet, self.empty_seconds) if size == 0 else quiet


class Looked(StrEnum):
    """Result of `Settling.look`."""

    WAIT = "wait"
    READY = "ready"  # returned once
    KNOWN = "known"  # was ready before, unchanged
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class _Pending:
    hint: Hint
    stat: Stat | None  # of the last look, None before the first
    quiet_since: float
    due: float  # of the next look


class Settling:
    """Every file that was seen, pending or ready.

    `look` returns READY once for each content, and again only after a change or a hint.
    """

    def __init__(self, policy: SettlePolicy) -> None:
        self._policy = policy
        self._pending: dict[str, _Pending] = {}
        self._ready: dict[str, Stat] = {}
        self._queue: list[tuple[float, str]] = []
        self._since: dict[str, float] = {}  # of the pending ones

    def __len__(self) -> int:
        """Number of pending files."""
        return len(self._pending)

    def __contains__(self, path: str) -> bool:
        return path in self._pending

    def set_policy(self, policy: SettlePolicy) -> None:
        """Use another policy from the next look on (the observer was switched)."""
        self._policy = policy

    def hint(self, path: str, hint: Hint, now: float) -> None:
        """An event of `path`: its quiet time starts again, and a look is due at once."""
        before = self._pending.get(path)
        if hint is Hint.SEEN and before is not None and before.hint is Hint.MODIFIED:
            hint = Hint.MODIFIED  # "created" may arrive late; the writer may not be done
        self._set(path, _Pending(hint, None, now, now))

    def accept(self, path: str, stat: Stat) -> bool:
        """Take a file as ready that was ready with this stat in an earlier run. False for one that had an event."""
        if path in self._pending:
            return False
        self._ready[path] = stat
        return True

    def look(self, path: str, stat: Stat | None, now: float) -> Looked:
        """Take the result of a stat; None: there is no such file."""
        if stat is None:
            self._leave(path)
            self._ready.pop(path, None)
            return Looked.GONE
        entry = self._pending.get(path)
        if entry is None:
            if self._ready.get(path) == stat:
                return Looked.KNOWN
            entry = _Pending(Hint.SEEN, None, now, now)
        if entry.stat != stat:
            # The first look only records the stat. A later difference is a change without an event.
            changed = entry.stat is not None
            since = now if changed else entry.quiet_since
            entry = _Pending(Hint.SEEN if changed and entry.hint is Hint.CLOSED else entry.hint, stat, since, now)
            ready_at = since + self._policy.quiet_seconds(entry.hint, stat.size)
            self._set(path, replace(entry, due=max(ready_at, now)))
            return Looked.WAIT
        ready_at = entry.quiet_since + self._policy.quiet_seconds(entry.hint, stat.size)
        if now < ready_at:
            if entry.due != ready_at:
                self._set(path, replace(entry, due=ready_at))
            return Looked.WAIT
        self._leave(path)
        self._ready[path] = stat
        return Looked.READY

    def reopen(self, path: str, now: float) -> None:
        """The file changed while it was read: it is pending again."""
        self._ready.pop(path, None)
        self.hint(path, Hint.SEEN, now)

    def due(self, now: float) -> list[str]:
        """Paths to look at now. Each is returned once until the next look or hint."""
        paths = []
        while self._queue and self._queue[0][0] <= now:
            due, path = heapq.heappop(self._queue)
            entry = self._pending.get(path)
            if entry is not None and entry.due == due:
                paths.append(path)
        return list(dict.fromkeys(paths))

    def next_due(self) -> float:
        """When the next look is due, or a little earlier; inf when nothing is pending."""
        return self._queue[0][0] if self._queue else math.inf

    def waiting(self, now: float, *, least: float) -> dict[str, float]:
        """The files that have been pending for so many seconds, and for how many."""
        return {path: now - since for path, since in self._since.items() if now - since >= least}

    def _leave(self, path: str) -> None:
        self._pending.pop(path, None)
        self._since.pop(path, None)
        if not self._pending:  # the tables of many are not kept
            self._pending, self._since = {}, {}

    def _set(self, path: str, entry: _Pending) -> None:
        self._pending[path] = entry
        self._since.setdefault(path, entry.quiet_since)
        heapq.heappush(self._queue, (entry.due, path))
