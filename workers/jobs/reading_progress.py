"""Notes now and then how far a worker is with a large file."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from reporting.store.readings import Reading, clear_reading, write_reading
from scoring.reading.regular_file import LARGE_BYTES
from scoring.sets.plan import PlannedInput

EVERY_SECONDS = 0.5


@contextlib.contextmanager
def note_reading(out: Path, set_name: str, path: str, size: int) -> Iterator[Callable[[int], None] | None]:
    """A function to be told how many bytes are read, for as long as the file is; None for a file that is not large."""
    if size < LARGE_BYTES:
        yield None
        return
    started_at = next_at = time.time()

    def tell(done: int) -> None:
        nonlocal next_at
        now = time.time()
        if now >= next_at:
            next_at = now + EVERY_SECONDS
            reading = Reading(set=set_name, path=path, size=size, done=min(done, size), started_at=started_at, at=now)
            write_reading(out, reading)

    try:
        yield tell
    finally:
        clear_reading(out, set_name, path)


@contextlib.contextmanager
def note_piece(
    out: Path, set_name: str, planned: PlannedInput, *, before: int, started_at: float | None
) -> Iterator[Callable[[int], None]]:
    """The same for a piece of a file, whose note stays for the next piece.

    before: bytes of the file that are read. started_at: when its first piece was asked for.
    """
    next_at = time.time()
    start = next_at if started_at is None else started_at

    def tell(done: int) -> None:
        nonlocal next_at
        now = time.time()
        if now >= next_at:
            next_at = now + EVERY_SECONDS
            done = min(before + done, planned.size)
            reading = Reading(set=set_name, path=planned.path, size=planned.size, done=done, started_at=start, at=now)
            write_reading(out, reading)

    yield tell
