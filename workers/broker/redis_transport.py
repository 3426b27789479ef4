"""kombu's Redis transport, changed in two places.

A task frees its prefetch slot even if its acknowledgement times out: in kombu, such a message occupies its slot as long
as the connection lasts, so a worker with one child takes no more tasks. And a message that no sender of ours writes is
dropped before Celery sees it: it would end the worker.
"""

from __future__ import annotations

from typing import Any

import structlog
from kombu import transport
from kombu.transport import redis, virtual

from workers.broker.messages import message_fault, named
from workers.celery_settings import QUEUES, TASKS

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
