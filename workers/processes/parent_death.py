"""Run a command that ends with its parent: `python -I -S parent_death.py PARENT_PID SIGNAL COMMAND…`.

A program, run by path: in a process with threads, no Python code may run between fork and exec. Linux sends SIGNAL when
the thread that started us ends, so start from the main thread. Elsewhere this only executes the command; the next start
ends leftovers by their pid files.
"""

import os
import sys

PR_SET_PDEATHSIG = 1
EX_PARENT_GONE = 143


def ending_with_us(signal_number: int, *command: str) -> list[str]:
    """The command line that runs `command` and sends it a signal when this process ends."""
    if sys.platform == "win32":
        return list(command)
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), str(int(signal_number)), *command]


def main(parent: int, signal_number: int, command: list[str]) -> None:
    """Arm the parent-death signal, then execute the command; does not return."""
    if sys.platform.startswith("linux"):
        import ctypes

        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
        if os.getppid() != parent:  # it died first
            sys.exit(EX_PARENT_GONE)
    os.execv(command[0], command)  # noqa: S606 -- the command comes from our own parent


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
