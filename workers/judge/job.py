"""The work of a judge task, without Celery: asks for the verdicts of a few items and stores each as it arrives.

Several tasks may have the same items, on any machine: a stored verdict is not asked for again, and an item that another
worker has claimed is left to it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec
import structlog

from reporting.store import VerdictReader, append_verdicts, budget_lock, spent_tokens
from scoring import InputError, ScorewatchError
from scoring.judging import (
    MAX_TRIES,
    PROMPT_VERSION,
    Allowance,
    JudgeBudget,
    JudgeRequest,
    Judging,
    Tokens,
    Verdict,
    open_requests,
)
from scoring.results import merge
from scoring.sets import Plan
from workers.broker import JudgingClaims
from workers.jobs import GiveUpError, WorkArea, Workplace, check_unchanged, load_rubric, part_id_of
from workers.judge.errors import Slug
from workers.judge.usage import JudgeCounter, JudgeCounts

ITEMS_PER_TASK = 16
MAX_OUTAGES = 30  # asks for a set in a row that the endpoint answers with 502 or 503: about two hours

_log = structlog.get_logger()


class _SpendingElsewhereError(ScorewatchError):
    """Another process spends the budget at this moment."""


class Judged(NamedTuple):
    """left: hashes that did not start in time or that another worker has.

    is_held: another worker has them all, or spends the budget. is_complete: no item of the set waits for a verdict.
    """

    left: tuple[str, ...]
    is_held: bool
    is_complete: bool


def tasks_of(hashes: Sequence[str]) -> Iterator[list[str]]:
    """The hashes of each task."""
    for start in range(0, len(hashes), ITEMS_PER_TASK):
        yield list(hashes[start : start + ITEMS_PER_TASK])


def judge(
    place: Workplace,
    plan: Plan,
    hashes: Sequence[str],
    *,
    grade: Callable[..., None],
    claims: JudgingClaims,
    counter: JudgeCounter,
    owner: str,
    deadline: float,
    budget: JudgeBudget | None = None,
) -> Judged:
    """Ask for the missing verdicts of these items and store them.

    grade: as `Judge.grade`. owner: name of the task. deadline: monotonic; nothing starts that could end later. budget:
    of the whole folder of reports, which one process at a time spends.
    Raises GiveUpError when an input has changed or a part is lost, TransientError as the judge does and when a verdict
    cannot be stored.
    """
    check_unchanged(place.watch, plan.inputs)
    requests = _requests(place.area, plan)
    rules = {rule.metric: rule for rule in load_rubric(place.area, plan.rubric_digest).judged}
    wanted = [requests[name] for name in hashes if name in requests]
    begun: set[str] = set()
    reader = _reader(place.out, plan.set_name)

    def store(verdict: Verdict) -> None:
        append_verdicts(place.out, plan.set_name, [verdict])
        begun.add(verdict.hash)
        counts = _counts(verdict, stored.get(verdict.hash))
        counter.add(counts)
        if plan.judge is not None:
            counter.spend(plan.judge.price, Tokens(counts.prompt_tokens, counts.completion_tokens))

    with claims.hold([request.hash for request in wanted], owner) as held:
        # Read after claiming: the previous owner of a claim has stored its verdicts.
        stored = reader.read()
        waiting = [request.hash for request in open_requests(wanted, stored)]
        asked = [requests[name] for name in waiting if name in held]
        known = len(wanted) - len(waiting)
        counter.add(JudgeCounts(known=known))
        _log.info("judging", asked=len(asked), known=known, held_elsewhere=len(waiting) - len(asked))
        is_held = bool(waiting) and not asked
        try:
            with _spending(place, budget if asked else None) as allowance:
                for batch in _batches(place, plan, asked, stored, store):
                    with _striking(place, plan, batch):
                        grade(batch, rules, stored, deadline=deadline, allowance=allowance, on_verdict=store)
        except _SpendingElsewhereError:
            is_held = True
    # Items of another worker are asked for again: it may have died.
    left = tuple(name for name in waiting if name not in begun)
    return Judged(
        left=left,
        is_held=is_held,
        is_complete=not left and _is_complete(requests, reader.read()),
    )


@contextmanager
def _spending(place: Workplace, budget: JudgeBudget | None) -> Iterator[Allowance | None]:
    """What may be spent in the block, in which no other process spends; None without a budget.

    Raises _SpendingElsewhereError when another process does at this moment.
    """
    if budget is None:
        yield None
        return

    def give_way() -> None:
        raise _SpendingElsewhereError

    with budget_lock(place.out, on_wait=give_way):
        yield Allowance(budget, spent_tokens(place.out))


def give_up(place: Workplace, plan: Plan, failure: str) -> bool:
    """Count a time at which the judge was not available; after MAX_OUTAGES in a row give up the items of the set.

    failure: slug. Returns whether they were given up. Raises as `judge` does.
    """
    outage = _outage(plan)
    if place.strikes.take(plan.set_name, outage) < MAX_OUTAGES:
        return False
    stored = _reader(place.out, plan.set_name).read()
    left = open_requests(tuple(_requests(place.area, plan).values()), stored)
    append_verdicts(place.out, plan.set_name, [_given_up(request, stored, failure) for request in left])
    place.strikes.clear(plan.set_name, outage)
    return True


def _batches(
    place: Workplace,
    plan: Plan,
    asked: Sequence[JudgeRequest],
    stored: Mapping[str, Verdict],
    store: Callable[[Verdict], None],
) -> Iterator[list[JudgeRequest]]:
    """The requests to ask for at once: first all that are new, then alone each on which a process has ended before.

    One on which it has ended MAX_TRIES times is given up.
    """
    deaths = place.strikes.known(plan.set_name, [request.hash for request in asked])
    if fresh := [request for request, n in zip(asked, deaths, strict=True) if not n]:
        yield fresh
    for request, n in zip(asked, deaths, strict=True):
        if n >= MAX_TRIES:
            store(_given_up(request, stored, Slug.INTERRUPTED))
            place.strikes.clear(plan.set_name, request.hash)
        elif n:
            yield [request]


@contextmanager
def _striking(place: Workplace, plan: Plan, batch: Sequence[JudgeRequest]) -> Iterator[None]:
    """Count a try of each request for the length of the block: the count stays when the process ends in it."""
    for request in batch:
        place.strikes.take(plan.set_name, request.hash)
    try:
        yield
    finally:
        for request in batch:
            place.strikes.clear(plan.set_name, request.hash)
        place.strikes.flush()
    place.strikes.clear(plan.set_name, _outage(plan))


def _outage(plan: Plan) -> str:
    return f"outage-{plan.key}"


def _given_up(request: JudgeRequest, stored: Mapping[str, Verdict], failure: str) -> Verdict:
    known = stored.get(request.hash) or Verdict(hash=request.hash, prompt=PROMPT_VERSION)
    return msgspec.structs.replace(known, failure=str(failure), tries=MAX_TRIES)


def _is_complete(requests: Mapping[str, JudgeRequest], stored: Mapping[str, Verdict]) -> bool:
    return next(open_requests(tuple(requests.values()), stored), None) is None


def _counts(verdict: Verdict, before: Verdict | None) -> JudgeCounts:
    """The counts of this try: a verdict also holds the tokens of earlier tries."""
    earlier = before or Verdict(hash=verdict.hash)
    return JudgeCounts(
        verdicts=int(bool(verdict.level)),
        failures=int(not verdict.level),
        prompt_tokens=verdict.prompt_tokens - earlier.prompt_tokens,
        completion_tokens=verdict.completion_tokens - earlier.completion_tokens,
    )


@lru_cache(maxsize=2)
def _reader(out: Path, set_name: str) -> VerdictReader:
    """Cached: a new reader per task would read the whole file."""
    return VerdictReader(out, set_name)


@lru_cache(maxsize=2)
def _requests(area: WorkArea, plan: Plan) -> Mapping[str, JudgeRequest]:
    """All judge requests of a set, by hash. Cached, so that the parts of a large set are read once."""
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
        return MappingProxyType({})  # the set settles as a problem
    found = () if result.judge is None else result.judge.requests
    return MappingProxyType({request.hash: request for request in found})
