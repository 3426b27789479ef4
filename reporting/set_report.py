"""The one path from the parts of a set to its report: merged, then published, or refused.

The service and `scorewatch score` both take it, so that they publish the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from reporting.baseline.unmade import announce_comparison
from reporting.beside import can_fork
from reporting.publish import Outcome, Published, items_beside, publish_problem, publish_report
from reporting.store.history import DEFAULT_VERSIONS
from scoring.items.part import Part
from scoring.judging.verdicts import Judging
from scoring.problems import InputError, Problem
from scoring.results.merge import figures_of, join_parts
from scoring.results.model import SetResult
from scoring.rubric.model import Rubric
from scoring.sets.plan import Refusal

LARGE_SET = 20_000  # items: writing them takes 0.2 s


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """How reports are published. out: None publishes nothing. The rest as `publish_report`.

    may_fork: may a second process write a part of a large set?
    """

    out: Path | None
    language: str
    strict: bool = False
    history_versions: int = DEFAULT_VERSIONS
    may_fork: bool = False


class SetReport(NamedTuple):
    """What became of a set. published: None without a destination. result: None when `problems` refuse the set."""

    published: Published | None
    result: SetResult | None
    problems: tuple[Problem, ...] = ()


def report_set(
    parts: Sequence[tuple[str, Part]],
    rubric: Rubric,
    destination: Destination,
    *,
    set_name: str,
    key: str,
    judging: Judging | None = None,
    force: bool = False,
) -> SetReport:
    """Merge the parts, (name relative to the set, its Part) in any order, and publish what comes of it.

    judging: the judge and its verdicts so far. force: as `publish_report`. Raises as `publish_report` does.
    """
    try:
        joined = join_parts(parts, rubric, judging)
    except InputError as error:
        inputs = [(name, part.sha256) for name, part in parts]
        return refuse_set(
            error.problems,
            destination,
            set_name=set_name,
            key=key,
            inputs=inputs,
            profile=rubric.profile,
            rubric_digest=rubric.digest,
        )
    out = destination.out
    if out is None:
        return SetReport(None, figures_of(joined))
    is_shared = destination.may_fork and len(joined.items) >= LARGE_SET and can_fork()
    with items_beside(joined, out, strict=destination.strict) if is_shared else nullcontext() as items:
        result = figures_of(joined)
        published = publish_report(
            result,
            set_name=set_name,
            key=key,
            out=out,
            language=destination.language,
            strict=destination.strict,
            history_versions=destination.history_versions,
            force=force,
            items=items,
        )
    if published.outcome is not Outcome.NEWER_ENGINE:  # also a report whose writer died before that
        announce_comparison(
            published.folder, set_name, out=out, language=destination.language, strict=destination.strict
        )
    return SetReport(published, result)


def refuse_by_name(refusal: Refusal, destination: Destination) -> SetReport:
    """Publish a refusal that no rubric was asked for. Raises as `publish_problem` does."""
    return refuse_set(
        (refusal.problem,),
        destination,
        set_name=refusal.set_name,
        key=refusal.key,
        inputs=refusal.inputs,
        profile=refusal.profile,
        rubric_digest="",
    )


def refuse_set(
    problems: tuple[Problem, ...],
    destination: Destination,
    *,
    set_name: str,
    key: str,
    inputs: Iterable[tuple[str, str]],
    profile: str,
    rubric_digest: str,
) -> SetReport:
    """Publish the problems of a set that cannot be reported. The rest as `publish_problem`."""
    published = None
    if destination.out is not None:
        published = publish_problem(
            problems,
            inputs=inputs,
            set_name=set_name,
            key=key,
            out=destination.out,
            profile=profile,
            rubric_digest=rubric_digest,
            language=destination.language,
            strict=destination.strict,
            history_versions=destination.history_versions,
        )
    return SetReport(published, None, problems)
