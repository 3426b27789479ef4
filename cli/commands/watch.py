"""`scorewatch watch`: the watcher alone, for a broker and workers that run elsewhere."""

import os
import time
from pathlib import Path

import click

from cli.commands.options import folder_options, look_at_disks, warn_of_folders
from cli.localised import Command, language_option, load, refusing_to_start, spoken
from cli.process_exit import is_own_process
from cli.service import Documents, HangGuard, HurriedError, Stop, Watch, holder_name, warn_of_queue
from config import SettingsError
from workers import make_app
from workers.broker import MEMORY_URL, broker_address
from workers.monitoring import configure_logging
from workers.processes import limit_memory, prepare_private


@click.command(cls=Command, help="help.watch")
@language_option
@folder_options
def command(watch: Path | None, out: Path | None, state: Path | None) -> int:
    """Run the watcher alone."""
    settings = load(watch=watch, out=out, state=state)
    documents = Documents(settings)
    if is_own_process():
        limit_memory(settings.memory_limit_megabytes)
    url = broker_address(settings)
    if url == MEMORY_URL:
        raise SettingsError((spoken()("service.no-broker"),))
    configure_logging(settings.log_level)
    look_at_disks(settings)
    warn_of_folders(settings)
    warn_of_queue(settings)
    with refusing_to_start("service.state-unusable"):
        prepare_private(settings.state.absolute())
    watched = Watch(settings, make_app(settings, url), holder=holder_name(settings, alone=True), documents=documents)
    with Stop() as stop:
        try:
            with watched, HangGuard(os.environ, restarts=True) as guard:
                while not stop.requested:
                    guard.step()
                    now = time.monotonic()
                    watched.step(now)
                    watched.wait(now)
        except HurriedError:
            return stop.exit_code
    return 0
