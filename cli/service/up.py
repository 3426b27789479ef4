"""Broker, worker and watcher of one `up`: started, watched over and ended together."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import structlog

from cli.localised.language import spoken
from cli.service import processes, stuck_worker
from cli.service.live_screen import Screen
from cli.service.processes import Processes, worker_environment
from cli.service.signals import HurriedError, Stop
from cli.service.watch import Watch, own_name
from config.errors import SettingsError
from config.settings import Settings
from reporting.wording.display import system_reason
from scoring.judging.verdicts import JudgeState
from watcher.snapshot import Settled
from workers.broker.in_process import InProcessWorker
from workers.jobs.work_area import WorkArea
from workers.processes.state_folder import StateFolder, address_file
from workers.queue import CeleryQueue, make_app

CHECK_SECONDS = 0.2

_log = structlog.get_logger()


class Service:
    """Broker, worker and watcher of one `up`; a context manager that leaves nothing behind.

    log: where the worker's log goes; None shares our standard error.
    """

    def __init__(self, settings: Settings, folder: StateFolder, *, log: BinaryIO | None) -> None:
        self.settings = settings
        self._folder = folder
        self._area = WorkArea(settings.out)
        self.processes = Processes(settings, folder, worker_log=log)
        self._in_process: InProcessWorker | None = None
        self._queue: CeleryQueue | None = None
        self.watch: Watch | None = None
        self._consumption = stuck_worker.Consumption(limit_seconds=settings.task_time_limit_seconds)
        self._consuming_at = 0.0

    def __enter__(self) -> Self:
        try:
            self._area.prepare()
        except OSError as error:
            raise SettingsError((spoken()("service.not-writable", reason=system_reason(error)),)) from error
        try:
            self.processes.start_broker()
            is_durable, url = self.processes.is_durable, self.processes.broker_url
            os.environ.update(worker_environment(self.settings, url, has_judge_key=not is_durable))
            if is_durable:
                self._queue = CeleryQueue(make_app(self.settings, self.processes.broker_url), self._area)
                if self.settings.broker_url is None:
                    self._queue.restore_held()  # the broker is ours, and no worker runs yet
                self.processes.start_workers()
            else:
                from workers.app import app

                self._in_process = InProcessWorker(app, is_judge=self.settings.judge is not None)
                self._in_process.start()
                self._queue = CeleryQueue(app, self._area)
            self.watch = Watch(
                self.settings,
                self._queue,
                broker_url=self.processes.broker_url,
                holder=own_name(self.settings, alone=False),
                workers=self._addresses(),
                on_settled=log_settled,
            )
            self.watch.start()
        except HurriedError:
            raise  # `abandon` is next
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None or not issubclass(kind, HurriedError):
            self._stop()

    def _addresses(self) -> dict[str, Path]:
        """Where the workers say on which address they serve."""
        if not self.processes.is_durable:
            return {}
        return {name: address_file(self.settings.state, name) for name in self.processes.worker_names}

    def abandon(self) -> None:
        """End at once, whatever runs. What it was doing is done again by the next start."""
        self.processes.kill()
        if self.watch is not None:
            self.watch.abandon()

    def run(self, stop: Stop, *, until_drained: bool, deadline: float, screen: Screen | None) -> bool:
        """Loop until stopped, drained or past the deadline (monotonic). True when everything was settled."""
        assert self.watch is not None
        watcher = self.watch.watcher
        check_at = 0.0
        while not stop.requested and time.monotonic() < deadline:
            now = time.monotonic()
            if now >= check_at:
                check_at = now + CHECK_SECONDS
                self._keep_folder()
                if self.processes.is_durable and self.processes.check():
                    watcher.workers_lost(now)
                self._check_consuming(now)
            self.watch.step(now)
            if screen is not None:
                screen.show(watcher.snapshot)
            if until_drained and watcher.is_drained():
                return True
            self.watch.wait(now)
        return watcher.is_drained()

    def _keep_folder(self) -> None:
        """A wiped state folder stays ours. Raises StateHeldError when another `up` has taken it since: one must end."""
        try:
            if self._folder.take_again():
                _log.warning("state folder was wiped: taken again", folder=str(self._folder.path))
        except OSError as error:
            _log.warning("state folder cannot be made again", reason=str(error))

    def _check_consuming(self, now: float) -> None:
        """Start a worker again that takes nothing."""
        if now < self._consuming_at or not self.processes.is_durable or self._queue is None or self.watch is None:
            return
        self._consuming_at = now + stuck_worker.STUCK_SECONDS / 6
        depth = self._queue.depth()
        if depth is not None and self._consumption.is_stuck(depth, len(self.watch.watcher.settled), now):
            _log.error("worker takes nothing: restarting it", waiting=depth.waiting, running=depth.running)
            self.processes.restart_worker()
            self.watch.watcher.workers_lost(now)

    def _stop(self) -> None:
        if self.watch is not None:
            self.watch.stop()
        if self._in_process is not None:
            self._in_process.stop(processes.FINISH_SECONDS)
        self.processes.stop(finish_seconds=0.0 if self._is_idle() else processes.FINISH_SECONDS)

    def _is_idle(self) -> bool:
        """Does no worker hold a task? Then there is nothing to wait for, and Celery's own way down takes seconds."""
        depth = self._queue.depth() if self._queue is not None else None
        return depth is not None and not any(depth)


def log_settled(name: str, settled: Settled) -> None:
    """One line for a set that has what was wanted of it, and one before for a report that a judge has to complete."""
    event = "settled" if settled.is_final else "reported"
    judge = {} if settled.judge is JudgeState.NONE else {"judge": str(settled.judge)}
    _log.info(
        event,
        set=name,
        key=settled.key,
        state=str(settled.state),
        findings=settled.findings,
        errors=settled.errors,
        **judge,
    )
