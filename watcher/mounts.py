"""Does a folder lie on a network or shared mount, where file events do not arrive reliably?"""

from __future__ import annotations

import os
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
    for line in table.split("\n"):  # Unicode has further blanks and line breaks, which stand in names
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
    """Blank, tab, newline and backslash stand as octal escapes in the table."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, character)
    return field
