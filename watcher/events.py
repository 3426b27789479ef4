"""File events as hints: which paths had an event, which one was the last, and on which mounts they are not reliable.

Events only make the watcher faster. Where some are lost (full event queue, dead thread, network or shared mount), the
next scan finds the file.
"""

import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import structlog
from watchdog.events import (
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from watcher.settle import Hint
from watcher.unwatched import Unwatched

MOUNT_TABLE = Path("/proc/self/mountinfo")
_SHARED = frozenset(
    {"9p", "afs", "ceph", "cifs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs", "virtiofs"}
)
Mode = Literal["auto", "native", "polling"]
# Others (opened, closed without writing, attributes) overflow the queue while many files are copied in.
HINTS: dict[type[FileSystemEvent], Hint] = {
    FileCreatedEvent: Hint.SEEN,
    FileMovedEvent: Hint.SEEN,
    FileModifiedEvent: Hint.MODIFIED,
    FileClosedEvent: Hint.CLOSED,
    FileDeletedEvent: Hint.SEEN,
}
POLL_SECONDS = 1.0
MISSED_SCANS = 2
CLOSING_OBSERVERS = "watchdog.observers.inotify"  # only these emit `FileClosedEvent`
_log = structlog.get_logger()


def shared_type(folder: Path, table: str | None = None) -> str | None:
    """Type of the shared file system under `folder` ("nfs4", "fuse.sshfs"), None when it is a local one.

    table: text of a mountinfo table; None reads that of this process (None too where there is no such table).
    """
    if table is None:
        try:
            table = MOUNT_TABLE.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return None
    path = os.path.realpath(folder)
    best, found = "", ""
    for line in table.split("\n"):  # names may hold Unicode blanks and line breaks
        before, _, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ", 1)[0]
        if len(fields) < 5:
            continue
        mount = _unescape(fields[4])
        holds = path == mount or path.startswith(mount.rstrip("/") + "/")
        if holds and len(mount) >= len(best):  # of mounts on one point the last one is on top
            best, found = mount, kind
    return found if found in _SHARED or found.startswith("fuse") else None


def _unescape(field: str) -> str:
    """Resolve the octal escapes of the table (blank, tab, newline, backslash)."""
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), field)


class Events(FileSystemEventHandler):
    """Collects events as one hint per path. Thread-safe."""

    def __init__(self, wake: threading.Event) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._hints: dict[str, Hint] = {}

    def dispatch(self, event: FileSystemEvent) -> None:
        """Take one event. Never raises: that would end the observer's thread."""
        try:
            self._take(event)
        except Exception:  # noqa: BLE001 -- the thread has to survive
            _log.exception("file event failed", event_type=event.event_type)

    def drain(self) -> dict[str, Hint]:
        """Absolute path -> hint, of every event since the last call."""
        with self._lock:
            hints, self._hints = self._hints, {}
        return hints

    def _take(self, event: FileSystemEvent) -> None:
        path = os.fsdecode(event.src_path)
        with self._lock:
            if isinstance(event, FileCreatedEvent):
                self._hints.setdefault(path, Hint.SEEN)  # a synthetic one may arrive after the file's other events
            else:
                self._hints[path] = HINTS[type(event)]
            if isinstance(event, FileMovedEvent):
                self._hints[os.fsdecode(event.dest_path)] = Hint.CLOSED
        self._wake.set()


class FolderObserver:
    """Observes one folder; switches from native events to polling where needed, and restarts when a thread dies.

    wake: set whenever there is something to drain.
    """

    def __init__(self, root: Path, *, mode: Mode, wake: threading.Event) -> None:
        self._root = root
        self._mode = mode
        self._events = Events(wake)
        self._observer: BaseObserver | None = None
        self._missed = 0
        self._emits_closed = False
        self.is_polling = mode == "polling"
        self.reason = "settings" if mode == "polling" else ""
        self.restarts = 0
        self._unwatched = Unwatched(root)

    @property
    def polled_folders(self) -> int:
        """Number of folders that are polled because the system gave no watch for them."""
        return len(self._unwatched)

    @property
    def is_alive(self) -> bool:
        """Are all its threads alive?"""
        observer = self._observer
        return observer is not None and observer.is_alive() and all(each.is_alive() for each in observer.emitters)

    def start(self) -> None:
        """Start observing. Raises OSError when the folder does not exist, or native events are required and fail."""
        if self._mode == "auto":
            kind = shared_type(self._root)
            if kind is not None:
                self._switch(f"mount:{kind}")
        try:
            self._launch()
        except OSError as error:
            if self.is_polling or self._mode == "native" or not self._root.is_dir():
                raise
            self._switch(f"native:{error.strerror or error}")
            self._launch()

    def stop(self) -> None:
        """Stop the threads."""
        observer, self._observer = self._observer, None
        if observer is not None and observer.is_alive():
            observer.stop()
            observer.join(timeout=5)

    def drain(self) -> dict[str, Hint]:
        """Absolute path -> hint. Without events of closing, a modification does not mean that a writer is active."""
        hints = self._events.drain()
        for path in self._unwatched.changed():
            hints.setdefault(path, Hint.SEEN)
        if self._emits_closed:
            return hints
        return {path: Hint.SEEN if hint is Hint.MODIFIED else hint for path, hint in hints.items()}

    def check(self) -> bool:
        """Restart the observer if a thread died. True when it was restarted: events may be lost, so scan."""
        if self.is_alive:
            return False
        if not self._root.is_dir():
            return False  # missing; the scan reports it
        self.stop()
        self.restarts += 1
        _log.warning("observer restarted", restarts=self.restarts)
        return self._try_to_start()

    def report_folders(self, folders: Mapping[str, int]) -> None:
        """After a scan: every folder below the watched one and its inode. Those without a watch are polled."""
        if self.is_polling or not self.is_alive:
            self._unwatched.clear()
            return
        before = self.polled_folders
        self._unwatched.find(folders)
        if self.polled_folders != before:
            self.reason = f"watches:{self.polled_folders}" if self.polled_folders else ""
            _log.warning("folders without a watch are polled", folders=self.polled_folders, watched=len(folders))

    def report_scan(self, *, missed: int) -> bool:
        """After a scan: number of ready files without an event. True when that made it switch to polling."""
        self._missed = self._missed + 1 if missed else 0
        if self._mode != "auto" or self.is_polling or self._missed < MISSED_SCANS:
            return False
        self.stop()
        self._switch("events-missing")
        self._try_to_start()
        return True

    def _try_to_start(self) -> bool:
        try:
            self.start()
        except OSError as error:
            _log.warning("observer not started", reason=str(error))  # `check` tries again
            return False
        return True

    def _launch(self) -> None:
        observer = PollingObserver(timeout=POLL_SECONDS) if self.is_polling else Observer()
        try:
            observer.schedule(self._events, str(self._root), recursive=True, event_filter=list(HINTS))
            observer.start()
        except BaseException:
            observer.stop()
            raise
        self._observer = observer
        self._emits_closed = any(kind.__module__ == CLOSING_OBSERVERS for kind in type(observer).__mro__)

    def _switch(self, reason: str) -> None:
        self.is_polling, self.reason = True, reason
        self._unwatched.clear()
        _log.warning("observer switched to polling", reason=reason)
