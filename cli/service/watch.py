"""Where the watcher is put together from its parts and given the queue."""

from __future__ import annotations

import contextlib
import os
import platform
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

import structlog

from cli.localised.language import spoken
from cli.service.listeners import Listeners, Parts
from cli.service.saved_snapshot import SNAPSHOT_NAME, SNAPSHOT_SECONDS, save_snapshot, take_nudge
from cli.service.signals import HurriedError
from config.errors import SettingsError
from config.rubrics_in_force import claiming, load_rubrics
from config.settings import Settings
from reporting.index.write import write_index
from reporting.wording.display import system_reason
from scoring.items.part import ENGINE_VERSION
from scoring.rubric.model import Rubric
from watcher.content_hashes import CACHE_NAME, Hashes
from watcher.events import FolderObserver
from watcher.folder import InputFolder
from watcher.inputs import InputFiles
from watcher.loop import Watcher
from watcher.plan import Planner, Request
from watcher.reconcile import AskPolicy, Reconciler
from watcher.settle import SettlePolicy
from watcher.snapshot import Settled
from workers.broker.lease import watcher_lease
from workers.jobs.cleanup import Collector
from workers.jobs.inputs import escape_path
from workers.jobs.work_area import Plan, PlannedInput, WorkArea
from workers.processes.state_folder import sweep_temporary
from workers.queue import CeleryQueue

LONGEST_WAIT_SECONDS = 0.5
IDLE_SNAPSHOT_SECONDS = 10.0

_log = structlog.get_logger()


class WiredQueue:
    """The workers' queue as the watcher wants it."""

    def __init__(self, queue: CeleryQueue) -> None:
        self._queue = queue

    def submit(self, requests: Sequence[Request], *, again: bool) -> None:
        """Ask for the reports of requests."""
        self._queue.submit([(plan_of(request), request.rubric) for request in requests], again=again)

    def depth(self) -> int | None:
        """Tasks waiting or running, those for a judge among them."""
        depth = self._queue.depth()
        return None if depth is None else sum(depth)

    def has_troubles(self) -> bool:
        """Was any attempt given up?"""
        return self._queue.has_troubles()

    def trouble(self, set_name: str, key: str) -> str | None:
        """Why the last attempt was given up."""
        trouble = self._queue.trouble(set_name, key)
        return None if trouble is None else f"{trouble.kind}: {trouble.detail}"

    def close(self, set_name: str, key: str) -> None:
        """The key is settled."""
        self._queue.close(set_name, key)


