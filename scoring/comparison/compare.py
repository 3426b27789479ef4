"""Compares two runs: every metric over all shared queries, per track and per category, and the queries that changed.

A comparison is a function of the two runs and the margin. Swapping the runs mirrors every figure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import msgspec

from scoring.comparison.changes import Change, Flips, adjusted_family, change_of, flips_of
from scoring.comparison.pairing import Pair, Pairing, QueryLists, list_queries, pair_queries
from scoring.comparison.run import CONSISTENCY, SHARES, Run, has_no_scale, length_of
from scoring.rubric import TOTAL, TrackId, TrackPlace, place_of
from scoring.statistics import FEW_QUERIES, Interval, change_intervals

MAX_GROUPS = 100  # tracks, and as many categories: the largest

_Key = str | int | None  # of a category or a track
_Value = tuple[float, float] | None  # before and after of one query


class NoSharedQueryError(Exception):
    """The runs have no query to compare."""


class GroupKind(StrEnum):
    """What the queries of a group have in common."""

    ALL = "all"
    TRACK = "track"
    CATEGORY = "category"


class Difference(StrEnum):
    """What makes two runs differ besides the answers. A comparison with any but QUESTIONS is not of like with like."""

    PROFILE = "profile"
    RUBRIC = "rubric"
    ENGINE = "engine"
    JUDGE = "judge"
    QUESTIONS = "questions"


class GroupChanges(msgspec.Struct, frozen=True, kw_only=True):
    """All shared queries, those of a track, or those of a category; `queries` of them.

    changes: in the order of a table, called "metrics" in `compare.json`.
    """

    kind: GroupKind
    track: TrackId | None
    category: str
    queries: int
    changes: tuple[Change, ...] = msgspec.field(name="metrics")

    def change(self, metric: str) -> Change | None:
        """The change of this metric."""
        return next((change for change in self.changes if change.metric == metric), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs compared.

    groups: all shared queries first, then the tracks ascending and the categories by name. groups_left_out: tracks and
    categories beyond MAX_GROUPS. flips: over all shared queries. differences: besides the answers. margin: None without
    one.
    """

    before: Run
    after: Run
    margin: float | None
    pairing: Pairing
    groups: tuple[GroupChanges, ...]
    groups_left_out: int
    flips: Flips
    lists: QueryLists
    differences: tuple[Difference, ...]

    @property
    def headline(self) -> Change:
        """The one change that the comparison is told by, over all shared queries: of the first figure with a value."""
        everything = self.groups[0]
        leading = everything.change(self.after.basis.leading)
        return next(
            (change for change in (leading, *everything.changes) if change and change.queries), everything.changes[0]
        )

    @property
    def is_like_with_like(self) -> bool:
        """Do rubric, engine, judge and profile agree?"""
        return set(self.differences) <= {Difference.QUESTIONS}


def compare_runs(before: Run, after: Run, *, margin: float | None = None) -> Comparison:
    """Compare two runs. margin: points within which a change does not matter.

    It is in the unit of each metric that has points; shares, seconds and measures have no margin. Raises
    NoSharedQueryError.
    """
    pairing = pair_queries(before, after)
    if not pairing.shared:
        raise NoSharedQueryError
    shared = pairing.shared
    compare = _Comparer(before, after, shared, margin)
    everything = compare.group(range(len(shared)), GroupKind.ALL)
    grouped = [at for at, pair in enumerate(shared) if not pair.is_moved]
    tracks, more_tracks = _groups(
        grouped, len(shared), lambda at: shared[at].after.track, partial(place_of, listed=after.basis.tracks)
    )
    categories, more_categories = _groups(grouped, len(shared), lambda at: shared[at].after.category, place_of)
    groups = [compare.group(of, GroupKind.TRACK, track=shared[of[0]].after.track) for of in tracks]
    groups += [compare.group(of, GroupKind.CATEGORY, category=shared[of[0]].after.category) for of in categories]
    return Comparison(
        before=before,
        after=after,
        margin=margin,
        pairing=pairing,
        groups=(everything, *_adjusted(groups)),
        groups_left_out=more_tracks + more_categories,
        flips=flips_of(
            [
                (pair.before.passes, pair.after.passes)
                for pair in pairing.shared
                if pair.before.passes is not None and pair.after.passes is not None
            ]
        ),
        lists=list_queries(pairing.shared, after.basis),
        differences=_differences(before, after, pairing),
    )


