"""Looks at the queue from outside of the service, and counts the sets that wait for it."""

from __future__ import annotations

from functools import partial

import click

from cli.localised import spoken
from cli.service.lines import describe_fault
from config import Settings, claiming, load_rubrics
from reporting.store import find_sets
from scoring import Problem, RubricError, ScorewatchError
from scoring.rubric import Rubric
from scoring.sets import group_into_sets
from watcher import InputFolder
from workers import CeleryQueue, make_app
from workers.broker import broker_address
from workers.jobs import WorkArea


def open_queue(settings: Settings) -> CeleryQueue:
    """The queue, for looking at it only."""
    return CeleryQueue(make_app(settings, broker_address(settings)), WorkArea(settings.out))


def warn_of_queue(settings: Settings) -> None:
    """Warn before a start when the configured broker cannot be used; work begins when it can."""
    if settings.broker_url is None:
        return
    queue = open_queue(settings)
    queue.depth()
    if queue.fault is not None:
        click.echo(describe_fault(queue.fault, count_unreported(settings), spoken()), err=True)


def count_unreported(settings: Settings) -> int | None:
    """Number of sets in the watched folder that have no report of files of these names; None when it is not known.

    Reads names only, so a file that was replaced under its name is not counted.
    """
    try:
        rubrics = load_rubrics(settings.rubrics, language=settings.language)
        listing = InputFolder(settings.watch, out=settings.out, ignore=settings.ignore).scan()
        reported = {entry.set_name: entry.status.inputs.keys() for entry in find_sets(settings.out)}
    except (OSError, ScorewatchError):
        return None
    if listing.unreadable:
        return None
    grouping = group_into_sets(listing.files, partial(_profile_of, rubrics=rubrics))
    return sum(reported.get(group.name) != set(group.names) for group in grouping.sets)


def _profile_of(base_name: str, rubrics: tuple[Rubric, ...]) -> str | Problem | None:
    try:
        rubric = claiming(base_name, rubrics)
    except RubricError as error:
        return error.problems[0]
    return None if rubric is None else rubric.profile
