"""Compares two runs: every metric over all shared queries and over groups of them, and the queries that changed.

A comparison is a function of the two runs and the margin. Swapping the runs mirrors every figure.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from operator import eq
from typing import NamedTuple

import msgspec

from scoring.comparison.changes import (
    Change,
    Flips,
    Measured,
    MetricChanges,
    Values,
    Verdict,
    changes_of_all,
    changes_of_groups,
    flips_of,
)
from scoring.comparison.like_with_like import Why, WhyKind, unlike_figures
from scoring.comparison.pairing import Pair, Pairing, QueryLists, list_queries, pair_queries
from scoring.comparison.regraded import GradedAnew, OneSided, Regraded, find_regraded, graded_anew, without_one_sided
from scoring.comparison.run import CONSISTENCY, SHARES, Run, has_no_scale, length_of
from scoring.rubric import TOTAL, TrackId, TrackPlace, normalise_header, place_of
from scoring.statistics import FEW_QUERIES, whole_steps

MAX_GROUPS = 100  # tracks, and as many categories: the largest
NEARLY = 0.9  # of the queries

_Key = str | int | None  # of a category or a track
_WORST_FIRST = list(Verdict)


class NoSharedQueryError(Exception):
    """The runs have no query to compare."""


class GroupKind(StrEnum):
    """What the queries of a group have in common."""

    ALL = "all"
    TRACK = "track"
    CATEGORY = "category"
    SLICE = "slice"


class Difference(StrEnum):
    """What makes two runs differ besides the answers.

    With another profile, rubric or engine no figure is comparable, with another judge those that it graded.
    """

    PROFILE = "profile"
    RUBRIC = "rubric"
    ENGINE = "engine"
    JUDGE = "judge"
    QUESTIONS = "questions"


_RULES = frozenset({Difference.PROFILE, Difference.RUBRIC, Difference.ENGINE})


class GroupChanges(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All shared queries, those of a track, of a category, or of a value of a further column; `queries` of them.

    column, value: of a slice. changes: in the order of a table, called "metrics" in `compare.json`.
    """

    kind: GroupKind
    track: TrackId | None
    category: str
    column: str = ""
    value: str = ""
    queries: int
    changes: tuple[Change, ...] = msgspec.field(name="metrics")

    def change(self, metric: str) -> Change | None:
        """The change of this metric."""
        return next((change for change in self.changes if change.metric == metric), None)


