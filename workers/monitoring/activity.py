"""The tasks of one worker, counted in its parent, and its health. No Celery, no network.

Healthy means that work moves: a worker that is connected and takes no tasks is failing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

from reporting.data.health_json import Health

BEAT_SECONDS = 1.0
SILENT_SECONDS = 15.0  # without a beat of the event loop: it hangs, or has no connection
OVERDUE_SECONDS = 30.0  # that a task may run past its time limit


class Activity:
    """Tasks taken and ended, and beats of the event loop. Thread-safe.

    clock: monotonic seconds. finished: called with (task, outcome, seconds) for every task that ended.
    """

    def __init__(self, clock: Callable[[], float], *, finished: Callable[[str, str, float], object]) -> None:
        self._clock = clock
        self._finished = finished
        self._lock = threading.Lock()
        self._running: dict[Hashable, tuple[str, float]] = {}
        self._beat_at: float | None = None
        self._moved_at = clock()
        self._waiting_since: float | None = None

    def beat(self) -> None:
        """The event loop turns and has a connection."""
        self._beat_at = self._clock()

    def take(self, task_id: Hashable, task: str) -> None:
        """A child started a task."""
        with self._lock:
            self._moved_at = now = self._clock()
            self._running[task_id] = (task, now)

    def end(self, task_id: Hashable, outcome: str) -> None:
        """A task ended: "done", "failed" or "timeout". Only the first end of a started task counts."""
        with self._lock:
            begun = self._running.pop(task_id, None)
            if begun is None:
                return
            self._moved_at = now = self._clock()
        self._finished(begun[0], outcome, now - begun[1])

    def running(self) -> int:
        """Number of tasks that run now."""
        return len(self._running)

    def idle_seconds(self) -> float:
        """Since a task was last taken or ended."""
        return self._clock() - self._moved_at

    def beat_age_seconds(self) -> float | None:
        """Since the last beat; None for a pool without an event loop."""
        return None if self._beat_at is None else self._clock() - self._beat_at

    def judge(
        self, *, waiting: int | None, capacity: int, queues: int, stuck_seconds: float, limit_seconds: float
    ) -> Health:
        """Is work moving?

        waiting: tasks in the queues, None when the broker does not answer. capacity: tasks at a time. queues: number of
        queues consumed. stuck_seconds: how long tasks may wait while a child is free. limit_seconds: of one task.
        """
        now = self._clock()
        failing = []
        age = self.beat_age_seconds()
        if age is not None and age > SILENT_SECONDS:
            failing.append(f"loop: silent for {age:.0f} s")
        if waiting is None:
            failing.append("broker: no answer")
        if not queues:
            failing.append("consumer: takes from no queue")
        with self._lock:
            oldest = min((began for _, began in self._running.values()), default=now)
            is_starved = bool(waiting) and len(self._running) < capacity
            if not is_starved:
                self._waiting_since = None
            elif self._waiting_since is None or self._waiting_since < self._moved_at:
                self._waiting_since = now
            since = self._waiting_since
        if since is not None and now - since >= stuck_seconds:
            failing.append(f"consumer: {waiting} waiting, none taken for {now - since:.0f} s")
        if now - oldest > limit_seconds + OVERDUE_SECONDS:
            failing.append(f"task: running for {now - oldest:.0f} s")
        return Health(tuple(failing))
