"""The work of the tasks, without Celery: score one input into its part, assemble a set from its parts.

An input is scored in pieces, in one, or alone in a limited process. Both tasks may run repeatedly, on any machine, in
any order: a plan always gives the same bytes, and an outdated plan none.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import structlog

from reporting import SetReport, refusal_of, refuse_set, report_set
from reporting.runs import Outcome
from reporting.store import known_verdicts, open_spool
from scoring import ScorewatchError, internal_error
from scoring.items import score_file
from scoring.items.spool import Part, SpoolSpace
from scoring.judging import Judging
from scoring.reading import open_regular, whole_hash
from scoring.sets import Plan, PlannedInput
from workers.jobs.attempts import LIMIT
from workers.jobs.inputs import GiveUpError, locate, reading, storing
from workers.jobs.isolated import score_alone
from workers.jobs.pieces import LargeInput
from workers.jobs.work_area import PartId
from workers.jobs.workplace import Progress, Workplace, alone_at, load_rubric, note_reading, part_id_of

SMALL_BYTES = 4 << 20  # of a file that is scored again in less time than all parts like its own take to be kept
ALONE_SHARE = 0.9  # of the task's time limit, so that our time-out fires before Celery's
_log = structlog.get_logger()


def score_input(place: Workplace, plan: Plan, planned: PlannedInput) -> Part:
    """The part of one input, scored now if it does not exist.

    That of a small file which is a set by itself is not stored: it is merged at once, and no judge needs it later.
    Raises GiveUpError when the file differs from the plan, or it cannot be read or its part written; BeingScoredError
    when another process is scoring it.
    """
    part_id = part_id_of(plan, planned)
    part = _known(place, plan, part_id)
    if part is not None:
        return part
    large = LargeInput(place, plan, planned)
    part, strikes = large.part()
    if part is None:
        with alone_at(place, plan.set_name, planned.sha256[:16]):
            part = _score_now(place, plan, planned, part_id, strikes=strikes)
        large.clear()
    return part


def _known(place: Workplace, plan: Plan, part_id: PartId) -> Part | None:
    """The part that is stored, if the file that was joined is that of the plan."""
    part = place.area.read_part(part_id)
    is_other = part is not None and part.beside and part.beside not in {one.sha256 for one in plan.inputs}
    return None if is_other else part


def _score_now(place: Workplace, plan: Plan, planned: PlannedInput, part_id: PartId, *, strikes: int) -> Part:
    """strikes: of a piece of the input, as `LargeInput.part` has them."""
    rubric = load_rubric(place.area, plan.rubric_digest)
    real = locate(place.watch, planned.path)
    tries = max(place.strikes.take(plan.set_name, planned.sha256), strikes)
    try:
        with reading(planned.path):
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
    except GiveUpError:
        place.strikes.clear(plan.set_name, planned.sha256)
        raise
    place.strikes.clear(plan.set_name, planned.sha256)
    if part.sha256 != planned.sha256:
        raise GiveUpError("changed", planned.path)
    if len(plan.inputs) == 1 and plan.judge is None and planned.size <= SMALL_BYTES:
        return part
    with storing():
        place.area.write_part(part_id, part)
    return part


class Assembled(NamedTuple):
    """is_published: the report is in place. unjudged: hashes of the items that need a judge."""

    is_published: bool
    unjudged: tuple[str, ...] = ()


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
        part = known.get(part_id) or _known(place, plan, part_id)
        if part is None:
            if not score_missing:
                place.area.remove_part(part_id)  # damaged
            part = score_input(place, plan, planned)
        parts.append((planned.name, part))
    check_unchanged(place.watch, plan.inputs)
    with storing():
        outcome, unjudged = _publish_or_name(place, plan, parts)
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
        problem = internal_error([name for name, _ in parts], error)
        inputs = tuple((planned.name, planned.sha256) for planned in plan.inputs)
        refusal = refusal_of(load_rubric(place.area, plan.rubric_digest), plan.id, (problem,), inputs)
        published = _outcome(refuse_set(refusal, place.destination(plan))), ()
    place.strikes.clear(plan.set_name, plan.key)
    return published


def _publish(place: Workplace, plan: Plan, parts: Sequence[tuple[str, Part]]) -> tuple[Outcome, tuple[str, ...]]:
    """(outcome of publishing, hashes of the items without a verdict)."""
    rubric = load_rubric(place.area, plan.rubric_digest)
    judging = None
    if plan.judge is not None:
        contents = [planned.sha256 for planned in plan.inputs]
        judging = Judging(identity=plan.judge, verdicts=known_verdicts(place.out, plan.set_name, contents))
    report = report_set(parts, rubric, place.destination(plan), plan.id, judging=judging, grades=plan.grades)
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
        with reading(planned.path):
            stat = os.stat(real)  # noqa: PTH116
            if (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns) == (
                planned.size,
                planned.mtime_ns,
                planned.ctime_ns,
            ):
                continue
            with open_regular(real) as stream:  # another machine may have other times for the same content
                sha256 = whole_hash(stream).sha256
        if sha256 != planned.sha256:
            raise GiveUpError("changed", planned.path)
