"""Reads `compare.json` back: what a gate needs of the comparison beside a report, without comparing again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from reporting.comparison.data import GroupEntry
from reporting.store.baseline import BaselineFile
from reporting.store.set_folder import COMPARE_JSON
from scoring.comparison.basis import usual_better
from scoring.comparison.changes import Change
from scoring.comparison.compare import Difference, GroupChanges
from scoring.reading.regular_file import read_named
from scoring.statistics.intervals import Interval


class RecordedRun(NamedTuple):
    """A side of a recorded comparison."""

    name: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedComparison:
    """The verdicts of a comparison. The fields as in `Comparison`."""

    before: RecordedRun
    groups: tuple[GroupChanges, ...]
    differences: tuple[Difference, ...]

    @property
    def is_like_with_like(self) -> bool:
        """Do rubric, engine, judge and profile agree?"""
        return set(self.differences) <= {Difference.QUESTIONS}


class _Side(msgspec.Struct, frozen=True):
    name: str
    key: str


class _Content(msgspec.Struct, frozen=True):
    before: _Side
    after: _Side
    groups: tuple[GroupEntry, ...]
    differences: tuple[Difference, ...]


def read_recorded(folder: Path, mark: BaselineFile) -> RecordedComparison | None:
    """The comparison with the baseline that `baseline.json` names; None where nothing was compared."""
    if not mark.verdicts:
        return None
    try:
        found = msgspec.json.decode(read_named(folder / COMPARE_JSON), type=_Content)
    except (OSError, ValueError):
        return None
    if (found.before.key, found.after.key) != (mark.baseline_key, mark.key):
        return None
    return RecordedComparison(
        before=RecordedRun(found.before.name, found.before.key),
        groups=tuple(map(_group, found.groups)),
        differences=found.differences,
    )


def _group(entry: GroupEntry) -> GroupChanges:
    return GroupChanges(
        kind=entry.kind,
        track=entry.track,
        category=entry.category,
        queries=entry.queries,
        changes=tuple(
            Change(
                metric=change.metric,
                queries=change.queries,
                changed=change.changed,
                before=change.before,
                after=change.after,
                difference=change.difference,
                interval=None if change.low is None or change.high is None else Interval(change.low, change.high),
                p=change.p,
                verdict=change.verdict,
                smallest=change.smallest,
                margin=change.margin,
                better=usual_better(change.metric) if change.better is UNSET else change.better,
            )
            for change in entry.metrics
        ),
    )
