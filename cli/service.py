"""`up`, `watch`, `worker`: the service, together or in parts; `status` and `retry` look at it from outside."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import click

from cli.live import Screen
from cli.outside import retry, status
from cli.processes import worker_command, worker_environment
from cli.stopping import EXIT_HURRIED, HurriedError, Stop
from cli.together import Service, log_settled
from cli.wiring import Watch, own_name
from config.errors import SettingsError
from config.settings import Settings, load_settings
from reporting.display import clean
from reporting.status_json import State
from workers.broker import MEMORY_URL
from workers.logs import configure_logging
from workers.parts import WorkArea
from workers.queue import CeleryQueue, broker_address, make_app
from workers.state import StateFolder, prepare_private

__all__ = ["retry", "status", "up", "watch", "worker"]

EXIT_PROBLEMS = 1


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
        if not live:
            until = "다 끝나면 멈춤" if drain else "끝내기: Ctrl-C"
            click.echo(f"감시: {clean(str(settings.watch))}  보고서: {clean(str(settings.out))}  ({until})")
        with Stop() as stop:
            try:
                with service:
                    drained = service.run(stop, until_drained=drain, deadline=deadline, screen=screen)
            except HurriedError:
                service.abandon()
                return EXIT_HURRIED
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
    try:
        area.prepare()
    except OSError as error:
        raise SettingsError((f"보고서 폴더에 쓸 수 없습니다: {error}",)) from error
    watched = Watch(
        settings,
        CeleryQueue(make_app(settings, url), area),
        broker_url=url,
        holder=own_name(settings, alone=True),
        on_settled=log_settled,
    )
    with Stop() as stop:
        try:
            with watched:
                while not stop.requested:
                    now = time.monotonic()
                    watched.step(now)
                    watched.wait(now)
        except HurriedError:
            return EXIT_HURRIED
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


def _farewell(settings: Settings, service: Service, *, drained: bool) -> int:
    assert service.watch is not None
    watcher = service.watch.watcher
    snapshot = watcher.snapshot()
    bad = [name for name, entry in watcher.settled.items() if entry.state is State.PROBLEM or entry.errors]
    click.echo(f"세트 {snapshot.sets}개 중 {snapshot.settled}개 끝남, 문제 있는 세트 {len(bad)}개")
    for name, reason in sorted(snapshot.troubles.items()):
        click.echo(f"끝내지 못함: {clean(name)} ({clean(reason)})")
    if not drained:
        click.echo("시간 안에 다 끝내지 못했습니다. 다시 실행하면 이어서 합니다.")
    click.echo(f"보고서: {settings.out / 'index.md'}")
    return EXIT_PROBLEMS if bad or snapshot.troubles or not drained else 0