class _Comparer:
    """Compares groups of the shared queries of two runs. A group is the places of its queries among them."""

    def __init__(self, before: Run, after: Run, shared: Sequence[Pair], margin: float | None) -> None:
        self._margin = margin
        self._basis = after.basis
        self._length = max(side.basis.points.length for side in (before, after))
        self._has_weighted_consistency = CONSISTENCY in after.basis.weights or CONSISTENCY in before.basis.weights
        # The draws are those of the ordered keys, so that swapping the runs mirrors the intervals.
        self._is_swapped = after.key < before.key
        self._seed = " ".join(sorted((before.key, after.key)))
        names = [name for name in after.basis.names if name in before.basis.names]
        self._columns = {metric: self._column(metric, shared) for metric in names}

    def group(
        self, of: Sequence[int], kind: GroupKind, *, track: TrackId | None = None, category: str = ""
    ) -> GroupChanges:
        """The changes of a group; without verdicts where it is a part of the queries and too small."""
        is_part = kind is not GroupKind.ALL
        values = {metric: [column[at] for at in of] for metric, column in self._columns.items()}
        intervals = {} if is_part and len(of) < FEW_QUERIES else self._intervals(values)
        changes = []
        for metric, with_holes in values.items():
            present = [value for value in with_holes if value is not None]
            change = change_of(
                metric,
                present,
                intervals.get(metric),
                length=length_of(metric, self._length),
                is_small=is_part and len(present) < FEW_QUERIES,
                margin=None if metric in SHARES or has_no_scale(metric) else self._margin,
                better=self._basis.better(metric),
            )
            changes.append(change)
        return GroupChanges(kind=kind, track=track, category=category, queries=len(of), changes=tuple(changes))

    def _column(self, metric: str, shared: Iterable[Pair]) -> list[_Value]:
        """Before and after of each query; None where a side has no value, or one that does not compare."""
        column: list[_Value] = []
        for old, new in shared:
            before, after = old.values.get(metric), new.values.get(metric)
            if before is None or after is None or (metric == TOTAL and self._has_rule_on_one_side(old.n, new.n)):
                column.append(None)
            else:
                column.append((before, after))
        return column

    def _has_rule_on_one_side(self, before: int, after: int) -> bool:
        """A query that was run once has the consistency of a rule, which is in its total."""
        return self._has_weighted_consistency and (before < 2) is not (after < 2)

    def _intervals(self, values: Mapping[str, Sequence[_Value]]) -> dict[str, Interval]:
        """Of the mean difference by metric. Metrics over the same queries share one draw."""
        together: defaultdict[bytes, list[str]] = defaultdict(list)
        for metric, with_holes in values.items():
            if not has_no_scale(metric):
                together[bytes(value is not None for value in with_holes)].append(metric)
        found: dict[str, Interval] = {}
        sign = -1.0 if self._is_swapped else 1.0
        for metrics in together.values():
            columns = {
                metric: tuple(sign * (value[1] - value[0]) for value in values[metric] if value is not None)
                for metric in metrics
            }
            drawn = self._draw(list(dict.fromkeys(columns.values())))  # a metric may copy another
            found |= {metric: interval for metric in metrics if (interval := drawn[columns[metric]]) is not None}
        return found

    def _draw(self, columns: Sequence[tuple[float, ...]]) -> dict[tuple[float, ...], Interval | None]:
        """Interval of the mean of each column; one without width where nothing changed."""
        if len(columns) == 1 and len(columns[0]) > 1 and not any(columns[0]):
            return {columns[0]: Interval(0.0, 0.0)}
        drawn = zip(columns, change_intervals(columns, seed=self._seed), strict=True)
        if self._is_swapped:
            return {column: found and Interval(-found.high, -found.low) for column, found in drawn}
        return dict(drawn)


def _groups(
    places: Iterable[int], total: int, key: Callable[[int], _Key], place: Callable[[_Key], TrackPlace]
) -> tuple[list[list[int]], int]:
    """The places by key, in the order of `place`, of at most MAX_GROUPS groups, and how many groups are left out.

    Nothing where one group holds all there is.
    """
    found: defaultdict[_Key, list[int]] = defaultdict(list)
    for at in places:
        found[key(at)].append(at)
    if len(found) == 1 and len(next(iter(found.values()))) == total:
        return [], 0
    kept = sorted(found, key=lambda of: (-len(found[of]), place(of)))[:MAX_GROUPS]
    return [found[of] for of in sorted(kept, key=place)], len(found) - len(kept)


def _adjusted(groups: Sequence[GroupChanges]) -> list[GroupChanges]:
    """The groups with p-values adjusted over the tracks and categories of each metric."""
    families = [adjusted_family(of_metric) for of_metric in zip(*(group.changes for group in groups), strict=True)]
    return [
        msgspec.structs.replace(group, changes=tuple(family[at] for family in families))
        for at, group in enumerate(groups)
    ]


def _differences(before: Run, after: Run, pairing: Pairing) -> tuple[Difference, ...]:
    differs = {
        Difference.PROFILE: before.profile != after.profile,
        Difference.RUBRIC: before.rules_digest != after.rules_digest,
        Difference.ENGINE: before.engine_version != after.engine_version,
        Difference.JUDGE: before.judge != after.judge,
        Difference.QUESTIONS: bool(pairing.reworded or pairing.appeared or pairing.gone),
    }
    return tuple(difference for difference, is_there in differs.items() if is_there)
