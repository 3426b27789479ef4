"""Files in the state folder: the watcher's snapshot, read by `status`, and the request of `retry` for a scan."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from reporting.store.stored_file import write_atomic
from watcher.snapshot import Snapshot
from workers.broker.condition import BrokerFault, Depth
from workers.processes.process_id import Identity, may_run, own_identity
from workers.processes.state_folder import prepare_private

SNAPSHOT_NAME = "watcher.json"
SNAPSHOT_SECONDS = 2.0
NUDGE_NAME = "look"
OLD_SECONDS = 30.0


class SavedSnapshot(msgspec.Struct, kw_only=True):
    """A snapshot and its watcher. saved_at: seconds since the epoch. pid, place, started: see `Identity`.

    queue, fault: of the queue when it was saved, so that `status` needs no client of the broker; None for none.
    """

    pid: int
    place: str = ""
    started: str = ""
    saved_at: float
    observer: str
    reason: str
    snapshot: Snapshot
    queue: Depth | None = None
    fault: BrokerFault | None = None


def save_snapshot(
    state: Path,
    snapshot: Snapshot,
    *,
    observer: str,
    reason: str,
    queue: Depth | None = None,
    fault: BrokerFault | None = None,
) -> None:
    """Write the snapshot; the folder may have been deleted meanwhile. Raises OSError."""
    if not state.exists():
        prepare_private(state)
    saved = SavedSnapshot(
        **own_identity()._asdict(),
        saved_at=time.time(),
        observer=observer,
        reason=reason,
        snapshot=snapshot,
        queue=queue,
        fault=fault,
    )
    write_atomic(state / SNAPSHOT_NAME, msgspec.json.encode(saved))


def read_snapshot(state: Path) -> SavedSnapshot | None:
    """The last snapshot; None without one, when its watcher has ended, or when it is too old."""
    try:
        saved = msgspec.json.decode((state / SNAPSHOT_NAME).read_bytes(), type=SavedSnapshot)
    except (OSError, ValueError):
        return None
    if time.time() - saved.saved_at >= OLD_SECONDS or not may_run(Identity(saved.pid, saved.place, saved.started)):
        return None
    return saved


def take_nudge(state: Path) -> bool:
    """Did `retry` request a scan? Removes the request."""
    try:
        (state / NUDGE_NAME).unlink()
    except OSError:
        return False
    return True
