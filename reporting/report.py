"""The one path from the parts of a set to its report: merged, then published, or refused.

The service and `scorewatch score` both take it, so that they publish the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

from reporting.beside import can_fork
from reporting.runs import (
    Outcome,
    Published,
    WrittenItems,
    announce_comparison,
    items_beside,
    publish_problem,
    publish_report,
)
from reporting.store import Destination
from scoring import InputError, Problem
from scoring.items import Part
from scoring.judging import Judging
from scoring.results import ItemList, SetResult, figures_of, join_parts
from scoring.rubric import Rubric
from scoring.sets import Refusal, SetId

LARGE_SET = 20_000  # items: writing them takes 0.2 s


class SetReport(NamedTuple):
    """What became of a set. published: None without a destination. result: None for a set that has a refusal."""

    published: Published | None
    result: SetResult | None
    refusal: Refusal | None = None


def report_set(
    parts: Sequence[tuple[str, Part]],
    rubric: Rubric,
    destination: Destination | None,
    set_id: SetId,
    *,
    judging: Judging | None = None,
    force: bool = False,
) -> SetReport:
    """Merge the parts, (name relative to the set, its Part) in any order, and publish what comes of it.

    destination: None publishes nothing. judging: the judge and its verdicts so far. force: as `publish_report`. Raises
    as `publish_report` does.
    """
    try:
        joined = join_parts(parts, rubric, judging)
    except InputError as error:
        inputs = tuple((name, part.sha256) for name, part in parts)
        return refuse_set(refusal_of(rubric, set_id, error.problems, inputs), destination)
    if destination is None:
        return SetReport(None, figures_of(joined))
    with _items_beside(joined, destination) as items:
        result = figures_of(joined)
        published = publish_report(result, set_id, destination, force=force, items=items)
    if published.outcome is not Outcome.NEWER_ENGINE:  # also a report whose writer died before that
        announce_comparison(set_id.name, destination)
    return SetReport(published, result)


def refusal_of(
    rubric: Rubric, set_id: SetId, problems: tuple[Problem, ...], inputs: tuple[tuple[str, str], ...]
) -> Refusal:
    """The refusal of a set of this rubric. inputs: as in `Refusal`."""
    return Refusal(id=set_id, profile=rubric.profile, rubric_digest=rubric.digest, problems=problems, inputs=inputs)


def refuse_set(refusal: Refusal, destination: Destination | None) -> SetReport:
    """Publish why a set has no report. destination: None publishes nothing. Raises as `publish_problem` does."""
    published = None if destination is None else publish_problem(refusal, destination)
    return SetReport(published, None, refusal)


def _items_beside(
    joined: ItemList, destination: Destination
) -> AbstractContextManager[Callable[[], WrittenItems] | None]:
    """A second process for `items.csv` where that is worth it, else nothing."""
    if destination.may_fork and len(joined.items) >= LARGE_SET and can_fork():
        return items_beside(joined, destination)
    return nullcontext()
