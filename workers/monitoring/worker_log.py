"""The log of a worker: its lines and those of Celery in one form."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from datetime import UTC, datetime

from celery.apps import worker

from config import Settings
from reporting.wording import clean
from workers.monitoring.logs import configure_logging

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
