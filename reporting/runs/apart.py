"""Rounds that were dropped one by one: reports that look like the rounds of one run, and are sets of their own.

It depends on other sets, so it is no part of a report: front page, board and `status` tell it. Of each profile the
latest runs are looked at, again when one of them has changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from functools import lru_cache
from itertools import permutations, starmap
from typing import NamedTuple

import msgspec

from reporting.store import REPORT_JSON, KnownSets, StoredFile, read_apart, read_asked, write_apart
from scoring.comparison import Asked, OrderKey, Overlaps, name_date, name_of

LATEST = 60  # runs of a profile
DAYS = timedelta(days=7)


class _Round(msgspec.Struct, frozen=True):
    label: str


class _Rounds(msgspec.Struct, frozen=True):
    rounds: tuple[_Round, ...]


_ROUNDS = StoredFile(_Rounds, REPORT_JSON)
_NO_LABELS: frozenset[str] = frozenset()


class _Flat(NamedTuple):
    """A set that may be a round of another. day: of its data. asked: digest. labels: of its rounds."""

    name: str
    day: date
    asked: str
    labels: frozenset[str]


class RoundsApart:
    """The sets of a folder of reports that belong together, as far as their rounds tell."""

    def __init__(self, known: KnownSets) -> None:
        self._known = known
        self._changes = known.follow()
        self._labels = lru_cache(maxsize=1_024)(self._read_labels)
        self._overlaps = Overlaps(lru_cache(maxsize=256)(self._read_asked))
        self._found: dict[str, list[tuple[str, ...]]] = {}

    def keep(self) -> Mapping[str, tuple[str, ...]]:
        """Each of the sets with its group, written down for whoever makes a page."""
        groups = tuple(self.groups())
        if read_apart(self._known.out) != groups:
            with suppress(OSError):  # no front page can be written, either, which is said
                write_apart(self._known.out, groups)
        return {name: group for group in groups for name in group}

    def groups(self) -> list[tuple[str, ...]]:
        """Names of sets that look like the rounds of one run, by profile, the latest first."""
        names, spots = self._changes.take()
        profiles = {*spots, *(known.profile for name in names if (known := self._known.entries.get(name)) is not None)}
        for profile in profiles:
            self._found[profile] = list(self._find(self._known.runs.get(profile, ())[-LATEST:]))
        return [group for _, groups in sorted(self._found.items()) for group in reversed(groups)]

    def _find(self, runs: Sequence[OrderKey]) -> Iterator[tuple[str, ...]]:
        """Each run with those after it that ask the same within DAYS in other rounds."""
        left = [one for name in map(name_of, runs) if (one := self._flat(name)) is not None]
        while left:
            first, *others = left
            group, labels = [first], first.labels
            for other in others:
                is_near = other.day - first.day <= DAYS and labels.isdisjoint(other.labels)
                if is_near and all(starmap(self._overlaps.share, permutations((first.asked, other.asked)))):
                    group.append(other)
                    labels |= other.labels
            if len(group) > 1:
                yield tuple([one.name for one in group])
            left = [one for one in others if one not in group]

    def _flat(self, name: str) -> _Flat | None:
        """A set of one file outside of folders, of a known day and with rounds, that no other set has."""
        if "/" in name or name in self._known.superseded:
            return None
        entry = self._known.entries[name]
        status = entry.unpack().status
        written = status.executed or name_date(name)
        labels = self._labels(name, entry.key) if written and len(status.inputs) == 1 else _NO_LABELS
        return _Flat(name, date.fromisoformat(written[:10]), status.asked, labels) if labels else None

    def _read_labels(self, name: str, key: str) -> frozenset[str]:
        """Labels of the rounds of a report. key: of the report, which is another when it has others."""
        del key
        found = _ROUNDS.read(self._known.out / name)
        return _NO_LABELS if found is None else frozenset(one.label for one in found.rounds)

    def _read_asked(self, digest: str) -> Asked:
        return read_asked(self._known.out, digest) or {}
