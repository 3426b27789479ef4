"""The work of the tasks, without Celery: score one input into its part, assemble a set from its parts.

Both may run repeatedly, on any machine, in any order: a plan always gives the same bytes, and an outdated plan none.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import structlog

from reporting.publish import Outcome
from reporting.set_report import Destination, SetReport, refuse_set, report_set
from reporting.store.history import DEFAULT_VERSIONS
from reporting.store.locks import exclusive, lock_path
from reporting.store.set_folder import status_of_set, verify_set
from reporting.store.staging import open_spool
from reporting.store.verdicts import known_verdicts
from scoring.items.part import ENGINE_VERSION, Part
from scoring.items.score_file import score_file
from scoring.items.spool.space import SpoolSpace
from scoring.judging.verdicts import Judging
from scoring.problems import ScorewatchError, TransientError, internal_error
from scoring.reading.content_hash import whole_hash
from scoring.reading.regular_file import open_regular
from scoring.rubric.model import Rubric
from scoring.sets.plan import Plan, PlannedInput, unescape_path
from workers.jobs.attempts import LIMIT, Strikes
from workers.jobs.inputs import GiveUpError, locate
from workers.jobs.isolated import score_alone
from workers.jobs.reading_progress import note_reading
from workers.jobs.work_area import PartId, WorkArea

ALONE_SHARE = 0.9  # of the task's time limit, so that our time-out fires before Celery's

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """The folders and limits of a worker.

    time_limit_seconds: of one task. memory_limit_megabytes: of one process.
    """

    watch: Path
    out: Path
    area: WorkArea
    strikes: Strikes
    time_limit_seconds: float
    memory_limit_megabytes: int = 4096
    strict_fsync: bool = False
    history_versions: int = DEFAULT_VERSIONS

    def destination(self, plan: Plan) -> Destination:
        """Where and how the report of a plan is published."""
        return Destination(
            out=self.out,
            language=plan.language,
            strict=self.strict_fsync,
            history_versions=self.history_versions,
        )

    def find_plan(self, set_name: str, key: str) -> Plan:
        """The plan of a set's key. Raises GiveUpError when there is none, or it is for another engine."""
        plan = self.area.read_plan(set_name, key)
        if plan is None:
            raise GiveUpError("no-plan", key)
        if plan.engine_version != ENGINE_VERSION:
            raise GiveUpError("engine", f"asked for engine {plan.engine_version}, this worker has {ENGINE_VERSION}")
        return plan

    def progress(self, set_name: str, key: str) -> Progress:
        """How far the key is, by status.json, the files beside it and the state of its judge."""
        status = status_of_set(self.out, set_name)
        if status is None or status.key != key or not verify_set(self.out, set_name, deep=False):
            return Progress.NOTHING
        return Progress.SETTLED if status.is_final else Progress.REPORTED


class Progress(Enum):
    """What the folder of a set has for a key."""

    NOTHING = 0
    REPORTED = 1  # the judge has not completed it
    SETTLED = 2


class BeingScoredError(ScorewatchError):
    """Another process is scoring this input; the watcher asks for its result."""


class Assembled(NamedTuple):
    """is_published: the report is in place. unjudged: hashes of the items that need a judge."""

    is_published: bool
    unjudged: tuple[str, ...] = ()


def score_input(place: Workplace, plan: Plan, planned: PlannedInput) -> Part:
    """The part of one input, scored now if it does not exist.

    Raises GiveUpError when the file differs from the plan, or it cannot be read or its part written; BeingScoredError
    when another process is scoring it.
    """
    part_id = part_id_of(plan, planned)
    part = place.area.read_part(part_id)
    if part is not None:
        return part
    with _alone_at(place, plan.set_name, planned.sha256):
        return _score_now(place, plan, planned, part_id)


