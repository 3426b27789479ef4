"""The time limit of a task, for the same work in one process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from scoring.problems import InputError, refused


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise InputError in the block when it takes longer. Needs the main thread and a system with interval timers."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise InputError((refused("time-limit", limit=f"{seconds:g}"),))

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
