"""Structured logs on standard error: readable lines on a terminal, else JSON.

Standard logging (Celery, watchdog) goes through the same processors, which remove control and bidi characters.
"""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import MutableMapping
from typing import Any, BinaryIO, TextIO

import structlog

from reporting.wording.display import clean, clean_trace

# They log tasks by id and arguments; our own lines name set and key.
QUIET = ("amqp", "celery.app.trace", "celery.worker.strategy", "kombu", "watchdog")


def configure_logging(level: str, *, stream: BinaryIO | None = None) -> None:
    """Set up structlog and standard logging for this process. stream: a log file; None is standard error."""
    output: TextIO = sys.stderr if stream is None else io.TextIOWrapper(stream, encoding="utf-8", write_through=True)
    as_json = not output.isatty()
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        clean_values,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: structlog.types.Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False) if as_json else structlog.dev.ConsoleRenderer(colors=True)
    )
    handler = logging.StreamHandler(output)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.ExtraAdder(), *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    logging.captureWarnings(capture=True)


def clean_values(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Processor: remove control and bidi characters; tracebacks keep their lines and indents."""
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = "\n".join(clean_trace(value)) if name == "exception" else clean(value)
    return event
