"""The input files of a watched folder: brings events, scans, settling and hashing together.

The result is the settled content of each path.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import structlog

from scoring.reading import NotRegularError
from watcher.content_hashes import YOUNG_SECONDS, ChangedError, Hashes, Known
from watcher.events import FolderObserver
from watcher.folder import InputFolder, Listing
from watcher.settle import Looked, SettlePolicy, Settling, Stat

READ_SECONDS = 0.25  # limit of one step
LONG_SECONDS = 30.0  # of waiting until a file is told of
GONE_SCANS = 2
SCAN_REST = 200.0  # times the CPU time of a scan: bounds its cost with many files
LONGEST_REST = 2.0  # times `rescan_seconds`; at three times health reports missing scans

_log = structlog.get_logger()


class Unreadable(NamedTuple):
    """A file that exists and cannot be read: why, how often it was tried, when to try again (monotonic)."""

    reason: str
    tries: int
    retry_at: float


class InputFiles:
    """All inputs of one watched folder.

    backoff: tries -> seconds until an unreadable file is tried again. `content`: settled files. `fresh`: those of them
    that were dropped while the watcher ran, or since an earlier one ended. `changed`: paths whose
    content is new or gone; the reader empties it. `came_at`: every input known, settled or not -> when it was first
    seen, -inf if an earlier watcher had read it. `moved`: paths that have come or gone; the reader empties it.
    `went_at`: path -> when it was first missed; the reader empties it. `moved_at`: path -> when it last changed.
    `found`: number of files in the last scan that was believed. `scanned_at`: last scan that was believed, None before
    the first. All times monotonic.
    """

    def __init__(
        self,
        folder: InputFolder,
        observer: FolderObserver,
        hashes: Hashes,
        policy: SettlePolicy,
        *,
        rescan_seconds: float,
        backoff: Callable[[int], float],
    ) -> None:
        self._folder = folder
        self._observer = observer
        self._hashes = hashes
        self._policy = policy
        self._settling = Settling(policy)
        self._rescan_seconds = rescan_seconds
        self._backoff = backoff
        self._next_scan = self._scanned_last = self._scan_took = 0.0
        self._to_read: OrderedDict[str, Stat] = OrderedDict()
        self._announced: set[str] = set()  # by events before the second scan, or new to the first one
        self._found_at = math.inf  # first scan that was believed
        self._unannounced: set[str] = set()  # found by a scan, without an event so far
        self._missing: dict[str, int] = {}
        self._missed = 0
        self._look_again: dict[str, float] = {}  # read within one tick of a coarse clock, and when to read again
        self._signs: dict[str, float] = {}  # path -> first sign that it may be gone
        self.came_at: dict[str, float] = {}
        self.went_at: dict[str, float] = {}
        self.scans = 0
        self.scanned_at: float | None = None
        self.content: dict[str, Known] = {}
        self.fresh: set[str] = set()
        self.moved_at: dict[str, float] = {}
        self.changed: set[str] = set()
        self.moved: set[str] = set()
        self.unreadable: dict[str, Unreadable] = {}
        self.listing = Listing()
        self.found = 0
        self.degraded = ""

    @property
    def is_busy(self) -> bool:
        """Is anything pending that may change `content`?"""
        return self.scans == 0 or self.settling_count > 0

    @property
    def settling_count(self) -> int:
        """Number of files that are not settled yet."""
        return len(self._settling) + len(self._to_read)

    def waiting(self, now: float) -> dict[str, float]:
        """The files that are waited for longer than usual, and for how many seconds."""
        return self._settling.waiting(now, least=LONG_SECONDS)

    def unread(self) -> dict[str, str]:
        """Path -> why the file cannot be read, or the file or folder cannot be looked at."""
        return self.listing.unreadable | {path: entry.reason for path, entry in self.unreadable.items()}

    def is_settled(self, path: str) -> bool:
        """Is `content` up to date for this path?"""
        return path in self.content and path not in self._settling and path not in self.unreadable

    def full(self, path: str) -> str:
        """Where a file is."""
        return self._folder.full(path)

    def next_due(self) -> float:
        """When `step` has something to do, monotonic."""
        if self._to_read:
            return 0.0  # the last step ran out of its time
        retries = [entry.retry_at for entry in self.unreadable.values()]
        return min(self._next_scan, self._settling.next_due(), *retries, *self._look_again.values())

    def step(self, now: float) -> None:
        """Take events, scan when it is due, look at files that may be settled, read those that are."""
        if self._observer.check():
            self._next_scan = now
        if self._policy.polling != self._observer.is_polling:
            self._switch_policy()
        for full, hint in self._observer.drain().items():
            path = self._folder.relative(full)
            if path is not None:
                if self.scans <= 1:
                    self._announced.add(path)
                self._unannounced.discard(path)
                self.unreadable.pop(path, None)
                self._settling.hint(path, hint, now)
                self.moved_at[path] = now
                self._come(path, now)
                self._signs[path] = now
        if now >= self._next_scan:
            began = time.thread_time()
            self._scan(now)
            self._scan_took = time.thread_time() - began
            self._scanned_last = now
            self._set_next_scan()
        for path in self._settling.due(now):
            self._look(path, now)
        for path in self._due_again(now):
            if path not in self._to_read:
                self._look(path, now, retry=True)
        self._read(now)

    def _due_again(self, now: float) -> list[str]:
        """Files to be read again now, however they look."""
        unreadable = [path for path, entry in self.unreadable.items() if entry.retry_at <= now]
        doubted = [path for path, at in self._look_again.items() if at <= now]
        for path in doubted:
            del self._look_again[path]
        return unreadable + doubted

    def doubt(self, path: str, now: float) -> None:
        """Forget the hash of a file and read it again: a worker found other content."""
        self._hashes.forget(path)
        self._settling.reopen(path, now)
        self._come(path, now)

    def add_to_scan(self, seconds: float) -> None:
        """Add CPU seconds spent because of the last scan, so that the next one comes later."""
        self._scan_took += seconds
        if self._next_scan > self._scanned_last:
            self._set_next_scan()

    def scan_soon(self) -> None:
        """Scan at the next step."""
        self._next_scan = 0.0

    def _set_next_scan(self) -> None:
        rest = min(self._scan_took * SCAN_REST, self._rescan_seconds * LONGEST_REST)
        self._next_scan = self._scanned_last + max(rest, self._rescan_seconds)

    def _scan(self, now: float) -> None:
        listing = self._folder.scan(self.came_at)
        self.degraded = self._doubt(listing)
        if self.degraded:
            _log.warning("watched folder is missing or empty", reason=self.degraded)
            return
        self.listing = listing
        self._take(listing, now)
        self._miss(listing, now)
        self.scans += 1
        if self.scans > 1:
            self._announced.clear()
        self._found_at = min(self._found_at, now)
        self.scanned_at = now
        missed, self._missed = self._missed, 0
        if self._observer.report_scan(missed=missed):
            self._switch_policy()
        self._observer.report_folders(listing.folders)
        self.found = len(listing.files)
        listing.folders.clear()  # of many files, a fifth of the memory
        listing.files.clear()

    def _doubt(self, listing: Listing) -> str:
        """Why the listing is not believed; "" when it is. Everything gone at once is more likely a lost mount."""
        if "" in listing.unreadable:
            return f"watch:{listing.unreadable['']}"
        were_many = max(len(self.content), self.found) > 1
        return "watch:empty" if were_many and not listing.files else ""

    def _take(self, listing: Listing, now: float) -> None:
        for path, stat in listing.files.items():
            if self._is_as_before(path, stat):
                self._to_read[path] = stat
                self._come(path, now)
                continue
            new = path not in self._settling
            outcome = self._settling.look(path, stat, now)
            if outcome is Looked.READY:
                self._to_read[path] = stat
            elif outcome is Looked.WAIT and new:
                self.moved_at[path] = now
                self._come(path, now)
                if self.scans:
                    self._unannounced.add(path)
                elif self._hashes:
                    self._announced.add(path)  # it came after the last look of an earlier watcher

    def _is_as_before(self, path: str, stat: Stat) -> bool:
        """Is it a file that an earlier run has read with this stat? Then it need not settle at the first scan."""
        return not self.scans and self._hashes.get(path, stat) is not None and self._settling.accept(path, stat)

    def _miss(self, listing: Listing, now: float) -> None:
        """Forget files missing in two scans: a file that is replaced by a rename may be absent for a moment."""
        for path in self.came_at.keys() - listing.files.keys():
            if path in listing.unreadable or any(path.startswith(f"{folder}/") for folder in listing.unreadable):
                continue
            self._missing[path] = self._missing.get(path, 0) + 1
            self._signs.setdefault(path, now)
            if self._missing[path] >= GONE_SCANS or path in self._settling:
                self._forget(path, now)
        for path in [path for path in self._missing if path in listing.files]:
            del self._missing[path]
        for path in [path for path in self._signs if path in listing.files]:
            del self._signs[path]

    def _look(self, path: str, now: float, *, retry: bool = False) -> None:
        try:
            stat = self._folder.look(path)
        except OSError as error:
            self._set_unreadable(path, error, now)
            return
        if stat is None:
            self._settling.look(path, None, now)
            self._forget(path, now)
            return
        self._signs.pop(path, None)
        if retry or self._settling.look(path, stat, now) is Looked.READY:
            self._to_read[path] = stat
            self._to_read.move_to_end(path, last=not self._is_fresh(path))

    def _is_fresh(self, path: str) -> bool:
        """Was it dropped since we, or an earlier watcher, watched? Files that lay there may be read long after."""
        is_new = path in self.content or self.came_at.get(path, -math.inf) > self._found_at
        return path in self._announced or (self.scans > 1 and is_new)

    def _read(self, now: float) -> None:
        started = time.monotonic()
        while self._to_read and time.monotonic() - started < READ_SECONDS:
            path, stat = self._to_read.popitem(last=False)
            if path in self._unannounced:
                self._unannounced.discard(path)
                self._missed += 1
            try:
                known = self._hashes.get(path, stat) or self._hashes.read(path, self._folder.real(path))
            except ChangedError:
                self._settling.reopen(path, now)
                continue
            except (FileNotFoundError, NotRegularError):  # a scan names what is there instead
                self._forget(path, now)
                continue
            except OSError as error:
                self._set_unreadable(path, error, now)
                continue
            if known.stat == stat:
                self._settling.accept(path, known.stat)  # one object for all who keep it
            self.unreadable.pop(path, None)
            before = self.content.get(path)
            if self._is_fresh(path):
                self.fresh.add(path)
            else:
                self.fresh.discard(path)
            self.content[path] = known
            if before is None or before.sha256 != known.sha256 or before.stat != known.stat:
                self.changed.add(path)
            if (before is None or before.sha256 != known.sha256) and self._hashes.may_hide_a_change(path):
                self._look_again[path] = now + YOUNG_SECONDS
        self._to_read = self._to_read or OrderedDict()  # the table of many is not kept

    def _set_unreadable(self, path: str, error: OSError, now: float) -> None:
        tries = self.unreadable[path].tries + 1 if path in self.unreadable else 1
        reason = error.strerror or type(error).__name__
        _log.warning("input not readable", path=path, reason=reason, tries=tries)
        self.unreadable[path] = Unreadable(reason, tries, now + self._backoff(tries))

    def _forget(self, path: str, now: float) -> None:
        self.moved.add(path)
        self._settling.look(path, None, now)
        self._hashes.forget(path)
        self._missing.pop(path, None)
        self._look_again.pop(path, None)
        self._unannounced.discard(path)
        self.unreadable.pop(path, None)
        self.moved_at.pop(path, None)
        went_at = self._signs.pop(path, now)
        if self.came_at.pop(path, None) is not None:
            self.went_at[path] = went_at
        self.fresh.discard(path)
        if self.content.pop(path, None) is not None:
            self.changed.add(path)

    def _come(self, path: str, now: float) -> None:
        if path not in self.came_at:
            self.came_at[path] = -math.inf if not self.scans and self._hashes.knows(path) else now
            self.moved.add(path)

    def _switch_policy(self) -> None:
        self._policy = replace(self._policy, polling=self._observer.is_polling)
        self._settling.set_policy(self._policy)