class Watch:
    """A watcher with its observer and hash cache; start, step and stop it from one thread.

    broker_url: of the queue. holder: by what name it holds the lease; one that no other watcher goes by now, and that
    the next one here may go by when this one was killed. workers: name -> where a worker of the same `up` says
    on which address it serves.
    """

    def __init__(
        self,
        settings: Settings,
        queue: CeleryQueue,
        *,
        broker_url: str,
        holder: str,
        workers: Mapping[str, Path] = MappingProxyType({}),
        on_settled: Callable[[str, Settled], None] | None = None,
    ) -> None:
        self.wake = threading.Event()
        self._state = settings.state.absolute()
        self._is_native = settings.observer == "native"
        self._look_up_at = self._snapshot_at = 0.0
        self._folder = InputFolder(settings.watch, out=settings.out, ignore=settings.ignore)
        self.observer = FolderObserver(self._folder.root, mode=settings.observer, wake=self.wake)
        self._hashes = Hashes(self._state / CACHE_NAME, str(self._folder.root))
        asking = AskPolicy(
            window=settings.ask_window,
            stalled_seconds=settings.retry_seconds,
            judging_seconds=settings.visibility_timeout_seconds,
        )
        files = InputFiles(
            self._folder,
            self.observer,
            self._hashes,
            settle_policy(settings),
            rescan_seconds=settings.rescan_seconds,
            backoff=asking.backoff,
        )
        planner = Planner(
            rubric_finder(settings),
            language=settings.language,
            set_quiet_seconds=settings.set_quiet_seconds,
            judge=settings.judge,
        )
        reconciler = Reconciler(asking)
        self._lease = watcher_lease(broker_url, holder=holder, retry_seconds=settings.retry_seconds)
        self._collector = Collector(WorkArea(settings.out))
        self._on_settled = on_settled
        self._listeners = Listeners(
            settings, queue, Parts(files, planner, reconciler, self.observer), broker_url=broker_url, workers=workers
        )
        self.watcher = Watcher(
            files,
            planner,
            reconciler,
            WiredQueue(queue),
            out=settings.out.absolute(),
            write_index=lambda *, unclaimed: write_index(
                settings.out.absolute(), unclaimed=unclaimed, language=settings.language
            ),
            on_settled=self._settle,
        )

    def step(self, now: float) -> None:
        """One round; `now` is monotonic."""
        self.watcher.is_leading = self._lease.hold(now)
        self.watcher.step(now)
        if self.watcher.is_leading:
            self._collector.step(now)
        if now >= self._look_up_at:
            self._look_up_at = now + SNAPSHOT_SECONDS
            if take_nudge(self._state):
                self.watcher.scan_soon()
            self._listeners.look(self.watcher, now)
            if self.watcher.is_working or now >= self._snapshot_at:
                self._snapshot_at = now + IDLE_SNAPSHOT_SECONDS
                self._save()

    def _save(self) -> None:
        """What a kill must not cost, and what `status` shows."""
        if not self.watcher.is_working:
            self._hashes.save()
        observer = "polling" if self.observer.is_polling else "native"
        try:
            save_snapshot(self._state, self.watcher.snapshot(), observer=observer, reason=self.observer.reason)
        except OSError as error:
            _log.debug("snapshot not saved", reason=error.strerror or str(error))
        except Exception:  # noqa: BLE001 -- what only `status` shows must not end the watching
            _log.exception("snapshot not saved")

    def wait(self, now: float) -> None:
        """Wait until something is due or an event comes; never long, signals are looked at in between."""
        self.wake.wait(min(self.watcher.wait_seconds(now), LONGEST_WAIT_SECONDS))
        self.wake.clear()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None and issubclass(kind, HurriedError):
            self.abandon()
        else:
            self.stop()

    def abandon(self) -> None:
        """End at once; threads end with the process."""
        (self._state / SNAPSHOT_NAME).unlink(missing_ok=True)

    def start(self) -> None:
        """Make the watched folder if it is missing and begin to observe it.

        Raises SettingsError where it cannot be made or observed, and nothing is left running.
        """
        try:
            self._folder.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError((spoken()("service.watch-unusable", reason=system_reason(error)),)) from error
        sweep_temporary(self._state)
        self._hashes.load()
        try:
            self.observer.start()
        except OSError as error:
            fault = "service.no-events" if self._is_native else "service.watch-unusable"
            raise SettingsError((spoken()(fault, reason=system_reason(error)),)) from error
        try:
            self._listeners.start()
        except BaseException:
            self.observer.stop()
            raise

    def stop(self) -> None:
        """End the observer, write what waited for its turn, and keep what was hashed."""
        self.observer.stop()
        with contextlib.suppress(OSError):
            self.watcher.finish(time.monotonic())
        self._lease.release()
        self._listeners.stop()
        self._hashes.save()
        (self._state / SNAPSHOT_NAME).unlink(missing_ok=True)

    def _settle(self, name: str, entry: Settled) -> None:
        self._listeners.settled(name, entry)
        if self._on_settled is not None:
            self._on_settled(name, entry)


def own_name(settings: Settings, *, alone: bool) -> str:
    """Name of a watcher in its broker. alone: nothing keeps a second one from starting in the same state folder."""
    name = f"{platform.node()}:{settings.state.absolute()}"
    return f"{name}:{os.getpid()}" if alone else name


def settle_policy(settings: Settings) -> SettlePolicy:
    """How long files have to stand still."""
    return SettlePolicy(
        settle_seconds=settings.settle_seconds,
        closed_seconds=settings.closed_settle_seconds,
        open_seconds=settings.open_settle_seconds,
        polling_seconds=settings.polling_settle_seconds,
        empty_seconds=settings.empty_file_seconds,
        polling=settings.observer == "polling",
    )


def rubric_finder(settings: Settings) -> Callable[[str], Rubric | None]:
    """Shown base name -> the rubric that claims it."""
    rubrics = load_rubrics(settings.rubrics)
    return lru_cache(maxsize=65_536)(lambda name: claiming(name, rubrics))


def plan_of(request: Request) -> Plan:
    """A request as the work area keeps it."""
    return Plan(
        set_name=request.set_name,
        key=request.key,
        rubric_digest=request.rubric.digest,
        engine_version=ENGINE_VERSION,
        language=request.language,
        inputs=tuple(
            PlannedInput(escape_path(entry.path), entry.name, entry.sha256, entry.size, entry.mtime_ns)
            for entry in request.inputs
        ),
        judge=request.judge,
    )
