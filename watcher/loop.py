"""The watcher's loop: compares the watched folder with the output folder, and asks the workers for what is missing.

`step` does one round without waiting; the caller decides when to call it next. All state is in memory or in the two
folders, so the watcher may be killed at any time.
"""

import itertools
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import structlog

from reporting.store import KnownSets, State, StatusFile
from scoring import TransientError
from scoring.judging import JudgeState
from scoring.rubric import Rubric
from scoring.sets import NO_PATTERNS, Plan, Refusal, is_accepted, shown
from watcher.health import Snapshot
from watcher.inputs import InputFiles
from watcher.output_folder import Outputs
from watcher.plan import MOST_READY, Planner, bundle
from watcher.reconcile import Reconciler

STATUS_SECONDS = 0.3
DEPTH_SECONDS = 1.0
INDEX_SECONDS = 2.0
INDEX_REST = 10.0  # times as long as writing it took
QUEUE_DOWN_SECONDS = 2.0
UNCLAIMED_NAMED = 1000  # in a snapshot, which is written every few seconds
LAST_NAMED = 5
NO_FILE = "not a regular file"  # as `scoring.reading.regular_file` says it
SETS_NAMED = 10  # of those in work and in line
OTHER_CONTENT = {"changed", "vanished"}  # troubles of a worker that found something else than was planned
HOPELESS_TRIES = 3  # after so many, `drain` no longer waits for a transient fault to pass

_log = structlog.get_logger()


class TroubleLike(Protocol):
    """Why an attempt was given up; its text is for people."""

    @property
    def kind(self) -> str:
        """One of `workers.jobs.inputs.GiveUpError`."""


class QueueLike(Protocol):
    """How the watcher reaches the workers."""

    def submit(self, plans: Sequence[Plan], *, again: bool) -> None:
        """Ask for the reports of these plans, in one task if possible.

        Raises OSError when the output folder cannot be written to, TransientError when nothing can be sent.
        """

    def depth(self) -> tuple[int, ...] | None:
        """Numbers of tasks by where they are, the last one of comparisons that wait; None when the broker is down."""

    def has_troubles(self) -> bool:
        """Is there a trouble of any key? Checked before `trouble` is called for many keys."""

    def trouble(self, set_name: str, key: str) -> TroubleLike | None:
        """Why the last attempt at `key` was given up; None when it was not."""

    def close(self, set_name: str, key: str) -> None:
        """The key is settled."""


class Settled(NamedTuple):
    """A set whose report or problem is published.

    is_final: False while verdicts are still to come. is_bad: something was refused, left out, replaced or given up.
    """

    state: State
    is_final: bool
    is_bad: bool


_KINDS = {kind: kind for kind in itertools.starmap(Settled, itertools.product(State, (False, True), (False, True)))}


