"""File events, as hints: which paths were heard of, and what was heard last. Never the truth, only its speed.

The handler only notes the path; a full event queue, a dead thread or a mount without events costs time until the
next scan, never a file.
"""

from __future__ import annotations

import os
import threading
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

from watcher.mounts import shared_type
from watcher.settle import Hint

Mode = Literal["auto", "native", "polling"]

# Nothing else is subscribed: opened, closed-unwritten and attrib events filled the queue while files were copied in.
SUBSCRIBED: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileMovedEvent,
    FileModifiedEvent,
    FileClosedEvent,
    FileDeletedEvent,
]
POLL_SECONDS = 1.0
MISSED_SCANS = 2
TELLS_CLOSING = "watchdog.observers.inotify"  # the one module that gives `FileClosedEvent`; it is not there on macOS

_log = structlog.get_logger()


class Events(FileSystemEventHandler):
    """Collects events as one hint per path, in memory bounded by the number of paths. Thread-safe."""

    def __init__(self, wake: threading.Event) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._hints: dict[str, Hint] = {}

    def dispatch(self, event: FileSystemEvent) -> None:
        """Take one event; never raises, since that would end the observer's thread."""
        try:
            self._take(event)
        except Exception:  # noqa: BLE001 -- whatever it is, the thread has to live
            _log.exception("file event failed", event_type=event.event_type)

    def drain(self) -> dict[str, Hint]:
        """Absolute path -> hint of everything heard since the last call."""
        with self._lock:
            hints, self._hints = self._hints, {}
        return hints

    def _take(self, event: FileSystemEvent) -> None:
        path = os.fsdecode(event.src_path)
        with self._lock:
            if isinstance(event, FileMovedEvent):
                self._hints[path] = Hint.SEEN
                self._hints[os.fsdecode(event.dest_path)] = Hint.CLOSED
            elif isinstance(event, FileClosedEvent):
                self._hints[path] = Hint.CLOSED
            elif isinstance(event, FileModifiedEvent):
                self._hints[path] = Hint.MODIFIED
            elif isinstance(event, FileDeletedEvent):
                self._hints[path] = Hint.SEEN
            else:
                # A synthetic "created" may come after the events of its file; those know more.
                self._hints.setdefault(path, Hint.SEEN)
        self._wake.set()


class FolderObserver:
    """Observer of one folder that may switch from native events to polling, and restarts when its threads die.

    wake: set whenever there is something to drain.
    """

    def __init__(self, root: Path, *, mode: Mode, wake: threading.Event) -> None:
        self._root = root
        self._mode = mode
        self._events = Events(wake)
        self._observer: BaseObserver | None = None
        self._missed = 0
        self._tells_closing = False
        self.is_polling = mode == "polling"
        self.reason = "settings" if mode == "polling" else ""
        self.restarts = 0

    @property
    def is_alive(self) -> bool:
        """Do all its threads live?"""
        observer = self._observer
        return observer is not None and observer.is_alive() and all(each.is_alive() for each in observer.emitters)

    def start(self) -> None:
        """Start observing. Raises OSError when even polling is impossible (the folder is not there)."""
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
        """End the threads."""
        observer, self._observer = self._observer, None
        if observer is not None and observer.is_alive():
            observer.stop()
            observer.join(timeout=5)

    def drain(self) -> dict[str, Hint]:
        """Absolute path -> hint; a modification says nothing of an open writer where no event tells of closing."""
        hints = self._events.drain()
        if self._tells_closing:
            return hints
        return {path: Hint.SEEN if hint is Hint.MODIFIED else hint for path, hint in hints.items()}

    def check(self) -> bool:
        """Restart what died. True when it had to: events may have been lost, so scan."""
        if self.is_alive:
            return False
        if not self._root.is_dir():
            return False  # nothing to observe until it is back; scans report it
        self.stop()
        self.restarts += 1
        _log.warning("observer restarted", restarts=self.restarts)
        return self._try_to_start()

    def report_scan(self, *, missed: int) -> bool:
        """After a scan: `missed` ready files that no event had announced. True when that made it switch to polling."""
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
            observer.schedule(self._events, str(self._root), recursive=True, event_filter=SUBSCRIBED)
            observer.start()
        except BaseException:
            observer.stop()
            raise
        self._observer = observer
        self._tells_closing = any(kind.__module__ == TELLS_CLOSING for kind in type(observer).__mro__)

    def _switch(self, reason: str) -> None:
        self.is_polling, self.reason = True, reason
        _log.warning("observer switched to polling", reason=reason)
