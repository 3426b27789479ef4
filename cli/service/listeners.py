"""Who hears of what the watcher does: the metrics, and the web address. Neither can hold the watcher up."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from config.addresses import split_address
from config.settings import Settings
from reporting.notification import told_as
from watcher.events import FolderObserver
from watcher.health import Figures, HealthPolicy, Waiting
from watcher.inputs import InputFiles
from watcher.loop import Watcher
from watcher.plan import Planner
from watcher.reconcile import Reconciler
from watcher.snapshot import Settled
from workers.broker.claims import claimer
from workers.broker.embedded import MEMORY_URL
from workers.queue import CeleryQueue

if TYPE_CHECKING:
    from cli.service.metrics import WatchMonitor
    from watcher.notify.webhook import Notifier

FAREWELL_SECONDS = 5.0
STALLED_ASKS = 2  # repeats that may go unanswered beyond the time limit of a task


class Parts(NamedTuple):
    """What the watcher is put together from."""

    files: InputFiles
    planner: Planner
    reconciler: Reconciler
    observer: FolderObserver


class Listeners:
    """Made with the watcher, fed by its loop.

    workers: name -> file in which a worker of the same `up` says where it serves.
    """

    def __init__(
        self, settings: Settings, queue: CeleryQueue, parts: Parts, *, broker_url: str, workers: Mapping[str, Path]
    ) -> None:
        self._parts = parts
        self._workers = workers
        self._waiting = Waiting()
        self._moved_at = time.monotonic()
        self._counted: dict[str, str] = {}
        self._incomplete: dict[str, str] = {}  # key of reports whose judge is at work
        self._notifier = _notifier(settings, broker_url)
        self._monitor = _monitor(settings, queue if broker_url != MEMORY_URL else None, workers, self._notifier)

    def start(self) -> None:
        """Serve and send. Raises SettingsError when the address to serve on cannot be had."""
        if self._monitor is not None:
            self._monitor.start()
        if self._notifier is not None:
            self._notifier.start()

    def stop(self) -> None:
        """Send what can be sent now, and end."""
        if self._notifier is not None:
            self._notifier.stop(FAREWELL_SECONDS)
        if self._monitor is not None:
            self._monitor.stop()
            for file in self._workers.values():
                file.unlink(missing_ok=True)

    def settled(self, name: str, entry: Settled) -> None:
        """A set has what was wanted of it, just now or since before the start."""
        self._moved_at = now = time.monotonic()
        if self._notifier is not None:
            self._notifier.settled(name, told_as(entry.key, entry.judge))
        if not entry.is_final:
            self._incomplete[name] = entry.key
        elif self._incomplete.pop(name, None) == entry.key:
            return  # it was counted when it came
        if self._monitor is not None and self._parts.reconciler.was_asked(name):
            self._monitor.settled(entry.state, self._since_drop(name, entry.key, now))

    def look(self, watcher: Watcher, now: float) -> None:
        """A look at what the watcher knows, every few seconds."""
        if self._monitor is None:
            return
        # A judge takes as long as it takes; its failures are troubles.
        unsettled = set(self._parts.reconciler.unsettled()) - set(self._parts.reconciler.judging())
        self._waiting.update(unsettled, now)
        snapshot = watcher.snapshot()
        observer = self._parts.observer
        self._monitor.look(
            Figures(
                at=now,
                scanned_at=self._parts.files.scanned_at,
                moved_at=self._moved_at,
                oldest_waiting_seconds=self._waiting.oldest_seconds(now),
                oldest_untroubled_seconds=self._waiting.oldest_seconds(now, without=snapshot.troubles.keys()),
                is_observing=observer.is_alive,
                is_polling=observer.is_polling,
                restarts=observer.restarts,
                scans=self._parts.files.scans,
                snapshot=snapshot,
            )
        )

    def _since_drop(self, name: str, key: str, now: float) -> float | None:
        """Seconds since the set's files last changed; None when that was before the start, or was told already."""
        plan = self._parts.planner.sets.get(name)
        files = self._parts.files
        if plan is None or self._counted.get(name) == key:
            return None
        self._counted[name] = key
        if not any(path in files.content and files.content[path].fresh for path in plan.inputs):
            return None
        moved = [files.moved_at[path] for path in plan.inputs if path in files.moved_at]
        return now - max(moved) if moved else None


def _notifier(settings: Settings, broker_url: str) -> Notifier | None:
    if settings.webhook_url is None:
        return None
    from watcher.notify.webhook import Notifier

    return Notifier(
        settings.webhook_url.get_secret_value(),
        out=settings.out.absolute(),
        state=settings.state.absolute(),
        claim=claimer(broker_url),
        language=settings.language,
    )


def _monitor(
    settings: Settings, queue: CeleryQueue | None, workers: Mapping[str, Path], notifier: Notifier | None
) -> WatchMonitor | None:
    if settings.metrics_address is None:
        return None
    from cli.service.metrics import WatchMonitor

    stalled = settings.task_time_limit_seconds + STALLED_ASKS * settings.retry_seconds
    return WatchMonitor(
        HealthPolicy(rescan_seconds=settings.rescan_seconds, stalled_seconds=stalled),
        queue,
        address=split_address(settings.metrics_address),
        workers=workers,
        notifier=notifier,
    )
