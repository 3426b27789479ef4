"""`up`, `watch`, `worker`: the service, together or in parts; `status` and `retry` look at it from outside."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, BinaryIO, Self

import click
import structlog

from cli.live import Screen
from cli.outside import retry, status
from cli.processes import FINISH_SECONDS, Processes, worker_command, worker_environment
from cli.wiring import Watch
from config.errors import SettingsError
from config.settings import Settings, load_settings
from reporting.status_json import State
from watcher.snapshot import Settled
from workers.broker import MEMORY_URL
from workers.in_process import InProcessWorker
from workers.logs import configure_logging
from workers.parts import WorkArea
from workers.queue import CeleryQueue, broker_address, make_app
from workers.state import StateFolder, address_file, prepare_private

__all__ = ["retry", "status", "up", "watch", "worker"]

EXIT_PROBLEMS = 1
CHECK_SECONDS = 0.2
STUCK_SECONDS = 30.0

_log = structlog.get_logger()


def _folders(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that name the folders, on top of the settings."""
    for name, text in (("state", "상태 폴더"), ("out", "보고서 폴더"), ("watch", "지켜보는 폴더")):
        command = click.option(f"--{name}", type=click.Path(path_type=Path), metavar="DIR", help=text)(command)
    return command


@click.command(help="브로커, 워커, 감시를 함께 띄우고 폴더를 지켜봅니다. Ctrl-C로 끝냅니다.")
@_folders
@click.option("--workers", type=click.IntRange(1, 10_000), metavar="N", help="채점 프로세스 수 (기본: 코어 수)")
@click.option("--drain", is_flag=True, help="지금 있는 것을 모두 끝내면 멈춥니다.")
@click.option(
    "--drain-timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="--drain이 기다리는 가장 긴 시간(초)"
)
def up(
    *,
    watch: Path | None,
    out: Path | None,
    state: Path | None,
    workers: int | None,
    drain: bool,
    drain_timeout: float | None,
) -> int:
    """Run everything until stopped or drained."""
    settings = load_settings(watch=watch, out=out, state=state, workers=workers)
    deadline = time.monotonic() + drain_timeout if drain_timeout is not None else float("inf")
    live = sys.stdout.isatty() and sys.stderr.isatty()
    with StateFolder(settings.state) as folder, contextlib.ExitStack() as stack:
        log: BinaryIO | None = None
        if live:
            log = stack.enter_context((folder.path / "scorewatch.log").open("ab"))
        configure_logging(settings.log_level, stream=log)
        service = Service(settings, folder, log=log)
        screen = stack.enter_context(Screen(settings.out)) if live else None
        with Stop() as stop, service:
            drained = service.run(stop, until_drained=drain, deadline=deadline, screen=screen)
    code = _farewell(settings, service, drained=drained or not drain)
    return code if drain else 0


@click.command(help="감시만 띄웁니다. 브로커와 워커는 따로 있어야 합니다.")
@_folders
def watch(watch: Path | None, out: Path | None, state: Path | None) -> int:
    """Run the watcher alone."""
    settings = load_settings(watch=watch, out=out, state=state)
    url = broker_address(settings)
    if url == MEMORY_URL:
        raise SettingsError(("브로커가 없습니다. SCOREWATCH_BROKER_URL을 적거나 scorewatch up을 쓰세요.",))
    configure_logging(settings.log_level)
    prepare_private(settings.state.absolute())
    area = WorkArea(settings.out)
    area.prepare()
    watched = Watch(settings, CeleryQueue(make_app(settings, url), area), broker_url=url, on_settled=_log_settled)
    watched.start()
    try:
        with Stop() as stop:
            while not stop.requested:
                now = time.monotonic()
                watched.step(now)
                watched.wait(now)
    finally:
        watched.stop()
    return 0


@click.command(help="채점 워커만 띄웁니다. celery -A workers.app worker와 같습니다.")
@_folders
@click.option("--workers", type=click.IntRange(1, 10_000), metavar="N", help="채점 프로세스 수 (기본: 코어 수)")
def worker(watch: Path | None, out: Path | None, state: Path | None, workers: int | None) -> int:
    """Become a worker."""
    settings = load_settings(watch=watch, out=out, state=state, workers=workers)
    url = broker_address(settings)
    if url == MEMORY_URL:
        raise SettingsError(("브로커가 없습니다. SCOREWATCH_BROKER_URL을 적거나 scorewatch up을 쓰세요.",))
    command = worker_command(settings, f"scorewatch-{os.getpid()}")
    environment = {**os.environ, **worker_environment(settings, url)}
    os.execve(command[0], command, environment)  # noqa: S606 -- signals and exit code are Celery's own


class Stop:
    """SIGINT and SIGTERM as a request; a second one asks to hurry."""

    def __init__(self) -> None:
        self.requested = False
        self.hurried = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _take(self, _number: int, _frame: FrameType | None) -> None:
        self.hurried = self.requested
        self.requested = True


