"""Lists the watched folder and stats its inputs; opens no file.

Paths are relative to the watched folder, "/" between components, with surrogate
escapes where a name is not UTF-8.
"""

import errno
import os
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from stat import S_ISREG

from scoring.sets import is_accepted, is_ignored, is_sheet, is_system_folder
from watcher.settle import Stat, stat_of

LINK = " (link)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Result of one scan.

    files: input -> its stat. outside: links that lead out of the watched folder -> where they lead.
    unreadable: folder ("" is the watched folder itself) or file -> why it cannot be listed or looked at; it and what is
    below it is unknown, not gone.
    ignored: files and folders ignored by name. special: pipes, dead links and the like with the name of an input.
    others: files of kinds that are not read; with a "/" at the end, folders of deleted files and snapshots; with LINK
    at the end, links that are not followed. folders: walked folder -> its inode.
    """

    files: dict[str, Stat] = field(default_factory=dict)
    outside: dict[str, str] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    special: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    folders: dict[str, int] = field(default_factory=dict)


class _Kind(Enum):
    """Kind of an entry by its base name."""

    IGNORED = 1
    INPUT = 2
    OTHER = 3  # a folder, or a file of another kind


class InputFolder:
    """The watched folder. out: the output folder, never read; ignore: further name globs to ignore.

    packed: patterns of packed files that are inputs.
    """

    def __init__(self, root: Path, *, out: Path, ignore: tuple[str, ...] = (), packed: tuple[str, ...] = ()) -> None:
        self.root = root.absolute()
        self._real_root = os.path.realpath(self.root)
        # FSEvents reports real paths, also where the folder is named by a link.
        self._prefixes = (f"{self.root}{os.sep}", f"{self._real_root}{os.sep}")
        self._out = os.path.realpath(out)
        self._ignore = ignore
        self._packed = packed
        # Every scan has the same names, and matching globs costs more than the rest of a scan. Inputs are known to the
        # caller; other names that the last scan did not meet are forgotten: those of temporary files are new each time.
        self._kinds: dict[str, _Kind] = {}
        self._kinds_before: dict[str, _Kind] = {}

    def use(self, packed: tuple[str, ...]) -> None:
        """Other patterns of packed files are in force."""
        if packed != self._packed:
            self._packed = packed
            self._kinds, self._kinds_before = {}, {}

    def scan(self, known: Container[str] = ()) -> Listing:
        """Walk the whole folder. What vanishes meanwhile is left out; other errors go to `unreadable`.

        known: paths that are not to be ignored, as an earlier scan found them.
        """
        self._kinds, self._kinds_before = {}, self._kinds
        listing = Listing()
        folders = [""]
        while folders:
            folder = folders.pop()
            try:
                for entry in self._entries(folder):
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    is_known = path in known and is_accepted(entry.name, self._packed)
                    if self._list(entry, path, _Kind.INPUT if is_known else self._kind(entry.name), listing):
                        folders.append(path)
            except FileNotFoundError as error:
                if not folder:
                    listing.unreadable[folder] = error.strerror or "not found"
            except OSError as error:
                listing.unreadable[folder] = error.strerror or type(error).__name__
        self._kinds_before = {}
        return listing

    def _list(self, entry: os.DirEntry[str], path: str, kind: _Kind, listing: Listing) -> bool:
        """Sort one entry into the listing, if it is still there; True when it is a folder to walk."""
        try:
            if kind is _Kind.IGNORED:
                _pass_over(entry, path, listing)
            elif self._take(entry, path, kind, listing):
                listing.folders[path] = entry.inode()
                return True
        except FileNotFoundError:
            pass  # vanished between listing and stat
        except OSError as error:
            listing.unreadable[path] = error.strerror or type(error).__name__
        return False

    def _take(self, entry: os.DirEntry[str], path: str, kind: _Kind, listing: Listing) -> bool:
        """Sort one entry into the listing; True when it is a folder to walk."""
        if kind is _Kind.INPUT and entry.is_file(follow_symlinks=False):  # the common case
            listing.files[path] = stat_of(entry.stat(follow_symlinks=False))
            return False
        if entry.is_symlink():
            target = os.path.realpath(entry.path)
            if not self._is_inside(target):
                listing.outside[path] = target
                if kind is not _Kind.INPUT:
                    listing.others.append(f"{path}{LINK}")
                return False
            if entry.is_dir():
                listing.others.append(f"{path}{LINK}")  # its target is walked by itself
                return False
        elif entry.is_dir():
            return os.path.realpath(entry.path) != self._out
        if kind is _Kind.INPUT:
            if entry.is_file():
                listing.files[path] = stat_of(entry.stat())
            else:
                listing.special.append(path)
        elif entry.is_file(follow_symlinks=False):
            listing.others.append(path)
        return False

    def look(self, path: str) -> Stat | None:
        """Stat of one input; None when there is no such file, or the link leads out of the folder.

        Raises OSError when the file may exist but cannot be looked at.
        """
        full = self.full(path)
        try:
            if os.path.islink(full) and not self._is_inside(os.path.realpath(full)):  # noqa: PTH114 -- bytes-safe, hot
                return None
            found = os.stat(full)  # noqa: PTH116
        except (FileNotFoundError, NotADirectoryError):
            return None
        return stat_of(found) if S_ISREG(found.st_mode) else None

    def real(self, path: str) -> str:
        """Absolute path of one input without links, to be opened.

        Raises FileNotFoundError when a link leads out of the folder: it is no input any more.
        """
        real = os.path.realpath(self.full(path))
        if not self._is_inside(real):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return real

    def full(self, path: str) -> str:
        """Absolute path of a relative one."""
        return f"{self.root}/{path}"

    def relative(self, full: str) -> str | None:
        """Path relative to the folder if a file of this name is an input, else None."""
        prefix = next((prefix for prefix in self._prefixes if full.startswith(prefix)), None)
        if prefix is None:
            return None
        path = full[len(prefix) :].replace(os.sep, "/")
        *folders, name = path.split("/")
        if is_sheet(path):
            return None
        if not is_accepted(name, self._packed) or any(self._kind(part) is _Kind.IGNORED for part in (*folders, name)):
            return None
        if folders:
            parent = os.path.realpath(os.path.dirname(full))  # noqa: PTH120
            if parent == self._out or parent.startswith(self._out + os.sep):
                return None
        return path

    def _kind(self, name: str) -> _Kind:
        kind = self._kinds.get(name) or self._kinds_before.get(name) or self._kind_of(name)
        if kind is not _Kind.INPUT:
            self._kinds[name] = kind
        return kind

    def _kind_of(self, name: str) -> _Kind:
        if is_ignored(name, extra=self._ignore):
            return _Kind.IGNORED
        return _Kind.INPUT if is_accepted(name, self._packed) else _Kind.OTHER

    def _entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        """All entries, but those of the watched folder itself that say something about inputs.

        One after the other: each keeps its stat, nearly a kilobyte.
        """
        with os.scandir(self.full(folder) if folder else str(self.root)) as entries:
            yield from (entry for entry in entries if folder or not is_sheet(entry.name))

    def _is_inside(self, target: str) -> bool:
        if target == self._out or target.startswith(self._out + os.sep):
            return False
        return target.startswith(self._real_root + os.sep)


def _pass_over(entry: os.DirEntry[str], path: str, listing: Listing) -> None:
    listing.ignored.append(path)
    if is_system_folder(entry.name) and entry.is_dir(follow_symlinks=False):
        listing.others.append(f"{path}/")
