# ruff: noqa: INP001 -- a folder for PYTHONPATH, no package
"""Loaded by every Python that a test starts with this folder on PYTHONPATH: faults at the moment a file is opened.

What happens is decided by flag files in the folder named by SABOTAGE, so a test can start and end a fault. An audit
hook sees every open, whoever calls it, and needs nothing in the product.
"""

import errno
import os
import signal
import sys
import time

FOLDER = os.environ.get("SABOTAGE", "")
COMMAND = " ".join(sys.orig_argv)
IS_ALONE = "workers.alone" in COMMAND
IS_WORKER = "-m workers" in COMMAND


def _flag(name: str) -> bool:
    return os.access(f"{FOLDER}/{name}", os.F_OK)


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if event != "open" or not isinstance(arguments[0], (str, bytes)):
        return
    path = os.fsdecode(arguments[0])
    flags = arguments[2] if isinstance(arguments[2], int) else 0
    if path.endswith("_deadly.csv") and IS_WORKER:
        os.kill(os.getpid(), signal.SIGKILL)
    if path.endswith("_innocent.csv") and IS_WORKER and not IS_ALONE:
        os.kill(os.getpid(), signal.SIGKILL)
    if path.endswith("_hanging.csv") and IS_WORKER:
        time.sleep(600)
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
