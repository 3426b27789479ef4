"""Notes now and then how far a worker is with a large file."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from reporting.store.readings import Reading, clear_reading, write_reading
from scoring.reading.regular_file import LARGE_BYTES

EVERY_SECONDS = 0.5


@contextlib.contextmanager
def note_reading(out: Path, set_name: str, path: str, size: int) -> Iterator[Callable[[int], None] | None]:
    """A function to be told how many bytes are read, for as long as the file is; None for a file that is not large."""
    if size < LARGE_BYTES:
        yield None
        return
    try:
        yield note_piece(out, set_name, path, size)
    finally:
        clear_reading(out, set_name, path)


def note_piece(
    out: Path, set_name: str, path: str, size: int, *, before: int = 0, started_at: float | None = None
) -> Callable[[int], None]:
    """The function for a piece of a file; the note stays for the next piece.

    before: bytes of the file that are read. started_at: when its first piece was asked for; None for now.
    """
    next_at = time.time()
    start = next_at if started_at is None else started_at

    def tell(done: int) -> None:
        nonlocal next_at
        now = time.time()
        if now >= next_at:
            next_at = now + EVERY_SECONDS
            done = min(before + done, size)
            write_reading(out, Reading(set=set_name, path=path, size=size, done=done, started_at=start, at=now))

    return tell
