"""Tasks of whose end a broker cannot be told, because it hangs or is gone.

kombu counts such a message among those that are being worked on, as long as the connection lasts: a child less that
gets tasks, and a worker of one child takes none any more. A new connection gives the message back; run again, its task
finds everything done.
"""

from __future__ import annotations

import structlog
from celery.app.task import Task
from celery.worker.request import Request
from kombu.asynchronous import get_event_loop

_log = structlog.get_logger()


class TaskRequest(Request):
    """A request that asks for a new connection when its acknowledgement does not get through."""

    def acknowledge(self) -> None:
        """Tell the broker that the task has ended."""
        super().acknowledge()
        if not self.message.acknowledged:
            _reconnect(self.id)


class AcknowledgedTask(Task[..., object]):
    """What the tasks of the application are made from."""

    Request = f"{__name__}:{TaskRequest.__name__}"


def _reconnect(task_id: str) -> None:
    loop = get_event_loop()
    if loop is not None:  # pools that block see the broken connection themselves
        _log.warning("end of a task not told: connecting anew", task=task_id)
        loop.call_soon(_lose_connection)


def _lose_connection() -> None:
    raise ConnectionError("an acknowledgement did not get through")
