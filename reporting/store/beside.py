"""Work that a fork of this process does beside it, for the files of a large set: two cores in place of one."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")

CAN_FORK = sys.platform == "linux"  # elsewhere the system's own libraries may have threads that a fork breaks


@contextmanager
def beside(work: Callable[[], T], *, forks: bool) -> Iterator[Callable[[], T]]:
    """Gives a function that returns the result of `work`: done by a fork while the block runs, or before it begins.

    work: what it changes in memory may be lost, and it may be done twice, as the work of a fork that was killed is done
    here. The function raises what `work` raised.
    """
    if not forks or not CAN_FORK or usable_cores() == 1:
        found = work()
        yield lambda: found
        return
    import multiprocessing

    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_do, args=(work, theirs), daemon=True)
    with closing(ours):
        process.start()
        theirs.close()
        try:
            yield lambda: _result(ours, work)
        finally:
            process.kill()
            process.join()


def _do(work: Callable[[], object], pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        answer: tuple[object, Exception | None] = work(), None
    except Exception as error:  # noqa: BLE001 -- raised again by the parent
        answer = None, error
    pipe.send(answer)


def _end_with_parent() -> None:
    """End after a killed parent: its locks are free only when this process is gone too."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _result(pipe: Connection, work: Callable[[], T]) -> T:
    try:
        found, error = pipe.recv()
    except EOFError:
        return work()
    if error is not None:
        raise error
    return found  # type: ignore[no-any-return]  # of `work`


def usable_cores() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
