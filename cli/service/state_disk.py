"""The disk of the state folder, for `status`: a full one keeps the watcher from saying that it runs."""

from __future__ import annotations

import os
from pathlib import Path

LEAST_BYTES = 1 << 20  # the broker and the watcher write hundreds of kilobytes at once


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
