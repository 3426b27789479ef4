"""`scorewatch worker`: becomes a Celery worker."""

import os
from pathlib import Path

import click

from cli.commands.options import folder_options
from cli.localised import Command, load, option, spoken
from cli.score import refuse_without_client
from cli.service import refuse_without_semaphores, worker_command, worker_environment
from config import SettingsError, without_settings
from workers.broker import MEMORY_URL, broker_address


@click.command(cls=Command, help="help.worker")
@folder_options
@option("--workers", type=click.IntRange(1, 10_000), metavar="N", help="option.workers")
@option("--judge", "is_judge", is_flag=True, help="option.worker-judge")
def command(*, watch: Path | None, out: Path | None, state: Path | None, workers: int | None, is_judge: bool) -> int:
    """Become a worker, of the judge or of everything else."""
    settings = load(watch=watch, out=out, state=state, workers=workers)
    url = broker_address(settings)
    if url == MEMORY_URL:
        raise SettingsError((spoken()("service.no-broker"),))
    if is_judge and settings.judge is None:
        raise SettingsError((spoken()("service.no-judge"),))
    if is_judge:
        refuse_without_client(settings)
    refuse_without_semaphores()
    command = worker_command(settings, f"scorewatch-{os.getpid()}", is_judge=is_judge)
    environment = {**without_settings(os.environ), **worker_environment(settings, url, has_judge_key=is_judge)}
    os.execve(command[0], command, environment)  # noqa: S606 -- signals and exit code are Celery's own
