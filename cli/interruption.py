"""Ctrl-C and SIGTERM to a command: an exception that takes things down, and no traceback at any moment.

`up` and `watch` handle both themselves while they run, see `cli.service.signals`.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells say it
EXIT_TERMINATED = 143  # 128 + SIGTERM
DEAF_SECONDS = 2.0  # after a signal, so that impatient fingers do not stop the taking down halfway
AGAIN_SECONDS = 0.001  # until a callback that cannot raise is over

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class TerminatedError(KeyboardInterrupt):
    """SIGTERM; whatever takes things down on Ctrl-C does so as well."""


def exit_code_of(error: BaseException) -> int:
    """Of a command that this KeyboardInterrupt ended."""
    return EXIT_TERMINATED if isinstance(error, TerminatedError) else EXIT_INTERRUPTED


def interruptible(main: Callable[[], int]) -> int:
    """The exit code of `main`, or that of the signal that ended it."""
    taking = _Taking()
    try:
        sys.unraisablehook = taking.raise_again
        _handle(taking.take)
        code = main()
        _handle(signal.SIG_IGN)
    except BaseException:
        _handle(signal.SIG_IGN)
        if taking.error is None:
            raise
        return exit_code_of(taking.error)  # what was raised may be what a library has made of it
    return code


def default_signals() -> None:
    """A signal ends the process, without a word: in a child, and before there is anything to take down."""
    _handle(signal.SIG_DFL)


class _Taking:
    """Takes the signals. error: what the last one raised."""

    def __init__(self) -> None:
        self.error: KeyboardInterrupt | None = None
        self._taken_at = float("-inf")

    def take(self, number: int, _frame: FrameType | None) -> None:
        """Raise, unless the last signal was just before."""
        now = time.monotonic()
        if now - self._taken_at < DEAF_SECONDS:
            return
        self._taken_at = now
        self.error = TerminatedError() if number == signal.SIGTERM else KeyboardInterrupt()
        raise self.error

    def raise_again(self, raised: Any) -> None:
        """An exception in a callback that cannot raise is only printed by Python: send the signal once more."""
        if not issubclass(raised.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(raised)
            return
        number = signal.SIGTERM if isinstance(self.error, TerminatedError) else signal.SIGINT
        self._taken_at = float("-inf")
        _thread.start_new_thread(_send_soon, (number,))  # `threading` waits for the start, where this may raise again


def _send_soon(number: signal.Signals) -> None:
    time.sleep(AGAIN_SECONDS)
    os.kill(os.getpid(), number)


def _handle(handler: Any) -> None:
    for number in _SIGNALS:
        signal.signal(number, handler)
