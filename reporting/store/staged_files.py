"""Files on their way into a shared folder: written whole under a temporary name, then renamed.

A publisher has a private folder below `<out>/.scorewatch/tmp` and holds a lock in it, so that a sweep can tell what
dead processes left, on whatever machine they ran, from work in progress.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from reporting.store.locks import try_lock
from reporting.store.set_folders import WORK_AREA, work_area
from reporting.store.status import FileMark
from reporting.store.stored_file import sync_folder, write_new

_LOCK = "lock"
_YOUNG_SECONDS = 60.0  # a file or a folder without a lock may be in use for that long


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

        def counted() -> Iterator[bytes]:
            nonlocal size
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                yield chunk

        write_new(path, counted(), strict=self._strict)
        self._paths[name] = path
        mark = self.marks[name] = FileMark(size, digest.hexdigest())
        return mark

    def write_texts(self, pages: Iterable[tuple[str, str | Sequence[bytes]]]) -> None:
        """Write files from (name, text or pieces of it), one by one."""
        for name, text in pages:
            self.write(name, [text.encode()] if isinstance(text, str) else text)

    def path(self, name: str) -> Path:
        """Where a written file is until it is placed."""
        return Path(self._paths[name])

    def place(self, name: str, folder: Path) -> None:
        """Rename a written file to its place below `folder`, replacing any file there."""
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
    """A place to write in; what was not renamed out of it is removed at the end, also after a failure."""
    with private_folder(out) as folder:
        yield Staging(folder, strict=strict)


@contextmanager
def private_folder(out: Path) -> Iterator[Path]:
    """A folder of this process alone, on the output folder's file system.

    It is removed at the end; that of a dead process by the next sweep.
    """
    folder = work_area(out, "tmp") / f"{os.getpid()}-{time.time_ns():x}-{os.urandom(4).hex()}"
    folder.mkdir()
    descriptor = -1
    try:
        # Locked under another name first: as long as its process lives, a visible lock is a held one.
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
    """Most often only the lock is left: removing it takes two system calls, `rmtree` a dozen."""
    try:
        (folder / _LOCK).unlink()
        folder.rmdir()
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)


def open_spool(out: Path) -> BinaryIO:
    """A new file for items of a set, on the output folder's file system. It vanishes when it is closed.

    And with its process; where the system cannot do that, the next sweep removes it. Raises OSError.
    """
    return tempfile.TemporaryFile(dir=work_area(out, "tmp"))


def sweep_temporary(out: Path) -> int:
    """Sweep the temporary files and folders of the publishers into `out`."""
    return sweep(out / WORK_AREA / "tmp", "*")


def sweep(folder: Path, pattern: str = "*.tmp") -> int:
    """Remove what dead processes left in a folder; work in progress stays. Returns the number of files and folders."""
    swept = 0
    for entry in list(folder.glob(pattern)):
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