class Told(NamedTuple):
    """A figure that is told once. names: of the figures with the same change, after it; near: nearly the same."""

    change: Change
    names: tuple[str, ...]
    near: tuple[str, ...]


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs compared.

    groups: all shared queries first, then the tracks ascending, the categories by name, and the slices as the later
    report lists them. groups_left_out: tracks and categories beyond MAX_GROUPS. flips: over all shared queries.
    differences: besides the answers. margin: None without one. leading: the figure that is tested by itself. near: of
    each figure the others that change alike in nearly all queries. regraded: items that say the same with another
    grade. reviewed: items that people graded on one side only. graded_anew: what people or a judge changed of the same
    inputs, None where anything else may differ. flips, lists: empty beside a run that is damaged.
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
    leading: str
    near: Mapping[str, tuple[str, ...]]
    regraded: Regraded
    reviewed: int = 0
    graded_anew: GradedAnew | None = None

    @property
    def headline(self) -> Change:
        """The one change that is always told, over all shared queries: of the first figure with a value."""
        everything = self.groups[0]
        leading = everything.change(self.leading)
        return next(
            (change for change in (leading, *everything.changes) if change and change.queries), everything.changes[0]
        )

    @property
    def told(self) -> tuple[Told, ...]:
        """Every distinct figure that got worse, then what got better or otherwise changed, and the leading one."""
        everything = {change.metric: change for change in self.groups[0].changes}
        headline = self.headline
        first = everything.get(headline.copy_of, headline)
        found = [change for change in everything.values() if change.is_found and not change.copy_of]
        found.sort(key=lambda change: (_WORST_FIRST.index(change.verdict), change is not first))
        told: list[Told] = []
        for change in found if first in found else [*found, first]:
            if any(change.metric in one.near for one in told):
                continue
            names = tuple([one.metric for one in everything.values() if one.copy_of == change.metric])
            near = [name for name in self.near.get(change.metric, ()) if everything[name].verdict is change.verdict]
            told.append(Told(change, names, tuple(near) if change.is_found else ()))
        return tuple(told)

    @property
    def has_same_answers(self) -> bool:
        """Do both runs have the same answers to the same queries?"""
        pairing = self.pairing
        if pairing.appeared or pairing.gone or pairing.reworded:
            return False
        texts = [[[one.text_hash for one in side.answers] for side in pair] for pair in pairing.shared]
        return all(sorted(old) == sorted(new) and all(old) for old, new in texts)

    @property
    def damaged(self) -> tuple[Run, ...]:
        """The runs whose leading figure is damaged: beside one of them nothing is to be concluded."""
        return tuple([run for run in (self.before, self.after) if run.banner])

    @property
    def known_fails(self) -> Mapping[str, str] | None:
        """Of the queries that newly fail those that are known, with their names; None where nobody says which are."""
        names = None if self.after.known is None else self.after.known.names
        if names is None:
            return None
        failing = [change.pair.after.query_id for change in self.lists.now_fails]
        return {query_id: names[query_id] for query_id in failing if query_id in names}

    @property
    def known_digest(self) -> str:
        """Digest of the lines that say what is known of the queries that newly fail, "" where none do."""
        return self.after.known.digest if self.after.known is not None and self.lists.now_fails else ""

    @property
    def is_like_with_like(self) -> bool:
        """Is every figure comparable?"""
        return all(change.why is None for change in self.groups[0].changes)


def compare_runs(before: Run, after: Run, *, margin: float | None = None) -> Comparison:
    """Compare two runs. margin: points within which a change does not matter.

    It is in the unit of each metric that has points; shares, seconds and measures have no margin. Raises
    NoSharedQueryError.
    """
    pairing, one_sided, regraded, differences, compare = _paired(before, after, margin)
    shared = pairing.shared
    everything = compare.group(range(len(shared)), GroupKind.ALL)
    grouped = [at for at, pair in enumerate(shared) if not pair.is_moved]
    tracks, more_tracks = _groups(
        grouped, len(shared), lambda at: shared[at].after.track, partial(place_of, listed=after.basis.tracks)
    )
    categories, more_categories = _groups(grouped, len(shared), lambda at: shared[at].after.group_category, place_of)
    places = [(GroupKind.TRACK, of) for of in tracks] + [(GroupKind.CATEGORY, of) for of in categories]
    of_all, *of_groups = compare.changes(everything, [compare.group(of, kind) for kind, of in places])
    groups = [GroupChanges(kind=GroupKind.ALL, track=None, category="", queries=len(shared), changes=of_all)]
    for (kind, of), changes in zip(places, of_groups, strict=True):
        first, is_track = shared[of[0]].after, kind is GroupKind.TRACK
        track, category = (first.track, "") if is_track else (None, first.category)
        groups.append(GroupChanges(kind=kind, track=track, category=category, queries=len(of), changes=changes))
    groups += _slices(before, after, shared, compare)
    told = [] if before.banner or after.banner else list(zip(shared, regraded.evened, strict=True))
    return Comparison(
        before=before,
        after=after,
        margin=margin,
        pairing=pairing,
        groups=tuple(groups),
        groups_left_out=more_tracks + more_categories,
        flips=_flips([even for _, even in told]),
        lists=list_queries(told, after.basis),
        differences=differences,
        leading=compare.leading,
        near=compare.near_copies(),
        regraded=regraded,
        reviewed=one_sided.items,
        graded_anew=None if _RULES.intersection(differences) else graded_anew(before, after, shared),
    )


