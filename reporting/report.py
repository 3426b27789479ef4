"""The one path from the parts of a set to its report: merged, then published, or refused.

The service and `scorewatch score` both take it, so that they publish the same bytes.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from reporting.runs import Outcome, Published, announce_comparison, publish_problem, publish_report
from reporting.store import STATUS, Destination, keep_reviews
from reporting.summary import announce_summary
from scoring import InputError, Problem
from scoring.items.spool import Part
from scoring.judging import Judging
from scoring.results import SetResult, merge
from scoring.review import PersonGrade
from scoring.rubric import Rubric
from scoring.sets import Refusal, SetId


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
    grades: Sequence[PersonGrade] = (),
    key_of: Callable[[Iterable[PersonGrade]], str] | None = None,
    force: bool = False,
) -> SetReport:
    """Merge the parts, (name relative to the set, its Part) in any order, and publish what comes of it.

    destination: None publishes nothing. judging: the judge and its verdicts so far. grades: of people, for
    this set. key_of: the key by those of them that are used, where that of `set_id` knows of none. force: as
    `publish_report`. Raises as `publish_report` does.
    """
    try:
        result = merge(parts, rubric, judging, grades)
    except InputError as error:
        inputs = tuple((name, part.sha256) for name, part in parts)
        return refuse_set(refusal_of(rubric, set_id, error.problems, inputs), destination)
    set_id = set_id if key_of is None else set_id._replace(key=key_of(result.used_grades))
    if destination is None:
        return SetReport(None, result)
    published = publish_report(result, set_id, destination, force=force)
    if published.outcome is not Outcome.NEWER_ENGINE:  # also a report whose writer died before that
        announce_comparison(set_id.name, destination)
        keep_reviews(destination.out, set_id.name, result)
        _announce(published, set_id, destination)
    return SetReport(published, result)


def _announce(published: Published, set_id: SetId, destination: Destination) -> None:
    """Say that the front page is to come."""
    if (status := STATUS.read(published.folder)) is not None:
        announce_summary(set_id.name, destination, status)


def refusal_of(
    rubric: Rubric, set_id: SetId, problems: tuple[Problem, ...], inputs: tuple[tuple[str, str], ...]
) -> Refusal:
    """The refusal of a set of this rubric. inputs: as in `Refusal`."""
    return Refusal(id=set_id, profile=rubric.profile, rubric_digest=rubric.digest, problems=problems, inputs=inputs)


def refuse_set(refusal: Refusal, destination: Destination | None) -> SetReport:
    """Publish why a set has no report. destination: None publishes nothing. Raises as `publish_problem` does."""
    published = None if destination is None else publish_problem(refusal, destination)
    if published is not None and destination is not None and published.outcome is not Outcome.NEWER_ENGINE:
        _announce(published, refusal.id, destination)
    return SetReport(published, None, refusal)
