"""What a judge's task does, without Celery: asks for the verdicts of a few items and stores each as it comes.

Any number of tasks may be asked for the same items, on any machine: a verdict that is stored is not asked for again,
and an item that another worker asks for is left to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

import structlog

from reporting.store.verdicts import VerdictReader, append_verdicts
from scoring.judging.verdicts import JudgeRequest, Judging, Verdict, open_requests
from scoring.problems import InputError
from scoring.results.merge import merge
from scoring.rubric.rules import VerdictRule
from scoring.sets.plan import Plan
from workers.broker.judge_claims import Claims
from workers.jobs.inputs import GiveUpError
from workers.jobs.score_and_report import Workplace, check_unchanged, load_rubric, part_id_of
from workers.jobs.work_area import WorkArea
from workers.judge.usage import JudgeCounter, JudgeCounts

ITEMS_PER_TASK = 16

_log = structlog.get_logger()


class Grade(Protocol):
    """How items are graded: `workers.judge.grade.Judge.grade`."""

    def __call__(
        self,
        requests: Sequence[JudgeRequest],
        rules: Mapping[str, VerdictRule],
        known: Mapping[str, Verdict],
        *,
        deadline: float | None,
        on_verdict: Callable[[Verdict], None],
    ) -> None:
        """Ask for what can be begun before the deadline (monotonic)."""


class Judged(NamedTuple):
    """left: hashes that were not begun in time, or that another worker holds; is_held: all of them are such.

    is_complete: no item of the set waits for a verdict any more.
    """

    left: tuple[str, ...]
    is_held: bool
    is_complete: bool


def tasks_of(hashes: Sequence[str]) -> Iterator[list[str]]:
    """The hashes in the portions of tasks."""
    for start in range(0, len(hashes), ITEMS_PER_TASK):
        yield list(hashes[start : start + ITEMS_PER_TASK])


def judge(
    place: Workplace,
    plan: Plan,
    hashes: Sequence[str],
    *,
    grade: Grade,
    claims: Claims,
    counter: JudgeCounter,
    owner: str,
    deadline: float,
) -> Judged:
    """Ask for the verdicts of these items of a set that have none, and store them.

    owner: name of the task. deadline: monotonic; nothing is begun that could end later.
    Raises GiveUpError when the set has moved on or its parts are lost, TransientError as the judge does and when a
    verdict cannot be stored.
    """
    check_unchanged(place.watch, plan.inputs)
    requests = _requests(place.area.root, plan)
    rules = {rule.metric: rule for rule in load_rubric(place.area, plan.rubric_digest).judged}
    wanted = [requests[name] for name in hashes if name in requests]
    begun: set[str] = set()
    reader = _reader(place.out, plan.set_name)

    def store(verdict: Verdict) -> None:
        append_verdicts(place.out, plan.set_name, [verdict])
        begun.add(verdict.hash)
        counter.add(_counts(verdict, stored.get(verdict.hash)))

    with claims.hold([request.hash for request in wanted], owner) as held:
        # Read after claiming: whoever held the claim before has stored what it got.
        stored = reader.read()
        waiting = [request.hash for request in open_requests(wanted, stored)]
        asked = [requests[name] for name in waiting if name in held]
        known = len(wanted) - len(waiting)
        counter.add(JudgeCounts(known=known))
        _log.info("judging", asked=len(asked), known=known, held_elsewhere=len(waiting) - len(asked))
        grade(asked, rules, stored, deadline=deadline, on_verdict=store)
    # What another worker holds comes back: it may have died, and nobody else knows of it then.
    left = tuple(name for name in waiting if name not in begun)
    return Judged(
        left=left,
        is_held=bool(waiting) and not asked,
        is_complete=not left and _is_complete(requests, reader.read()),
    )


def _is_complete(requests: Mapping[str, JudgeRequest], stored: Mapping[str, Verdict]) -> bool:
    return next(open_requests(tuple(requests.values()), stored), None) is None


def _counts(verdict: Verdict, before: Verdict | None) -> JudgeCounts:
    """What this try adds: a verdict holds the tokens of earlier tries too."""
    earlier = before or Verdict(hash=verdict.hash)
    return JudgeCounts(
        verdicts=int(bool(verdict.level)),
        failures=int(not verdict.level),
        prompt_tokens=verdict.prompt_tokens - earlier.prompt_tokens,
        completion_tokens=verdict.completion_tokens - earlier.completion_tokens,
    )


@lru_cache(maxsize=2)
def _reader(out: Path, set_name: str) -> VerdictReader:
    """Reading a large file anew for every task would cost more with every verdict."""
    return VerdictReader(out, set_name)


@lru_cache(maxsize=2)
def _requests(area_root: Path, plan: Plan) -> Mapping[str, JudgeRequest]:
    """All that a judge may be asked of a set, by hash. The parts of a large set are read once, not for every task."""
    area = WorkArea(area_root.parent)
    assert plan.judge is not None
    parts = []
    for planned in plan.inputs:
        part = area.read_part(part_id_of(plan, planned))
        if part is None:
            raise GiveUpError("no-part", planned.path)
        parts.append((planned.name, part))
    try:
        result = merge(parts, load_rubric(area, plan.rubric_digest), Judging(identity=plan.judge))
    except InputError:
        return MappingProxyType({})  # it is settled as a problem
    found = () if result.judge is None else result.judge.requests
    return MappingProxyType({request.hash: request for request in found})
