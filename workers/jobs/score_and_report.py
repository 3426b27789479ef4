"""The work of the tasks, without Celery: score one input into its part, assemble a set from its parts.

Both may run repeatedly, on any machine, in any order: a plan always gives the same bytes, and an outdated plan none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import structlog

from reporting.publish import Outcome
from reporting.set_report import SetReport, refuse_set, report_set
from reporting.store.verdicts import known_verdicts
from scoring.items.part import Part
from scoring.judging.verdicts import Judging
from scoring.problems import ScorewatchError, internal_error
from scoring.reading.content_hash import whole_hash
from scoring.reading.regular_file import open_regular
from scoring.sets.plan import Plan, PlannedInput
from workers.jobs.attempts import LIMIT
from workers.jobs.inputs import GiveUpError, locate, reading, storing
from workers.jobs.score_input import score_input
from workers.jobs.work_area import PartId
from workers.jobs.workplace import Progress, Workplace, load_rubric, part_id_of

_log = structlog.get_logger()


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
        part = known.get(part_id) or place.area.read_part(part_id)
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
