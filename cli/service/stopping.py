"""How a service stops: asked by SIGINT and SIGTERM, or ended and started again when its loop hangs on a hung mount.

The first signal asks for a warm shutdown, the second stops at once.
"""

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from types import FrameType, TracebackType
from typing import Any, Self

import structlog

EXIT_SIGNALLED = 128  # + number of the signal, as shells say it
HANG_SECONDS = 300.0  # more than reading one file may take (`watcher.content_hashes.READ_SECONDS`)
LOOKS = 100  # within that time
BUSY_SHARE = 0.02  # of a core: a loop that takes so much computes, as at a start over very many sets
BUSY_TIMES = 10  # as long may a step of such a loop take
LOG_SECONDS = 5.0  # whoever reads our log may hang too
EXIT_HUNG = 1
_log = structlog.get_logger()


class HurriedError(BaseException):
    """Raised in the main thread by the second signal. No `Exception`, as KeyboardInterrupt is none."""


class Stop:
    """Context manager that handles both signals. requested: the first one has arrived, with this number."""

    def __init__(self) -> None:
        self.requested = False
        self.number = 0
        self._is_hurried = False
        self._before: dict[signal.Signals, Any] = {}

    @property
    def exit_code(self) -> int:
        """Of what a signal ended before it was done."""
        return EXIT_SIGNALLED + self.number

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _take(self, number: int, _frame: FrameType | None) -> None:
        self.number = self.number or number
        if self.requested and not self._is_hurried:
            self._is_hurried = True  # a third signal must not interrupt the cleaning up
            raise HurriedError
        self.requested = True


class HangGuard:
    """Watches a loop of the main thread; a context manager around it.

    environment: to start again with, as it was before this process changed its own. restarts: when the loop has made no
    step for HANG_SECONDS, replace the process by one of the same command line; else exit with EXIT_HUNG. A loop that
    computes has BUSY_TIMES as long.
    """

    def __init__(self, environment: Mapping[str, str], *, restarts: bool) -> None:
        self._environment = dict(environment)
        self._restarts = restarts
        self._steps = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="hang guard", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended.set()

    def step(self) -> None:
        """The loop has made a step."""
        self._steps += 1

    def _watch(self) -> None:
        """Count looks without a step. A clock would also count the time in which the whole process was stopped."""
        looks, seen, spent = 0.0, -1, 0.0
        while not self._ended.wait(HANG_SECONDS / LOOKS):
            before, spent = spent, time.process_time()
            is_busy = spent - before > HANG_SECONDS / LOOKS * BUSY_SHARE
            looks, seen = (looks + (1 / BUSY_TIMES if is_busy else 1) if seen == self._steps else 0.0), self._steps
            if looks >= LOOKS:
                self._end()

    def _end(self) -> None:
        frame = sys._current_frames().get(threading.main_thread().ident or 0)  # noqa: SLF001 -- the only way to it
        where = "" if frame is None else "".join(traceback.format_stack(frame)[-3:])
        event = "watcher hangs, starting again" if self._restarts else "watcher hangs, giving up"
        log = threading.Thread(target=_log.error, args=(event,), kwargs={"seconds": HANG_SECONDS, "where": where})
        log.daemon = True
        log.start()
        log.join(LOG_SECONDS)
        if self._restarts:
            # Children end with this process, and the next one reaps what is left.
            os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], self._environment)  # noqa: S606
        os._exit(EXIT_HUNG)