@contextmanager
def _alone_at(place: Workplace, set_name: str, sha256: str) -> Iterator[None]:
    """Exclude other processes from the same input of the set: concurrent attempts would count as deaths.

    Ignores a process that has held the lock for longer than a task may take: it may hang.
    """
    with ExitStack() as stack:
        try:
            path = lock_path(place.out, set_name).with_suffix(f".{sha256[:16]}")
            try:
                stack.enter_context(exclusive(path, timeout_seconds=0))
                os.utime(path)  # the file may be a leftover
            except TransientError:
                if time.time() - path.stat().st_mtime < place.time_limit_seconds:
                    raise BeingScoredError from None
        except FileNotFoundError:
            raise BeingScoredError from None  # it has just ended
        except OSError as error:
            raise GiveUpError("storage", str(error.strerror or error)) from error
        yield


def _score_now(place: Workplace, plan: Plan, planned: PlannedInput, part_id: PartId) -> Part:
    rubric = load_rubric(place.area, plan.rubric_digest)
    real = locate(place.watch, planned.path)
    tries = place.strikes.take(plan.set_name, planned.sha256)
    try:
        if tries >= LIMIT:
            _log.warning("scoring alone", path=planned.path, tries=tries)
            seconds = place.time_limit_seconds * ALONE_SHARE
            part = score_alone(
                real,
                name=planned.path,
                rubric=rubric,
                sha256=planned.sha256,
                size=planned.size,
                strikes=tries - 1,
                seconds=seconds,
                megabytes=place.memory_limit_megabytes,
                out=place.out,
            )
        else:
            with (
                open_regular(real) as stream,
                note_reading(place.out, plan.set_name, planned.path, planned.size) as progress,
            ):
                space = SpoolSpace(partial(open_spool, place.out))
                part = score_file(stream, name=planned.path, rubric=rubric, progress=progress, space=space)
    except (OSError, GiveUpError, TransientError) as error:
        place.strikes.clear(plan.set_name, planned.sha256)
        if isinstance(error, GiveUpError):
            raise
        if isinstance(error, TransientError):
            raise GiveUpError("storage", str(error)) from error
        kind = "vanished" if isinstance(error, FileNotFoundError) else "unreadable"
        raise GiveUpError(kind, f"{planned.path}: {error.strerror or error}") from error
    place.strikes.clear(plan.set_name, planned.sha256)
    if part.sha256 != planned.sha256:
        raise GiveUpError("changed", planned.path)
    try:
        place.area.write_part(part_id, part)
    except (OSError, TransientError) as error:
        reason = error.strerror if isinstance(error, OSError) else ""
        raise GiveUpError("storage", reason or str(error)) from error
    return part


def assemble(
    place: Workplace, plan: Plan, *, score_missing: bool, known: Mapping[PartId, Part] = MappingProxyType({})
) -> Assembled:
    """Publish the set with the stored verdicts if all its parts exist.

    score_missing: score missing parts here instead of leaving them to their tasks. known: parts that need not be read.
    An unexpected exception is raised until its third time, then published as the set's problem.
    Raises GiveUpError and BeingScoredError as `score_input` does, GiveUpError also when the outputs cannot be written.
    """
    ids = [part_id_of(plan, planned) for planned in plan.inputs]
    if not score_missing and not all(map(place.area.has_part, ids)):
        return Assembled(is_published=False)
    parts = []
    for planned, part_id in zip(plan.inputs, ids, strict=True):
        part = known.get(part_id) or place.area.read_part(part_id)
        if part is None:
            if not score_missing:
                place.area.remove_part(part_id)  # damaged
            part = score_input(place, plan, planned)
        parts.append((planned.name, part))
    check_unchanged(place.watch, plan.inputs)
    try:
        outcome, unjudged = _publish_or_name(place, plan, parts)
    except (OSError, TransientError) as error:
        raise GiveUpError("storage", str(error)) from error
    if outcome is Outcome.NEWER_ENGINE:
        raise GiveUpError("engine", "there is a report of a newer engine")
    if unjudged and place.progress(plan.set_name, plan.key) is not Progress.SETTLED:
        return Assembled(is_published=True, unjudged=unjudged)
    place.area.close(plan.set_name, plan.key)
    return Assembled(is_published=True)


