# ruff: noqa: INP001 -- a folder for PYTHONPATH, no package
"""Loaded by every Python that a test starts with this folder on PYTHONPATH: faults at the moment a file is opened.

What happens is decided by flag files in the folder named by SABOTAGE, so a test can start and end a fault. An audit
hook sees every open, whoever calls it, and needs nothing in the product.
"""

import errno
import os
import re
import signal
import sys
from pathlib import Path

FOLDER = os.environ.get("SABOTAGE", "")
COMMAND = " ".join(sys.orig_argv)
IS_ALONE = "workers.jobs.isolated" in COMMAND
IS_WORKER = "-m workers" in COMMAND
STEP = re.compile(r"_(child|parent|broker)_at_(\d+)\.csv")

_step: list[object] = []  # victim, steps to go, mark of the file whose work it is


def _flag(name: str) -> bool:
    return os.access(f"{FOLDER}/{name}", os.F_OK)


def _count_step(path: str) -> None:
    """Kill -9 at the n-th file operation in the output folder, once for each input that asks for it by its name."""
    if found := STEP.search(path):
        _step[:] = [found[1], int(found[2]), f"{FOLDER}/struck-{found[1]}-{found[2]}"]
    elif path.endswith(".csv") and "/in/" in path:
        _step.clear()
    elif _step and "/out/" in path:
        victim, left, mark = _step
        _step[1] = int(str(left)) - 1
        if _step[1] == 0 and not os.access(str(mark), os.F_OK):
            Path(str(mark)).touch()
            os.kill(_pid_of(str(victim)), signal.SIGKILL)


def _pid_of(victim: str) -> int:
    if victim == "broker":
        return int(Path(os.environ["SCOREWATCH_STATE"], "run/broker.pid").read_text().split()[0])
    return os.getpid() if victim == "child" else os.getppid()


def _stand_still() -> None:
    """Until it is killed."""
    while True:
        signal.pause()


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if IS_WORKER and event in {"open", "os.rename", "os.remove"} and isinstance(arguments[0], (str, bytes)):
        _count_step(os.fsdecode(arguments[0]))
    if event != "open" or not isinstance(arguments[0], (str, bytes)):
        return
    path = os.fsdecode(arguments[0])
    flags = arguments[2] if isinstance(arguments[2], int) else 0
    if path.endswith("_deadly.csv") and IS_WORKER:
        os.kill(os.getpid(), signal.SIGKILL)
    if path.endswith("_innocent.csv") and IS_WORKER and not IS_ALONE:
        os.kill(os.getpid(), signal.SIGKILL)
    if path.endswith("_hanging.csv") and IS_WORKER:
        _stand_still()
    if path.endswith("_crashing.csv") and IS_WORKER:
        raise RuntimeError("a bug")
    if path.endswith("_unreadable.csv") and _flag("unreadable"):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    if "/out/" in path and flags & os.O_CREAT and IS_WORKER and _flag("full"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
    if "/out/" in path and flags & os.O_CREAT and _flag("read-only"):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)


if FOLDER:
    sys.addaudithook(_hook)