def changes_of_all_queries(before: Run, after: Run) -> tuple[Change, ...]:
    """The changes over all shared queries, as `compare_runs` has them, alone. Raises NoSharedQueryError."""
    paired = _paired(before, after, None)
    everything = paired.compare.group(range(len(paired.pairing.shared)), GroupKind.ALL)
    return paired.compare.changes(everything, [])[0]


class _Paired(NamedTuple):
    """The queries of two runs side by side, and what compares them."""

    pairing: Pairing
    one_sided: OneSided
    regraded: Regraded
    differences: tuple[Difference, ...]
    compare: "_Comparer"


def _paired(before: Run, after: Run, margin: float | None) -> _Paired:
    """Raises NoSharedQueryError."""
    pairing = pair_queries(before, after)
    if not pairing.shared:
        raise NoSharedQueryError
    one_sided = without_one_sided(pairing.shared, after.basis)
    differences = _differences(before, after, pairing)
    has_other_rules = not _RULES.isdisjoint(differences)
    regraded = find_regraded(one_sided.pairs, after.basis, has_other_rules=has_other_rules)
    compare = _Comparer(before, after, pairing.shared, evened=regraded.evened, margin=margin, differences=differences)
    return _Paired(pairing, one_sided, regraded, differences, compare)


class _Comparer:
    """Measures groups of the shared queries of two runs. A group is the places of its queries among them."""

    def __init__(
        self,
        before: Run,
        after: Run,
        shared: Sequence[Pair],
        *,
        evened: Sequence[Pair],
        margin: float | None,
        differences: Collection[Difference],
    ) -> None:
        """evened: the shared queries, without what was only graded anew."""
        self._margin = margin
        self._basis = after.basis
        self._length = max(side.basis.points.length for side in (before, after))
        self._has_weighted_consistency = CONSISTENCY in after.basis.weights or CONSISTENCY in before.basis.weights
        names = [name for name in after.basis.names if name in before.basis.names]
        self._columns = {metric: self._column(metric, shared, evened) for metric in names}
        self._unlike = unlike_figures(before, after, shared)
        if rules := [one.value for one in Difference if one in _RULES.intersection(differences)]:
            self._unlike = dict.fromkeys(names, Why(WhyKind.RULES, ",".join(rules)))
        lead = before.leading
        self.leading = lead if lead in names else next((name for name in names if any(self._columns[name])), names[0])
        self._copies = self._equal_figures()

    def group(self, of: Sequence[int], kind: GroupKind) -> dict[str, Measured]:
        """The figures of a group, each tested by itself; a part of the queries may be too small for that."""
        measured = {}
        for metric, column in self._columns.items():
            present = [value for at in of if (value := column[at]) is not None]
            measured[metric] = Measured(
                metric,
                present,
                length=length_of(metric, self._length),
                is_small=kind is not GroupKind.ALL and len(present) < FEW_QUERIES,
                better=self._basis.better(metric),
            )
        return measured

    def changes(self, everything: MetricChanges, groups: Sequence[MetricChanges]) -> list[tuple[Change, ...]]:
        """The changes of all queries, and of each group, with the verdicts of all tests together."""
        of_all = changes_of_all(
            everything, self._copies, leading=self.leading, unlike=self._unlike, margin_of=self._margin_of
        )
        return [of_all, *self.changes_of_family(groups)]

    def changes_of_family(self, groups: Sequence[MetricChanges]) -> list[tuple[Change, ...]]:
        """The changes of each group, with the verdicts of the tests of these groups together."""
        return changes_of_groups(groups, self._copies, unlike=self._unlike, margin_of=self._margin_of)

    def near_copies(self) -> dict[str, tuple[str, ...]]:
        """Of each distinct figure those that change alike in at least 90 % of the queries."""
        steps = {name: self._steps(name) for name, of in self._copies.items() if of == name and not has_no_scale(name)}
        return {
            name: tuple(
                other
                for other, theirs in steps.items()
                if other != name and NEARLY * len(own) <= sum(map(eq, own, theirs))
            )
            for name, own in steps.items()
        }

    def _margin_of(self, metric: str) -> float | None:
        return None if metric in SHARES or has_no_scale(metric) else self._margin

    def _equal_figures(self) -> dict[str, str]:
        """Of each figure the first one with the same change of every query; the leading one is the first of all."""
        ordered = sorted(self._columns, key=lambda name: name != self.leading)
        first: dict[object, str] = {}
        found: dict[str, str] = {}
        for name in ordered:
            is_alone = has_no_scale(name) or name in self._unlike
            declared = self._basis.source_of(name)
            if declared in found and (name in self._unlike) is (declared in self._unlike):
                found[name] = found[declared]
            else:
                found[name] = name if is_alone else first.setdefault(self._steps(name), name)
        return {name: found[name] for name in self._columns}

    def _steps(self, metric: str) -> tuple[int | None, ...]:
        """The change of every shared query in whole steps; None where it has none."""
        column = self._columns[metric]
        present = whole_steps([value.difference for value in column if value], length_of(metric, self._length))
        steps = iter(present)
        return tuple([None if value is None else next(steps) for value in column])

    def _column(self, metric: str, shared: Iterable[Pair], evened: Iterable[Pair]) -> list[Values | None]:
        """Before and after of each query; None where a side has no value, or one that does not compare."""
        column: list[Values | None] = []
        for (old, new), (even, even_new) in zip(shared, evened, strict=True):
            before, after = old.values.get(metric), new.values.get(metric)
            if before is None or after is None or (metric == TOTAL and self._has_rule_on_one_side(old.n, new.n)):
                column.append(None)
            else:
                difference = even_new.values.get(metric, after) - even.values.get(metric, before)
                column.append(Values(before, after, difference))
        return column

    def _has_rule_on_one_side(self, before: int, after: int) -> bool:
        """A query that was run once has the consistency of a rule, which is in its total."""
        return self._has_weighted_consistency and (before < 2) is not (after < 2)


