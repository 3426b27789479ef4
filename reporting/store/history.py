"""Earlier versions of a set's report, below `history/`.

An entry is claimed by creating its folder, and is whole once it has a `status.json`. Its files are hard links where the
file system has them: publishing replaces files and never writes into one, so that they do not change.
"""

import hashlib
import os
import re
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from reporting.store.set_folders import HISTORY, WORK_AREA, report_files, work_area
from reporting.store.status import STATUS, STATUS_HEAD, STATUS_JSON, State, StatusFile, StatusHead
from reporting.store.stored_file import write_atomic
from scoring.comparison import name_date
from scoring.reading import read_named

_FIRST = "first-published"  # folder of the work area
_ENTRY = re.compile(r"(\d{1,9})-\w{1,8}")
_UNSAFE = re.compile(r"\W")


class Version(NamedTuple):
    """One kept version. sequence: from 1, in the order of publishing. written_ns: when its files were written."""

    sequence: int
    folder: Path
    status: StatusFile
    written_ns: int = 0


def kept_versions(folder: Path) -> list[Version]:
    """The whole entries of a set's folder, oldest first. Raises OSError when one cannot be read now."""
    found = []
    for sequence, entry in _entries(folder):
        status = STATUS.read(entry, strict=True)
        if status is not None:
            found.append(Version(sequence, entry, status, _written(entry)))
    return found


def note_first_publication(out: Path, status: StatusFile) -> None:
    """Note when a run without a date was first published: that is its place among the runs. Raises OSError.

    A run with a date in its data or name needs no note.
    """
    if status.state is State.REPORT and not is_dated(status.executed, status.set):
        path = _first_path(out, status.set)
        if not path.exists():
            at = first_published(out, status.set) or time.time_ns()
            write_atomic(work_area(out, _FIRST) / path.name, f"{at}\n".encode())


def first_published(out: Path, set_name: str) -> int:
    """When a run was first published, in ns; where the note was lost, as the files tell, 0 when there are none."""
    with suppress(OSError, ValueError):
        return int(read_named(_first_path(out, set_name)).decode("ascii"))
    folder = out / set_name
    kept = kept_versions(folder)
    with suppress(OSError):
        return ((kept[0].folder if kept else folder) / STATUS_JSON).stat().st_mtime_ns
    return 0


def forget_first_publication(out: Path, set_name: str) -> None:
    """Remove the note of a run, if there is one. Raises OSError."""
    _first_path(out, set_name).unlink(missing_ok=True)


def _first_path(out: Path, set_name: str) -> Path:
    name = hashlib.sha256(set_name.encode(errors="surrogateescape")).hexdigest()[:32]
    return out / WORK_AREA / _FIRST / name


def is_dated(executed: str, set_name: str) -> bool:
    """Has the run a date, in its data or its name?"""
    return bool(executed or name_date(set_name))


def is_growth(earlier: StatusFile, later: StatusFile) -> bool:
    """Were only files added? A folder set that fills up round by round makes no version of every round."""
    return (
        earlier.rubric_digest == later.rubric_digest
        and earlier.engine_version == later.engine_version
        and len(earlier.inputs) < len(later.inputs)
        and earlier.inputs.items() <= later.inputs.items()
    )


def versions_after(folder: Path, status: StatusFile | None, *, limit: int) -> list[Version]:
    """What `kept_versions` will give once `keep_version` has run; None: it will not run."""
    kept = kept_versions(folder)
    if status is None:
        return kept
    if not (kept and kept[-1].status.key == status.key):
        kept.append(_next(folder, status))
    return kept[max(len(kept) - limit, 0) :]


def keep_version(folder: Path, status: StatusFile | StatusHead, *, limit: int) -> None:
    """Keep the version in `folder`, whose status is `status`, unless the newest entry has its key.

    status: the head alone of one whose format this version cannot read. limit: number of newest entries to keep. Raises
    OSError.
    """
    whole = _whole(folder)
    if limit and not (whole and whole[-1].key == status.key):
        entry = _next_folder(folder, status.key)[1]
        entry.parent.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):  # an earlier try may have failed half-way
            shutil.rmtree(entry)
        entry.mkdir()
        _copy(folder, entry)
    _prune(folder, limit)


def _next(folder: Path, status: StatusFile) -> Version:
    return Version(*_next_folder(folder, status.key), status, _written(folder))


def _next_folder(folder: Path, key: str) -> tuple[int, Path]:
    whole = _whole(folder)
    sequence = whole[-1].sequence + 1 if whole else 1
    return sequence, folder / HISTORY / f"{sequence:04d}-{_UNSAFE.sub('_', key)[:8] or '_'}"


def _written(folder: Path) -> int:
    """When the version in a folder was written, in ns. Raises OSError."""
    return (folder / STATUS_JSON).stat().st_mtime_ns


def _copy(folder: Path, entry: Path) -> None:
    """The status goes last: an entry without one is removed the next time."""
    for name in [*report_files(folder), STATUS_JSON]:
        target = entry / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(folder / name, target, follow_symlinks=False)
        except OSError:
            shutil.copy2(folder / name, target)  # with its time


def _prune(folder: Path, limit: int) -> None:
    whole = [entry.folder for entry in _whole(folder)]
    staying = set(whole[max(len(whole) - limit, 0) :]) if limit else set()
    for _, entry in _entries(folder):
        if entry not in staying:
            shutil.rmtree(entry, ignore_errors=True)
    if not staying:
        with suppress(OSError):  # there was none, or it has other files
            (folder / HISTORY).rmdir()


class _Entry(NamedTuple):
    """A whole entry of any format."""

    sequence: int
    folder: Path
    key: str


def _whole(folder: Path) -> list[_Entry]:
    """The whole entries, oldest first, also those that only another engine can read. Raises OSError."""
    heads = ((sequence, entry, STATUS_HEAD.read(entry, strict=True)) for sequence, entry in _entries(folder))
    return [_Entry(sequence, entry, head.key) for sequence, entry, head in heads if head is not None]


def _entries(folder: Path) -> list[tuple[int, Path]]:
    try:
        paths = list((folder / HISTORY).iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    matches = ((_ENTRY.fullmatch(path.name), path) for path in paths)
    return sorted((int(match[1]), path) for match, path in matches if match and not path.is_symlink())
