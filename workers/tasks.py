"""Celery tasks: thin shells around `workers.jobs`. Arguments are JSON primitives; results are files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

import structlog
from celery.signals import task_postrun

from scoring.problems import TransientError
from scoring.sets.plan import Plan
from workers.app import app, settings
from workers.broker.embedded import MEMORY_URL
from workers.broker.judge_claims import Claims, claims_for
from workers.jobs.attempts import strikes_for
from workers.jobs.inputs import GiveUpError
from workers.jobs.score_and_report import (
    Assembled,
    BeingScoredError,
    Progress,
    Workplace,
    assemble,
    do_each,
    part_id_of,
    score_input,
)
from workers.jobs.work_area import Trouble, WorkArea
from workers.judge.grade import Judge, JudgeDownError, JudgeSettings
from workers.judge.job import Judged, judge, tasks_of
from workers.judge.usage import JudgeCounter, JudgeCounts, judge_counter
from workers.queue import BUNDLE_TASK, JUDGE_TASK, REPORT_TASK, SCORE_TASK

JUDGE_SHARE = 0.95  # of the task's time limit: what is judged by then is stored
JUDGE_TROUBLE = "judge"
HELD_SECONDS = 2.0  # before items that another worker holds are looked at again

_log = structlog.get_logger()


@app.task(name=SCORE_TASK)
def score_file(path: str, set_name: str, key: str) -> None:
    """Score one input of a set into its part, then ask for the report; that of a single file is made at once.

    path: as in the plan of the set. Does nothing when the set is settled.
    """
    _score(path, set_name, key)


@app.task(name=BUNDLE_TASK)
def score_files(asks: list[tuple[str, str, str]]) -> None:
    """Score several inputs, each as `score_file` does; one that fails holds up none of the others.

    asks: arguments of `score_file`. A set that was settled before the task was interrupted costs a look when it is
    run again.
    """
    do_each(_score, asks)


@app.task(name=REPORT_TASK)
def assemble_report(set_name: str, key: str, score_missing: bool = False) -> None:
    """Publish a set when all its parts are there; with `score_missing`, score what is not.

    Does nothing when the set is settled, nor without `score_missing` when its report is published: the task that
    published it has asked the judge.
    """
    with _attempt(set_name, key):
        place = _place()
        progress = place.progress(set_name, key)
        if progress is Progress.SETTLED or (progress is Progress.REPORTED and not score_missing):
            return
        plan = place.find_plan(set_name, key)
        _follow(plan, assemble(place, plan, score_missing=score_missing))


@app.task(name=JUDGE_TASK)
def judge_items(set_name: str, key: str, hashes: list[str]) -> None:
    """Ask the judge for the verdicts of a few items; with the last one of the set, for its report.

    Does nothing when the set is settled, or when the judge was unreachable since the set was last asked for.
    """
    with _attempt(set_name, key):
        place = _place()
        if place.progress(set_name, key) is Progress.SETTLED:
            return
        trouble = place.area.read_trouble(set_name, key)
        if trouble is not None and trouble.kind == JUDGE_TROUBLE:
            return
        plan = place.find_plan(set_name, key)
        judged = _judged(place, plan, hashes, str(judge_items.request.id))
        if judged.is_held:
            time.sleep(HELD_SECONDS)
        if judged.left:
            judge_items.delay(set_name, key, list(judged.left))
        elif judged.is_complete:
            assemble_report.delay(set_name, key, True)


def _score(path: str, set_name: str, key: str) -> None:
    with _attempt(set_name, key):
        place = _place()
        if place.progress(set_name, key) is Progress.SETTLED:
            return
        plan = place.find_plan(set_name, key)
        planned = next((planned for planned in plan.inputs if planned.path == path), None)
        if planned is None:
            raise GiveUpError("no-plan", path)
        part = score_input(place, plan, planned)
        if len(plan.inputs) > 1:
            assemble_report.delay(set_name, key)
        else:
            _follow(plan, assemble(place, plan, score_missing=True, known={part_id_of(plan, planned): part}))


def _follow(plan: Plan, assembled: Assembled) -> None:
    """Say what was published, and ask the judge for what is missing."""
    if not assembled.is_published:
        return
    _log.info("published", inputs=len(plan.inputs), unjudged=len(assembled.unjudged))
    for hashes in tasks_of(assembled.unjudged):
        judge_items.delay(plan.set_name, plan.key, hashes)


def _judged(place: Workplace, plan: Plan, hashes: list[str], owner: str) -> Judged:
    """Judge with the model that the set was planned for. Raises GiveUpError."""
    own = JudgeSettings.of(settings)
    if own is None or plan.judge is None or own.model != plan.judge.model:
        planned = None if plan.judge is None else plan.judge.model
        detail = f"planned for model {planned}, this worker has {None if own is None else own.model}"
        raise GiveUpError("judge-model", detail)
    grader = _grader(replace(own, votes=plan.judge.votes))
    sent = grader.requests
    # A worker that scores as well begins no more than it can ask for at once, and takes the rest after other tasks.
    seconds = 0.0 if app.conf.broker_url == MEMORY_URL else JUDGE_SHARE * place.time_limit_seconds
    try:
        return judge(
            place,
            plan,
            hashes,
            grade=grader.grade,
            claims=_claims(),
            counter=_counter(),
            owner=owner,
            deadline=time.monotonic() + seconds,
        )
    except JudgeDownError as error:
        raise GiveUpError(JUDGE_TROUBLE, str(error)) from error
    except GiveUpError:
        raise
    except TransientError as error:
        raise GiveUpError("storage", str(error)) from error
    finally:
        _counter().add(JudgeCounts(requests=grader.requests - sent))


@task_postrun.connect
def _flush_strikes(**_: object) -> None:
    _place().strikes.flush()


@contextmanager
def _attempt(set_name: str, key: str) -> Iterator[None]:
    """Name set and key in every log line, and leave the watcher a note when the attempt ends without a result.

    There is none where somebody else is at the same input: what comes of that is the result.
    """
    with structlog.contextvars.bound_contextvars(set=set_name, key=key):
        try:
            yield
        except BeingScoredError:
            _log.info("being scored already")
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


@cache
def _grader(judge_settings: JudgeSettings) -> Judge:
    """What it learns of its endpoint lasts from task to task."""
    return Judge(judge_settings)


@cache
def _claims() -> Claims:
    return claims_for(str(app.conf.broker_url))


@cache
def _counter() -> JudgeCounter:
    return judge_counter(str(app.conf.broker_url))
