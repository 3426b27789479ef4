"""The sets of a folder of reports, kept from look to look, so that what depends on them follows what has changed.

Of each set its small files are read, and only again when they look different: `status.json`, `gate.json`,
`baseline.json`. A look at one folder costs a few system calls; a look at all of them a tenth of a second per thousand
sets or less. Index, trends and baselines each follow the changes, and make again only what depends on them.
"""

from __future__ import annotations

import os
import sys
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from reporting.store.gate import GATE, GATE_JSON, GateFile
from reporting.store.history import first_published, is_dated
from reporting.store.set_folders import BASELINE_JSON, CHARTS, COMPARE_HTML, HISTORY, ROUNDS
from reporting.store.status import STATUS, STATUS_JSON, State, StatusFile
from scoring.comparison import OrderKey, order_key

if TYPE_CHECKING:
    from reporting.store.baselines import BaselineFile


_PASSED_OVER = frozenset({ROUNDS, CHARTS, HISTORY})
LOOKED_AT = frozenset({STATUS_JSON, GATE_JSON, BASELINE_JSON, COMPARE_HTML})
Mark = tuple[int, int, int]  # inode, size and time of a file: every publication makes a new one


class IndexEntry(NamedTuple):
    """set_name: path of the set's folder below the output folder, "/" between components.

    published_ns: when its status was written. gate: how its rules
    ended, None where that is not known. compared: what the comparison beside the report says, outdated ones too; None
    without one. first_published_ns: of a run without a date, 0 for others.
    """

    set_name: str
    status: StatusFile
    published_ns: int = 0
    gate: GateFile | None = None
    compared: BaselineFile | None = None
    first_published_ns: int = 0

    @property
    def order(self) -> OrderKey:
        """Its place among the runs of its profile."""
        return order_key(self.status.executed, self.set_name, published=self.first_published_ns)


class Read(NamedTuple):
    """An entry with what it was read from. gate, baseline: None where there is no such file."""

    entry: IndexEntry
    status: Mark
    gate: Mark | None
    baseline: Mark | None


def files_of(folder: str) -> dict[str, os.DirEntry[str]]:
    """The files of a set's folder that are looked at, by name; none when it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry for entry in entries if entry.name in LOOKED_AT}
    except OSError:
        return {}


def read_entry(out: Path, name: str, files: Mapping[str, os.DirEntry[str]], known: Read | None = None) -> Read | None:
    """The set with these of its files; None when its status cannot be read.

    known: the result of the last time. Files that look the same are not read again; if nothing changed, it is returned.
    """
    status_mark = _mark(files.get(STATUS_JSON))
    if status_mark is None:
        return None
    gate_mark = _mark(files.get(GATE_JSON))
    baseline_mark = _mark(files.get(BASELINE_JSON)) if COMPARE_HTML in files else None
    before = None if known is None else known.entry
    if known is not None and known[1:] == (status_mark, gate_mark, baseline_mark):
        return known
    folder = f"{out}/{name}"  # a path object for each of many sets costs as much as reading its status
    if before is not None and known is not None and known.status == status_mark:
        status, first = before.status, before.first_published_ns
    else:
        found = STATUS.read(folder)
        if found is None:
            return None
        _share_texts(found)
        status, first = found, 0 if is_dated(found.executed, found.set) else first_published(out, name)
    gate = None if gate_mark is None else GATE.read(folder)
    compared = None
    if baseline_mark is not None:
        from reporting.store.baselines import BASELINE  # `status` needs no statistics without a comparison

        compared = BASELINE.read(folder)
    entry = IndexEntry(
        name,
        status,
        status_mark[2],
        gate if gate is not None and gate.is_about(status) else None,
        compared,
        first,
    )
    return Read(entry, status_mark, gate_mark, baseline_mark)


def _share_texts(status: StatusFile) -> None:
    """One object for what many sets have in common: of 100,000 sets, 40 MB."""
    for name in ("profile", "rubric_digest", "judged_by", "asked"):
        msgspec.structs.force_setattr(status, name, sys.intern(getattr(status, name)))


def _mark(file: os.DirEntry[str] | None) -> Mark | None:
    try:
        found = None if file is None else file.stat(follow_symlinks=False)
    except OSError:
        return None
    return None if found is None else (found.st_ino, found.st_size, found.st_mtime_ns)


class Changes:
    """What has changed since it was taken the last time.

    names: sets that are new, gone, or whose files are others. spots: by profile, where the order of its reports, or one
    of them, is another now; of a report that moved both places.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.spots: defaultdict[str, set[OrderKey]] = defaultdict(set)

    def take(self) -> tuple[set[str], dict[str, set[OrderKey]]]:
        """Names and spots; they are empty afterwards."""
        taken = self.names, dict(self.spots)
        self.names, self.spots = set(), defaultdict(set)
        return taken


