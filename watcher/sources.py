"""Whether the files behind a report are still there: removed, renamed, or there twice. No disk, no clock.

Told by names, content hashes and the order of looks, so that a lost memory is found again by looking. A new name is
one that came with the disappearance or after it: what lay there before is a copy, whatever it holds.
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
    """A reported set without files. since: number of the first look that did not find them for certain."""

    since: int
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
        self._looks = 0
        self._came: dict[str, int] = {}  # set that is present -> the look that found it first
        self._doubted: dict[str, int] = {}  # the same of sets whose files may be gone
        self._before = set(marks)
        self.marks: dict[str, SourceMark] = dict(marks)

    def know(self, names: Iterable[str]) -> None:
        """These sets have reports."""
        self._known.update(names)

    def found_at_start(self, names: Iterable[str]) -> None:
        """These sets had reports before anything was looked at: none of them is a new name."""
        self._before.update(names)

    @property
    def is_waiting(self) -> bool:
        """Will another scan tell more?"""
        return any(entry.scans < GONE_SCANS for entry in self._absent.values())

    def look(
        self,
        present: AbstractSet[str],
        contents: Mapping[str, Contents],
        *,
        scanned: bool,
        doubted: AbstractSet[str] = frozenset(),
    ) -> bool:
        """Judge every set again; True when a mark changed.

        present: sets that some file stands for, whatever comes of it. contents: of those whose files stand still.
        scanned: the folder was listed whole since the last look, and what it says of absent files can be believed.
        doubted: sets among the present with a file that may be gone or another one by now.
        """
        self._look_for_newcomers(present)
        for name in self._absent.keys() & present:
            del self._absent[name]
        for name in self._known - present:
            self._absent.setdefault(name, _Absence(self._doubted.get(name, self._looks)))
        self._doubted = {name: self._doubted.get(name, self._looks) for name in doubted & present}
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
                entry.other = min(self._newer(together.get(stored, frozenset()), entry.since), default="")
            before = self.marks.get(name)
            if before is not None and before.state is SourceState.RENAMED:
                marks[name] = before  # also when the new one has moved on since
            elif entry.scans >= GONE_SCANS or (before is not None and before.state is SourceState.REMOVED):
                state = SourceState.RENAMED if entry.other else SourceState.REMOVED
                marks[name] = SourceMark(state, entry.other)
        self._contents = contents
        self._looks += 1
        changed, self.marks = marks != self.marks, marks
        return changed

    def unmarked_absent(self) -> int:
        """Number of reported sets without files that are not marked yet."""
        return len(self._absent.keys() - self.marks.keys())

    def _look_for_newcomers(self, present: AbstractSet[str]) -> None:
        for name in self._came.keys() - present:
            del self._came[name]
        for name in present - self._came.keys():
            self._came[name] = -1 if name in self._before else self._looks
        self._before.clear()

    def _newer(self, names: Iterable[str], since: int) -> Iterable[str]:
        return (name for name in names if self._came.get(name, -1) >= since)

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
