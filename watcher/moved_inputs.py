"""Finds reports whose inputs were removed, renamed or duplicated. Pure: no disk or clock.

Decided by names, content hashes and the order in which files came and went, so that a restarted watcher finds the same.
A file counts as the new name of another only if it came when that one went, or later; else it is a copy.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from reporting.store import SourceMark, SourceState

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
                others = together.get(stored, frozenset()) - self._before
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

    def _duplicates(self, together: Mapping[Contents, frozenset[str]]) -> dict[str, SourceMark]:
        """Mark all sets of one content but one: the one that was there before, else the first by name."""
        marks: dict[str, SourceMark] = {}
        for names in together.values():
            if len(names) > 1:
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


def _group(contents: Mapping[str, Contents]) -> Mapping[Contents, frozenset[str]]:
    groups: defaultdict[Contents, set[str]] = defaultdict(set)
    for name, entry in contents.items():
        groups[entry].add(name)
    return {entry: frozenset(names) for entry, names in groups.items()}
