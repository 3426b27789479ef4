"""One writer at a time in the folder of a set, over processes and machines."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from reporting.store.locks import exclusive
from reporting.store.set_folder import set_folder
from reporting.store.staging import work_area
from scoring.problems import TransientError

LOCK_TIMEOUT_SECONDS = 60.0


@contextmanager
def set_lock(out: Path, set_name: str) -> Iterator[Path]:
    """Hold the lock of a set; gives its folder, which need not exist.

    Raises TransientError when somebody else holds it for too long, and in place of every OSError of the block;
    InputError when the folder lies outside of `out`.
    """
    folder = set_folder(out, set_name)
    try:
        with exclusive(lock_path(out, set_name), timeout_seconds=LOCK_TIMEOUT_SECONDS):
            yield folder
    except OSError as error:
        place = error.filename2 or error.filename or folder
        raise TransientError(f"{place}: {error.strerror or error}") from error


@contextmanager
def judging_lock(out: Path, set_name: str, *, on_wait: Callable[[], None]) -> Iterator[None]:
    """Be the only one that asks a judge for a set; another is waited for, however long it takes.

    on_wait: called once when there is another. Raises TransientError when the file system refuses.
    """
    path = lock_path(out, set_name).with_suffix(".judge")
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
    """Where the lock of a set is while somebody holds it."""
    return work_area(out, "locks") / hashlib.sha256(set_name.encode(errors="surrogateescape")).hexdigest()[:32]
