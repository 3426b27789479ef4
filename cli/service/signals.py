"""Handles SIGINT and SIGTERM: the first asks for a warm shutdown, the second stops at once."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any, Self

EXIT_HURRIED = 130  # 128 + SIGINT, as shells say it


class HurriedError(BaseException):
    """Raised in the main thread by the second signal. No `Exception`, as KeyboardInterrupt is none."""


class Stop:
    """Context manager that handles both signals. requested: the first one has arrived."""

    def __init__(self) -> None:
        self.requested = False
        self._is_hurried = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _take(self, _number: int, _frame: FrameType | None) -> None:
        if self.requested and not self._is_hurried:
            self._is_hurried = True  # a third signal must not interrupt the cleaning up
            raise HurriedError
        self.requested = True
