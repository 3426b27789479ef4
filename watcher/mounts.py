"""Finds network and shared mounts, where file events do not arrive reliably."""

from __future__ import annotations

import os
import re
from pathlib import Path

MOUNT_TABLE = Path("/proc/self/mountinfo")
_SHARED = frozenset(
    {"9p", "afs", "ceph", "cifs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs", "virtiofs"}
)


def shared_type(folder: Path, table: str | None = None) -> str | None:
    """Type of the shared file system under `folder` ("nfs4", "fuse.sshfs"), None when it is a local one.

    table: text of a mountinfo table; None reads that of this process (None too where there is no such table).
    """
    if table is None:
        try:
            table = MOUNT_TABLE.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return None
    path = os.path.realpath(folder)
    best, found = "", ""
    for line in table.split("\n"):  # names may hold Unicode blanks and line breaks
        before, _, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ", 1)[0]
        if len(fields) < 5:
            continue
        mount = _unescape(fields[4])
        holds = path == mount or path.startswith(mount.rstrip("/") + "/")
        if holds and len(mount) >= len(best):  # of mounts on one point the last one is on top
            best, found = mount, kind
    return found if found in _SHARED or found.startswith("fuse") else None


def _unescape(field: str) -> str:
    """Resolve the octal escapes of the table (blank, tab, newline, backslash)."""
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), field)
