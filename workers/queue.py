"""The queue on the side of the watcher: sends tasks for sets, measures how many are waiting, and says why it fails."""

import contextlib
import ssl
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import structlog
from celery import Celery
from celery.worker import state
from kombu.exceptions import KombuError, OperationalError
from kombu.transport import memory
from redis import exceptions
from redis.exceptions import RedisError

from config import Settings
from reporting.runs import BaselineAsk
from scoring import TransientError
from scoring.rubric import Rubric
from scoring.sets import Plan
from workers.broker import (
    BrokerFault,
    Depth,
    FaultKind,
    Process,
    find_processes,
    install_transport,
    list_of,
    say_gone,
    say_present,
    shared_client,
    this_process,
)
from workers.celery_settings import (
    BUNDLE_TASK,
    COMPARE_TASK,
    JUDGE_QUEUE,
    JUDGE_TASK,
    LAST,
    QUEUES,
    REPORT_QUEUE,
    REPORT_TASK,
    SCORE_QUEUE,
    SCORE_TASK,
    celery_settings,
)
from workers.jobs import Trouble, WorkArea
from workers.judge import JudgeCounter, JudgeCounts

_KINDS: tuple[tuple[FaultKind, tuple[type[BaseException], ...]], ...] = (
    (FaultKind.CERTIFICATE, (ssl.SSLCertVerificationError,)),
    (FaultKind.CREDENTIALS, (exceptions.AuthenticationError, exceptions.AuthorizationError)),
    (FaultKind.READ_ONLY, (exceptions.ReadOnlyError,)),
    (FaultKind.MEMORY, (exceptions.OutOfMemoryError,)),
    (FaultKind.OTHER, (exceptions.NoPermissionError, exceptions.BusyLoadingError)),
)
_CERTIFICATE_TEXT = "CERTIFICATE_VERIFY_FAILED"
_DATABASE_TEXTS = ("DB index is out of range", "Invalid Database")
_log = structlog.get_logger()
PROBE_NAME = "scorewatch:probe"
PROBE_MILLISECONDS = 1000
_NO_BASELINE = ("", "", "")  # of a set without a report
_SENT_ERRORS = (OperationalError, KombuError, RedisError, OSError)


def fault_of(error: BaseException) -> BrokerFault:
    """The fault that an error of kombu, redis-py or the system tells of."""
    errors = list(_chain(error))
    reason = str(errors[0]) or type(errors[0]).__name__
    for kind, classes in _KINDS:
        if any(isinstance(one, classes) for one in errors):
            return BrokerFault(kind, reason)
    if _CERTIFICATE_TEXT in reason:
        return BrokerFault(FaultKind.CERTIFICATE, reason)
    if any(text in reason for text in _DATABASE_TEXTS):
        return BrokerFault(FaultKind.DATABASE, reason)
    is_answer = any(isinstance(one, exceptions.ResponseError) for one in errors)
    return BrokerFault(FaultKind.OTHER if is_answer else FaultKind.UNREACHABLE, reason)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and its causes."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__


class QueueDownError(TransientError):
    """The task could not be sent, by a fault of the broker. It may be queued all the same, which is harmless."""


def make_app(settings: Settings, broker_url: str) -> Celery:
    """A Celery application with our settings and tasks."""
    install_transport()
    app = Celery("scorewatch", include=["workers.tasks"], set_as_current=False)
    app.conf.update(celery_settings(settings, broker_url))
    return app


