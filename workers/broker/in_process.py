"""A worker in this process, for machines without a broker binary: in-memory queue, one task at a time.

The queue is not durable: the next scan asks again for what a stop loses.
"""

from __future__ import annotations

import threading

from celery import Celery
from celery.worker import state as worker_state

from workers.celery_settings import JUDGE_QUEUE, REPORT_QUEUE, SCORE_QUEUE


class InProcessWorker:
    """A solo worker in a thread; one per process. is_judge: it also consumes the judge queue."""

    def __init__(self, app: Celery, *, is_judge: bool = False) -> None:
        self._worker = app.WorkController(
            app=app,
            pool="solo",
            concurrency=1,
            queues=[SCORE_QUEUE, REPORT_QUEUE, *([JUDGE_QUEUE] if is_judge else [])],
            without_heartbeat=True,
            without_mingle=True,
            without_gossip=True,
        )
        self._thread = threading.Thread(target=self._worker.start, name="worker", daemon=True)

    def start(self) -> None:
        """Start to take tasks."""
        worker_state.should_stop = None
        self._thread.start()

    def is_alive(self) -> bool:
        """Does it take tasks?"""
        return self._thread.is_alive()

    def stop(self, seconds: float) -> None:
        """Finish the current task, for at most `seconds`."""
        worker_state.should_stop = 0  # type: ignore[assignment]  # None, or the exit code to stop with
        self._thread.join(timeout=seconds)
