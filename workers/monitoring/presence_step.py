"""Says, as long as a worker is connected, that it is there."""

import contextlib
import json
import os
import sys
from datetime import UTC, datetime
from typing import Any, Literal

from celery import bootsteps
from celery.apps import worker
from redis import RedisError

from config import Settings
from reporting.wording import clean
from workers.broker import SAY_SECONDS, say_gone, say_present, shared_client, this_process
from workers.celery_settings import JUDGE_QUEUE
from workers.monitoring.logs import configure_logging


class PresenceStep(bootsteps.StartStopStep):
    """Tells the broker of a worker with an event loop; one without is in the process of a watcher."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, c: Any, **options: Any) -> None:
        super().__init__(c, **options)
        self._timer: Any = None
        self._client = shared_client(str(c.app.conf.broker_url))

    def start(self, c: Any) -> None:
        """Celery has connected."""
        if c.hub is None or self._client is None:
            return
        self._cancel()
        self._say(c)
        self._timer = c.hub.call_repeatedly(SAY_SECONDS, self._say, c)

    def stop(self, c: Any) -> None:  # noqa: ARG002 -- Celery gives it
        """The connection is lost, or the worker ends."""
        self._cancel()
        if self._client is not None:
            with contextlib.suppress(RedisError):
                say_gone(self._client, this_process("worker"))

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _say(self, c: Any) -> None:
        assert self._client is not None
        kind: Literal["judge", "worker"] = "judge" if {*c.app.amqp.queues.consume_from} == {JUDGE_QUEUE} else "worker"
        with contextlib.suppress(RedisError):  # a later turn says it
            say_present(self._client, this_process(kind, at_once=c.pool.num_processes if c.pool else 0))


_JSON = "json"


def configure_worker_logging(settings: Settings) -> None:
    """Set up the log of this process: JSON lines where the settings ask for them, or nobody reads at a terminal.

    So are those that Celery prints from within signal handlers, past all logging: each goes out in one write.
    """
    stream = sys.stderr if settings.log == _JSON else None
    configure_logging(settings.log_level, stream=stream)
    if stream is not None or not sys.stderr.isatty():
        worker.safe_say = _say  # type: ignore[attr-defined]  # not in Celery's stubs


def _say(message: str, _stream: object = None) -> None:
    line = {
        "event": clean(message),
        "level": "info",
        "logger": worker.__name__,
        "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
    }
    with contextlib.suppress(OSError):
        os.write(2, json.dumps(line, ensure_ascii=False).encode(errors="replace") + b"\n")
