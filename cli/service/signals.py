"""SIGINT and SIGTERM: the first asks to end in good order, the second to end at once."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any, Self

EXIT_HURRIED = 130  # 128 + SIGINT, as shells say it


class HurriedError(BaseException):
    """Raised in the main thread by the second signal, wherever it is; like KeyboardInterrupt no `Exception`."""


class Stop:
    """A context manager that takes both signals. requested: there was a first one."""

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
            self._is_hurried = True  # a third one must not disturb the cleaning up after the second
            raise HurriedError
        self.requested = True
