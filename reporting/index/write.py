"""`index.md` and `index.html` of the output folder: every set with its state, and a page of the trend of each profile.

They are made from the small files of the sets alone: `status.json`, `gate.json`, `baseline.json`.

It shows the folder as it is now, newest first; unlike a report it is no function of a key.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType

from reporting.index.latest import Latest
from reporting.index.pages import index_html, index_markdown
from reporting.index.rows import IndexEntry, index_rows, profiles_in_order
from reporting.store.baseline import BASELINE_JSON, BaselineFile, decode_baseline
from reporting.store.gate import GATE_JSON, GateFile, decode_gate
from reporting.store.history import first_published, is_dated
from reporting.store.set_folder import CHARTS, COMPARE_HTML, HISTORY, ROUNDS
from reporting.store.sources import SourceMark, read_sources
from reporting.store.staging import staging
from reporting.store.status import STATUS_JSON, StatusFile, read_status
from reporting.store.unread import read_unread
from reporting.trend.pages import has_trend, is_trend, trend_files
from reporting.wording.catalogue import texts
from scoring.reading.regular_file import NotRegularError, read_named
from scoring.sets.names import shown

__all__ = ["INDEX_HTML", "INDEX_MD", "IndexEntry", "find_set", "find_sets", "render_index", "write_index"]

INDEX_MD = "index.md"
INDEX_HTML = "index.html"
_STATUSES: Latest[StatusFile] = Latest()
_GATES: Latest[GateFile | None] = Latest()
_COMPARED: Latest[BaselineFile | None] = Latest()
_PASSED_OVER = frozenset({ROUNDS, CHARTS, HISTORY})
_LOOKED_AT = frozenset({STATUS_JSON, GATE_JSON, BASELINE_JSON, COMPARE_HTML})


def write_index(out: Path, *, unclaimed: Iterable[str] = (), language: str = "ko") -> bool:
    """Write the pages that would change; True when one did.

    unclaimed: relative paths of the files that are not scored. Raises OSError.
    """
    entries = list(find_sets(out))
    pages = render_index(
        entries,
        unclaimed=sorted(map(shown, unclaimed)),
        unread=read_unread(out),
        sources=read_sources(out),
        language=language,
    )
    changed = {name: data for name, data in pages.items() if _read_bytes(out / name) != data}
    for name in _names(out):
        if name not in pages and is_trend(name):
            (out / name).unlink(missing_ok=True)  # of a profile without a report
    if not changed:
        return False
    with staging(out) as files:
        for name, data in changed.items():
            files.write(name, [data])
        for name in changed:
            files.place(name, out)
    return True


def render_index(
    entries: Sequence[IndexEntry],
    *,
    unclaimed: Sequence[str] = (),
    unread: Mapping[str, str] = MappingProxyType({}),
    sources: Mapping[str, SourceMark] = MappingProxyType({}),
    language: str = "ko",
) -> dict[str, bytes]:
    """The pages by name.

    unread: path -> why it cannot be read. sources: what happened to the files of a report, by set name.
    """
    t = texts(language)
    rows = index_rows(entries, sources)
    profiles = {profile: runs for profile, runs in profiles_in_order(entries).items() if has_trend(profile)}
    pages = {
        INDEX_MD: index_markdown(rows, unclaimed, unread, t, trends=tuple(profiles)).encode(errors="replace"),
        INDEX_HTML: index_html(rows, unclaimed, unread, t, trends=tuple(profiles)).encode(errors="replace"),
    }
    for profile, runs in profiles.items():
        pages |= trend_files(profile, [(run.set_name, run.status) for run in runs], t)
    return pages


def find_sets(out: Path) -> Iterator[IndexEntry]:
    """Every folder below `out` with a readable status.json, by name. Hidden folders and links are passed over.

    So are folders that cannot be read; raises OSError when `out` itself is there and cannot be.
    """
    folders = [(str(out), "")]  # a path object for each would cost as much as the look
    found = []
    while folders:
        folder, name = folders.pop()
        ours: dict[str, os.DirEntry[str]] = {}
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    file = entry.name
                    if file in _LOOKED_AT:
                        ours[file] = entry
                    elif file[0] != "." and file not in _PASSED_OVER and _is_folder(entry):
                        folders.append((entry.path, f"{name}/{file}" if name else file))
        except (FileNotFoundError, NotADirectoryError):
            continue  # removed while we looked
        except OSError:  # `lost+found` or another user's folder must not hide the other sets
            if not name:
                raise
        if name and STATUS_JSON in ours and (made := _entry(out, name, ours)) is not None:
            found.append(made)
    yield from sorted(found, key=lambda entry: entry.set_name)


def find_set(out: Path, name: str) -> IndexEntry | None:
    """The entry of one set; None when there is none with a readable status.json."""
    try:
        with os.scandir(f"{out}/{name}") as entries:
            files = {entry.name: entry for entry in entries if entry.name in _LOOKED_AT}
    except OSError:
        return None
    return _entry(out, name, files) if STATUS_JSON in files else None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _entry(out: Path, name: str, files: Mapping[str, os.DirEntry[str]]) -> IndexEntry | None:
    """The set with these of its files; None when its status cannot be read."""
    status = files[STATUS_JSON]
    try:
        at = status.stat(follow_symlinks=False)
        # Every publication makes a new file, so a file that looks the same is the same.
        mark = (at.st_ino, at.st_size, at.st_mtime_ns)
        read = _STATUSES.get(status.path, mark, partial(_read, status.path))
    except (OSError, _UnreadError):
        return None
    gated: GateFile | None = None
    with suppress(OSError):
        if GATE_JSON in files:
            gate = files[GATE_JSON]
            evaluated = gate.stat(follow_symlinks=False)
            gated = _GATES.get(
                gate.path, (evaluated.st_ino, evaluated.st_mtime_ns), partial(decode_gate, Path(gate.path))
            )
    about = gated if gated is not None and gated.is_about(read) else None
    compared: BaselineFile | None = None
    with suppress(OSError):
        if BASELINE_JSON in files and COMPARE_HTML in files:
            file = files[BASELINE_JSON]
            written = file.stat(follow_symlinks=False)
            compared = _COMPARED.get(
                file.path, (written.st_ino, written.st_mtime_ns), partial(decode_baseline, Path(file.path))
            )
    first = 0 if is_dated(read) else first_published(out, name)
    return IndexEntry(name, read, at.st_mtime_ns, about, compared, first)


class _UnreadError(Exception):
    """No readable status for now. Not cached: permissions and disks are repaired without a new file."""


def _read(path: str) -> StatusFile:
    status = read_status(Path(path))
    if status is None:
        raise _UnreadError
    return status


def _names(out: Path) -> list[str]:
    try:
        return os.listdir(out)  # noqa: PTH208 -- path objects of all sets would cost more than the look
    except FileNotFoundError:
        return []


def _read_bytes(path: Path) -> bytes | None:
    try:
        return read_named(path)
    except (FileNotFoundError, NotRegularError):
        return None
