"""`scorewatch up`: broker, workers and watcher together, until stopped or drained."""

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

import click

from cli.commands.options import (
    JSON,
    chosen_log,
    folder_options,
    is_terminal,
    log_option,
    look_at_disks,
    refuse_missing_watch,
    verbose_option,
    warn_of_folders,
)
from cli.localised import Command, language_option, load, option, refusing_to_start, spoken
from cli.process_exit import EXIT_PROBLEMS, is_own_process
from cli.score import refuse_without_client
from cli.screen import say, set_details
from cli.service import HurriedError, Screen, Service, Stop, describe_fault, trouble_line, warn_of_queue
from config import Settings
from reporting.index import INDEX_HTML
from reporting.store import IndexEntry
from reporting.wording import clean, in_words
from workers.monitoring import LOG_NAME, configure_logging
from workers.processes import StateFolder, limit_memory


@click.command(cls=Command, help="help.up")
@language_option
@folder_options
@option("--workers", type=click.IntRange(1, 10_000), metavar="N", help="option.workers")
@log_option
@verbose_option
@option("--drain", is_flag=True, help="option.drain")
@option("--drain-timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="option.drain-timeout")
def command(
    *,
    watch: Path | None,
    out: Path | None,
    state: Path | None,
    workers: int | None,
    log: str | None,
    verbose: bool,
    drain: bool,
    drain_timeout: float | None,
) -> int:
    """Run everything until stopped or drained."""
    if drain_timeout is not None and not drain:
        raise click.UsageError(spoken()("service.timeout-without-drain"))
    settings = load(watch=watch, out=out, state=state, workers=workers)
    refuse_without_client(settings)
    if is_own_process():
        limit_memory(settings.memory_limit_megabytes)
    if drain:
        refuse_missing_watch(settings)
    deadline = time.monotonic() + drain_timeout if drain_timeout is not None else float("inf")
    is_json = chosen_log(log, settings.log) == JSON
    if is_json:
        settings = settings.model_copy(update={"log": JSON})  # for the workers too
    t = spoken()
    look_at_disks(settings)
    with StateFolder(settings.state, t) as folder, contextlib.ExitStack() as stack:
        warn_of_folders(settings)
        warn_of_queue(settings)
        with refusing_to_start("service.state-unusable"):
            worker_log = stack.enter_context(_log(settings, None if is_json else folder.path / LOG_NAME))
        screen = stack.enter_context(Screen(settings.out)) if is_terminal() and not is_json else None
        tell = _quiet if is_json else partial(_tell, say if screen is None else screen.say, with_details=verbose)
        log_place = t("service.log-here") if is_json else clean(str(folder.path / LOG_NAME))
        service = Service(settings, folder, log=worker_log, log_place=log_place, tell=tell)
        if screen is None:
            until = t("service.until-drained" if drain else "service.until-stopped")
            watched, reports = clean(str(settings.watch)), clean(str(settings.out))
            click.echo(t("service.watching", watch=watched, out=reports, until=until), err=is_json)
        with Stop() as stop:
            try:
                with service:
                    drained = service.run(stop, until_drained=drain, deadline=deadline, screen=screen)
            except HurriedError:
                service.abandon()
                return stop.exit_code
    missed = None if drained or not drain else "stopped" if stop.requested else "timed-out"
    bad, lines = _farewell(settings, service, missed=missed)
    for line in lines:
        click.echo(line, err=is_json)
    if missed is not None and stop.requested:
        return stop.exit_code
    return EXIT_PROBLEMS if bad and drain else 0


@contextlib.contextmanager
def _log(settings: Settings, file: Path | None) -> Iterator[BinaryIO]:
    """Set up the log, and give what the workers append theirs to. file: None is standard output. Raises OSError."""
    if file is None:
        configure_logging(settings.log_level, stream=sys.stdout)
        with os.fdopen(os.dup(sys.stdout.fileno()), "ab") as shared:
            yield shared
        return
    configure_logging(settings.log_level, file=file)
    with file.open("ab") as shared:
        yield shared


def _tell(print_line: Callable[[str], None], line: str, entry: IndexEntry | None, *, with_details: bool) -> None:
    """A line of a set or a file, and what it leaves out where that was asked for."""
    print_line(line)
    for detail in set_details(entry, spoken()) if with_details and entry is not None else ():
        print_line(f"  {detail}")


def _quiet(_line: str, _entry: IndexEntry | None) -> None:
    """Nothing: the log says it."""


def _farewell(settings: Settings, service: Service, *, missed: str | None) -> tuple[bool, list[str]]:
    """Is anything wrong or not done, and what to say at the end. missed: why a drain ended before it was done."""
    assert service.watch is not None
    watcher = service.watch.watcher
    snapshot = watcher.snapshot()
    bad = [name for name, entry in watcher.settled.items() if entry.is_bad]
    t = spoken()
    figures = {"sets": str(snapshot.sets), "settled": str(snapshot.settled), "bad": str(len(bad))}
    lines = [t("service.finished", **figures)]
    for name, reason in sorted(snapshot.troubles.items()):
        lines.append(trouble_line("service.unfinished", name, reason, t))
    if snapshot.unwritable:
        lines.append(t("overview.unwritable", reason=in_words(clean(snapshot.unwritable), t)))
    fault = service.watch.queue.fault
    if fault is not None:
        lines += describe_fault(fault, snapshot.waiting, t)
    if missed is not None:
        rest = "-comparing" if snapshot.settled == snapshot.sets else ""  # all that was counted above is done
        lines.append(t(f"service.{missed}{rest}"))
    lines.append(t("service.reports", path=str(settings.out / INDEX_HTML)))
    return bool(bad or snapshot.troubles or snapshot.unwritable or missed), lines
