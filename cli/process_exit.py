"""How a process of a command ends: by Ctrl-C and SIGTERM without a traceback, and at once, whatever is still held."""

import _thread
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

EXIT_PROBLEMS = 1  # of an input
EXIT_USAGE = 2  # or of settings
EXIT_FAILED = 3  # a rule of a gate
EXIT_UNDECIDABLE = 4  # nothing to compare, or a rule that cannot be decided

_kept: list[object] | None = None  # None: this process does not end with the command
_COLLECT_AFTER = 500_000  # more objects made than let go


def keep(value: object) -> None:
    """Hold the value, in place of the one before, to the end of a process that ends with its command.

    Letting go of 100,000 items takes 0.15 s; a process that is over gives its memory back without that.
    """
    if _kept is not None:
        _kept[:] = [value]


def is_own_process() -> bool:
    """Does this process end with its command? Not where a test, or another program, only calls the command."""
    return _kept is not None


def leave_with(main: Callable[[], int]) -> NoReturn:
    """Run `main`, which flushes standard output itself, and end the process with its exit code."""
    global _kept  # noqa: PLW0603 -- it is about the process as a whole
    _kept = []
    code = main()
    if not _kept:
        sys.exit(code)
    sys.stderr.flush()
    os._exit(code)  # nothing here waits for the interpreter's end: no thread, no child, no temporary file


def collect_rarely() -> None:
    """Look for cycles hardly ever: items hold none, and this process ends with its work.

    100,000 items: 0.3 s with Python's own threshold (700), 0.1 s with 10,000, nothing with this one.
    """
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, 10, 10)


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
