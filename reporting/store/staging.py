"""Files on their way into the output folder: written whole in a private place beside, then renamed.

Every publisher has a folder of its own below `<out>/.scorewatch/tmp` and holds a lock in it, so that a sweep can
tell the leftovers of dead processes, on whatever machine they ran, from work that is going on.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from reporting.store.locks import try_lock
from reporting.store.status import FileMark

WORK_AREA = ".scorewatch"
_LOCK = "lock"
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_YOUNG_SECONDS = 60.0  # a folder without a lock may be one that is being set up


def work_area(out: Path, *parts: str) -> Path:
    """A folder of the shared work area, made when it is missing. The area is kept out of version control."""
    folder = out.joinpath(WORK_AREA, *parts)
    try:
        folder.mkdir()
    except FileExistsError:
        return folder
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError), (out / WORK_AREA / ".gitignore").open("x") as stream:
        stream.write("*\n")
    return folder


class Staging:
    """Files written for one publication. strict: each is on disk before it can be renamed."""

    def __init__(self, folder: Path, *, strict: bool) -> None:
        self._folder = folder
        self._strict = strict
        self._paths: dict[str, str] = {}
        self.marks: dict[str, FileMark] = {}

    def write(self, name: str, chunks: Iterable[bytes]) -> FileMark:
        """Write one file that will be called `name` (relative to its set). Returns its size and hash."""
        path = f"{self._folder}/{len(self._paths)}"
        digest = hashlib.sha256()
        size = 0
        descriptor = os.open(path, _NEW_FILE, 0o666)  # a report has two dozen files: a stream costs as much as the data
        try:
            for chunk in chunks:
                write_all(descriptor, chunk)
                digest.update(chunk)
                size += len(chunk)
            if self._strict:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self._paths[name] = path
        mark = self.marks[name] = FileMark(size, digest.hexdigest())
        return mark

    def path(self, name: str) -> Path:
        """Where a written file lies until it is placed."""
        return Path(self._paths[name])

    def place(self, name: str, folder: Path) -> None:
        """Rename a written file to its place below `folder`, over what stands there."""
        target = f"{folder}/{name}"
        try:
            os.replace(self._paths[name], target)  # noqa: PTH105 -- a path object costs more than the rename
        except FileNotFoundError:
            Path(target).parent.mkdir(parents=True, exist_ok=True)
            os.replace(self._paths[name], target)  # noqa: PTH105
        if self._strict:
            sync_folder(Path(target).parent)


@contextmanager
def staging(out: Path, *, strict: bool = False) -> Iterator[Staging]:
    """A place to write in; what was not renamed out of it is removed at the end, also when something failed."""
    with private_folder(out) as folder:
        yield Staging(folder, strict=strict)


@contextmanager
def private_folder(out: Path) -> Iterator[Path]:
    """A folder of this process alone, on the output folder's file system.

    It goes at the end, at the latest with the sweep after the process died.
    """
    folder = work_area(out, "tmp") / f"{os.getpid()}-{time.time_ns():x}-{os.urandom(4).hex()}"
    folder.mkdir()
    descriptor = -1
    try:
        # Locked under another name first: a visible lock is a held one as long as its process lives.
        unlocked = folder / f"{_LOCK}.new"
        descriptor = os.open(unlocked, os.O_RDWR | os.O_CREAT, 0o666)
        try_lock(descriptor)
        unlocked.rename(folder / _LOCK)
        yield folder
    finally:
        if descriptor >= 0:
            os.close(descriptor)
        _remove(folder)


def _remove(folder: Path) -> None:
    """Most often nothing is left in it but the lock: that takes two calls of the system, `rmtree` a dozen."""
    try:
        (folder / _LOCK).unlink()
        folder.rmdir()
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)


def sweep_temporary(out: Path) -> int:
    """Remove what dead publishers left; returns how many folders or files that were. Work going on is not touched."""
    try:
        entries = list((out / WORK_AREA / "tmp").iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return 0
    swept = 0
    for entry in entries:
        with suppress(OSError):
            if entry.is_symlink() or not entry.is_dir():
                if _age_seconds(entry) < _YOUNG_SECONDS:
                    continue
                entry.unlink()
            elif _is_in_use(entry):
                continue
            else:
                shutil.rmtree(entry)
            swept += 1
    return swept


def _is_in_use(folder: Path) -> bool:
    try:
        descriptor = os.open(folder / _LOCK, os.O_RDWR)
    except FileNotFoundError:
        return _age_seconds(folder) < _YOUNG_SECONDS
    try:
        return not try_lock(descriptor)
    finally:
        os.close(descriptor)


def _age_seconds(path: Path) -> float:
    return time.time() - path.lstat().st_mtime


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it; one call of the system may take less."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: Path) -> None:
    """Wait until the names in the folder are on disk."""
    if sys.platform == "win32":  # folders cannot be opened there; a rename is journalled
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
