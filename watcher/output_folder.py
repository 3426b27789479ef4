"""The output folder for the watcher: reads each set's status, writes refusals and the marks of sources."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

import structlog

from reporting import refuse_set
from reporting.store import (
    STATUS,
    STATUS_JSON,
    Destination,
    Groups,
    KnownSets,
    Mark,
    PackedEntry,
    SourceMark,
    SourceState,
    StatusFile,
    is_whole,
    keep_run_info,
    read_run_files,
    read_sources,
    read_unread,
    write_sources,
    write_unread,
)
from scoring import TransientError
from scoring.sets import Refusal

STEP_SECONDS = 0.5
_log = structlog.get_logger()


class Outputs:
    """One output folder, whose sets are `known`.

    sources: state of the inputs of its reports. is_kept: are all marks written? unread: what is written of files that
    cannot be read. is_found: were all reports listed?
    """

    def __init__(self, known: KnownSets) -> None:
        self._known = known
        self._out = out = known.out
        self._seen: dict[str, tuple[Mark, StatusFile]] = {}  # those that `known` has not read yet
        self.unread = read_unread(out)
        self.is_kept = True
        self.is_found = False
        self._finding = known.looking()
        self.sources = Sources(read_sources(out), self._contents)

    def find(self) -> None:
        """List reports for a while, at the start, until all are listed."""
        end = time.monotonic() + STEP_SECONDS
        try:
            for _ in self._finding:
                if time.monotonic() >= end:
                    return
        except OSError as error:
            _log.warning("reports not found", reason=error.strerror or str(error))
        self.is_found = True
        names = list(filter(str.isprintable, self._known.entries))
        self.sources.know(names)
        self.sources.found_at_start(names)

    def status(self, name: str) -> StatusFile | None:
        """status.json of a set, cached by its stat."""
        found = self._find(name)
        return found.unpack().status if isinstance(found, PackedEntry) else found

    def key(self, name: str) -> str | None:
        """The key of its status.json."""
        found = self._find(name)
        return None if found is None else found.key

    def _find(self, name: str) -> StatusFile | PackedEntry | None:
        try:
            found = os.stat(f"{self._out}/{name}/{STATUS_JSON}")  # noqa: PTH116 -- called for every set after a scan
        except OSError:
            self._seen.pop(name, None)
            return None
        mark = (found.st_ino, found.st_size, found.st_mtime_ns)
        known = self._known.entries.get(name)
        if known is not None and known.marks[0] == mark:
            self._seen.pop(name, None)
            return known
        seen = self._seen.get(name)
        if seen is not None and seen[0] == mark:
            return seen[1]
        status = STATUS.read(f"{self._out}/{name}")
        if status is None:
            self._seen.pop(name, None)  # it may become readable with the same stat
        else:
            self._seen[name] = (mark, status)
        return status

    def drop_damaged(self, name: str, key: str) -> None:
        """Remove the status of a set whose files do not match it, so that the set is asked for again."""
        status = self.status(name)
        if status is None or status.key != key or is_whole(self._out / name, status, deep=False):
            return
        _log.warning("outputs are damaged", set=name, key=key)
        with contextlib.suppress(OSError):
            (self._out / name / STATUS_JSON).unlink()

    def refuse(self, refusal: Refusal, language: str) -> bool:
        """Publish a refusal unless it is published. False when it cannot be written now."""
        name, key = refusal.id
        status = self.status(name)
        if status is not None and status.key == key:
            return True
        try:
            refuse_set(refusal, Destination(out=self._out, language=language))
        except TransientError as error:
            _log.warning("problem not written", set=name, key=key, reason=str(error))
            return False
        return True

    def keep_run_info(self, name: str, files: Sequence[tuple[str, str]], language: str) -> bool:
        """Write what files say of the run of a reported set. True when that is something else than before."""
        known = self._known.entries.get(name)
        if (not files and known is not None and not known.is_told) or self._find(name) is None:
            return False
        said = read_run_files(files)
        for problem in said.problems:
            _log.warning("run info", set=name, problem=str(problem))
        try:
            return keep_run_info(self._out / name, said, language)
        except OSError as error:
            _log.warning("run info not written", set=name, reason=error.strerror or str(error))
            return False

    def keep_sources(self, *, changed: bool, may_write: bool) -> bool:
        """Write the marks if they changed or were not written before. True when they were written."""
        self.is_kept = self.is_kept and not changed
        if self.is_kept or not may_write:
            return False
        try:
            write_sources(self._out, self.sources.marks)
        except OSError as error:
            _log.warning("marks of sources not written", reason=error.strerror or str(error))
            return False
        self.is_kept = True
        return True

    def keep_unread(self, unread: Mapping[str, str]) -> None:
        """Write what cannot be read, if that changed. Raises OSError."""
        if unread != self.unread:
            write_unread(self._out, unread)
            self.unread = dict(unread)

    def _contents(self, name: str) -> Contents | None:
        status = self.status(name)
        return None if status is None else tuple(sorted(status.inputs.values()))


GONE_SCANS = 2

Contents = tuple[str, ...]  # sorted hashes of a set's inputs


@dataclass(slots=True)
class _Absence:
    """A reported set without files.

    since: when the first of them went, monotonic; -inf: before the first look, inf: unknown.
    """

    since: float
    scans: int = 0
    other: str = ""


class Sources:
    """Marks of every set that is reported or wanted.

    marks: as an earlier watcher left them. stored: set name -> contents of its report, None without a report.
    """

    def __init__(self, marks: Mapping[str, SourceMark], stored: Callable[[str], Contents | None]) -> None:
        self._stored = stored
        self._known = set(marks)
        self._absent: dict[str, _Absence] = {}
        self._settled: AbstractSet[str] = frozenset()  # sets whose contents were known at the last look
        self._went_at: dict[str, float] = {}  # of sets gone since the last look
        self._unknown = -math.inf
        self._before = set(marks)  # present sets that had a report at the start
        self.marks: dict[str, SourceMark] = dict(marks)

    def know(self, names: Iterable[str]) -> None:
        """These sets have reports."""
        self._known.update(names)

    def lose(self, went_at: Mapping[str, float]) -> None:
        """These sets are gone: when the first of their files went. They have reports, or will have."""
        self._known.update(went_at)
        self._went_at.update(went_at)

    def found_at_start(self, names: Iterable[str]) -> None:
        """These sets had reports at the start: none of them is a new name."""
        self._before.update(names)

    @property
    def is_waiting(self) -> bool:
        """Is another scan needed to decide?"""
        return any(entry.scans < GONE_SCANS for entry in self._absent.values())

    def look(
        self,
        present: AbstractSet[str],
        contents: Mapping[str, Contents],
        came_at: Mapping[str, float],
        *,
        scanned: bool,
    ) -> bool:
        """Mark every set again; True when a mark changed.

        present: sets with files. contents: of those whose files are settled. came_at: when the first file of a set
        came, monotonic. scanned: the whole folder was listed since the last look, and the listing is believed.
        """
        if scanned:
            self._before &= present
        for name in self._absent.keys() & present:
            del self._absent[name]
        for name in self._known - present:
            self._absent.setdefault(name, _Absence(self._went_at.get(name, self._unknown)))
        self._went_at.clear()
        self._unknown = math.inf
        together = _group(contents)
        marks = self._duplicates(together)
        for name, entry in tuple(self._absent.items()):
            stored = self._stored(name)
            if stored is None:
                self._known.discard(name)
                del self._absent[name]
                continue
            entry.scans += scanned
            if not entry.other:
                others = together[stored] - self._before
                newer = (other for other in others if -math.inf < came_at[other] >= entry.since)
                entry.other = min(newer, key=partial(_unlikeness, name), default="")
            before = self.marks.get(name)
            if before is not None and before.state is SourceState.RENAMED:
                marks[name] = before  # also if the new one has changed since
            elif entry.scans >= GONE_SCANS or (before is not None and before.state is SourceState.REMOVED):
                state = SourceState.RENAMED if entry.other else SourceState.REMOVED
                marks[name] = SourceMark(state, entry.other)
        self._settled = frozenset(contents)
        changed, self.marks = marks != self.marks, marks
        return changed

    def unmarked_absent(self) -> int:
        """Number of reported sets without files that are not marked yet."""
        return len(self._absent.keys() - self.marks.keys())

    def _duplicates(self, together: Groups[Contents, str]) -> dict[str, SourceMark]:
        """Mark all sets of one content but one: the one that was there before, else the first by name."""
        marks: dict[str, SourceMark] = {}
        for names in together.of_several():
            first, *others = sorted(names, key=lambda name: (name in self.marks, name not in self._settled, name))
            marks |= dict.fromkeys(others, SourceMark(SourceState.DUPLICATE, first))
        return marks


def _unlikeness(old: str, new: str) -> tuple[bool, bool, str]:
    """Sort key of new names for `old`: the same folder first, then the same extension."""
    return (
        new.rpartition("/")[0] != old.rpartition("/")[0],
        PurePosixPath(new).suffix != PurePosixPath(old).suffix,
        new,
    )


def _group(contents: Mapping[str, Contents]) -> Groups[Contents, str]:
    groups = Groups[Contents, str]()
    for name, entry in contents.items():
        groups.add(entry, name)
    return groups
