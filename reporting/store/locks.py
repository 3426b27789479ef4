"""File locks: between processes and machines, released by the kernel when their holder dies; one writer per set."""

import errno
import hashlib
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from reporting.store.set_folders import set_folder, work_area
from scoring import TransientError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_BUSY = {errno.EAGAIN, errno.EACCES, errno.EDEADLK}
# File systems without locks (some FUSE and SMB mounts). There the lock would save work, not correctness: every file is
# still renamed into place whole.
_UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}
LOCK_TIMEOUT_SECONDS = 60.0
_FIRST_PAUSE_SECONDS = 0.005
_LONGEST_PAUSE_SECONDS = 0.1


@contextmanager
def set_lock(out: Path, set_name: str) -> Iterator[Path]:
    """Hold the lock of a set; gives its folder, which need not exist.

    Raises TransientError when another process holds it for too long, and in place of every OSError of the block;
    InputError when the folder is outside of `out`.
    """
    folder = set_folder(out, set_name)
    with transient(folder), exclusive(lock_path(out, set_name), timeout_seconds=LOCK_TIMEOUT_SECONDS):
        yield folder


@contextmanager
def transient(place: Path) -> Iterator[None]:
    """Raise TransientError in place of every OSError of the block. place: is named where the error names no file."""
    try:
        yield
    except OSError as error:
        raise TransientError(f"{error.filename2 or error.filename or place}: {error.strerror or error}") from error


@contextmanager
def judging_lock(out: Path, set_name: str, *, on_wait: Callable[[], None]) -> Iterator[None]:
    """Be the only process that asks a judge for a set; waits for another however long it takes.

    on_wait: called once if there is another. Raises TransientError when the file system refuses.
    """
    with _alone(lock_path(out, set_name).with_suffix(".judge"), on_wait):
        yield


@contextmanager
def budget_lock(out: Path, *, on_wait: Callable[[], None]) -> Iterator[None]:
    """Be the only process that spends the budget of a folder of reports; waits for another however long it takes.

    on_wait: called once if there is another; what it raises ends the waiting. Raises TransientError when the file
    system refuses.
    """
    with _alone(work_area(out, "locks") / "judge-budget", on_wait):
        yield


@contextmanager
def _alone(path: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    with ExitStack() as stack:
        try:
            try:
                stack.enter_context(exclusive(path, timeout_seconds=0))
            except TransientError:
                on_wait()
                stack.enter_context(exclusive(path, timeout_seconds=math.inf))
        except OSError as error:
            raise TransientError(f"{path}: {error.strerror or error}") from error
        yield


def lock_path(out: Path, set_name: str) -> Path:
    """Where the lock of a set is while it is held."""
    return work_area(out, "locks") / hashlib.sha256(set_name.encode(errors="surrogateescape")).hexdigest()[:32]


@contextmanager
def exclusive(path: Path, *, timeout_seconds: float) -> Iterator[None]:
    """Hold the lock at `path`; the file is created if missing and removed afterwards.

    Raises TransientError when another process holds it for longer than `timeout_seconds`, OSError as the file system
    does.
    """
    descriptor = _acquire(path, timeout_seconds)
    try:
        yield
    finally:
        with suppress(OSError):  # removed before the release, so that a waiting process notices and opens a new file
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
            if try_lock(descriptor) and is_same_file(path, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if time.monotonic() >= deadline:
            raise TransientError(f"{path}: held by another process for more than {timeout_seconds:g} s")
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)


def is_same_file(path: Path, descriptor: int) -> bool:
    """Does the path still name the open file? It may have been removed in between."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
