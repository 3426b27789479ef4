"""How far workers are with large files: small notes in the work area, for the live screen and `status`.

A note is a hint: it is written now and then while the file is read, removed at its end, and too old when its worker
was killed.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from reporting.store.set_folder import WORK_AREA
from scoring.items.score_file import LARGE_BYTES
from scoring.reading.regular_file import read_named
from workers.jobs.work_area import READINGS, Reading, WorkArea

EVERY_SECONDS = 0.5
OLD_SECONDS = 15.0


@contextlib.contextmanager
def note_reading(area: WorkArea, set_name: str, path: str, size: int) -> Iterator[Callable[[int], None] | None]:
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
            area.write_reading(
                Reading(set=set_name, path=path, size=size, done=min(done, size), started_at=started_at, at=now)
            )

    try:
        yield tell
    finally:
        area.clear_reading(set_name, path)


def read_readings(out: Path) -> list[Reading]:
    """What is being read now, by path; empty where nothing is, or nothing can be read."""
    now, found = time.time(), []
    with contextlib.suppress(OSError), os.scandir(out / WORK_AREA / READINGS) as entries:
        for entry in entries:
            with contextlib.suppress(OSError, ValueError):
                reading = msgspec.json.decode(read_named(entry.path), type=Reading)
                if abs(now - reading.at) < OLD_SECONDS:
                    found.append(reading)
    return sorted(found, key=lambda reading: (reading.set, reading.path))
