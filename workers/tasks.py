"""Celery tasks: thin shells around `workers.jobs`. Arguments are JSON primitives; results are files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import structlog

from workers.app import app, settings
from workers.inputs import GiveUpError
from workers.jobs import Workplace, assemble, part_id_of, score_input
from workers.parts import Trouble, WorkArea
from workers.queue import REPORT_TASK, SCORE_TASK
from workers.strikes import strikes_for

_log = structlog.get_logger()


@app.task(name=SCORE_TASK)
def score_file(path: str, set_name: str, key: str, rubric_digest: str, engine_version: int) -> None:
    """Score one input of a set into its part, then ask for the report; that of a single file is made at once.

    path: relative to the watched folder, percent-escaped. Does nothing when the set is settled.
    """
    with _attempt(set_name, key, rubric_digest):
        place = _place()
        if place.is_settled(set_name, key):
            return
        plan = place.find_plan(set_name, key, engine_version)
        planned = next((planned for planned in plan.inputs if planned.path == path), None)
        if planned is None:
            raise GiveUpError("no-plan", path)
        part = score_input(place, plan, planned)
        if len(plan.inputs) > 1:
            assemble_report.delay(set_name, key, rubric_digest, engine_version)
        elif assemble(place, plan, score_missing=True, known={part_id_of(plan, planned): part}):
            _log.info("published", inputs=1)


@app.task(name=REPORT_TASK)
def assemble_report(
    set_name: str,
    key: str,
    rubric_digest: str,
    engine_version: int,
    score_missing: bool = False,
) -> None:
    """Publish a set when all its parts are there; with `score_missing`, score what is not.

    Does nothing when the set is settled.
    """
    with _attempt(set_name, key, rubric_digest):
        place = _place()
        if place.is_settled(set_name, key):
            return
        plan = place.find_plan(set_name, key, engine_version)
        if assemble(place, plan, score_missing=score_missing):
            _log.info("published", inputs=len(plan.inputs))


@contextmanager
def _attempt(set_name: str, key: str, rubric_digest: str) -> Iterator[None]:
    """Name set and key in every log line, and leave the watcher a note when the attempt ends without a result."""
    with structlog.contextvars.bound_contextvars(set=set_name, key=key, rubric=rubric_digest[:12]):
        try:
            yield
        except GiveUpError as error:
            _log.warning("given up for now", kind=error.kind, detail=error.detail)
            _place().area.write_trouble(set_name, key, Trouble(error.kind, error.detail))
        except Exception as error:
            _log.exception("failed")
            _place().area.write_trouble(set_name, key, Trouble("failure", f"{type(error).__name__}: {error}"))
            raise


@cache
def _place() -> Workplace:
    """Made in the process that works, after the fork."""
    return Workplace(
        watch=settings.watch,
        out=settings.out,
        area=WorkArea(settings.out),
        strikes=strikes_for(str(app.conf.broker_url)),
        time_limit_seconds=float(settings.task_time_limit_seconds),
        strict_fsync=settings.strict_fsync,
        history_versions=settings.history_versions,
    )