class Watcher:
    """One watched folder and one output folder, whose sets are `known`.

    settled: the sets whose report or problem is published, by name. retold: sets of whose runs something else is said
    now; the reader empties it.
    on_settled: called with (set name, its status), a second time when the judge is done. is_leading: False
    while another watcher holds the lease; this one then only reads.
    """

    def __init__(
        self,
        files: InputFiles,
        planner: Planner,
        reconciler: Reconciler,
        queue: QueueLike,
        *,
        known: KnownSets,
        write_index: Callable[..., object],
        on_settled: Callable[[str, StatusFile], None] | None = None,
    ) -> None:
        self.files = files
        self.planner = planner
        self.reconciler = reconciler
        self._queue = queue
        self._out = known.out
        self._outputs = Outputs(known)
        self._write_index = write_index
        self._on_settled = on_settled
        self._refusals: dict[str, Refusal] = {}
        self._refused: dict[str, str] = {}  # keys of those that have settled
        self._status_at = self._depth_at = self._index_at = self._queue_down_until = 0.0
        self._depth: tuple[int, ...] | None = None
        self._no_plans = self._no_index = ""  # why the last attempt to write them failed
        self._unplanned_tries = 0
        self._index_stale = self._refusals_stale = True
        self._refusals_at = self._sources_at = 0.0
        self._sources_stale = False
        self._sources_scan = 0
        self._checked_scan = 0
        self._last: deque[str] = deque(maxlen=LAST_NAMED)  # newest first
        self._waited_for: frozenset[str] = frozenset()  # files that the index names
        self._others: tuple[str, ...] = ()  # shown paths of kinds that are not read
        self.is_leading = True
        self.retold: set[str] = set()
        self.settled: dict[str, Settled] = {}

    def step(self, now: float) -> None:
        """One round: look at the files and the statuses, ask the workers, write the marks and the index."""
        self.files.step(now)
        self._plan(now)
        if self.files.scans != self._checked_scan and not self.is_starting:
            began = time.thread_time()
            self._check_outputs()
            self.planner.look_for_reviews()
            others = tuple(map(shown, sorted(self._passed_over())))
            self._index_stale = self._index_stale or others != self._others
            self._others = others
            self.files.add_to_scan(time.thread_time() - began)
        if self._refusals_stale and now >= self._refusals_at and not self.planner.must_group:
            self._refusals_stale = not self._settle_refusals()
            if self._refusals_stale:
                self._refusals_at = now + QUEUE_DOWN_SECONDS
        if now >= self._status_at:
            self._status_at = now + STATUS_SECONDS
            self._poll(now)
        if not self.is_starting and self._sources_stale and now >= self._sources_at and not self.planner.must_group:
            self._look_for_sources(now)
        if self.is_leading:
            self._keep_run_info()
            if self.files.scans and self.unread() != self._outputs.unread:
                self._index_stale = True
            if now >= self._index_at and self._waited_for != self.files.waiting(now).keys():
                self._index_stale = True
            self._ask(now)
            if not self.is_starting and self._index_stale and now >= self._index_at:
                self._put_index(now)

    def finish(self, now: float) -> None:
        """Write the marks and the index a last time. Call it before the process ends."""
        if self.is_leading and not self.is_starting:
            if self.files.scans:
                self._look_for_sources(now)
            self._put_index(now)

    def use(self, claiming: Callable[[str], Rubric | None], patterns: Mapping[str, str] = NO_PATTERNS) -> None:
        """Rubrics have changed: what they claim is scored by them."""
        self.planner.use(claiming, patterns)
        self._index_stale = self._refusals_stale = self._sources_stale = True

    def index_changed(self) -> None:
        """Something that the index shows was written by someone else."""
        self._index_stale = True

    def wait_seconds(self, now: float) -> float:
        """Seconds until the next `step` is due, if no event arrives before."""
        due = min(self.files.next_due(), self.planner.next_due(now))
        if self.reconciler.unsettled() or self._index_stale:
            due = min(due, self._status_at)
        if self.is_starting:
            due = now
        return max(due - now, 0.005)

    def is_drained(self) -> bool:
        """Is everything settled, or has it failed too often to wait for? The index may still be stale."""
        unreadable = self.files.unreadable
        if (
            self.files.is_busy
            or self.is_starting
            or self._refusals_stale
            or self.planner.is_waiting(without=unreadable)
        ):
            return False
        if any(entry.tries < HOPELESS_TRIES for entry in unreadable.values()):
            return False
        if self._unplanned_tries >= HOPELESS_TRIES and not self.reconciler.asked():
            return True
        troubles = self.reconciler.troubles()
        return all(name in troubles and troubles[name][1] >= HOPELESS_TRIES for name in self.reconciler.unsettled())

    @property
    def is_starting(self) -> bool:
        """Are the reports of before still being listed? Meanwhile only what is dropped is asked for."""
        return self.files.scans > 0 and not self._outputs.is_found

    def unread(self) -> dict[str, str]:
        """Shown path -> why a file cannot be read, a folder not be listed, or what has an input's name is no file."""
        no_files = dict.fromkeys(filter(self.planner.is_claimed, self.files.listing.special), NO_FILE)
        return {shown(path): reason for path, reason in sorted((no_files | self.files.unread()).items())}

    def _passed_over(self) -> list[str]:
        """What is not read for its name or kind; of what has an input's name, what no rubric claims."""
        listing = self.files.listing
        links = (path for path in listing.outside if is_accepted(path.rpartition("/")[2]))
        return [*listing.others, *(path for path in (*listing.special, *links) if not self.planner.is_claimed(path))]

    @property
    def _not_scored(self) -> tuple[str, ...]:
        """Shown paths of what is passed over."""
        return (*self.planner.unclaimed, *self.planner.idle_run_files, *self._others)

    def _keep_run_info(self) -> None:
        """Write beside the reports what files say of their runs."""
        names, self.planner.retold = self.planner.retold, set()
        for name in names:
            if self._outputs.keep_run_info(name, self.planner.run_files(name), self.planner.language):
                self.retold.add(name)
                self._index_stale = True

    def _put_index(self, now: float) -> None:
        """Write the index of the output folder. It is retried after a failure, and rests in proportion to its cost."""
        started = time.monotonic()
        try:
            if self.files.scans:
                self._outputs.keep_unread(self.unread())
            waiting = self.files.waiting(now)
            since = {path: round(time.time() - seconds) for path, seconds in waiting.items()}
            self._write_index(unclaimed=self._not_scored, waiting=since)
        except OSError as error:
            self._no_index = self._unwritable(error)
            _log.warning("index not written", reason=self._no_index)
        else:
            self._index_stale = False
            self._waited_for = frozenset(waiting)
            self._no_index = ""
        self._index_at = now + max(INDEX_SECONDS, (time.monotonic() - started) * INDEX_REST)

    def seconds_since_drop(self, name: str, now: float) -> float | None:
        """Seconds since the files of a set last changed; None when that was before the start."""
        group = self.planner.sets.get(name)
        moved_at = self.files.moved_at
        if group is None or self.files.fresh.isdisjoint(group.inputs):
            return None
        moved = [moved_at[path] for path in group.inputs if path in moved_at]
        return now - max(moved) if moved else None

    def snapshot(self) -> Snapshot:
        """The present figures, for people and monitors."""
        unread = self.unread()
        troubles = {name: reason for name, (reason, _) in self.reconciler.troubles().items()} | unread
        unclaimed = self._not_scored
        return Snapshot(
            sets=self.reconciler.wanted() + len(self._refusals),
            settled=sum(entry.is_final for entry in self.settled.values()),
            asked=self.reconciler.asked(),
            judging=len(self.reconciler.judging()),
            problems=sum(entry.state is State.PROBLEM for entry in self.settled.values()),
            settling=self.files.settling_count,
            unclaimed=unclaimed[:UNCLAIMED_NAMED],
            unclaimed_more=max(len(unclaimed) - UNCLAIMED_NAMED, 0),
            troubles=troubles,
            unread=unread,
            queue_depth=None if self._depth is None else sum(self._depth),
            degraded=self.files.degraded,
            unwritable=self._no_plans or self._no_index,
            is_leading=self.is_leading,
            last=tuple(self._last),
            in_work=self.reconciler.first_asked(SETS_NAMED),
            in_line=self.reconciler.first_in_line(SETS_NAMED),
        )

    def _plan(self, now: float) -> None:
        """Want the sets whose files have changed, drop those that are gone."""
        if self.is_starting:
            self._outputs.find()
        if self.files.changed:
            self._refusals_stale = self._sources_stale = True
        self.planner.changed(self.files.changed)
        self.files.changed.clear()
        wanted, gone = self.planner.step(now, most=0 if self.is_starting else MOST_READY)
        self._outputs.sources.lose(gone)
        for name in gone:
            self.reconciler.drop(name)
            self.settled.pop(name, None)
            self._index_stale = self._sources_stale = True
        for plan, fresh in wanted:
            self.reconciler.want(plan.set_name, sys.intern(plan.key), fresh=fresh)
            if self.is_leading:
                self._outputs.drop_damaged(plan.set_name, plan.key)
            self._check_status(plan.set_name, plan.key, now)

    def _poll(self, now: float) -> None:
        if not self.is_leading:
            for name, key in self.reconciler.pending():
                self._check_status(name, key, now)
            return
        has_troubles = self._queue.has_troubles()
        for name, key in self.reconciler.outstanding():
            if self._check_status(name, key, now):
                self._queue.close(name, key)
                continue
            trouble = self._queue.trouble(name, key) if has_troubles else None
            if trouble is not None and self.reconciler.fail(name, key, str(trouble), now):
                _log.warning("set has to wait", set=name, key=key, reason=str(trouble))
                if trouble.kind in OTHER_CONTENT:
                    for path in self.planner.inputs(name):
                        self.files.doubt(path, now)

    def _check_status(self, name: str, key: str, now: float) -> bool:
        status = self._outputs.status(name) if self._outputs.key(name) == key else None
        if status is None or status.key != key:
            return False
        if not status.is_final:
            if self.reconciler.judge(name, key, now):
                self._settle(name, status)
            return False
        if not self.reconciler.settle(name, key, now):
            return False
        self._settle(name, status)
        return True

    def _settle(self, name: str, status: StatusFile) -> None:
        is_bad = status.state is State.PROBLEM or status.errors > 0 or status.judge is JudgeState.INCOMPLETE
        self.settled[name] = _KINDS[Settled(status.state, status.is_final, is_bad)]  # one object for nearly all
        self._last.appendleft(name)
        self._index_stale = True
        self._outputs.sources.know([name])
        self.planner.reported(name)
        self.planner.retold.add(name)
        if self._on_settled is not None:
            self._on_settled(name, status)

    def _check_outputs(self) -> None:
        """After a scan: unsettle the sets whose outputs were removed or changed."""
        outputs = self._outputs
        is_first = not self._checked_scan
        self._sources_stale = self._sources_stale or is_first or outputs.sources.is_waiting or not outputs.is_kept
        self._checked_scan = self.files.scans
        self._refusals_stale = True
        for name in tuple(self.settled):
            key = self.reconciler.key(name)
            if self.reconciler.is_reported(name) and self._outputs.key(name) != key:
                _log.warning("outputs are gone or changed", set=name, key=key)
                del self.settled[name]
                self.reconciler.unsettle(name)

    def _ask(self, now: float) -> None:
        if not self.reconciler.unsettled():
            self._no_plans, self._unplanned_tries = "", 0
            return
        if now < self._queue_down_until:
            return
        if now >= self._depth_at:
            self._depth_at = now + DEPTH_SECONDS
            self._depth = self._queue.depth()
            if self._is_queue_empty:
                self._poll(now)  # an empty queue may mean done, not lost
        first: list[Plan] = []
        again: list[Plan] = []
        for ask in self.reconciler.asks(now, queue_empty=self._is_queue_empty):
            plan = self.planner.plan(ask.set_name)
            if plan is None or plan.key != ask.key:
                self.reconciler.withdraw(ask.set_name, now)  # its files are changing; it will be wanted again
            else:
                (again if ask.again else first).append(plan)
        unsent = [(bundled, False) for bundled in bundle(first, outstanding=self.reconciler.asked())]
        unsent += [((plan,), True) for plan in again]
        self._send(unsent, now)

    @property
    def _is_queue_empty(self) -> bool:
        """Is there no task of a set, as far as it was counted? Comparisons that wait behind them are none."""
        return self._depth is not None and not any(self._depth[:-1])

    def _send(self, unsent: Sequence[tuple[Sequence[Plan], bool]], now: float) -> None:
        """Submit (plans, again) in turn; at the first failure all that are left wait."""
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
                for plan in itertools.chain.from_iterable(plans for plans, _ in unsent[index:]):
                    self.reconciler.withdraw(plan.set_name, now)
                self._queue_down_until = now + QUEUE_DOWN_SECONDS
                return
            self._no_plans, self._unplanned_tries = "", 0
            self._depth = None  # counted before these were sent
            for plan in bundled:
                _log.info("asked", set=plan.set_name, key=plan.key, inputs=len(plan.inputs), again=is_again)

    def _unwritable(self, error: OSError) -> str:
        """Reason and output folder, in place of the temporary file that `error` names."""
        return f"{error.strerror or error}: {shown(str(self._out))}"

    def _settle_refusals(self) -> bool:
        """Publish the refusals. False when one is not published yet."""
        is_done = True
        refusals = {entry.id.name: entry for entry in self.planner.refusals()}
        for name in self._refusals.keys() - refusals.keys():
            self.settled.pop(name, None)
            self._refused.pop(name, None)
            self._index_stale = True
        self._refusals = {name: entry for name, entry in refusals.items() if name not in self.planner.sets}
        for name, entry in self._refusals.items():
            if self.is_leading and not self._outputs.refuse(entry, self.planner.language):
                is_done = False
                continue
            status = self._outputs.status(name)
            if status is None:
                is_done = False  # the leading watcher will publish it
            elif name not in self.settled or self._refused.get(name) != status.key:
                self._refused[name] = status.key
                self._settle(name, status)
        return is_done

    def _look_for_sources(self, now: float) -> None:
        """Mark reports whose inputs were removed, renamed or duplicated; after a scan or when sets have settled."""
        started = time.monotonic()
        scanned = self.files.scans != self._sources_scan
        self._sources_scan = self.files.scans
        listing = self.files.listing
        is_believed = scanned and not listing.unreadable and not self.files.degraded
        sources = self._outputs.sources
        if not self.files.found and sources.unmarked_absent() > 1:
            is_believed = False  # everything gone at once: more likely a lost mount
        present = self.planner.present() | self._refusals.keys()
        came_at, contents = self.planner.came_at(), self.planner.contents()
        changed = sources.look(present, contents, came_at, scanned=is_believed)
        if self._outputs.keep_sources(changed=changed, may_write=self.is_leading):
            self._index_stale = True
        self._sources_stale = self.is_leading and not self._outputs.is_kept
        self._sources_at = now + max(INDEX_SECONDS, (time.monotonic() - started) * INDEX_REST)
