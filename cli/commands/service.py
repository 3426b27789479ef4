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

from cli.commands.outside import retry, status
from cli.localised.command import Command, language_option, option
from cli.localised.language import spoken
from cli.localised.loading import load
from cli.service.live_screen import Screen
from cli.service.processes import worker_command, worker_environment
from cli.service.signals import EXIT_HURRIED, HurriedError, Stop
from cli.service.up import Service, log_settled
from cli.service.watch import Watch, own_name
from config.env_names import without_settings
from config.errors import SettingsError
from config.settings import Settings
from reporting.index.write import INDEX_HTML
from reporting.store.status import State
from reporting.wording.display import clean, system_reason
from scoring.judging.verdicts import JudgeState
from workers.broker.embedded import MEMORY_URL
from workers.jobs.work_area import WorkArea
from workers.monitoring.logs import configure_logging
from workers.processes.state_folder import StateFolder, prepare_private, state_unusable
from workers.queue import CeleryQueue, broker_address, make_app

__all__ = ["retry", "status", "up", "watch", "worker"]

EXIT_PROBLEMS = 1


def _folders(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that name the folders, on top of the settings."""
    for name, key in (("--state", "option.state"), ("--out", "option.out"), ("--watch", "option.watch")):
        command = option(name, type=click.Path(path_type=Path), metavar="DIR", help=key)(command)
    return command


@click.command(cls=Command, help="help.up")
@language_option
@_folders
@option("--workers", type=click.IntRange(1, 10_000), metavar="N", help="option.workers")
@option("--drain", is_flag=True, help="option.drain")
@option("--drain-timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="option.drain-timeout")
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
    settings = load(watch=watch, out=out, state=state, workers=workers)
    if drain:
        refuse_missing_watch(settings)
    deadline = time.monotonic() + drain_timeout if drain_timeout is not None else float("inf")
    live = sys.stdout.isatty() and sys.stderr.isatty()
    t = spoken()
    with StateFolder(settings.state, t) as folder, contextlib.ExitStack() as stack:
        tell_of_folders(settings)
        log: BinaryIO | None = None
        if live:
            try:
                log = stack.enter_context((folder.path / "scorewatch.log").open("ab"))
            except OSError as error:
                raise state_unusable(error, t) from error
        configure_logging(settings.log_level, stream=log)
        service = Service(settings, folder, log=log)
        screen = stack.enter_context(Screen(settings.out)) if live else None
        if not live:
            until = t("service.until-drained" if drain else "service.until-stopped")
            watched, reports = clean(str(settings.watch)), clean(str(settings.out))
            click.echo(t("service.watching", watch=watched, out=reports, until=until))
        with Stop() as stop:
            try:
                with service:
                    drained = service.run(stop, until_drained=drain, deadline=deadline, screen=screen)
            except HurriedError:
                service.abandon()
                return EXIT_HURRIED
    code = _farewell(settings, service, drained=drained or not drain)
    return code if drain else 0


@click.command(cls=Command, help="help.watch")
@language_option
@_folders
def watch(watch: Path | None, out: Path | None, state: Path | None) -> int:
    """Run the watcher alone."""
    settings = load(watch=watch, out=out, state=state)
    url = broker_address(settings)
    if url == MEMORY_URL:
        raise SettingsError((spoken()("service.no-broker"),))
    configure_logging(settings.log_level)
    tell_of_folders(settings)
    try:
        prepare_private(settings.state.absolute())
    except OSError as error:
        raise state_unusable(error, spoken()) from error
    area = WorkArea(settings.out)
    try:
        area.prepare()
    except OSError as error:
        raise SettingsError((spoken()("service.not-writable", reason=system_reason(error)),)) from error
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


@click.command(cls=Command, help="help.worker")
@_folders
@option("--workers", type=click.IntRange(1, 10_000), metavar="N", help="option.workers")
@option("--judge", "is_judge", is_flag=True, help="option.worker-judge")
def worker(*, watch: Path | None, out: Path | None, state: Path | None, workers: int | None, is_judge: bool) -> int:
    """Become a worker, of the judge or of everything else."""
    settings = load(watch=watch, out=out, state=state, workers=workers)
    url = broker_address(settings)
    if url == MEMORY_URL:
        raise SettingsError((spoken()("service.no-broker"),))
    if is_judge and settings.judge is None:
        raise SettingsError((spoken()("service.no-judge"),))
    command = worker_command(settings, f"scorewatch-{os.getpid()}", is_judge=is_judge)
    environment = {**without_settings(os.environ), **worker_environment(settings, url, has_judge_key=is_judge)}
    os.execve(command[0], command, environment)  # noqa: S606 -- signals and exit code are Celery's own


def refuse_missing_watch(settings: Settings) -> None:
    """A folder that was named and is not there has nothing to drain: a slip of the pen, or a mount that failed.

    Raises SettingsError. The default folder is made.
    """
    if "watch" in settings.model_fields_set and not settings.watch.is_dir():
        raise SettingsError((spoken()("service.no-watch", folder=str(settings.watch)),))


def tell_of_folders(settings: Settings) -> None:
    """Say that the watched folder is to be made, which may be the wrong working directory.

    Reports within the watched folder are fine, and nothing that is put there is scored: say that too.
    """
    if not settings.watch.exists():
        click.echo(spoken()("service.watch-made", folder=clean(str(settings.watch.absolute()))), err=True)
    watch, out = (Path(os.path.realpath(folder)) for folder in (settings.watch, settings.out))
    if out.is_relative_to(watch):
        folders = {"watch": clean(str(settings.watch)), "out": clean(str(settings.out))}
        click.echo(spoken()("service.out-in-watch", **folders), err=True)


def _farewell(settings: Settings, service: Service, *, drained: bool) -> int:
    assert service.watch is not None
    watcher = service.watch.watcher
    snapshot = watcher.snapshot()
    bad = [
        name
        for name, entry in watcher.settled.items()
        if entry.state is State.PROBLEM or entry.errors or entry.judge is JudgeState.INCOMPLETE
    ]
    t = spoken()
    figures = {"sets": str(snapshot.sets), "settled": str(snapshot.settled), "bad": str(len(bad))}
    click.echo(t("service.finished", **figures))
    for name, reason in sorted(snapshot.troubles.items()):
        click.echo(t("service.unfinished", name=clean(name), reason=clean(reason)))
    if snapshot.unwritable:
        click.echo(t("overview.unwritable", reason=clean(snapshot.unwritable)))
    if not drained:
        click.echo(t("service.timed-out"))
    click.echo(t("service.reports", path=str(settings.out / INDEX_HTML)))
    return EXIT_PROBLEMS if bad or snapshot.troubles or snapshot.unwritable or not drained else 0
