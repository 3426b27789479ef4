"""Folders for which the system gave no inotify watch: counted after each scan, and polled for what changes in them.

watchdog passes over a folder below the first for which it gets none (`fs.inotify.max_user_watches`), so its files would
only be found by a scan.
"""

import contextlib
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

POLL_SECONDS = 1.0
POLL_REST = 20.0  # times as long as a look at all of them took
_FDINFO = Path("/proc/self/fdinfo")
_WATCH = re.compile(r"^inotify wd:\S+ ino:([0-9a-f]+)", re.MULTILINE)

Seen = dict[str, tuple[int, int]]  # name -> size and mtime_ns; of a folder (-1, 0)


def watched_inodes() -> set[int] | None:
    """Inodes that this process has inotify watches for; None where the system does not tell."""
    found: set[int] = set()
    try:
        for entry in os.scandir(_FDINFO):
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                found |= {int(inode, 16) for inode in _WATCH.findall(Path(entry.path).read_text(encoding="ascii"))}
    except (OSError, UnicodeDecodeError):
        return None
    return found


class Unwatched:
    """The folders below `root` that have no watch. Use from one thread."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seen: dict[str, Seen] = {}
        self._poll_at = 0.0

    def __len__(self) -> int:
        return len(self._seen)

    def find(self, folders: Mapping[str, int]) -> None:
        """Take the folders that have none. folders: relative path of every folder -> its inode."""
        inodes = watched_inodes()
        without = set() if inodes is None else {path for path, inode in folders.items() if inode not in inodes}
        self._seen = {path: self._seen.get(path) or self._look(path) for path in without}

    def clear(self) -> None:
        """All is polled, or watched anew."""
        self._seen.clear()

    def changed(self) -> Iterator[str]:
        """Absolute paths of what was written, made or removed in these folders since the last look."""
        now = time.monotonic()
        if not self._seen or now < self._poll_at:
            return
        for path, before in tuple(self._seen.items()):
            after = self._seen[path] = self._look(path)
            for name in (name for name in before.keys() | after.keys() if before.get(name) != after.get(name)):
                if after.get(name, (0, 0))[0] == -1:  # a folder that was made here has no watch either
                    inner = f"{path}/{name}" if path else name
                    self._seen[inner] = {}
                yield str(self._root / path / name)
        self._poll_at = now + max(POLL_SECONDS, (time.monotonic() - now) * POLL_REST)

    def _look(self, path: str) -> Seen:
        found: Seen = {}
        with contextlib.suppress(OSError):  # the next scan says what is wrong with it
            for entry in os.scandir(self._root / path):
                with contextlib.suppress(OSError):
                    stat = entry.stat(follow_symlinks=False)
                    is_folder = entry.is_dir(follow_symlinks=False)
                    found[entry.name] = (-1, 0) if is_folder else (stat.st_size, stat.st_mtime_ns)
        return found
