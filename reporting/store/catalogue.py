"""The sets of a folder of reports, kept from look to look, so that what depends on them follows what has changed.

Of each set its small files are read, and only again when they look different: `status.json`, `gate.json`,
`baseline.json`, `summary.json`, `run.json`. A look at one folder costs a few system calls; a look at all of them a
tenth of a second per thousand sets or less. Index, trends and baselines each follow the changes, and make again only
what depends on them.
"""

import os
import sys
from bisect import bisect_left, insort
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import UNSET

from reporting.store.gate import GATE, GATE_JSON
from reporting.store.history import first_published, is_dated
from reporting.store.packed_entry import IndexEntry, Mark, Marks, PackedEntry, Packer
from reporting.store.packed_rows import Groups
from reporting.store.run_info import RUN_INFO, RUN_JSON, told_of_run
from reporting.store.set_folders import BASELINE_JSON, CHARTS, COMPARE_HTML, HISTORY, ROUNDS, SUMMARY_HTML
from reporting.store.status import STATUS, STATUS_JSON, State
from scoring import MAX_LISTED_PROBLEMS, Problem
from scoring.comparison import OrderKey, name_of
from scoring.sets import COLUMN_PREFIX, flat_set_name

_NEAR_NAMES = 200  # of the latest runs, among which the nearest is looked for
_PASSED_OVER = frozenset({ROUNDS, CHARTS, HISTORY})
_SUMMARY_JSON = "summary.json"  # as `reporting.store.summary` calls it, which needs more than many starts
LOOKED_AT = frozenset({STATUS_JSON, GATE_JSON, BASELINE_JSON, COMPARE_HTML, _SUMMARY_JSON, SUMMARY_HTML, RUN_JSON})
_NO_FILE: Mark = (0, 0, 0)
_NO_MARKS: Marks = (_NO_FILE, _NO_FILE, _NO_FILE, _NO_FILE, _NO_FILE)


