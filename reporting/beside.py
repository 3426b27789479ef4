"""Work that a fork of this process does beside it, for a file of a large set: two cores in place of one.

By `os.fork`, as `multiprocessing` starts no process from the daemons that workers are.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, NoReturn, TypeVar

T = TypeVar("T")

_LOOK_SECONDS = 0.5


@contextmanager
def beside(work: Callable[[], T]) -> Iterator[Callable[[], T]]:
    """Gives a function that returns the result of `work`, which a fork does while the block runs.

    work: what it changes in memory is lost. Where there is no fork, or it is killed, the function does the work itself.
    It raises what `work` raised.
    """
    reading, writing = os.pipe()
    parent, child = os.getpid(), 0
    with os.fdopen(reading, "rb") as pipe:
        try:
            child = os.fork()
        except OSError:  # too many processes
            os.close(writing)
            yield work
            return
        if child == 0:
            _do(work, writing, parent)
        os.close(writing)
        try:
            yield lambda: _result(pipe, work)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def can_fork() -> bool:
    """Is there a second core, and no thread here or in the system's libraries whose locks a fork would keep forever?"""
    return sys.platform == "linux" and usable_cores() > 1 and threading.active_count() == 1


def usable_cores() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _do(work: Callable[[], object], writing: int, parent: int) -> NoReturn:
    """What the fork does. It returns nowhere, whatever happens: the code of its parent is not its own."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends us
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
        try:
            answer: tuple[object, Exception | None] = work(), None
        except Exception as error:  # noqa: BLE001 -- raised again by the parent
            answer = None, error
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(answer, pipe)
    finally:
        os._exit(0)


def _end_with(parent: int) -> None:
    """What a killed parent asked for is wanted by nobody, and its locks are free only when this process is gone."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os._exit(0)


def _result(pipe: BinaryIO, work: Callable[[], T]) -> T:
    answer: tuple[T, Exception | None] | None = None
    with suppress(EOFError, pickle.UnpicklingError):  # of a fork that was killed
        answer = pickle.load(pipe)  # noqa: S301 -- from a process of our own
    if answer is None:
        return work()
    found, error = answer
    if error is not None:
        raise error
    return found