class _Contents(NamedTuple):
    """A profile, and the SHA-256 of each file of a report."""

    profile: str
    inputs: frozenset[str]

    @classmethod
    def of(cls, entry: IndexEntry) -> _Contents:
        """The contents of a report."""
        return cls(entry.status.profile, frozenset(entry.status.inputs.values()))


class KnownSets:
    """The sets of one folder of reports.

    entries: by name. orders: place of each in the order of the data. runs: the reports of each profile in that order; a
    place ends with the name. superseded: of a set all of whose files another set of the profile has, and more, the name
    of that set. looks: how often all folders were looked at.
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self.entries: dict[str, IndexEntry] = {}
        self.orders: dict[str, OrderKey] = {}
        self.runs: dict[str, list[OrderKey]] = {}
        self.superseded: dict[str, str] = {}
        self.looks = 0
        self._read: dict[str, Read] = {}
        self._followers: list[Changes] = []
        self._alike: dict[_Contents, list[OrderKey]] = {}  # the reports of the same files, in the order of the data
        self._having: defaultdict[str, set[_Contents]] = defaultdict(set)  # by the SHA-256 of a file

    def follow(self) -> Changes:
        """What changes from now on; all that is known counts as new."""
        changes = Changes()
        changes.names.update(self.entries)
        for profile, runs in self.runs.items():
            changes.spots[profile].update(runs)
        self._followers.append(changes)
        return changes

    def look(self) -> None:
        """Look at every folder. Raises OSError when the folder of reports is there and cannot be listed."""
        found = set()
        for name, files in walk(self.out):
            found.add(name)
            self._take(name, read_entry(self.out, name, files, self._read.get(name)))
        for name in self._read.keys() - found:
            self._take(name, None)
        self.looks += 1

    def look_at(self, names: Iterable[str]) -> None:
        """Look at the folders of these sets; not before the first `look`, which reads them all."""
        for name in names if self.looks else ():
            files = files_of(f"{self.out}/{name}") if _is_walked(self.out, name) else {}
            self._take(name, read_entry(self.out, name, files, self._read.get(name)))

    def status(self, name: str, mark: Mark) -> StatusFile | None:
        """The status of a set if its file looks like this; None where it was not read, or has changed since."""
        read = self._read.get(name)
        return read.entry.status if read is not None and read.status == mark else None

    def look_at_changed(self) -> None:
        """Look at the folders of the known sets whose files are others now; new sets are found by `look` alone."""
        self.look_at([name for name, read in self._read.items() if not self._looks_the_same(name, read)])

    def _looks_the_same(self, name: str, read: Read) -> bool:
        folder = f"{self.out}/{name}"
        for file, mark in ((STATUS_JSON, read.status), (GATE_JSON, read.gate), (BASELINE_JSON, read.baseline)):
            if mark is not None:
                try:
                    found = os.stat(f"{folder}/{file}", follow_symlinks=False)  # noqa: PTH116 -- for every set
                except OSError:
                    return False
                if (found.st_ino, found.st_size, found.st_mtime_ns) != mark:
                    return False
        return read.baseline is None or os.path.exists(f"{folder}/{COMPARE_HTML}")  # noqa: PTH110

    def _take(self, name: str, read: Read | None) -> None:
        """Know this of a set; None: nothing."""
        known = self._read.get(name)
        if read is known:
            return
        before = None if known is None else known.entry
        after = None if read is None else read.entry
        if read is None:
            del self._read[name]
        else:
            self._read[name] = read
        for changes in self._followers:
            changes.names.add(name)
        if before is None or after is None or before.status is not after.status:
            self._leave(before)
            self._enter(after)
        if after is None:
            del self.entries[name]
        else:
            self.entries[name] = after

    def _leave(self, entry: IndexEntry | None) -> None:
        if entry is None:
            return
        place = self.orders.pop(entry.set_name)
        if entry.status.state is State.REPORT:
            runs = self.runs[entry.status.profile]
            del runs[bisect_left(runs, place)]
            if not runs:
                del self.runs[entry.status.profile]
            self._note(entry.status.profile, place)
            self.superseded.pop(entry.set_name, None)
            contents = _Contents.of(entry)
            alike = self._alike[contents]
            del alike[bisect_left(alike, place)]
            if not alike:
                del self._alike[contents]
                for sha256 in contents.inputs:
                    self._having[sha256].discard(contents)
                    if not self._having[sha256]:
                        del self._having[sha256]
            if not alike or place < alike[0]:
                self._supersede_within(contents)

    def _enter(self, entry: IndexEntry | None) -> None:
        if entry is None:
            return
        place = self.orders[entry.set_name] = entry.order
        if entry.status.state is State.REPORT:
            insort(self.runs.setdefault(entry.status.profile, []), place)
            self._note(entry.status.profile, place)
            contents = _Contents.of(entry)
            alike = self._alike.setdefault(contents, [])
            insort(alike, place)
            for sha256 in contents.inputs:
                self._having[sha256].add(contents)
            if place == alike[0]:
                self._supersede_within(contents)
            elif contents.inputs:
                self._note_superseded(place, self._larger(contents) or alike[0][-1])

    def _supersede_within(self, contents: _Contents) -> None:
        """See again what supersedes reports of these files or some of them: the first report of these is another."""
        for one in set().union(*(self._having.get(sha256, ()) for sha256 in contents.inputs)):
            if one.profile == contents.profile and one.inputs <= contents.inputs:
                larger, first = self._larger(one), self._alike[one][0]
                for place in self._alike[one]:
                    self._note_superseded(place, larger or (first[-1] if place != first else ""))

    def _larger(self, contents: _Contents) -> str:
        """The first report that has all of these files and the most besides; "" for none."""
        having = set.intersection(*(self._having[sha256] for sha256 in contents.inputs)) if contents.inputs else set()
        larger = [
            (-len(one.inputs), self._alike[one][0])
            for one in having
            if one.profile == contents.profile and len(one.inputs) > len(contents.inputs)
        ]
        return min(larger)[1][-1] if larger else ""

    def _note_superseded(self, place: OrderKey, by: str) -> None:
        name = place[-1]
        if by == self.superseded.get(name, ""):
            return
        if by:
            self.superseded[name] = by
        else:
            del self.superseded[name]
        self._note(self._read[name].entry.status.profile, place)
        for changes in self._followers:
            changes.names.add(name)

    def _note(self, profile: str, place: OrderKey) -> None:
        for changes in self._followers:
            changes.spots[profile].add(place)


def affected(runs: Sequence[OrderKey], spots: Iterable[OrderKey], reach: int) -> Iterator[int]:
    """Indices of the runs that a change at one of the spots reaches: the one at the spot and those that follow it.

    reach: how many runs, at least one. Ascending, each once.
    """
    end = 0
    for spot in sorted(spots):
        start = bisect_left(runs, spot)
        yield from range(max(start, end), min(start + reach, len(runs)))
        end = max(end, start + reach)


def find_sets(out: Path) -> Iterator[IndexEntry]:
    """Every folder below `out` with a readable status.json, by name. Hidden folders and links are passed over.

    So are folders that cannot be read; raises OSError when `out` itself is there and cannot be.
    """
    known = KnownSets(out)
    known.look()
    for name in sorted(known.entries):
        yield known.entries[name]


def walk(out: Path) -> Iterator[tuple[str, dict[str, os.DirEntry[str]]]]:
    """The folders with a status.json: name of the set, and those of its files that are looked at. The rest as above."""
    folders = [(str(out), "")]  # a path object for each would cost as much as the look
    while folders:
        folder, name = folders.pop()
        ours: dict[str, os.DirEntry[str]] = {}
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    file = entry.name
                    if file in LOOKED_AT:
                        ours[file] = entry
                    elif file[0] != "." and file not in _PASSED_OVER and _is_folder(entry):
                        folders.append((entry.path, f"{name}/{file}" if name else file))
        except (FileNotFoundError, NotADirectoryError):
            continue  # removed while we looked
        except OSError:  # `lost+found` or another user's folder must not hide the other sets
            if not name:
                raise
        if name and STATUS_JSON in ours:
            yield name, ours


def _is_walked(out: Path, name: str) -> bool:
    """Would `walk` get to this folder? It follows no link."""
    parts = name.split("/")
    if any(not part or part[0] == "." or part in _PASSED_OVER for part in parts):
        return False
    return not any(os.path.islink(f"{out}/{'/'.join(parts[: depth + 1])}") for depth in range(len(parts)))  # noqa: PTH114


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
