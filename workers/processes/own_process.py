"""A process about itself: the limit on its memory, and how its pid is told from that of another process.

Memory is limited by the address space: a process that reads inputs and asks for more fails (docs/limits.md).
"""

import contextlib
import ctypes
import os
import platform
import sys
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")
_ENDED = "ZX"  # zombie or dead
_M_MMAP_THRESHOLD, _LARGE_BLOCK = -3, 128 << 10  # of malloc.h; bytes


def limit_memory(megabytes: int, *, for_good: bool = False) -> None:
    """Limit this process and those that it starts. Does nothing on Windows.

    for_good: the process cannot raise the limit again. A lower limit that is already set stays.
    """
    if sys.platform == "win32":
        return
    import resource

    wanted = megabytes << 20
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = min([wanted, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)])
    with contextlib.suppress(ValueError, OSError):  # some systems have no such limit
        resource.setrlimit(resource.RLIMIT_AS, (wanted, wanted if for_good else hard))


def keep_little_memory() -> None:
    """Let large blocks go back to the system when they are freed (glibc), however large others were before.

    It would take blocks of up to 32 MB from its heap else, where what stays between them keeps them.
    """
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError):  # of another C library
            ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE_BLOCK)


def give_back_memory() -> None:
    """Give back what is free in the heap (glibc)."""
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def usable_cores() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Identity(NamedTuple):
    """A process, distinct from later ones with the same pid.

    place: machine and pid namespace of the pid. started: in clock ticks of the system, "" where it is unknown.
    """

    pid: int
    place: str = ""
    started: str = ""


def own_identity() -> Identity:
    """This process."""
    return Identity(os.getpid(), _place(), _started(os.getpid()) or "")


def may_run(identity: Identity) -> bool:
    """Could it still run? False only when it certainly does not."""
    if identity.place != _place():
        return True
    if not _has_proc():
        return is_alive(identity.pid)
    started = _started(identity.pid)
    return started is not None and identity.started in {"", started}


def is_alive(pid: int) -> bool:
    """Does any process have this pid? True when that is unknown."""
    if sys.platform == "win32":  # no signal 0
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _place() -> str:
    try:
        namespace = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        namespace = ""
    return f"{platform.node()} {namespace}".strip()


def _has_proc() -> bool:
    return (_PROC / "self" / "stat").exists()


def _started(pid: int) -> str | None:
    """Clock ticks from the start of the machine to its own; None when it has ended."""
    try:
        fields = (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in _ENDED else fields[19]
