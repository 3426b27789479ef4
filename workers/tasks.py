"""Celery tasks, thin wrappers around `workers.jobs`. Arguments are JSON primitives; results are files."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial

import redis
import structlog
from celery.signals import task_postrun

from reporting.runs import BaselineAsk, compare_with_baseline
from reporting.store import Destination
from reporting.summary import write_summary
from scoring import LEAST_BYTES, InputError, TransientError
from scoring.comparison import Baseline, Origin
from scoring.sets import Plan, PlannedInput
from workers.app import app, settings
from workers.broker import MEMORY_URL, JudgingClaims, shared_client
from workers.celery_settings import BUNDLE_TASK, COMPARE_TASK, JUDGE_TASK, PIECE_TASK, REPORT_TASK, SCORE_TASK
from workers.jobs import (
    Assembled,
    BeingScoredError,
    GiveUpError,
    LargeInput,
    Progress,
    Strikes,
    Trouble,
    WorkArea,
    Workplace,
    assemble,
    bundled_asks,
    do_each,
    judged_hashes,
    part_id_of,
    piece_number,
    score_input,
)
from workers.judge import Judge, JudgeCounter, JudgeCounts, Judged, JudgeDownError, Slug, give_up, judge, tasks_of

JUDGE_SHARE = 0.95  # of the task's time limit: the rest is for storing
JUDGE_TROUBLE = "judge"
BUDGET_TROUBLE = "judge-budget"
HELD_SECONDS = 2.0  # before items of another worker are tried again

_log = structlog.get_logger()


@app.task(name=SCORE_TASK)
def score_file(path: str, set_name: str, key: str) -> None:
    """Score one input of a set into its part, then ask for the report; publish that of a single file at once.

    path: as in the plan of the set. Does nothing when the set is settled.
    """
    _score(path, set_name, key)


@app.task(name=BUNDLE_TASK)
def score_files(asks: list[tuple[str, str, str]]) -> None:
    """Score several inputs as `score_file` does. A failure does not stop the others.

    asks: arguments of `score_file`. Raises ForgedAskError for what no watcher sends.
    """
    do_each(_score, bundled_asks(asks))


@app.task(name=PIECE_TASK)
def score_piece(path: str, set_name: str, key: str, number: int) -> None:
    """Score one piece of a large input; after the last one, join them and go on as `score_file` does.

    path: as in the plan of the set. number: of the piece, from 0. Does nothing when the report exists.
    """
    number = piece_number(number)
    with _attempt(set_name, key):
        place = _workplace()
        if place.progress(set_name, key) is not Progress.NOTHING:
            return
        plan = place.find_plan(set_name, key)
        planned = _planned(plan, path)
        if LargeInput(place, plan, planned).score(number):
            _finish(place, plan, planned)


@app.task(name=REPORT_TASK)
def assemble_report(set_name: str, key: str, score_missing: bool = False) -> None:
    """Publish a set when all its parts exist; with `score_missing`, score the missing ones.

    Does nothing when the set is settled, or without `score_missing` when its report exists: the task that published it
    has asked the judge.
    """
    with _attempt(set_name, key):
        place = _workplace()
        progress = place.progress(set_name, key)
        if progress is Progress.SETTLED or (progress is Progress.REPORTED and not score_missing):
            return
        plan = place.find_plan(set_name, key)
        _follow(plan, assemble(place, plan, score_missing=score_missing))


@app.task(name=COMPARE_TASK, reject_on_worker_lost=False)  # one that kills its child must not come back at once
def compare_reports(asks: list[tuple[str, ...]], language: str, public_url: str = "", xlsx: bool = False) -> None:
    """Compare reports with their baselines, and write their front pages.

    What fails or is lost is asked for again by the watcher, by itself. asks: (set name, key of its run, origin, name
    and key of the baseline, then name and key of each earlier run that may say that it is worse again); without a
    report what names the baseline is "".
    """
    do_each(partial(_compare, replace(_workplace().reports, language=language, public_url=public_url, xlsx=xlsx)), asks)


@app.task(name=JUDGE_TASK)
def judge_items(set_name: str, key: str, hashes: list[str]) -> None:
    """Ask the judge for the verdicts of a few items, and after the last ones of the set for its report.

    Does nothing when the set is settled, or when the judge was not available since the set was last asked for.
    """
    hashes = judged_hashes(hashes)
    with _attempt(set_name, key):
        place = _workplace()
        if place.progress(set_name, key) is Progress.SETTLED:
            return
        trouble = place.area.read_trouble(set_name, key)
        if trouble is not None and trouble.kind in {JUDGE_TROUBLE, BUDGET_TROUBLE}:
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
        place = _workplace()
        if place.progress(set_name, key) is Progress.SETTLED:
            return
        plan = place.find_plan(set_name, key)
        planned = _planned(plan, path)
        if LargeInput(place, plan, planned).ask(partial(score_piece.delay, path, set_name, key)):
            return
        _finish(place, plan, planned)


def _finish(place: Workplace, plan: Plan, planned: PlannedInput) -> None:
    """Score an input unless it is, and publish or ask for the report."""
    part = score_input(place, plan, planned)
    if len(plan.inputs) > 1:
        assemble_report.delay(plan.set_name, plan.key)
    else:
        _follow(plan, assemble(place, plan, score_missing=True, known={part_id_of(plan, planned): part}))


def _planned(plan: Plan, path: str) -> PlannedInput:
    """The input with this path. Raises GiveUpError."""
    planned = next((planned for planned in plan.inputs if planned.path == path), None)
    if planned is None:
        raise GiveUpError("no-plan", path)
    return planned


def _compare(destination: Destination, set_name: str, key: str, *chosen: str) -> None:
    origin, baseline, baseline_key, *earlier = chosen
    against = Baseline(Origin(origin), baseline, baseline_key) if origin else None
    ask = BaselineAsk(set_name, key, against, earlier=tuple(zip(earlier[::2], earlier[1::2], strict=True)))
    with structlog.contextvars.bound_contextvars(set=set_name, key=key):
        try:
            found = compare_with_baseline(ask, destination)
            write_summary(set_name, destination)
        except (InputError, OSError, TransientError) as error:
            _log.warning("not compared", baseline=baseline, reason=str(error))
            return
        if found is not None:
            _log.info("compared", baseline=found.baseline, origin=str(found.origin))


def _follow(plan: Plan, assembled: Assembled) -> None:
    """Log the publication, and ask the judge for the missing verdicts."""
    if not assembled.is_published:
        return
    _log.info("published", inputs=len(plan.inputs), unjudged=len(assembled.unjudged))
    for hashes in tasks_of(assembled.unjudged):
        judge_items.delay(plan.set_name, plan.key, hashes)


def _judged(place: Workplace, plan: Plan, hashes: list[str], owner: str) -> Judged:
    """Judge with the model that the set was planned for. Raises GiveUpError, once more published if money ran out."""
    own = settings.judge
    if own is None or plan.judge is None or own.model != plan.judge.model:
        planned = None if plan.judge is None else plan.judge.model
        detail = f"planned for model {planned}, this worker has {None if own is None else own.model}"
        raise GiveUpError("judge-model", detail)
    grader = _grader(plan.judge.votes)
    sent = grader.requests
    counter = JudgeCounter(_client())
    # An in-process worker also scores: it asks for one round of items, and for the rest after other tasks.
    seconds = 0.0 if app.conf.broker_url == MEMORY_URL else JUDGE_SHARE * place.time_limit_seconds
    try:
        return judge(
            place,
            plan,
            hashes,
            grade=grader.grade,
            claims=JudgingClaims(_client()),
            counter=counter,
            owner=owner,
            deadline=time.monotonic() + seconds,
            budget=settings.judge_limit,
        )
    except JudgeDownError as error:
        if error.slug is Slug.BUDGET:
            assemble(place, plan, score_missing=True)  # with the verdicts that there is money for
            raise GiveUpError(BUDGET_TROUBLE, error.detail) from error
        if error.slug is Slug.UNAVAILABLE and give_up(place, plan, error.slug):
            return Judged(left=(), is_held=False, is_complete=True)
        raise GiveUpError(JUDGE_TROUBLE, str(error)) from error
    except GiveUpError:
        raise
    except TransientError as error:
        raise GiveUpError("storage", str(error)) from error
    finally:
        counter.add(JudgeCounts(requests=grader.requests - sent))


@task_postrun.connect
def _flush_strikes(**_: object) -> None:
    _workplace().strikes.flush()


@contextmanager
def _attempt(set_name: str, key: str) -> Iterator[None]:
    """Bind set and key to every log line, and write a note for the watcher when the attempt ends without a result.

    There is no note when another process is scoring the same input.
    """
    with structlog.contextvars.bound_contextvars(set=set_name, key=key):
        try:
            yield
        except BeingScoredError:
            _log.info("another process is scoring it")
        except GiveUpError as error:
            _log.warning("given up for now", kind=error.kind, detail=error.detail)
            _workplace().area.write_trouble(set_name, key, Trouble(error.kind, error.detail))
        except Exception as error:
            _log.exception("failed")
            _workplace().area.write_trouble(set_name, key, Trouble("failure", f"{type(error).__name__}: {error}"))
            raise


@cache
def _workplace() -> Workplace:
    """Created after the fork, in the child."""
    return Workplace(
        watch=settings.watch,
        reports=Destination(
            out=settings.out,
            language=settings.language,
            strict=settings.strict_fsync,
            history_versions=settings.history_versions,
        ),
        area=WorkArea(settings.out),
        strikes=Strikes(_client()),
        time_limit_seconds=float(settings.task_time_limit_seconds),
        memory_limit_megabytes=settings.memory_limit_megabytes,
        least_cut_bytes=sys.maxsize if app.conf.broker_url == MEMORY_URL else LEAST_BYTES,  # one worker gains nothing
    )


@cache
def _grader(votes: int) -> Judge:
    """Cached: what it learns of its endpoint serves later tasks."""
    return Judge(settings, votes=votes)


@cache
def _client() -> redis.Redis | None:
    """Of the broker's server; created after the fork as well."""
    return shared_client(str(app.conf.broker_url))