def do_each(work: Callable[..., object], asks: Iterable[Sequence[object]]) -> None:
    """Call `work` with the arguments of each ask. Raises the first exception after all calls."""
    failures = []
    for arguments in asks:
        try:
            work(*arguments)
        except Exception as error:  # noqa: BLE001 -- raised below
            failures.append(error)
    if failures:
        raise failures[0]


def part_id_of(plan: Plan, planned: PlannedInput) -> PartId:
    """Id of the part of one planned input."""
    kind = os.path.splitext(unescape_path(planned.path))[1].lower()  # noqa: PTH122 -- names that are no UTF-8
    return PartId(planned.sha256, plan.rubric_digest, kind, plan.engine_version)


def _publish_or_name(
    place: Workplace, plan: Plan, parts: Sequence[tuple[str, Part]]
) -> tuple[Outcome, tuple[str, ...]]:
    """`_publish`; an exception that occurs each time is published in place of the report."""
    try:
        published = _publish(place, plan, parts)
    except (OSError, ScorewatchError):
        place.strikes.clear(plan.set_name, plan.key)
        raise
    except Exception as error:
        tries = place.strikes.take(plan.set_name, plan.key)
        if tries < LIMIT:
            raise
        _log.exception("failed each time", tries=tries)
        refusal = refuse_set(
            (internal_error([name for name, _ in parts], error),),
            place.destination(plan),
            set_name=plan.set_name,
            key=plan.key,
            inputs=[(planned.name, planned.sha256) for planned in plan.inputs],
            profile=load_rubric(place.area, plan.rubric_digest).profile,
            rubric_digest=plan.rubric_digest,
        )
        published = _outcome(refusal), ()
    place.strikes.clear(plan.set_name, plan.key)
    return published


def _publish(place: Workplace, plan: Plan, parts: Sequence[tuple[str, Part]]) -> tuple[Outcome, tuple[str, ...]]:
    """(outcome of publishing, hashes of the items without a verdict)."""
    rubric = load_rubric(place.area, plan.rubric_digest)
    judging = None
    if plan.judge is not None:
        contents = [planned.sha256 for planned in plan.inputs]
        judging = Judging(identity=plan.judge, verdicts=known_verdicts(place.out, plan.set_name, contents))
    report = report_set(parts, rubric, place.destination(plan), set_name=plan.set_name, key=plan.key, judging=judging)
    judge = None if report.result is None else report.result.judge
    return _outcome(report), () if judge is None else tuple(request.hash for request in judge.requests)


def _outcome(report: SetReport) -> Outcome:
    assert report.published is not None  # a worker always publishes
    return report.published.outcome


def check_unchanged(watch: Path, inputs: Sequence[PlannedInput]) -> None:
    """Raise GiveUpError when an input differs from its plan.

    A late task of an older plan must neither publish over a newer report nor ask a judge.
    """
    for planned in inputs:
        real = locate(watch, planned.path)
        try:
            stat = os.stat(real)  # noqa: PTH116
            if (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns) == (
                planned.size,
                planned.mtime_ns,
                planned.ctime_ns,
            ):
                continue
            with open_regular(real) as stream:  # another machine may have other times for the same content
                sha256 = whole_hash(stream).sha256
        except FileNotFoundError as error:
            raise GiveUpError("vanished", planned.path) from error
        except OSError as error:
            raise GiveUpError("unreadable", f"{planned.path}: {error.strerror or error}") from error
        if sha256 != planned.sha256:
            raise GiveUpError("changed", planned.path)


@lru_cache(maxsize=16)
def load_rubric(area: WorkArea, digest: str) -> Rubric:
    """A rubric by its digest. Raises GiveUpError when the work area has none; the next ask writes it again."""
    rubric = area.read_rubric(digest)
    if rubric is None:
        raise GiveUpError("no-rubric", digest)
    return rubric