def _slices(before: Run, after: Run, shared: Sequence[Pair], compare: _Comparer) -> list[GroupChanges]:
    """The shared queries by every value that both reports list, a family of tests of their own.

    A query has to have the value in both runs. Nothing of a column where one value holds all there is.
    """
    found: list[tuple[str, str, list[int]]] = []
    for column, values in after.slices.items() if before.slices else ():
        name = normalise_header(column)
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, (old, new) in enumerate(shared):
            value = new.slices[name]
            if value is not None and value == old.slices.get(name):
                places[value].append(place)
        found += [(column, value, of) for value in values if 0 < len(of := places[value]) < len(shared)]
    changes = compare.changes_of_family([compare.group(of, GroupKind.SLICE) for _, _, of in found])
    return [
        GroupChanges(
            kind=GroupKind.SLICE, track=None, category="", column=column, value=value, queries=len(of), changes=of_slice
        )
        for (column, value, of), of_slice in zip(found, changes, strict=True)
    ]


def _flips(pairs: Iterable[Pair]) -> Flips:
    assessed = [pair for pair in pairs if pair.before.passes is not None and pair.after.passes is not None]
    return flips_of(
        [(bool(pair.before.passes), bool(pair.after.passes)) for pair in assessed],
        unequal=sum(pair.before.assessed != pair.after.assessed for pair in assessed),
    )


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


def _differences(before: Run, after: Run, pairing: Pairing) -> tuple[Difference, ...]:
    differs = {
        Difference.PROFILE: before.profile != after.profile,
        Difference.RUBRIC: before.rules_digest != after.rules_digest,
        Difference.ENGINE: before.engine_version != after.engine_version,
        Difference.JUDGE: before.judge != after.judge,
        Difference.QUESTIONS: bool(pairing.reworded or pairing.appeared or pairing.gone),
    }
    return tuple(difference for difference, is_there in differs.items() if is_there)
