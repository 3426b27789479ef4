"""Is a process that left its pid behind still the one that runs under it?"""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")
_ENDED = "ZX"  # a zombie has ended, its parent has not looked


class Identity(NamedTuple):
    """A process that no later one of the same pid is taken for.

    place: machine and pid namespace; a pid says nothing elsewhere. started: by the system's count, "" where it does
    not tell.
    """

    pid: int
    place: str = ""
    started: str = ""


def own_identity() -> Identity:
    """This process."""
    return Identity(os.getpid(), _place(), _started(os.getpid()) or "")


def may_run(identity: Identity) -> bool:
    """Could it still run? False only where that can be told for certain."""
    if identity.place != _place():
        return True
    if not _has_proc():
        return is_alive(identity.pid)
    started = _started(identity.pid)
    return started is not None and identity.started in {"", started}


def is_alive(pid: int) -> bool:
    """Does some process have this pid? True where nobody can say."""
    if sys.platform == "win32":  # there is no signal that only asks
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
    """Clock ticks between the machine's start and its own; None when it has ended."""
    try:
        fields = (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in _ENDED else fields[19]