def files_of(folder: str) -> dict[str, os.DirEntry[str]]:
    """The files of a set's folder that are looked at, by name; none when it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry for entry in entries if entry.name in LOOKED_AT}
    except OSError:
        return {}


def read_set(out: Path, name: str) -> IndexEntry | None:
    """All that the files of a set say, read now; None when its status cannot be read."""
    return read_entry(out, name, files_of(f"{out}/{name}"))


def read_entry(out: Path, name: str, files: Mapping[str, os.DirEntry[str]]) -> IndexEntry | None:
    """The set with these of its files; None when its status cannot be read."""
    status_mark = mark_of(files.get(STATUS_JSON))
    folder = f"{out}/{name}"  # a path object for each of many sets costs as much as reading its status
    status = None if status_mark == _NO_FILE else STATUS.read(folder)
    if status is None:
        return None
    first = 0 if is_dated(status.executed, status.set) else first_published(out, name)
    entry = IndexEntry(name, status, status_mark[2], first_published_ns=first)
    return _with_others(out, entry, files)


def _with_others(out: Path, entry: IndexEntry, files: Mapping[str, os.DirEntry[str]]) -> IndexEntry:
    """The set with its gate, its comparison and its front page as they are now."""
    folder = f"{out}/{entry.set_name}"
    gate = GATE.read(folder) if GATE_JSON in files else None
    compared = None
    if BASELINE_JSON in files and COMPARE_HTML in files:
        from reporting.store.baselines import BASELINE  # `status` needs no statistics without a comparison

        compared = BASELINE.read(folder)
    summary = ""
    if _SUMMARY_JSON in files and SUMMARY_HTML in files:
        from reporting.store.summary import SUMMARY_HEAD

        head = SUMMARY_HEAD.read(folder)
        summary = "" if head is None else head.key
    gate = gate if gate is not None and gate.is_about(entry.status) else None
    told = told_of_run(entry.status, RUN_INFO.read(folder) if RUN_JSON in files else None)
    return entry._replace(gate=gate, compared=compared, summary=summary, told=told)


def mark_of(file: os.DirEntry[str] | None) -> Mark:
    """What a file looks like; that of none where it is not there."""
    try:
        found = None if file is None else file.stat(follow_symlinks=False)
    except OSError:
        return _NO_FILE
    return _NO_FILE if found is None else (found.st_ino, found.st_size, found.st_mtime_ns)


class Changes:
    """What has changed since it was taken the last time.

    names: sets that are new, gone, or whose files are others, each with what it was before, None for nothing. spots: by
    profile, where the order of its reports, or one of them, its comparison or what is said of it, is another now; of a
    report that moved both places.
    """

    def __init__(self) -> None:
        self.names: dict[str, PackedEntry | None] = {}
        self.spots: defaultdict[str, set[OrderKey]] = defaultdict(set)

    def take(self) -> tuple[dict[str, PackedEntry | None], dict[str, set[OrderKey]]]:
        """Names and spots; they are empty afterwards."""
        taken = self.names, dict(self.spots)
        self.names, self.spots = {}, defaultdict(set)
        return taken


_Contents = tuple[str, ...]  # a profile, and the SHA-256 of each file of a report, sorted


def _contents(entry: IndexEntry) -> _Contents:
    return sys.intern(entry.status.profile), *sorted({*map(sys.intern, entry.status.inputs.values())})


def _replaced_by(entry: IndexEntry) -> tuple[str, ...]:
    """Names that the set may have whose place a set is said to take: that of a file, a folder, or a set."""
    text = entry.told.info.replaces
    if not text:
        return ()
    return tuple(dict.fromkeys((flat_set_name(text), text, f"{text}/{entry.status.profile}")))


class KnownSets:
    """The sets of one folder of reports.

    entries: by name. runs: the reports of each profile in the order of the data; a place ends with the name.
    superseded: of a set all of whose files another set of the profile has, and more, or whose place another set is said
    to take, the name of that set. looks: how often all folders were looked at.
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self.entries: dict[str, PackedEntry] = {}
        self.runs: dict[str, list[OrderKey]] = {}
        self.superseded: dict[str, str] = {}
        self.looks = 0
        self._packer = Packer()
        self._followers: list[Changes] = []
        # The reports of the same files, in the order of the data; a list for nearly all would be twice as large.
        self._alike: dict[_Contents, tuple[OrderKey, ...]] = {}
        self._having = Groups[str, _Contents]()  # by the SHA-256 of a file
        self._larger_of: dict[str, str] = {}  # set -> the one that has its files and more
        self._replacing = Groups[str, str]()  # set -> those that are said to take its place
        self._replaced: dict[str, tuple[str, ...]] = {}  # the other way around; names that need not be there

    def is_replaced(self, name: str) -> bool:
        """Is a set superseded because people say so, whatever its files?"""
        return name in self.superseded and self.superseded[name] != self._larger_of.get(name)

    def replacing_nothing(self) -> list[Problem]:
        """The runs that are said to take the place of a file or set that their profile does not have; the first ones.

        Each with where it is said, and the nearest name.
        """
        replacing = [name for name, others in sorted(self._replaced.items()) if not self._has_any(others, name)]
        return [self._nothing_replaced(self.entries[name].unpack()) for name in replacing[:MAX_LISTED_PROBLEMS]]

    def _has_any(self, others: Iterable[str], name: str) -> bool:
        """Is one of these another set of the profile of this one?"""
        profile = self.entries[name].profile
        return any(
            other != name and other in self.entries and self.entries[other].profile == profile for other in others
        )

    def _nothing_replaced(self, entry: IndexEntry) -> Problem:
        from difflib import get_close_matches  # rare

        text, file, own = entry.told.info.replaces, entry.told.replaces_in, entry.set_name
        profile = entry.status.profile
        others = [name for place in self.runs.get(profile, ()) if (name := name_of(place)) != own][-_NEAR_NAMES:]
        names = [name.removesuffix(f"/{profile}") for name in others]  # of a folder as people write it
        near = get_close_matches(flat_set_name(text), names, n=1, cutoff=0.0)
        source, column = (own, f"{COLUMN_PREFIX}replaces") if file is UNSET else (file, "replaces")
        values = {"likely": near[0] if near else "-"}
        return Problem(code="replaces-nothing", source=source, column=column, found=text, values=values)

    def follow(self) -> Changes:
        """What changes from now on; all that is known counts as new."""
        changes = Changes()
        changes.names.update(dict.fromkeys(self.entries))
        for profile, runs in self.runs.items():
            changes.spots[profile].update(runs)
        self._followers.append(changes)
        return changes

    def look(self) -> None:
        """Look at every folder. Raises OSError when the folder of reports is there and cannot be listed."""
        deque(self.looking(), maxlen=0)

    def looking(self) -> Iterator[None]:
        """The same, a folder at each step; in between others may be looked at."""
        before, found = {*self.entries}, set()
        for name, files in walk(self.out):
            found.add(name)
            self._look(name, files)
            yield
        for name in before - found:
            self._take(name, None, _NO_MARKS)
        self.looks += 1

    def look_at(self, names: Iterable[str]) -> None:
        """Look at the folders of these sets."""
        for name in tuple(names):
            self._look(name, files_of(f"{self.out}/{name}") if _is_walked(self.out, name) else {})

    def look_at_changed(self) -> None:
        """Look at the folders of the known sets whose files are others now; new sets are found by `look` alone."""
        self.look_at([name for name, entry in self.entries.items() if not self._looks_the_same(name, entry)])

    def _looks_the_same(self, name: str, entry: PackedEntry) -> bool:
        folder = f"{self.out}/{name}"
        marks = entry.marks
        for file, mark in zip((STATUS_JSON, GATE_JSON, BASELINE_JSON, _SUMMARY_JSON, RUN_JSON), marks, strict=True):
            if mark != _NO_FILE:
                try:
                    found = os.stat(f"{folder}/{file}", follow_symlinks=False)  # noqa: PTH116 -- for every set
                except OSError:
                    return False
                if (found.st_ino, found.st_size, found.st_mtime_ns) != mark:
                    return False
        pages = ((COMPARE_HTML, marks[2]), (SUMMARY_HTML, marks[3]))
        return all(mark == _NO_FILE or os.path.exists(f"{folder}/{page}") for page, mark in pages)  # noqa: PTH110

    def _look(self, name: str, files: Mapping[str, os.DirEntry[str]]) -> None:
        """Read what looks different from the last time, and know it."""
        marks = (
            mark_of(files.get(STATUS_JSON)),
            mark_of(files.get(GATE_JSON)),
            mark_of(files.get(BASELINE_JSON)) if COMPARE_HTML in files else _NO_FILE,
            mark_of(files.get(_SUMMARY_JSON)) if SUMMARY_HTML in files else _NO_FILE,
            mark_of(files.get(RUN_JSON)),
        )
        known = self.entries.get(name)
        if known is not None and known.marks == marks:
            return
        if known is not None and known.marks[0] == marks[0]:
            self._take(name, _with_others(self.out, known.unpack(), files), marks)
        else:
            self._take(name, read_entry(self.out, name, files), marks)

    def _take(self, name: str, entry: IndexEntry | None, marks: Marks) -> None:
        """Know this of a set; None: nothing."""
        known = self.entries.get(name)
        if entry is None and known is None:
            return
        for changes in self._followers:
            changes.names.setdefault(name, known)
        is_another = known is None or known.marks[0] != marks[0]
        is_told_otherwise = known is not None and (known.marks[2], known.marks[4]) != (marks[2], marks[4])
        if known is not None and entry is not None and is_told_otherwise and not is_another:
            self._note(known.profile, known.order)
        if known is not None and (entry is None or is_another):
            self._leave(known.unpack(), known.order)
        if entry is None:
            del self.entries[name]
            self._take_place(name, ())
            return
        packed = self._packer.pack(entry, marks)
        self.entries[packed.set_name] = packed
        if is_another:
            self._enter(entry, packed.order)
        self._take_place(name, _replaced_by(entry))

    def _take_place(self, name: str, replaced: tuple[str, ...]) -> None:
        """A set is said to take the place of these, each a name that the other may have."""
        before = self._replaced.pop(name, ())
        for other in before:
            self._replacing.remove(other, name)
        for other in replaced:
            self._replacing.add(other, name)
        if replaced:
            self._replaced[name] = replaced
        for other in dict.fromkeys((name, *before, *replaced)) if before or replaced else ():
            if other in self.entries:
                self._decide(self.entries[other])

    def _replacer(self, entry: PackedEntry) -> str:
        """The first report of its profile that is said to take the place of one; none where each says so."""
        own = {entry.set_name, *self._replaced.get(entry.set_name, ())}
        others = (self.entries[name] for name in self._replacing[entry.set_name] - own if name in self.entries)
        named = [one.set_name for one in others if (one.state, one.profile) == (State.REPORT, entry.profile)]
        return min(named, default="")

    def _leave(self, entry: IndexEntry, place: OrderKey) -> None:
        if entry.status.state is not State.REPORT:
            return
        runs = self.runs[entry.status.profile]
        del runs[bisect_left(runs, place)]
        if not runs:
            del self.runs[entry.status.profile]
        self._note(entry.status.profile, place)
        self.superseded.pop(entry.set_name, None)
        self._larger_of.pop(entry.set_name, None)
        contents = _contents(entry)
        alike = tuple([other for other in self._alike.pop(contents) if other != place])
        if alike:
            self._alike[contents] = alike
        else:
            for sha256 in contents[1:]:
                self._having.remove(sha256, contents)
        if not alike or place < alike[0]:
            self._supersede_within(contents)

    def _enter(self, entry: IndexEntry, place: OrderKey) -> None:
        if entry.status.state is not State.REPORT:
            return
        profile = sys.intern(entry.status.profile)
        insort(self.runs.setdefault(profile, []), place)
        self._note(profile, place)
        contents = _contents(entry)
        alike = self._alike[contents] = tuple(sorted((*self._alike.get(contents, ()), place)))
        for sha256 in contents[1:]:
            self._having.add(sha256, contents)
        if place == alike[0]:
            self._supersede_within(contents)
        elif contents[1:]:
            self._note_larger(place, self._larger(contents) or name_of(alike[0]))
        if self._replacing[entry.set_name]:
            self._decide(self.entries[entry.set_name])

    def _supersede_within(self, contents: _Contents) -> None:
        """See again what supersedes reports of these files or some of them: the first report of these is another."""
        profile, *inputs = contents
        for one in set().union(*(self._having[sha256] for sha256 in inputs)):
            if one[0] == profile and set(one[1:]) <= {*inputs}:
                larger, first = self._larger(one), self._alike[one][0]
                for place in self._alike[one]:
                    self._note_larger(place, larger or (name_of(first) if place != first else ""))

    def _larger(self, contents: _Contents) -> str:
        """The first report that has all of these files and the most besides; "" for none."""
        profile, *inputs = contents
        having = set.intersection(*(self._having[sha256] for sha256 in inputs)) if inputs else set()
        larger = [(-len(one), self._alike[one][0]) for one in having if one[0] == profile and len(one) > len(contents)]
        return name_of(min(larger)[1]) if larger else ""

    def _note_larger(self, place: OrderKey, larger: str) -> None:
        """A set has all files of the report at this place and more; "": none has."""
        name = name_of(place)
        if larger:
            self._larger_of[name] = larger
        else:
            self._larger_of.pop(name, None)
        self._decide(self.entries[name])

    def _decide(self, entry: PackedEntry) -> None:
        """Note by which set a report is superseded; by none that it supersedes itself."""
        name = entry.set_name
        larger = self._larger_of.get(name, "")
        by = self._replacer(entry) or ("" if larger in self._replaced.get(name, ()) else larger)
        way = by if entry.state is State.REPORT else name
        while way and way != name:
            way = self.superseded.get(way, "")
        by = "" if way == name else by
        if by == self.superseded.get(name, ""):
            return
        if by:
            self.superseded[name] = by
        else:
            del self.superseded[name]
        self._note(entry.profile, entry.order)
        for changes in self._followers:
            changes.names.setdefault(name, entry)

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
    for name in sorted([name for name, _ in walk(out)]):
        entry = read_set(out, name)
        if entry is not None:
            yield entry


def walk(out: Path) -> Iterator[tuple[str, dict[str, os.DirEntry[str]]]]:
    """The folders with a status.json: name of the set, and those of its files that are looked at. The rest as above."""
    names = [""]
    while names:
        name = names.pop()
        folder = f"{out}/{name}" if name else str(out)  # a path object for each would cost as much as the look
        ours: dict[str, os.DirEntry[str]] = {}
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    file = entry.name
                    if file in LOOKED_AT:
                        ours[file] = entry
                    elif file[0] != "." and file not in _PASSED_OVER and _is_folder(entry):
                        names.append(f"{name}/{file}" if name else file)
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
