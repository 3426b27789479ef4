"""kombu's Redis transport, changed in two places.

A task frees its prefetch slot even if its acknowledgement times out: in kombu, such a message occupies its slot as long
as the connection lasts, so a worker with one child takes no more tasks. And a message that no sender of ours writes is
dropped before Celery sees it: it would end the worker.
"""

import base64
from typing import Annotated, Any, Literal

import msgspec
import structlog
from kombu import transport
from kombu.transport import redis, virtual

from workers.celery_settings import QUEUES, TASKS

MAX_BODY = 4_000_000  # characters; the longest that is sent has some ten thousand
MAX_TEXT = 8_192  # characters of any other value

_Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
_Seconds = Annotated[int, msgspec.Meta(ge=1, le=86_400)]  # as the setting has them


class _Headers(msgspec.Struct):
    """Headers that a worker uses. None and nothing else is the value of what we never ask Celery for."""

    task: _Text
    id: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_TEXT)]
    lang: Literal["py"] | None = None
    shadow: None = None
    eta: None = None
    expires: None = None
    group: None = None
    group_index: None = None
    retries: _Count | None = None
    timelimit: tuple[_Seconds | None, None] | None = None  # Celery writes that of the task when it is tried again
    root_id: _Text | None = None
    parent_id: _Text | None = None
    argsrepr: str | None = None
    kwargsrepr: str | None = None
    origin: _Text | None = None
    ignore_result: bool | None = None
    replaced_task_nesting: _Count | None = None
    stamped_headers: Annotated[list[_Text], msgspec.Meta(max_length=0)] | None = None
    stamps: Annotated[dict[str, str], msgspec.Meta(max_length=0)] | None = None
    redelivered: bool | None = None
    compression: None = None
    callbacks: None = None
    errbacks: None = None
    chain: None = None
    chord: None = None


class _DeliveryInfo(msgspec.Struct):
    exchange: _Text
    routing_key: _Text
    redelivered: bool | None = None


class _Properties(msgspec.Struct):
    delivery_tag: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_TEXT)]
    delivery_info: _DeliveryInfo
    body_encoding: Literal["base64"]
    correlation_id: _Text | None = None
    reply_to: _Text | None = None
    delivery_mode: _Count | None = None
    priority: Annotated[int, msgspec.Meta(ge=0, le=9)] | None = None


class _Message(msgspec.Struct):
    body: Annotated[str, msgspec.Meta(max_length=MAX_BODY)]
    headers: _Headers
    properties: _Properties
    content_type: Literal["application/json"] = msgspec.field(name="content-type")
    content_encoding: Literal["utf-8"] = msgspec.field(name="content-encoding")


class _Embedded(msgspec.Struct):
    callbacks: None = None
    errbacks: None = None
    chain: None = None
    chord: None = None


_Body = tuple[list[object], dict[str, object], _Embedded]
_body = msgspec.json.Decoder(_Body)


def message_fault(message: object, tasks: frozenset[str]) -> str | None:
    """What a decoded message has that no sender of ours writes; None when a worker can take it. tasks: known names."""
    try:
        checked = msgspec.convert(message, _Message)
        if checked.headers.task not in tasks:
            return "unknown task"
        _body.decode(base64.b64decode(checked.body, validate=True))
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return str(error)
    return None


def named(message: object) -> dict[str, str]:
    """Task and id of a message, as far as it has them, to name it in a log."""
    headers = message.get("headers") if isinstance(message, dict) else None
    found = headers if isinstance(headers, dict) else {}
    return {name: str(found[name])[:MAX_TEXT] for name in ("task", "id") if name in found}


# What reading JSON and kombu's own decoders of dates, numbers and the like raise.
_UNREADABLE = (ValueError, TypeError, AttributeError, KeyError, ArithmeticError, RecursionError, MemoryError)

_log = structlog.get_logger()


class Dropped:
    """Counts the messages that were dropped in this process."""

    count = 0

    def add(self, reason: str, **about: str) -> None:
        """One more, which the log names."""
        self.count += 1
        _log.error("message dropped", reason=reason, **about)


dropped = Dropped()


class QoS(redis.QoS):
    """Frees the slot of a message whose acknowledgement fails, and acknowledges it together with the next one.

    A message that is never acknowledged is delivered again after the visibility timeout; its task finds its work done.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._unacknowledged: list[str] = []

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message. Raises as the client does."""
        self._unacknowledged.append(delivery_tag)
        virtual.QoS.ack(self, delivery_tag)
        while self._unacknowledged:
            self._remove_from_indices(self._unacknowledged[-1]).execute()  # type: ignore[attr-defined]  # not in kombu's stubs
            self._unacknowledged.pop()


class Channel(redis.Channel):
    """Drops what cannot be read as a message at all; it has left the queue already."""

    QoS = QoS

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)  # type: ignore[misc]  # not in kombu's stubs
        except tuple(self.connection_errors):  # type: ignore[attr-defined]  # some are of the kinds below
            raise
        except _UNREADABLE as error:
            dropped.add(f"{type(error).__name__}: {error}")
            return True


class Transport(redis.Transport):
    """Delivers to a task queue only what a worker can take."""

    Channel = Channel

    def _deliver(self, message: Any, queue: str | None) -> None:
        fault = message_fault(message, TASKS) if queue in QUEUES else None
        if fault is not None:
            dropped.add(fault, queue=str(queue), **named(message))
            return
        super()._deliver(message, queue)


def list_of(queue: str, priority: int) -> str:
    """The list in the server with the tasks of a queue that have this priority, above 0."""
    return f"{queue}{redis.Channel.sep}{priority}"


def install_transport() -> None:
    """Use it for all connections of this process to Redis and Valkey."""
    ours = f"{__name__}:{Transport.__name__}"
    transport.TRANSPORT_ALIASES.update(redis=ours, rediss=ours)
    for name in ("redis", "rediss"):
        transport._transport_cache.pop(name, None)  # type: ignore[attr-defined]  # noqa: SLF001 -- it may hold kombu's own
