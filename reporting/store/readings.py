"""How far workers are with large files: small notes in the shared work area, for the live screen and `status`.

A note is a hint: it is written now and then while a file is read, removed at the end, and too old when its worker was
killed.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

import msgspec

from reporting.store.set_folder import WORK_AREA, work_area
from reporting.store.stored_file import StoredFile, write_atomic

READINGS = "readings"
OLD_SECONDS = 15.0


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """How far a large file is read. path: as in its plan. started_at, at: seconds since the epoch."""

    set: str
    path: str
    size: int
    done: int
    started_at: float
    at: float

    @property
    def percent(self) -> int:
        """How much of it is read."""
        return 100 * self.done // self.size if self.size else 0

    @property
    def seconds_left(self) -> float | None:
        """At the speed until now; None before anything is read."""
        return (self.at - self.started_at) * (self.size - self.done) / self.done if self.done else None


_READING = StoredFile(Reading)


def write_reading(out: Path, reading: Reading) -> None:
    """Note how far a file is read; nothing depends on it, so a failure is passed over."""
    with suppress(OSError):
        path = work_area(out, READINGS) / _name(reading.set, reading.path)
        write_atomic(path, msgspec.json.encode(reading), temporary=work_area(out, "tmp"))


def clear_reading(out: Path, set_name: str, path: str) -> None:
    """Delete the note: the file is read, or it cannot be."""
    with suppress(OSError):
        (out / WORK_AREA / READINGS / _name(set_name, path)).unlink(missing_ok=True)


def read_readings(out: Path, now: float) -> list[Reading]:
    """What is being read, by set and path; empty where nothing is. now: seconds since the epoch."""
    found = []
    with suppress(OSError), os.scandir(out / WORK_AREA / READINGS) as entries:
        for entry in entries:
            reading = _READING.read_at(entry.path)
            if reading is not None and abs(now - reading.at) < OLD_SECONDS:
                found.append(reading)
    return sorted(found, key=lambda reading: (reading.set, reading.path))


def _name(set_name: str, path: str) -> str:
    return hashlib.sha256(f"{set_name}\0{path}".encode("utf-8", "surrogatepass")).hexdigest() + ".json"