class CeleryQueue:
    """Sends tasks and measures the queue.

    rubrics: those that plans may name; none where nothing is submitted. fault: of the broker, found by the last
    request.
    """

    def __init__(self, app: Celery, area: WorkArea, rubrics: Iterable[Rubric] = ()) -> None:
        self._app = app
        self._area = area
        self._rubrics = {rubric.digest: rubric for rubric in rubrics}
        self._client = shared_client(str(app.conf.broker_url))
        self.fault: BrokerFault | None = None

    def use(self, rubrics: Iterable[Rubric]) -> None:
        """Plans may name these as well."""
        self._rubrics |= {rubric.digest: rubric for rubric in rubrics}

    def submit(self, plans: Sequence[Plan], *, again: bool) -> None:
        """Ask for the reports of plans. again: an earlier ask went unanswered, so one task does all that is missing.

        Several are sets of one file each, and become one task. Raises OSError when the work area cannot be written, and
        QueueDownError within seconds when the broker cannot.
        """
        for plan in plans:
            self._area.write_rubric(self._rubrics[plan.rubric_digest])
            self._area.write_plan(plan)
            self._area.clear_trouble(plan.set_name, plan.key)
        scoring = [[planned.path, plan.set_name, plan.key] for plan in plans for planned in plan.inputs]
        if again:
            for plan in plans:
                self._send(REPORT_TASK, plan.set_name, plan.key, True)
        elif len(plans) > 1:
            self._send(BUNDLE_TASK, scoring)
        else:
            for arguments in scoring:
                self._send(SCORE_TASK, *arguments)

    def compare(self, asks: Sequence[BaselineAsk], *, language: str, public_url: str = "", xlsx: bool = False) -> None:
        """Ask for comparisons and front pages, in one task, taken when nothing else waits. Raises QueueDownError."""
        arguments = [[ask.set_name, ask.key, *(ask.baseline or _NO_BASELINE), *chain(*ask.earlier)] for ask in asks]
        self._send(COMPARE_TASK, arguments, language, public_url, xlsx)

    def depth(self) -> Depth | None:
        """The length of the queues; None when the broker does not answer or takes no tasks, see `fault`.

        Writes a key that expires at once: a replica, or a server without free memory, answers everything else.
        """
        if self._client is None:
            return _depth_here()
        try:
            self._client.set(PROBE_NAME, "", px=PROBE_MILLISECONDS)
            with self._client.pipeline(transaction=False) as pipeline:
                pipeline.llen(SCORE_QUEUE)
                pipeline.llen(REPORT_QUEUE)
                pipeline.llen(JUDGE_QUEUE)
                pipeline.llen(list_of(REPORT_QUEUE, LAST))
                pipeline.hlen("unacked")
                score, report, judging, comparing, running = map(int, pipeline.execute())
        except _SENT_ERRORS as error:
            self.fault = fault_of(error)
            return None
        self.fault = None
        return Depth(score + report, running, judging, comparing)

    def judge_counts(self) -> JudgeCounts | None:
        """Counts of the judge so far; None when the broker does not answer."""
        return JudgeCounter(self._client).read()

    def judge_costs(self) -> dict[str, float]:
        """What judges cost so far, by currency; none when the server does not answer."""
        return JudgeCounter(self._client).spent()

    def say_present(self, *, is_leading: bool) -> None:
        """Say that the watcher of this process is there."""
        if self._client is not None:
            with contextlib.suppress(RedisError):  # `depth` tells of a fault
                say_present(self._client, this_process("watcher", is_leading=is_leading))

    def say_gone(self) -> None:
        """Say that it ends."""
        if self._client is not None:
            with contextlib.suppress(RedisError):
                say_gone(self._client, this_process("watcher"))

    def processes(self) -> tuple[Process, ...]:
        """Watchers and workers of all machines; none where that cannot be known."""
        try:
            return () if self._client is None else find_processes(self._client)
        except RedisError:
            return ()

    def restore_held(self) -> None:
        """Requeue the tasks that workers of an earlier run had reserved. Call it while no worker runs.

        Otherwise they wait for the visibility timeout. The watcher asks again for what cannot be requeued.
        """
        if self._client is None:
            return
        try:
            with self._app.connection_for_write() as connection:
                channel: Any = connection.default_channel  # of the Redis transport
                for tag in self._client.hkeys("unacked"):
                    channel.qos.restore_by_tag(tag, channel.client)
        except _SENT_ERRORS as error:
            _log.warning("held tasks not restored", reason=str(error))

    def has_troubles(self) -> bool:
        """Is there a note of any attempt that was given up?"""
        return self._area.count_troubles() > 0

    def trouble(self, set_name: str, key: str) -> Trouble | None:
        """Why the last attempt at `key` was given up, None when it was not."""
        return self._area.read_trouble(set_name, key)

    def close(self, set_name: str, key: str) -> None:
        """Delete the notes of a settled key."""
        self._area.close(set_name, key)

    def _send(self, task: str, *arguments: object) -> None:
        """Raises QueueDownError."""
        try:
            self._app.send_task(task, args=arguments, ignore_result=True)
        except _SENT_ERRORS as error:
            self.fault = fault_of(error)
            raise QueueDownError(str(self.fault)) from error


def _depth_here() -> Depth:
    """Depth of the in-memory queue."""
    queues = {name: queue for name, queue in tuple(memory.Channel.queues.items()) if name in QUEUES}
    tasks = Counter[str]()
    for queue in queues.values():
        with queue.mutex:
            tasks.update(message["headers"]["task"] for message in queue.queue)
    judging, comparing = tasks[JUDGE_TASK], tasks[COMPARE_TASK]
    return Depth(tasks.total() - judging - comparing, len(state.reserved_requests), judging, comparing)
