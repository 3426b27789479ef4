"""The service of `scorewatch up`: starts the broker, the workers and the watcher, supervises them, and stops them."""

import os
import time
from types import TracebackType
from typing import BinaryIO, Self

import structlog

from cli.localised import spoken
from cli.service import processes, worker_process
from cli.service.documents import Documents
from cli.service.live_screen import Screen
from cli.service.processes import Processes, worker_environment
from cli.service.stopping import HangGuard, HurriedError, Stop
from cli.service.watch import Tell, Watch, holder_name
from config import Settings, SettingsError
from workers import make_app
from workers.broker import InProcessWorker
from workers.processes import StateFolder

CHECK_SECONDS = 0.2
MOST_ENDS = 5  # of workers in a drain, without a settled set in between

_log = structlog.get_logger()


class Service:
    """Broker, workers and watcher of one `up`; a context manager that leaves no process and no file of its own.

    log: where the workers' log goes; None shares our standard error. log_place: how a person finds it. tell: is given
    each set that settles.
    """

    def __init__(
        self, settings: Settings, folder: StateFolder, *, log: BinaryIO | None, log_place: str, tell: Tell
    ) -> None:
        self.settings = settings
        self._log_place = log_place
        self._tell = tell
        self._environment = dict(os.environ)
        self._folder = folder
        self._documents = Documents(settings)
        self.processes = Processes(settings, folder, worker_log=log)
        self._in_process: InProcessWorker | None = None
        self.watch: Watch | None = None
        self._consumption = worker_process.Consumption(limit_seconds=settings.task_time_limit_seconds)
        self._consumption_at = 0.0
        self._settled = self._ended_before = 0

    def __enter__(self) -> Self:
        try:
            self.processes.start_broker()
            is_durable, url = self.processes.is_durable, self.processes.broker_url
            os.environ.update(worker_environment(self.settings, url, has_judge_key=not is_durable))
            holder = holder_name(self.settings, alone=False)
            if is_durable:
                app = make_app(self.settings, url)
                self.watch = Watch(
                    self.settings,
                    app,
                    holder=holder,
                    workers=self.processes.address_files,
                    documents=self._documents,
                    tell=self._tell,
                )
                if self.settings.broker_url is None:
                    self.watch.queue.restore_held()  # the broker is ours, and no worker runs yet
                self.processes.start_workers()
            else:
                from workers.app import app

                self.watch = Watch(self.settings, app, holder=holder, documents=self._documents, tell=self._tell)
                self._in_process = InProcessWorker(app, is_judge=self.settings.judge is not None)
                self._in_process.start()
            self.watch.start()
        except HurriedError:
            raise  # the caller calls `abandon`
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None or not issubclass(kind, HurriedError):
            self._stop()

    def abandon(self) -> None:
        """Kill the workers and stop at once. The next start repeats what was interrupted."""
        self.processes.kill()
        if self.watch is not None:
            self.watch.abandon()

    def run(self, stop: Stop, *, until_drained: bool, deadline: float, screen: Screen | None) -> bool:
        """Loop until stopped, drained or past the deadline (monotonic). True when everything is settled.

        Raises SettingsError when the workers of a drain end as soon as they are started.
        """
        assert self.watch is not None
        watcher = self.watch.watcher
        check_at = 0.0
        with HangGuard(self._environment, restarts=not until_drained) as guard:
            while not stop.requested and time.monotonic() < deadline:
                guard.step()
                now = time.monotonic()
                if now >= check_at:
                    check_at = now + CHECK_SECONDS
                    self._check(self.watch, now)
                    if until_drained:
                        self._give_up_on_workers(len(watcher.settled))
                self.watch.step(now)
                if screen is not None:
                    screen.show(watcher.snapshot, self.watch.queue.fault)
                if until_drained and self.watch.is_drained():
                    return True
                self.watch.wait(now)
        return self.watch.is_drained()

    def _check(self, watch: Watch, now: float) -> None:
        """Restore what was deleted or has died: the state folder, the broker, the workers."""
        self._keep_folder()
        if self.processes.is_durable:
            if self.processes.check():
                watch.watcher.reconciler.lose(now)
            self._restart_stuck_worker(watch, now)

    def _keep_folder(self) -> None:
        """Lock the state folder again when it was deleted. Raises StateHeldError when another `up` has locked it."""
        try:
            if self._folder.take_again():
                _log.warning("state folder was deleted, created again", folder=str(self._folder.path))
        except OSError as error:
            _log.warning("state folder cannot be created again", reason=str(error))

    def _give_up_on_workers(self, settled: int) -> None:
        """Raise SettingsError when workers died too often while no set was settled: they cannot work here."""
        if settled != self._settled:
            self._settled, self._ended_before = settled, self.processes.ended_workers
        ended = self.processes.ended_workers - self._ended_before
        if ended >= MOST_ENDS:
            raise SettingsError((spoken()("service.worker-ends", n=str(ended), log=self._log_place),))

    def _restart_stuck_worker(self, watch: Watch, now: float) -> None:
        if now < self._consumption_at:
            return
        self._consumption_at = now + worker_process.STUCK_SECONDS / 6
        depth = watch.queue.depth()
        if depth is not None and self._consumption.is_stuck(depth, len(watch.watcher.settled), now):
            _log.error("worker takes no tasks, restarting it", waiting=depth.untaken, running=depth.running)
            self.processes.restart_worker()
            watch.watcher.reconciler.lose(now)

    def _stop(self) -> None:
        if self.watch is not None:
            self.watch.stop()
        if self._in_process is not None:
            self._in_process.stop(processes.FINISH_SECONDS)
        self.processes.stop(finish_seconds=0.0 if self._is_idle() else processes.FINISH_SECONDS)

    def _is_idle(self) -> bool:
        """Does no worker hold a task? Then none has to finish, and Celery's warm shutdown would only take seconds."""
        depth = self.watch.queue.depth() if self.watch is not None else None
        return depth is not None and not any(depth)
