"""The judge: asks a model for verdicts, a few requests at a time, and hands each over as soon as it is there.

The requests run in an event loop on a thread of their own; verdicts come back to the caller's thread. So whoever
stores one may take its time, and an interrupt of the caller loses nothing that was paid for.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from config.settings import JUDGE_DEADLINE_FACTOR, Settings
from scoring.items.graded_text import Graded
from scoring.judging.prompt import PROMPT_VERSION, again, messages, reply_schema
from scoring.judging.reply import Reply, median_level, read_reply
from scoring.judging.verdicts import MAX_TRIES, JudgeIdentity, JudgeRequest, Verdict, open_requests
from scoring.rubric.rules import VerdictRule
from workers.judge.errors import FINAL, CallFailed, JudgeDownError, Slug
from workers.judge.redaction import redacted

if TYPE_CHECKING:
    from workers.judge.client import JudgeClient, Parameters

__all__ = ["Judge", "JudgeDownError", "JudgeSettings"]

MAX_READINGS = 3  # replies to one vote that may be unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """Where the judge is and how it is asked."""

    base_url: str
    model: str
    api_key: SecretStr | None = None
    votes: int = 1
    concurrency: int = 4
    timeout_seconds: float = 60.0
    compare: bool = False

    @classmethod
    def of(cls, settings: Settings) -> JudgeSettings | None:
        """None without a base URL: no judge, and nothing is sent anywhere."""
        if settings.judge_base_url is None:
            return None
        assert settings.judge_model is not None, "the settings see to it"
        return cls(
            base_url=settings.judge_base_url,
            model=settings.judge_model,
            api_key=settings.judge_api_key,
            votes=settings.judge_votes,
            concurrency=settings.judge_concurrency,
            timeout_seconds=settings.judge_timeout_seconds,
            compare=settings.judge_compare,
        )

    @property
    def identity(self) -> JudgeIdentity:
        """As far as it decides a verdict."""
        return JudgeIdentity(model=self.model, votes=self.votes, compare=self.compare)

    @property
    def key(self) -> str:
        """In the clear; "" without one."""
        return "" if self.api_key is None else self.api_key.get_secret_value()

    @property
    def item_seconds(self) -> float:
        """What all tries at one item may take together."""
        return JUDGE_DEADLINE_FACTOR * self.timeout_seconds


class Judge:
    """Asks one endpoint for verdicts; what it learns of the endpoint lasts as long as this object.

    requests: HTTP requests sent so far, tries again included.
    """

    def __init__(self, settings: JudgeSettings) -> None:
        self._settings = settings
        self._parameters: Parameters | None = None
        self._is_known_good = False
        self.requests = 0

    def grade(
        self,
        requests: Sequence[JudgeRequest],
        rules: Mapping[str, VerdictRule],
        known: Mapping[str, Verdict],
        *,
        deadline: float | None = None,
        on_verdict: Callable[[Verdict], None],
    ) -> None:
        """Ask for every request without a final verdict in `known`, each hash once.

        rules: by metric. known: by hash; tries, votes and tokens go on from there. deadline: of `time.monotonic`; no
        item is started that could end later, but for the first ones. on_verdict: called in this thread, for a level
        and for a failure alike.
        Raises JudgeDownError when the endpoint cannot be asked, after whatever else was in flight has ended; no tries
        are counted for it.
        """
        waiting = deque(open_requests(requests, known))
        if not waiting:
            return
        done: SimpleQueue[Verdict | None] = SimpleQueue()
        batch = _Batch(waiting=waiting, rules=rules, known=known, deadline=deadline, put=done.put)
        run = _Run(done)
        thread = Thread(target=run.serve, args=(self._grade_all(batch),), name="judge")
        thread.start()
        handed: Verdict | None = None
        try:
            while (handed := done.get()) is not None:
                on_verdict(handed)
        except BaseException:
            run.stop()
            thread.join()
            # Paid for: the one that was cut short, perhaps handed over twice, and whatever came in meanwhile.
            with suppress(Exception):
                if handed is not None:
                    on_verdict(handed)
                for verdict in _rest(done):
                    on_verdict(verdict)
            raise
        thread.join()
        if run.error is not None:
            raise run.error

    async def _grade_all(self, batch: _Batch) -> None:
        from workers.judge.client import JudgeClient, Parameters

        if self._parameters is None:
            self._parameters = Parameters()
        settings = self._settings
        client = JudgeClient(
            base_url=settings.base_url,
            api_key=settings.key,
            model=settings.model,
            timeout_seconds=settings.timeout_seconds,
            parameters=self._parameters,
        )
        async with client:
            client.has_answered = self._is_known_good
            try:
                has_time = not self._is_late(batch)
                if not self._is_known_good:  # one item finds out what all would: a wrong key, no schemas, nobody there
                    await self._grade_one(batch, client)
                # Where there was time for that one alone, the others are left.
                rest = 0 if has_time and self._is_late(batch) else len(batch.waiting)
                async with asyncio.TaskGroup() as group:
                    for _ in range(min(settings.concurrency, rest)):
                        group.create_task(self._grade_some(batch, client))
            finally:
                self.requests += client.requests
                self._is_known_good = client.has_answered
        if batch.downs:
            raise JudgeDownError(batch.downs[0].slug, batch.downs[0].detail)

    async def _grade_some(self, batch: _Batch, client: JudgeClient) -> None:
        """One item after the other, as long as there are any, the endpoint is up, and time is left."""
        while batch.waiting and not batch.downs:
            await self._grade_one(batch, client)
            if self._is_late(batch):
                return

    def _is_late(self, batch: _Batch) -> bool:
        """Could an item that is begun now end after the deadline?"""
        return batch.deadline is not None and time.monotonic() + self._settings.item_seconds > batch.deadline

    async def _grade_one(self, batch: _Batch, client: JudgeClient) -> None:
        request = batch.waiting.popleft()
        rule = batch.rules[request.metric]
        ballot = _Ballot.of(batch.known.get(request.hash))
        failure: Slug | None = None
        try:
            await self._fill(ballot, client, request, rule)
        except CallFailed as failed:
            failure = failed.slug
        except JudgeDownError as down:
            batch.downs.append(down)
            if not ballot.reasons:
                return
            failure = down.slug  # with votes that are paid for; the next try goes on from there
        batch.put(self._verdict(ballot, request, rule, failure))

    async def _fill(self, ballot: _Ballot, client: JudgeClient, request: JudgeRequest, rule: VerdictRule) -> None:
        """Ask for the votes that are missing. Raises CallFailed and JudgeDownError."""
        try:
            async with asyncio.timeout(self._settings.item_seconds):
                while len(ballot.votes) < self._settings.votes:
                    ballot.add(await _vote(client, rule, request.graded, ballot))
        except TimeoutError:
            if client.is_put_off():
                raise JudgeDownError(Slug.RATE_LIMITED) from None
            raise CallFailed(Slug.TIMEOUT) from None

    def _verdict(self, ballot: _Ballot, request: JudgeRequest, rule: VerdictRule, failure: Slug | None) -> Verdict:
        """What is known of an item after a try: a level, or the failure that the try ended with."""
        level = "" if failure else median_level(ballot.votes, rule)
        tries = ballot.tries
        if failure in FINAL:
            tries = MAX_TRIES
        elif failure and not ballot.reasons:  # a try that brought votes was none in vain
            tries += 1
        return Verdict(
            hash=request.hash,
            level=level,
            reason=redacted(ballot.reasons.get(level, ""), self._settings.key),
            votes=tuple(ballot.votes),
            prompt_tokens=ballot.prompt_tokens,
            completion_tokens=ballot.completion_tokens,
            failure=str(failure or ""),
            tries=tries,
            model=self._settings.model,
            prompt=PROMPT_VERSION,
        )


@dataclass(slots=True, kw_only=True)
class _Batch:
    """What one call grades. waiting: not started yet. downs: why the endpoint cannot be asked any more."""

    waiting: deque[JudgeRequest]
    rules: Mapping[str, VerdictRule]
    known: Mapping[str, Verdict]
    deadline: float | None
    put: Callable[[Verdict], None]
    downs: list[JudgeDownError] = field(default_factory=list)


@dataclass(slots=True)
class _Ballot:
    """Votes on one item so far, what they cost, and failed tries. reasons: the first of each level, of this try."""

    votes: list[str]
    prompt_tokens: int
    completion_tokens: int
    tries: int
    reasons: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, known: Verdict | None) -> _Ballot:
        if known is None:
            return cls([], 0, 0, 0)
        return cls(list(known.votes), known.prompt_tokens, known.completion_tokens, known.tries)

    def add(self, reply: Reply) -> None:
        self.votes.append(reply.level)
        self.reasons.setdefault(reply.level, reply.reason)


async def _vote(client: JudgeClient, rule: VerdictRule, graded: Graded, ballot: _Ballot) -> Reply:
    """One vote; a reply that cannot be read is asked for again. Raises CallFailed or JudgeDownError."""
    asked, schema = messages(rule, graded), reply_schema(rule)
    unread = ""
    for _ in range(MAX_READINGS):
        completion = await client.complete([*asked, *again(rule, unread)], schema)
        ballot.prompt_tokens += completion.prompt_tokens
        ballot.completion_tokens += completion.completion_tokens
        if completion.is_refused:
            raise CallFailed(Slug.REFUSED)
        reply = None if completion.is_cut else read_reply(completion.text, rule, graded)
        if reply is not None:
            return reply
        unread = completion.text
    raise CallFailed(Slug.REPLY_INVALID)


def _rest(done: SimpleQueue[Verdict | None]) -> Iterator[Verdict]:
    while not done.empty():
        verdict = done.get()
        if verdict is not None:
            yield verdict


class _Run:
    """A coroutine on a thread of its own, that another thread can stop. error: what it ended with."""

    def __init__(self, done: SimpleQueue[Verdict | None]) -> None:
        self.error: BaseException | None = None
        self._done = done
        self._is_up = Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def serve(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            asyncio.run(self._follow(work))
        except asyncio.CancelledError:
            pass
        except BaseExceptionGroup as group:  # a bug in one of the tasks, as it was raised
            self.error = group.exceptions[0]
        except BaseException as error:  # noqa: BLE001 -- raised in the thread that waits for it
            self.error = error
        finally:
            self._is_up.set()
            self._done.put(None)

    def stop(self) -> None:
        self._is_up.wait()
        if self._loop is not None and self._task is not None:
            with suppress(RuntimeError):  # closed: it has ended by itself
                self._loop.call_soon_threadsafe(self._task.cancel)

    async def _follow(self, work: Coroutine[Any, Any, None]) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._is_up.set()
        await work
