"""What the tasks of one worker do, counted in its parent, and whether that is healthy. No Celery, no network.

Healthy means that work moves: a worker that is connected and takes nothing is not, though every process answers.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable
from typing import NamedTuple

from reporting.data.health_json import Health

BEAT_SECONDS = 1.0
SILENT_SECONDS = 15.0  # without a beat of the event loop: it hangs, or the broker is out of reach
OVERDUE_SECONDS = 30.0  # past the time limit, that a task may still be running


class Outcome(NamedTuple):
    """How a task of a kind ended: "done", "failed" or "timeout"."""

    task: str
    outcome: str


class Activity:
    """Tasks taken and ended, and beats of the event loop. Thread-safe.

    clock: monotonic seconds. finished: called with (task, seconds) for every task that ended.
    """

    def __init__(self, clock: Callable[[], float], *, finished: Callable[[str, float], object]) -> None:
        self._clock = clock
        self._finished = finished
        self._lock = threading.Lock()
        self._running: dict[Hashable, tuple[str, float]] = {}
        self._beat_at: float | None = None
        self._moved_at = clock()
        self._waiting_since: float | None = None
        self.ended: Counter[Outcome] = Counter()

    def beat(self) -> None:
        """The event loop turns and has a connection."""
        self._beat_at = self._clock()

    def take(self, task_id: Hashable, task: str) -> None:
        """A child began a task."""
        with self._lock:
            self._moved_at = now = self._clock()
            self._running[task_id] = (task, now)

    def end(self, task_id: Hashable, outcome: str) -> None:
        """A task ended; only the first end of one that was begun counts."""
        with self._lock:
            begun = self._running.pop(task_id, None)
            if begun is None:
                return
            self._moved_at = now = self._clock()
            self.ended[Outcome(begun[0], outcome)] += 1
        self._finished(begun[0], now - begun[1])

    def running(self) -> int:
        """Tasks that run now."""
        return len(self._running)

    def idle_seconds(self) -> float:
        """Since a task was last taken or ended."""
        return self._clock() - self._moved_at

    def beat_age_seconds(self) -> float | None:
        """Since the last beat; None when this kind of worker has none."""
        return None if self._beat_at is None else self._clock() - self._beat_at

    def judge(
        self, *, waiting: int | None, capacity: int, queues: int, stuck_seconds: float, limit_seconds: float
    ) -> Health:
        """Is work moving?

        waiting: tasks in the queues now, None when the broker does not say. capacity: tasks at a time. queues: how
        many this worker consumes from. stuck_seconds: tasks that wait for so long beside a free child mean that
        nothing is taken. limit_seconds: time limit of one task.
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
