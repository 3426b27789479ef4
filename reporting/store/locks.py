"""A lock between processes and machines that its holder's death always opens: the kernel's file lock."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scoring.problems import TransientError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_BUSY = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}
# File systems without locks (some FUSE and SMB mounts). What the lock saves there is work, not correctness:
# every file is still renamed into place whole.
_UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}
_FIRST_PAUSE_SECONDS = 0.005
_LONGEST_PAUSE_SECONDS = 0.1


@contextmanager
def exclusive(path: Path, *, timeout_seconds: float) -> Iterator[None]:
    """Hold the lock at `path`; the file is made when it is missing and removed afterwards.

    Raises TransientError when somebody else holds it for longer than `timeout_seconds`, OSError as the file
    system does.
    """
    descriptor = _acquire(path, timeout_seconds)
    try:
        yield
    finally:
        with suppress(OSError):  # removed before it is let go: whoever waits for this file looks again
            path.unlink()
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file without waiting; True also where the file system has no locks."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        if error.errno not in _UNSUPPORTED:
            raise
    return True


def _acquire(path: Path, timeout_seconds: float) -> int:
    deadline = time.monotonic() + timeout_seconds
    pause = _FIRST_PAUSE_SECONDS
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if try_lock(descriptor) and _is_still(path, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if time.monotonic() >= deadline:
            raise TransientError(f"{path}: held by another process for more than {timeout_seconds:g} s")
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)


def _is_still(path: Path, descriptor: int) -> bool:
    """Does the path still name the open file? Its last holder may have removed it in between."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
