"""Become a command that ends with its parent: `python -I -S parent_death.py PARENT_PID SIGNAL COMMAND…`.

A program of its own, run by path, because only an exec between fork and the command is safe in a process with threads.
Linux delivers SIGNAL when the thread that started us ends (so: start from the main thread); elsewhere this only
executes the command, and leftovers are reaped by pid file at the next start.
"""

from __future__ import annotations

import os
import sys

PR_SET_PDEATHSIG = 1
EX_PARENT_GONE = 143


def main(parent: int, signal_number: int, command: list[str]) -> None:
    """Arm the parent-death signal, then execute; does not return."""
    if sys.platform.startswith("linux"):
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
        if os.getppid() != parent:  # it died before we were armed
            sys.exit(EX_PARENT_GONE)
    os.execv(command[0], command)  # noqa: S606 -- the command comes from our own parent


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
