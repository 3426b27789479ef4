"""Whether the files behind a report are still there: removed, renamed, or there twice. No disk, no clock.

Told by names and content hashes alone, so that a lost memory is found again by looking: only what happened while
nobody looked is judged by less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from reporting.sources import SourceMark, SourceState

GONE_SCANS = 2

Contents = tuple[str, ...]  # sorted hashes of a set's inputs


@dataclass(slots=True)
class _Absence:
    """A reported set without files. twins: sets that had the same content beside it, and so are no new name of it."""

    twins: frozenset[str]
    scans: int = 0
    other: str = ""


class Sources:
    """Marks of every set that is reported or wanted.

    marks: as they were left by an earlier watcher. stored: set name -> contents of its report, None when there is
    no report (any more).
    """

    def __init__(self, marks: Mapping[str, SourceMark], stored: Callable[[str], Contents | None]) -> None:
        self._stored = stored
        self._known = set(marks)
        self._absent: dict[str, _Absence] = {}
        self._contents: Mapping[str, Contents] = {}
        self._together: Mapping[Contents, frozenset[str]] = {}
        self._marked_twins = _marked_twins(marks)
        self.marks: dict[str, SourceMark] = dict(marks)

    def know(self, names: Iterable[str]) -> None:
        """These sets have reports."""
        self._known.update(names)

    @property
    def is_waiting(self) -> bool:
        """Will another scan tell more?"""
        return any(entry.scans < GONE_SCANS for entry in self._absent.values())

    def look(self, present: AbstractSet[str], contents: Mapping[str, Contents], *, scanned: bool) -> bool:
        """Judge every set again; True when a mark changed.

        present: sets that some file stands for, whatever comes of it. contents: of those whose files stand still.
        scanned: the folder was listed whole since the last look, and what it says of absent files can be believed.
        """
        for name in self._absent.keys() & present:
            del self._absent[name]
        for name in self._known - present:
            self._absent.setdefault(name, _Absence(self._twins(name)))
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
                entry.other = min(together.get(stored, frozenset()) - entry.twins, default="")
            before = self.marks.get(name)
            if before is not None and before.state is SourceState.RENAMED:
                marks[name] = before  # also when the new one has moved on since
            elif entry.scans >= GONE_SCANS or (before is not None and before.state is SourceState.REMOVED):
                state = SourceState.RENAMED if entry.other else SourceState.REMOVED
                marks[name] = SourceMark(state, entry.other)
        self._contents, self._together = contents, together
        changed, self.marks = marks != self.marks, marks
        return changed

    def unmarked_absent(self) -> int:
        """Number of reported sets without files that are not marked yet."""
        return len(self._absent.keys() - self.marks.keys())

    def _twins(self, name: str) -> frozenset[str]:
        """Sets of the same content at the last look, or, after a restart, as they were marked."""
        mine = self._contents.get(name)
        return self._marked_twins.get(name, frozenset()) if mine is None else self._together[mine]

    def _duplicates(self, together: Mapping[Contents, frozenset[str]]) -> dict[str, SourceMark]:
        """All but one of each content; that one is who was there before, else the first by name."""
        marks: dict[str, SourceMark] = {}
        for names in together.values():
            if len(names) > 1:
                first, *others = sorted(names, key=lambda name: (name in self.marks, name not in self._contents, name))
                marks |= dict.fromkeys(others, SourceMark(SourceState.DUPLICATE, first))
        return marks


def _group(contents: Mapping[str, Contents]) -> Mapping[Contents, frozenset[str]]:
    groups: defaultdict[Contents, set[str]] = defaultdict(set)
    for name, entry in contents.items():
        groups[entry].add(name)
    return {entry: frozenset(names) for entry, names in groups.items()}


def _marked_twins(marks: Mapping[str, SourceMark]) -> Mapping[str, frozenset[str]]:
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for name, mark in marks.items():
        if mark.state is SourceState.DUPLICATE:
            groups[mark.other] |= {name, mark.other}
    frozen = [frozenset(names) for names in groups.values()]
    return {name: names for names in frozen for name in names}
