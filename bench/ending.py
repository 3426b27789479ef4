"""Benchmarks that are stopped from outside leave nothing behind: no service, no folder."""

import os
import signal
import sys
from types import FrameType
from typing import Never

from tests.faults.harness import Up
from workers.processes import parent_death

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class EndingUp(Up):
    """A service that ends with us, however we end (Linux). Start it from the main thread."""

    def command(self) -> list[str]:
        """Its command line, behind the parent-death signal."""
        warded = [sys.executable, "-I", "-S", parent_death.__file__, str(os.getpid()), str(int(signal.SIGTERM))]
        return [*warded, *super().command()]


def end_on_signals() -> None:
    """Let signals that would kill us at once end us as Ctrl-C does, through every `finally`."""
    for number in _SIGNALS:
        signal.signal(number, _end)


def _end(number: int, _frame: FrameType | None) -> Never:
    raise SystemExit(128 + number)
