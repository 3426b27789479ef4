"""Scores one input of a set into its part: in pieces, in one, or alone in a limited process."""

from __future__ import annotations

from functools import partial

import structlog

from reporting.store.staging import open_spool
from scoring.items.part import Part
from scoring.items.score_file import score_file
from scoring.items.spool.space import SpoolSpace
from scoring.reading.regular_file import open_regular
from scoring.sets.plan import Plan, PlannedInput
from workers.jobs.attempts import LIMIT
from workers.jobs.inputs import GiveUpError, locate, reading, storing
from workers.jobs.isolated import score_alone
from workers.jobs.pieces import LargeInput
from workers.jobs.reading_progress import note_reading
from workers.jobs.work_area import PartId
from workers.jobs.workplace import Workplace, alone_at, load_rubric, part_id_of

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
    part = place.area.read_part(part_id)
    if part is not None:
        return part
    large = LargeInput(place, plan, planned)
    part, strikes = large.part()
    if part is None:
        with alone_at(place, plan.set_name, planned.sha256[:16]):
            part = _score_now(place, plan, planned, part_id, strikes=strikes)
        large.clear()
    return part


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
