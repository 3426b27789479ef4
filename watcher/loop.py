"""The watcher's loop: compares the folders and asks for what is missing.

`step` does one round without waiting; the caller decides when the next one is due. All that it knows is in memory or
in the two folders, so it may be killed at any time.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import structlog

from reporting.store.status import State, StatusFile
from scoring.problems import TransientError
from scoring.sets.names import shown
from watcher.batching import bundle
from watcher.inputs import InputFiles
from watcher.output_folder import Outputs
from watcher.plan import Planner, Refusal, Request
from watcher.reconcile import Reconciler
from watcher.snapshot import Settled, Snapshot

STATUS_SECONDS = 0.3
DEPTH_SECONDS = 1.0
INDEX_SECONDS = 2.0
INDEX_REST = 10.0  # at least so many times as long as writing it took
QUEUE_DOWN_SECONDS = 2.0
UNCLAIMED_NAMED = 1000  # in a snapshot, which is written every few seconds
HOPELESS_TRIES = 3  # passing faults that did not pass so far: `drain` does not wait for them

_log = structlog.get_logger()


class QueueLike(Protocol):
    """How the watcher reaches the workers."""

    def submit(self, requests: Sequence[Request], *, again: bool) -> None:
        """Ask for the reports of requests, in one task if that can be.

        Raises OSError when the output folder cannot be written to, TransientError when nothing can be sent.
        """

    def depth(self) -> int | None:
        """Tasks waiting or running; None when nobody can tell."""

    def has_troubles(self) -> bool:
        """May `trouble` have an answer for any key? Asked before many keys are."""

    def trouble(self, set_name: str, key: str) -> str | None:
        """Why the last attempt at `key` was given up; None when it was not."""

    def close(self, set_name: str, key: str) -> None:
        """The key is settled."""


class IndexWriter(Protocol):
    """Writes the index of the output folder."""

    def __call__(self, *, unclaimed: Sequence[str]) -> object:
        """Write it. Raises OSError."""


class Watcher:
    """One watched folder and one output folder.

    settled: sets that have what was wanted of them; `is_final` is False while a judge has still to complete the report.
    on_settled: called with (set name, what it settled as) when a set gets there, and again when its judge is done.
    """

    def __init__(
        self,
        files: InputFiles,
        planner: Planner,
        reconciler: Reconciler,
        queue: QueueLike,
        *,
        out: Path,
        write_index: IndexWriter,
        on_settled: Callable[[str, Settled], None] | None = None,
    ) -> None:
        self._files = files
        self._planner = planner
        self._reconciler = reconciler
        self._queue = queue
        self._out = out
        self._outputs = Outputs(out)
        self._write_index = write_index
        self._on_settled = on_settled
        self._refusals: dict[str, Refusal] = {}
        self._status_at = self._depth_at = self._index_at = self._queue_down_until = 0.0
        self._depth: int | None = None
        self._no_plans = self._no_index = ""  # why they could not be written last
        self._unplanned_tries = 0
        self._index_stale = self._refusals_stale = True
        self._refusals_at = self._sources_at = 0.0
        self._sources_stale = False
        self._sources_scan = 0
        self._checked_scan = 0
        self._last: list[str] = []
        self._others: list[str] = []
        self._unscored: tuple[str, ...] = ()
        self.is_leading = True  # another watcher does the asking and the writing while this is False
        self.settled: dict[str, Settled] = {}

    def step(self, now: float) -> None:
        """One round: files, plans, answers, asks, marks, index."""
        self._files.step(now)
        self._plan(now)
        if self._files.scans != self._checked_scan:
            began = time.thread_time()
            self._check_outputs()
            self._look_for_others()
            self._files.add_to_scan(time.thread_time() - began)
        if self._refusals_stale and now >= self._refusals_at and not self._planner.is_grouping:
            self._refusals_stale = not self._settle_refusals()
            if self._refusals_stale:
                self._refusals_at = now + QUEUE_DOWN_SECONDS
        if now >= self._status_at:
            self._status_at = now + STATUS_SECONDS
            self._poll(now)
        if self._sources_stale and now >= self._sources_at and not self._planner.is_grouping:
            self._look_for_sources(now)
        if self.is_leading:
            self._ask(now)
            if self._index_stale and now >= self._index_at:
                self._put_index(now)

    def finish(self, now: float) -> None:
        """Before the end: what waited for its turn to be written."""
        if self.is_leading:
            if self._files.scans:
                self._look_for_sources(now)
            self._put_index(now)

    def wait_seconds(self, now: float) -> float:
        """How long nothing is due, unless an event comes."""
        due = min(self._files.next_due(), self._planner.next_due(now))
        if self._reconciler.unsettled() or self._index_stale:
            due = min(due, self._status_at)
        return max(due - now, 0.005)

    @property
    def is_working(self) -> bool:
        """Is anything wanted that is not settled?"""
        return bool(self._reconciler.unsettled())

    def is_drained(self) -> bool:
        """Is everything settled, or failing for reasons that waiting has not mended? The index may still be stale."""
        unreadable = self._files.unreadable
        if self._files.is_busy or self._refusals_stale or self._planner.is_waiting(without=unreadable):
            return False
        if any(entry.tries < HOPELESS_TRIES for entry in unreadable.values()):
            return False
        if self._unplanned_tries >= HOPELESS_TRIES and not self._reconciler.asked():
            return True
        troubles = self._reconciler.troubles()
        return all(name in troubles and troubles[name][1] >= HOPELESS_TRIES for name in self._reconciler.unsettled())

    def workers_lost(self, now: float) -> None:
        """Workers or the broker died: what is outstanding may be lost."""
        self._reconciler.lose(now)

    def scan_soon(self) -> None:
        """Somebody outside changed something: look at both folders at the next step."""
        self._files.scan_soon()

    def _put_index(self, now: float) -> None:
        """Write the index of the output folder; a failure is tried again. Thousands of sets must not cost a core."""
        started = time.monotonic()
        try:
            self._write_index(unclaimed=(*self._planner.unclaimed, *self._unscored))
        except OSError as error:
            self._no_index = self._unwritable(error)
            _log.warning("index not written", reason=self._no_index)
        else:
            self._index_stale = False
            self._no_index = ""
        self._index_at = now + max(INDEX_SECONDS, (time.monotonic() - started) * INDEX_REST)

    def snapshot(self) -> Snapshot:
        """What is known now."""
        troubles = {name: reason for name, (reason, _) in self._reconciler.troubles().items()}
        troubles |= {shown(path): entry.reason for path, entry in self._files.unreadable.items()}
        unclaimed = (*self._planner.unclaimed, *self._unscored)
        return Snapshot(
            sets=self._reconciler.wanted() + len(self._refusals),
            settled=sum(entry.is_final for entry in self.settled.values()),
            asked=self._reconciler.asked(),
            judging=len(self._reconciler.judging()),
            problems=sum(entry.state is State.PROBLEM for entry in self.settled.values()),
            settling=self._files.settling_count,
            unclaimed=unclaimed[:UNCLAIMED_NAMED],
            unclaimed_more=max(len(unclaimed) - UNCLAIMED_NAMED, 0),
            troubles=troubles,
            queue_depth=self._depth,
            degraded=self._files.degraded,
            unwritable=self._no_plans or self._no_index,
            is_leading=self.is_leading,
            last=tuple(reversed(self._last)),
        )

    def _plan(self, now: float) -> None:
        """Sets by what the files are now: wanted anew, or no more."""
        if self._files.changed:
            self._refusals_stale = self._sources_stale = True
        self._planner.changed(self._files.changed)
        self._files.changed.clear()
        wanted, gone = self._planner.step(self._files, now)
        self._outputs.sources.lose(gone)  # also one that was removed before anybody saw it settle
        for name in gone:
            self._reconciler.drop(name)
            self.settled.pop(name, None)
            self._index_stale = self._sources_stale = True
        for request, fresh in wanted:
            self._reconciler.want(request.set_name, request.key, fresh=fresh)
            if self.is_leading:
                self._outputs.drop_damaged(request.set_name, request.key)
            self._check_status(request.set_name, request.key, now)

    def _poll(self, now: float) -> None:
        if not self.is_leading:
            for name, key in self._reconciler.pending():
                self._check_status(name, key, now)
            return
        has_troubles = self._queue.has_troubles()
        for name, key in self._reconciler.outstanding():
            if self._check_status(name, key, now):
                self._queue.close(name, key)
                continue
            if not has_troubles:
                continue
            trouble = self._queue.trouble(name, key)
            if trouble is not None and self._reconciler.fail(name, key, trouble, now):
                _log.warning("set has to wait", set=name, key=key, reason=trouble)

    def _check_status(self, name: str, key: str, now: float) -> bool:
        status = self._outputs.status(name)
        if status is None or status.key != key:
            return False
        if not status.is_final:
            if self._reconciler.judge(name, key, now):
                self._settle(name, status)
            return False
        if not self._reconciler.settle(name, key, now):
            return False
        self._settle(name, status)
        return True

    def _settle(self, name: str, status: StatusFile) -> None:
        entry = Settled(status.key, status.state, len(status.findings), status.errors, status.judge)
        self.settled[name] = entry
        self._last = [*self._last, name][-5:]
        self._index_stale = True
        self._outputs.sources.know([name])
        if self._on_settled is not None:
            self._on_settled(name, entry)

    def _check_outputs(self) -> None:
        """After a scan: outputs that somebody removed or changed are made again."""
        if not self._checked_scan:
            self._outputs.find()
            self._sources_stale = True
        outputs = self._outputs
        self._sources_stale = self._sources_stale or outputs.sources.is_waiting or not outputs.is_kept
        self._checked_scan = self._files.scans
        self._refusals_stale = True
        for name in tuple(self.settled):
            if not self._reconciler.is_reported(name):
                continue
            status = self._outputs.status(name)
            if status is None or status.key != self.settled[name].key:
                _log.warning("outputs are gone or changed", set=name, key=self.settled[name].key)
                del self.settled[name]
                self._reconciler.unsettle(name)

    def _look_for_others(self) -> None:
        """After a scan: files of kinds that are not read. They are listed, and nothing waits for them."""
        others = sorted(self._files.listing.others)
        if others != self._others:
            self._others, self._unscored = others, tuple(map(shown, others))
            self._index_stale = True

    def _ask(self, now: float) -> None:
        if not self._reconciler.unsettled():
            self._no_plans, self._unplanned_tries = "", 0
            return
        if now < self._queue_down_until:
            return
        if now >= self._depth_at:
            self._depth_at = now + DEPTH_SECONDS
            self._depth = self._queue.depth()
            if self._depth == 0:
                self._poll(now)  # what emptied the queue is done, not lost
        first: list[Request] = []
        again: list[Request] = []
        for ask in self._reconciler.asks(now, queue_empty=self._depth == 0):
            request = self._planner.request(ask.set_name, self._files)
            if request is None or request.key != ask.key:
                self._reconciler.withdraw(ask.set_name, now)  # it is changing; a new want is on its way
            else:
                (again if ask.again else first).append(request)
        unsent = [(bundled, False) for bundled in bundle(first, outstanding=self._reconciler.asked())]
        unsent += [((request,), True) for request in again]
        self._send(unsent, now)

    def _send(self, unsent: Sequence[tuple[Sequence[Request], bool]], now: float) -> None:
        """Submit (requests, again) in turn; at the first that fails, all that are left wait."""
        for index, (bundled, is_again) in enumerate(unsent):
            try:
                self._queue.submit(bundled, again=is_again)
            except (OSError, TransientError) as error:
                if isinstance(error, OSError):
                    self._unplanned_tries += 1
                    self._no_plans = reason = self._unwritable(error)
                    event = "reports not writable"
                else:
                    event, reason = "queue down", str(error)
                _log.warning(event, set=bundled[0].set_name, key=bundled[0].key, reason=reason)
                for request in itertools.chain.from_iterable(requests for requests, _ in unsent[index:]):
                    self._reconciler.withdraw(request.set_name, now)
                self._queue_down_until = now + QUEUE_DOWN_SECONDS
                return
            self._no_plans, self._unplanned_tries = "", 0
            self._depth = None  # what was counted before says nothing about it
            for request in bundled:
                _log.info("asked", set=request.set_name, key=request.key, inputs=len(request.inputs), again=is_again)

    def _unwritable(self, error: OSError) -> str:
        """Why, and the folder: the files in it that were tried have names that say nothing to people."""
        return f"{error.strerror or error}: {shown(str(self._out))}"

    def _settle_refusals(self) -> bool:
        """Publish what names alone decide; False when something could not be written."""
        is_done = True
        refusals = {entry.set_name: entry for entry in self._planner.refusals(self._files.listing.outside, self._files)}
        for name in self._refusals.keys() - refusals.keys():
            self.settled.pop(name, None)
            self._index_stale = True
        self._refusals = {name: entry for name, entry in refusals.items() if name not in self._planner.sets}
        for name, entry in self._refusals.items():
            if self.is_leading and not self._outputs.refuse(entry):
                is_done = False
                continue
            status = self._outputs.status(name)
            if status is None:
                is_done = False  # the leading watcher is about to
            elif name not in self.settled or self.settled[name].key != status.key:
                self._settle(name, status)
        return is_done

    def _look_for_sources(self, now: float) -> None:
        """Tell removed, renamed and doubled files, after a scan or when something settled; not in the midst of it."""
        self._sources_at = now + INDEX_SECONDS
        scanned = self._files.scans != self._sources_scan
        self._sources_scan = self._files.scans
        listing = self._files.listing
        is_believed = scanned and not listing.unreadable and not self._files.degraded
        sources = self._outputs.sources
        if not listing.files and sources.unmarked_absent() > 1:
            is_believed = False  # all gone at once is more likely a lost mount
        present = self._planner.present() | self._refusals.keys()
        came_at, contents = self._planner.came_at(self._files), self._planner.contents(self._files)
        changed = sources.look(present, contents, came_at, scanned=is_believed)
        if not self.is_leading:
            self._outputs.is_kept = self._outputs.is_kept and not changed  # written when the lead comes over
            self._sources_stale = False
            return
        if self._outputs.keep_sources(changed=changed):
            self._index_stale = True
        self._sources_stale = not self._outputs.is_kept
