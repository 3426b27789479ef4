"""Structured logs: to a file or a stream as JSON lines; else to standard error, readable on a terminal.

Standard logging (Celery, watchdog) goes through the same processors, which remove control and bidi characters.
"""

import logging
import os
import shutil
import sys
from collections.abc import MutableMapping
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, TextIO

import structlog

from reporting.wording import clean, clean_trace

# They log tasks by id and arguments; our own lines name set and key.
QUIET = ("amqp", "celery.app.trace", "celery.worker.strategy", "kombu", "watchdog")


LOG_NAME = "scorewatch.log"
LOG_BYTES = 10_000_000
LOG_FILES = 3  # older ones that are kept: scorewatch.log.1 is the newest of them


class LogFile(RotatingFileHandler):
    """A log file of at most LOG_BYTES, with LOG_FILES older ones beside it.

    Other processes may append to it as well, so what is put aside is a copy, and the file itself is emptied. A file or
    folder that was deleted is made again. A log that cannot be written disturbs nothing: a full disk is told by
    `status`.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8")
        self.rotator = _put_aside

    def shouldRollover(self, record: logging.LogRecord) -> bool:  # noqa: N802 -- the name is that of the base class
        """Is the file full? One that is gone is opened again first."""
        if not os.path.exists(self.baseFilename):  # noqa: PTH110 -- it raises nothing
            self.close()
            Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
            self.stream = self._open()
        return bool(super().shouldRollover(record))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Drop the line."""


def _put_aside(source: str, target: str) -> None:
    """Copy the full file and empty it; of lines that others append in between some may be lost."""
    shutil.copyfile(source, target)
    os.truncate(source, 0)


def configure_logging(level: str, *, file: Path | None = None, stream: TextIO | None = None) -> None:
    """Set up structlog and standard logging for this process.

    file: JSON lines go there, see `LogFile`. stream: they go there. Without either, to standard error. Raises OSError
    when the file cannot be opened.
    """
    handler = LogFile(file) if file is not None else logging.StreamHandler(stream or sys.stderr)
    as_json = file is not None or stream is not None or not sys.stderr.isatty()
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
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.ExtraAdder(), *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    for before in root.handlers:
        if isinstance(before, LogFile):
            before.close()
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
