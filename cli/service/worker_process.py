"""One worker of `scorewatch up`: started, restarted when it dies or takes no tasks, and stopped. Main thread only.

After a restart of the broker, a worker may be connected and take no tasks; how that is detected is pure.
"""

import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import structlog

from reporting.wording import system_reason
from workers.broker import Depth
from workers.processes import Child

STUCK_SECONDS = 30.0
MOST_DOUBLINGS = 4
KILL_SECONDS = 2.0
RESTART_LIMIT_SECONDS = 30.0
DOUBLINGS = 10  # of the rest
HEALTHY_SECONDS = 5.0  # a worker that ran so long is restarted at once
_log = structlog.get_logger()


class Consumption:
    """Follows the depth of the queue, given every few seconds. limit_seconds: time limit of one task."""

    def __init__(self, *, limit_seconds: float) -> None:
        self._limit_seconds = limit_seconds
        self._before: tuple[Depth, int] | None = None
        self._since = 0.0
        self._detections = 0  # in a row

    def is_stuck(self, depth: Depth, settled: int, now: float) -> bool:
        """Have tasks waited while none was taken? True once, then it starts again. settled: number of sets so far.

        Tasks held by a dead worker count as running until they are restored, so with running tasks it takes longer.
        The time doubles with each detection in a row: a busy machine may need minutes to start a worker.
        """
        before, self._before = self._before, (depth, settled)
        if before is None:
            self._since = now
            return False
        earlier, settled_before = before
        has_moved = depth.untaken < earlier.untaken or depth.running != earlier.running or settled != settled_before
        if not depth.untaken or has_moved:
            self._since = now
            self._detections = 0
            return False
        limit = STUCK_SECONDS * 2 ** min(self._detections, MOST_DOUBLINGS) + (
            self._limit_seconds if depth.running else 0.0
        )
        if now - self._since < limit:
            return False
        self._before = None
        self._detections += 1
        return True


class WorkerProcess:
    """A worker as a child process.

    name: of its pid file in `run`, and in the log. marker: text in its command line. log: where its log goes; None
    shares our standard error. ended: how often it died.
    """

    def __init__(self, name: str, run: Path, *, marker: str, log: IO[bytes] | None) -> None:
        self.name = name
        self._child = Child(name, run, marker=marker)
        self._log = log
        self._command: Sequence[str] = ()
        self._environment: Mapping[str, str] = {}
        self._deaths = 0
        self.ended = 0
        self._started_at = 0.0
        self._restart_at: float | None = None

    def reap(self) -> None:
        """Kill the worker of an earlier run that was killed."""
        self._child.reap()

    def start(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start it. Raises OSError when it cannot be started."""
        self._command, self._environment = command, environment
        self._start()

    def check(self) -> bool:
        """Restart it if it died, with growing rests. True when it died: its tasks may be lost."""
        now = time.monotonic()
        self._child.keep_pid_file()
        died = self._child.exit_code is not None and self._restart_at is None
        if died:
            self._deaths = 1 if now - self._started_at > HEALTHY_SECONDS else self._deaths + 1
            self.ended += 1
            self._restart_at = now + self._rest_seconds
            _log.error("worker died", name=self.name, exit_code=self._child.exit_code)
            self._child.kill()  # its children may survive it
        if self._restart_at is not None and now >= self._restart_at:
            self._start_again()
        return died

    def restart(self) -> None:
        """Stop and start it."""
        self._child.end(KILL_SECONDS)
        self._start_again()

    def ask_to_end(self) -> None:
        """Request a warm shutdown; `end` waits for it."""
        self._child.signal(signal.SIGTERM)

    def end(self, seconds: float, *, after_seconds: float) -> None:
        """Wait for it to exit, and kill it if it does not. after_seconds: since the request, for the log."""
        if not self._child.wait(seconds) and after_seconds:
            _log.warning("worker killed", name=self.name, after_seconds=after_seconds)
        self._child.end(0.0)

    def kill(self) -> None:
        """Kill it and its children."""
        self._child.kill()
        self._child.forget()

    @property
    def _rest_seconds(self) -> float:
        """Rest before the next start: none after the first death, then doubling."""
        return min(2.0 ** min(self._deaths - 2, DOUBLINGS), RESTART_LIMIT_SECONDS) * (self._deaths > 1)

    def _start_again(self) -> None:
        """Start it; if the system cannot create a process, a later `check` tries again."""
        try:
            self._start()
        except OSError as error:
            self._deaths = max(self._deaths, 1) + 1
            self._restart_at = self._started_at + self._rest_seconds
            _log.error("worker not started", name=self.name, reason=system_reason(error))

    def _start(self) -> None:
        self._started_at = time.monotonic()
        self._restart_at = None
        self._child.start(self._command, environment=self._environment, stdout=subprocess.DEVNULL, stderr=self._log)
        _log.info("worker started", name=self.name, pid=self._child.pid)
