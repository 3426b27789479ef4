"""Passes on what the watcher settles: to the metrics endpoint and to the webhook. Each exists only if it is set."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cli.service.saved_snapshot import is_disk_full
from config import Settings, split_address
from reporting import told_as
from reporting.store import StatusFile
from watcher import RETRY_SECONDS, Figures, FolderObserver, Gates, HealthPolicy, Waiting, Watcher
from workers import CeleryQueue
from workers.broker import MEMORY_URL, notification_claim

if TYPE_CHECKING:
    from cli.service.metrics import WatchMonitor
    from watcher import Notifier

FAREWELL_SECONDS = 5.0
STALLED_ASKS = 2  # repeats that may go unanswered beyond the time limit of a task


class Listeners:
    """Metrics and notifications. workers: name -> file in which a worker of the same `up` writes its address."""

    def __init__(self, settings: Settings, queue: CeleryQueue, *, broker_url: str, workers: Mapping[str, Path]) -> None:
        self._workers = workers
        self._out = settings.out.absolute()
        self._waiting = Waiting()
        self._moved_at = time.monotonic()
        self._timed: dict[str, str] = {}  # set -> key whose seconds from drop to report were counted
        self._incomplete: dict[str, str] = {}  # set -> key of a report that a judge has to complete
        self._notifier: Notifier | None = None
        self._monitor: WatchMonitor | None = None
        if settings.webhook_url is not None:
            from watcher import Notifier

            self._notifier = Notifier(
                settings.webhook_url.get_secret_value(),
                out=settings.out.absolute(),
                state=settings.state.absolute(),
                claim=notification_claim(broker_url),
                language=settings.language,
                events=settings.webhook_events,
                form=settings.webhook_format,
                public_url=settings.public_url or "",
            )
        if settings.metrics_address is not None:
            from cli.service.metrics import WatchMonitor

            stalled = settings.task_time_limit_seconds + STALLED_ASKS * RETRY_SECONDS
            self._monitor = WatchMonitor(
                HealthPolicy(rescan_seconds=settings.rescan_seconds, stalled_seconds=stalled),
                queue if broker_url != MEMORY_URL else None,
                address=split_address(settings.metrics_address),
                workers=workers,
                notifier=self._notifier,
            )

    def start(self) -> None:
        """Start to serve and to send. Raises SettingsError when the address cannot be bound."""
        if self._monitor is not None:
            self._monitor.start()
        if self._notifier is not None:
            self._notifier.start()

    def stop(self) -> None:
        """Send what can be sent within a few seconds, and stop."""
        if self._notifier is not None:
            self._notifier.stop(FAREWELL_SECONDS)
        if self._monitor is not None:
            self._monitor.stop()
            for file in self._workers.values():
                file.unlink(missing_ok=True)

    def settled(self, watcher: Watcher, name: str, status: StatusFile) -> None:
        """A set has settled, or was found settled; also a report that a judge has to complete."""
        self._moved_at = now = time.monotonic()
        if not status.is_final:
            self._incomplete[name] = status.key
        elif self._incomplete.pop(name, None) == status.key:
            return  # counted when it was reported
        if self._monitor is not None and watcher.reconciler.was_asked(name):
            is_timed = self._timed.get(name) == status.key
            self._timed[name] = status.key
            self._monitor.settled(status.state, None if is_timed else watcher.seconds_since_drop(name, now))

    def notify(self, name: str, status: StatusFile) -> None:
        """Queue a notification of a set, whose gate is known or cannot be."""
        if self._notifier is not None:
            self._notifier.settled(name, told_as(status.key, status.judge))

    def update(self, watcher: Watcher, gates: Gates, observer: FolderObserver, now: float) -> None:
        """Hand the present figures to the metrics endpoint. Called every few seconds."""
        if self._monitor is None:
            return
        # The time of a judge is not limited; its failures show as troubles.
        unsettled = set(watcher.reconciler.unsettled()) - set(watcher.reconciler.judging())
        self._waiting.update(unsettled, now)
        snapshot = watcher.snapshot()
        self._monitor.figures = Figures(
            at=now,
            scanned_at=watcher.files.scanned_at,
            moved_at=self._moved_at,
            oldest_waiting_seconds=self._waiting.oldest_seconds(now),
            oldest_untroubled_seconds=self._waiting.oldest_seconds(now, without=snapshot.troubles.keys()),
            is_observing=observer.is_alive,
            is_polling=observer.is_polling,
            polled_folders=observer.polled_folders,
            restarts=observer.restarts,
            scans=watcher.files.scans,
            snapshot=snapshot,
            gates=gates.counts(watcher.settled.keys()),
            is_disk_full=is_disk_full(self._out),
        )
