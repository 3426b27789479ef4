"""What a running watcher leaves in the state folder for `status`, and what `retry` leaves there for the watcher."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from watcher.snapshot import Snapshot
from workers.processes.process_id import Identity, may_run, own_identity

SNAPSHOT_NAME = "watcher.json"
SNAPSHOT_SECONDS = 2.0
NUDGE_NAME = "look"
OLD_SECONDS = 30.0


class SavedSnapshot(msgspec.Struct, kw_only=True):
    """What a watcher left of itself. saved_at: seconds since the epoch. pid, place, started: see `Identity`."""

    pid: int
    place: str = ""
    started: str = ""
    saved_at: float
    observer: str
    reason: str
    snapshot: Snapshot


def save_snapshot(state: Path, snapshot: Snapshot, *, observer: str, reason: str) -> None:
    """Leave a snapshot in the state folder for `status`. Raises OSError."""
    saved = SavedSnapshot(
        **own_identity()._asdict(), saved_at=time.time(), observer=observer, reason=reason, snapshot=snapshot
    )
    beside = state / f"{SNAPSHOT_NAME}.{os.getpid()}.tmp"
    beside.write_bytes(msgspec.json.encode(saved))
    beside.replace(state / SNAPSHOT_NAME)


def read_snapshot(state: Path) -> SavedSnapshot | None:
    """The last snapshot, None when there is none, its watcher ended, or it is too old to be true."""
    try:
        saved = msgspec.json.decode((state / SNAPSHOT_NAME).read_bytes(), type=SavedSnapshot)
    except (OSError, ValueError):
        return None
    if time.time() - saved.saved_at >= OLD_SECONDS or not may_run(Identity(saved.pid, saved.place, saved.started)):
        return None
    return saved


def take_nudge(state: Path) -> bool:
    """Did `retry` ask for a look at the folders? Asks once."""
    try:
        (state / NUDGE_NAME).unlink()
    except OSError:
        return False
    return True