class Service:
    """Broker, worker and watcher of one `up`; a context manager that leaves nothing behind.

    log: where the worker's log goes; None shares our standard error.
    """

    def __init__(self, settings: Settings, folder: StateFolder, *, log: BinaryIO | None) -> None:
        self.settings = settings
        self._area = WorkArea(settings.out)
        self.processes = Processes(settings, folder, worker_log=log)
        self._in_process: InProcessWorker | None = None
        self._queue: CeleryQueue | None = None
        self.watch: Watch | None = None
        self._stuck_since: float | None = None
        self._stuck_at = 0.0

    def __enter__(self) -> Self:
        try:
            self._area.prepare()
        except OSError as error:
            raise SettingsError((f"보고서 폴더에 쓸 수 없습니다: {error}",)) from error
        try:
            self.processes.start_broker()
            os.environ.update(worker_environment(self.settings, self.processes.broker_url))
            if self.processes.is_durable:
                self._queue = CeleryQueue(make_app(self.settings, self.processes.broker_url), self._area)
                if self.settings.broker_url is None:
                    self._queue.restore_held()  # the broker is ours, and no worker runs yet
                self.processes.start_worker()
            else:
                from workers.app import app

                self._in_process = InProcessWorker(app)
                self._in_process.start()
                self._queue = CeleryQueue(app, self._area)
            self.watch = Watch(
                self.settings,
                self._queue,
                broker_url=self.processes.broker_url,
                worker=address_file(self.settings.state) if self.processes.is_durable else None,
                on_settled=_log_settled,
            )
            self.watch.start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop()

    def run(self, stop: Stop, *, until_drained: bool, deadline: float, screen: Screen | None) -> bool:
        """Loop until stopped, drained or past the deadline (monotonic). True when everything was settled."""
        assert self.watch is not None
        watcher = self.watch.watcher
        check_at = 0.0
        while not stop.requested and time.monotonic() < deadline:
            now = time.monotonic()
            if now >= check_at:
                check_at = now + CHECK_SECONDS
                if self.processes.is_durable and self.processes.check():
                    watcher.workers_lost(now)
                self._check_consuming(now)
            self.watch.step(now)
            if screen is not None:
                screen.show(watcher.snapshot())
            if until_drained and watcher.is_drained():
                return True
            self.watch.wait(now)
        return watcher.is_drained()

    def _check_consuming(self, now: float) -> None:
        """A worker may be connected and take nothing, after its broker was restarted: then start it again."""
        depth = self._queue.depth() if self._queue is not None and self._stuck_due(now) else None
        if depth is None:
            return
        if depth.waiting and not depth.running:
            if self._stuck_since is None:
                self._stuck_since = now
            elif now - self._stuck_since >= STUCK_SECONDS:
                _log.error("worker takes nothing: restarting it", waiting=depth.waiting)
                self.processes.restart_worker()
                self._stuck_since = None
        else:
            self._stuck_since = None

    def _stuck_due(self, now: float) -> bool:
        if now < self._stuck_at:
            return False
        self._stuck_at = now + STUCK_SECONDS / 6
        return self.processes.is_durable

    def _stop(self) -> None:
        if self.watch is not None:
            self.watch.stop()
            with contextlib.suppress(OSError):
                self.watch.watcher.finish(time.monotonic())
        if self._in_process is not None:
            self._in_process.stop(FINISH_SECONDS)
        self.processes.stop(finish_seconds=0.0 if self._is_idle() else FINISH_SECONDS)

    def _is_idle(self) -> bool:
        """Does no worker hold a task? Then there is nothing to wait for, and Celery's own way down takes seconds."""
        depth = self._queue.depth() if self._queue is not None else None
        return depth is not None and not depth.running and not depth.waiting


def _log_settled(name: str, settled: Settled) -> None:
    _log.info("settled", set=name, key=settled.key, state=str(settled.state), problems=settled.problems)


def _farewell(settings: Settings, service: Service, *, drained: bool) -> int:
    assert service.watch is not None
    watcher = service.watch.watcher
    snapshot = watcher.snapshot()
    bad = [name for name, entry in watcher.settled.items() if entry.state is State.PROBLEM or entry.errors]
    click.echo(f"세트 {snapshot.sets}개 중 {snapshot.settled}개 끝남, 문제 있는 세트 {len(bad)}개")
    for name, reason in sorted(snapshot.troubles.items()):
        click.echo(f"끝내지 못함: {name} ({reason})")
    if not drained:
        click.echo("시간 안에 다 끝내지 못했습니다. 다시 실행하면 이어서 합니다.")
    click.echo(f"보고서: {settings.out / 'index.md'}")
    return EXIT_PROBLEMS if bad or snapshot.troubles or not drained else 0
