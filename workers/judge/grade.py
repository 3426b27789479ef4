"""The judge: asks a model for verdicts, a few requests at a time, and hands each over as soon as it arrives.

The requests run in an event loop on a thread of their own; verdicts are handed over in the caller's thread. So storing
one delays no request, and an interrupt of the caller loses no verdict that was paid for.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from functools import reduce
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

from config import JUDGE_DEADLINE_FACTOR, Settings
from scoring.judging import (
    MAX_TRIES,
    PROMPT_VERSION,
    Allowance,
    JudgeRequest,
    Reply,
    Tokens,
    Verdict,
    again,
    asked_at_once,
    estimated_tokens,
    expected_tokens,
    median_level,
    messages,
    missing_votes,
    open_requests,
    read_replies,
    reply_schema,
)
from scoring.rubric import VerdictRule
from workers.judge.errors import FINAL, CallFailed, JudgeDownError, Slug, redacted

if TYPE_CHECKING:
    from workers.judge.client import Completion, JudgeClient

__all__ = ["Judge", "JudgeDownError"]

_NOTHING = Tokens()
MAX_READINGS = 3  # unreadable replies to one vote


class Judge:
    """Asks one endpoint for verdicts and remembers what it learned of it.

    requests: HTTP requests sent so far, retries included.
    """

    def __init__(self, settings: Settings, *, votes: int | None = None) -> None:
        """settings: with a judge. votes: None for theirs."""
        assert settings.judge is not None
        self._settings = settings
        self._model = settings.judge.model
        self._votes = votes or settings.judge.votes
        self._item_seconds = JUDGE_DEADLINE_FACTOR * settings.judge_timeout_seconds  # of all requests together
        self._refused_parameters: set[str] = set()
        self._is_known_good = False
        self.requests = 0

    def grade(
        self,
        requests: Sequence[JudgeRequest],
        rules: Mapping[str, VerdictRule],
        known: Mapping[str, Verdict],
        *,
        deadline: float | None = None,
        allowance: Allowance | None = None,
        on_verdict: Callable[[Verdict], None],
    ) -> None:
        """Ask for every request without a final verdict in `known`, each hash once.

        rules: by metric. known: by hash; tries, votes and tokens continue from there. deadline: of `time.monotonic`;
        apart from the first items, none is started that could end later. allowance: what may be spent; None for any
        amount. on_verdict: called in this thread, with levels and with failures.
        Raises JudgeDownError when the endpoint is not available or the allowance does not do for the next item, after
        the requests in flight have ended; no tries are counted for it.
        """
        waiting = deque(asked_at_once(open_requests(requests, known)))
        if not waiting:
            return
        done: SimpleQueue[Verdict | None] = SimpleQueue()
        batch = _Batch(waiting=waiting, rules=rules, known=known, deadline=deadline, put=done.put, allowance=allowance)
        loop = asyncio.new_event_loop()
        grading = loop.create_task(self._grade_all(batch))
        grading.add_done_callback(lambda _: done.put(None))
        thread = Thread(target=_serve, args=(loop, grading), name="judge")
        thread.start()
        handed: Verdict | None = None
        try:
            while (handed := done.get()) is not None:
                on_verdict(handed)
        except BaseException:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(grading.cancel)
            paid = [handed, *iter(done.get, None)]  # the first was interrupted; it may be handed over twice
            with suppress(Exception):
                for verdict in filter(None, paid):
                    on_verdict(verdict)
            raise
        finally:
            thread.join()
        try:
            grading.result()
        except BaseExceptionGroup as group:  # a bug in one of the tasks
            raise group.exceptions[0] from None

    async def _grade_all(self, batch: _Batch) -> None:
        from workers.judge.client import JudgeClient

        settings = self._settings
        assert settings.judge_base_url is not None
        client = JudgeClient(
            base_url=settings.judge_base_url,
            api_key=settings.judge_key,
            model=self._model,
            timeout_seconds=settings.judge_timeout_seconds,
            refused=self._refused_parameters,
        )
        async with aclosing(client):
            client.has_answered = self._is_known_good
            try:
                has_time = not self._is_late(batch)
                if not self._is_known_good:  # one item finds what would fail for all, such as a wrong key
                    await self._grade_one(batch, client)
                # When there was time for that one only, leave the others.
                rest = 0 if has_time and self._is_late(batch) else len(batch.waiting)
                async with asyncio.TaskGroup() as group:
                    for _ in range(min(settings.judge_concurrency, rest)):
                        group.create_task(self._grade_some(batch, client))
            finally:
                self.requests += client.requests
                self._is_known_good = client.has_answered
        if batch.downs:
            raise JudgeDownError(batch.downs[0].slug, batch.downs[0].detail)

    async def _grade_some(self, batch: _Batch, client: JudgeClient) -> None:
        """Grade one item after the other, while there are any, the endpoint is available, and time is left."""
        while batch.waiting and not batch.downs:
            if not await self._grade_one(batch, client) or self._is_late(batch):
                return

    def _is_late(self, batch: _Batch) -> bool:
        """Could an item that starts now end after the deadline?"""
        return batch.deadline is not None and time.monotonic() + self._item_seconds > batch.deadline

    async def _grade_one(self, batch: _Batch, client: JudgeClient) -> bool:
        """Grade the next item by all that is asked about at once; False when it may not be asked about now."""
        group = batch.waiting[0]
        known = [batch.known.get(request.hash) for request in group]
        estimate = _NOTHING
        if batch.allowance is not None:
            votes = max(missing_votes(verdict, self._votes) for verdict in known)
            estimate = expected_tokens([batch.rules[one.metric] for one in group], group[0].graded, votes)
        if not batch.affords(estimate):
            return False
        batch.waiting.popleft()
        asked = [
            _Asked(request, batch.rules[request.metric], _Ballot.of(verdict))
            for request, verdict in zip(group, known, strict=True)
        ]
        failure: Slug | None = None
        is_down = False
        try:
            await self._fill(asked, client)
        except CallFailed as failed:
            failure = failed.slug
        except JudgeDownError as down:
            batch.downs.append(down)
            failure, is_down = down.slug, True  # keeps what was paid for; the next try goes on from there
            asked = [one for one in asked if any(one.ballot.spent)]
        finally:
            if batch.allowance is not None:
                batch.allowance.settle(estimate, reduce(Tokens.plus, (one.ballot.spent for one in asked), _NOTHING))
        for one in asked:
            is_over = len(one.ballot.votes) >= self._votes
            if failure is not None and not is_over and not is_down and failure not in FINAL:
                one.ballot.tries += not one.ballot.reasons  # a try that brought votes is no failed one
            batch.put(self._verdict(one, None if is_over else failure))
        return True

    async def _fill(self, asked: Sequence[_Asked], client: JudgeClient) -> None:
        """Ask for the votes that are missing. Raises CallFailed and JudgeDownError."""
        try:
            async with asyncio.timeout(self._item_seconds):
                while open_ones := [one for one in asked if len(one.ballot.votes) < self._votes]:
                    await _vote(client, open_ones)
        except TimeoutError:
            if client.is_put_off():
                raise JudgeDownError(Slug.RATE_LIMITED) from None
            raise CallFailed(Slug.TIMEOUT) from None

    def _verdict(self, asked: _Asked, failure: Slug | None) -> Verdict:
        """The verdict after a try: a level, or the failure of the try."""
        ballot = asked.ballot
        level = "" if failure else median_level(ballot.votes, asked.rule)
        return Verdict(
            hash=asked.request.hash,
            level=level,
            reason=redacted(ballot.reasons.get(level, ""), self._settings.judge_key),
            votes=tuple(ballot.votes),
            prompt_tokens=ballot.tokens.prompt,
            completion_tokens=ballot.tokens.completion,
            estimated_tokens=ballot.estimated,
            failure=str(failure or ""),
            tries=MAX_TRIES if failure in FINAL else ballot.tries,
            model=self._model,
            prompt=PROMPT_VERSION,
        )


@dataclass(slots=True, kw_only=True)
class _Batch:
    """The items of one call. waiting: what is asked at once, not started yet. downs: why nobody can be asked."""

    waiting: deque[list[JudgeRequest]]
    rules: Mapping[str, VerdictRule]
    known: Mapping[str, Verdict]
    deadline: float | None
    put: Callable[[Verdict], None]
    allowance: Allowance | None = None
    downs: list[JudgeDownError] = field(default_factory=list)

    def affords(self, estimate: Tokens) -> bool:
        """Set the tokens aside, where they are allowed.

        Where they are not, nobody is asked any more once nothing is on its way: what comes back may have cost less than
        was set aside for it, and whoever brings it back asks for the next item.
        """
        allowance = self.allowance
        if allowance is None or allowance.reserve(estimate):
            return True
        if allowance.is_idle:
            used, budget = allowance.used, allowance.budget
            self.downs.append(JudgeDownError(Slug.BUDGET, f"{used:.9g} / {budget.amount:.9g} {budget.unit}"))
        return False


@dataclass(slots=True)
class _Ballot:
    """Votes on one item so far, their tokens, and failed tries. reasons: of this try, the first one of each level.

    estimated: tokens among them that the endpoint did not count. spent: those of this try.
    """

    votes: list[str] = field(default_factory=list)
    tokens: Tokens = _NOTHING
    estimated: int = 0
    tries: int = 0
    spent: Tokens = _NOTHING
    reasons: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, known: Verdict | None) -> _Ballot:
        if known is None:
            return cls()
        return cls(list(known.votes), known.tokens, known.estimated_tokens, known.tries)

    def count(self, used: Tokens, estimated: int) -> None:
        """Add the tokens of a reply, or its share of them. estimated: among them those that nobody counted."""
        self.tokens, self.spent = self.tokens.plus(used), self.spent.plus(used)
        self.estimated += estimated

    def add(self, reply: Reply) -> None:
        self.votes.append(reply.level)
        self.reasons.setdefault(reply.level, reply.reason)


class _Asked(NamedTuple):
    """One criterion of an item, and the votes on it."""

    request: JudgeRequest
    rule: VerdictRule
    ballot: _Ballot


async def _vote(client: JudgeClient, asked: Sequence[_Asked]) -> None:
    """One vote on each criterion; those whose reply could not be read are asked for again.

    Raises CallFailed or JudgeDownError; the votes that came before count.
    """
    left, unread = list(asked), ""
    for _ in range(MAX_READINGS):
        rules, graded = [one.rule for one in left], left[0].request.graded
        texts = [*messages(rules, graded), *again(rules, unread)]
        completion = await client.complete(texts, reply_schema(rules))
        _count(left, [text["content"] for text in texts], completion)
        if completion.is_refused:
            raise CallFailed(Slug.REFUSED)
        replies = {} if completion.is_cut else read_replies(completion.text, rules, graded)
        for one in left:
            if one.rule.metric in replies:
                one.ballot.add(replies[one.rule.metric])
        left = [one for one in left if one.rule.metric not in replies]
        if not left:
            return
        unread = completion.text
    raise CallFailed(Slug.REPLY_INVALID)


def _count(asked: Sequence[_Asked], texts: Sequence[str], completion: Completion) -> None:
    """Share the tokens of a reply among the criteria; those that the endpoint did not count are estimated."""
    prompt, told, estimated = completion.prompt_tokens, completion.completion_tokens, 0
    if prompt is None:
        prompt = estimated_tokens(texts)
        estimated += prompt
    if told is None:
        told = estimated_tokens([completion.text])
        estimated += told
    shares = (_shares(one, len(asked)) for one in (prompt, told, estimated))
    for one, of_prompt, of_told, of_estimated in zip(asked, *shares, strict=True):
        one.ballot.count(Tokens(of_prompt, of_told), of_estimated)


def _shares(total: int, n: int) -> list[int]:
    """A number in `n` whole parts that are as equal as can be."""
    return [total // n + (at < total % n) for at in range(n)]


def _serve(loop: asyncio.AbstractEventLoop, grading: asyncio.Task[None]) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(_end_of(grading))


async def _end_of(grading: asyncio.Task[None]) -> None:
    await asyncio.wait([grading])
