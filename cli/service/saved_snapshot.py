"""Files in the state folder: the watcher's snapshot, read by `status`, and the request of `retry` for a scan.

A full disk keeps the watcher from saying that it runs, so `status` looks at the disk as well.
"""

import os
import time
from pathlib import Path

import msgspec

from reporting.store import StoredFile, write_atomic
from watcher import Snapshot
from workers.broker import BrokerFault, Depth, Process
from workers.processes import Identity, may_run, own_identity, prepare_private

SNAPSHOT_NAME = "watcher.json"
SNAPSHOT_SECONDS = 2.0
NUDGE_NAME = "look"
OLD_SECONDS = 30.0
LEAST_BYTES = 1 << 20  # the broker and the watcher write hundreds of kilobytes at once


class SavedSnapshot(msgspec.Struct, kw_only=True):
    """A snapshot and its watcher. saved_at: seconds since the epoch. pid, place, started: see `Identity`.

    queue, fault, processes: of the queue when it was saved, so that `status` needs no client of the broker; None for
    none.
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
    processes: tuple[Process, ...] = ()


_SNAPSHOT = StoredFile(SavedSnapshot, SNAPSHOT_NAME)


def save_snapshot(
    state: Path,
    snapshot: Snapshot,
    *,
    observer: str,
    reason: str,
    queue: Depth | None = None,
    fault: BrokerFault | None = None,
    processes: tuple[Process, ...] = (),
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
        processes=processes,
    )
    write_atomic(state / SNAPSHOT_NAME, msgspec.json.encode(saved))


def read_snapshot(state: Path) -> SavedSnapshot | None:
    """The last snapshot; None without one, when its watcher has ended, or when it is too old."""
    saved = _SNAPSHOT.read(state)
    if saved is None:
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


def is_disk_full(folder: Path) -> bool:
    """Can nothing more be written where the folder is, or will be? False where the system does not say."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        found = os.statvfs(folder)
    except (OSError, AttributeError):  # Windows has no such call
        return False
    has_no_names = found.f_files > 0 and found.f_favail == 0
    return found.f_bavail * found.f_frsize < LEAST_BYTES or has_no_names
