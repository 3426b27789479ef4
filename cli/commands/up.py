"""`scorewatch up`: broker, workers and watcher together, until stopped or drained."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path
from typing import BinaryIO

import click

from cli.commands.folders import folder_options, refuse_missing_watch, warn_of_folders
from cli.localised.command import Command, language_option, option
from cli.localised.language import spoken
from cli.localised.loading import load
from cli.process_exit import is_own_process
from cli.service.live_screen import Screen
from cli.service.queue_fault import describe_fault, warn_of_queue
from cli.service.signals import EXIT_HURRIED, HurriedError, Stop
from cli.service.up import Service
from config.settings import Settings
from reporting.index.write import INDEX_HTML
from reporting.store.status import State
from reporting.wording.display import clean
from reporting.wording.system import in_words
from scoring.judging.verdicts import JudgeState
from workers.monitoring.logs import configure_logging
from workers.processes.memory_limit import limit_memory
from workers.processes.state_folder import StateFolder, state_unusable

EXIT_PROBLEMS = 1


@click.command(cls=Command, help="help.up")
@language_option
@folder_options
@option("--workers", type=click.IntRange(1, 10_000), metavar="N", help="option.workers")
@option("--drain", is_flag=True, help="option.drain")
@option("--drain-timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="option.drain-timeout")
def command(
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
    if is_own_process():
        limit_memory(settings.memory_limit_megabytes)
    if drain:
        refuse_missing_watch(settings)
    deadline = time.monotonic() + drain_timeout if drain_timeout is not None else float("inf")
    live = sys.stdout.isatty() and sys.stderr.isatty()
    t = spoken()
    with StateFolder(settings.state, t) as folder, contextlib.ExitStack() as stack:
        warn_of_folders(settings)
        warn_of_queue(settings)
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
        click.echo(t("service.unfinished", name=clean(name), reason=in_words(clean(reason), t)))
    if snapshot.unwritable:
        click.echo(t("overview.unwritable", reason=in_words(clean(snapshot.unwritable), t)))
    fault = service.watch.queue.fault
    if fault is not None:
        click.echo(describe_fault(fault, snapshot.waiting, t))
    if not drained:
        click.echo(t("service.timed-out"))
    click.echo(t("service.reports", path=str(settings.out / INDEX_HTML)))
    return EXIT_PROBLEMS if bad or snapshot.troubles or snapshot.unwritable or not drained else 0
