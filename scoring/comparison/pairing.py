"""Pairs the queries of two runs by Query ID, says which are not compared, and lists those that changed.

There are four lists, and no query is in two of them; a fifth one has those that newly lack answers.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import fsum
from typing import NamedTuple

import msgspec

from scoring.comparison.run import CONSISTENCY, Basis, Query, Run, length_of
from scoring.rubric import LATENCY_PREFIX
from scoring.text import folded_ids

_DECIMALS = 9


class Pair(NamedTuple):
    """One query in both runs."""

    before: Query
    after: Query

    @property
    def is_moved(self) -> bool:
        """Does its track or category differ? Then it counts among all queries only."""
        if self.before.is_split or self.after.is_split:
            return True
        old, new = self.before, self.after
        return (old.track, old.group_category) != (new.track, new.group_category)

    def difference(self, metric: str) -> float | None:
        """After minus before; None where a side has no value."""
        old, new = self.before.values.get(metric), self.after.values.get(metric)
        return None if old is None or new is None else new - old


class Pairing(msgspec.Struct, frozen=True, kw_only=True):
    """shared: compared, sorted by Query ID. reworded: in both, asked for something else. appeared, gone: in one run.

    moved: those of the shared whose track or category differs.
    """

    shared: tuple[Pair, ...]
    reworded: tuple[Pair, ...]
    appeared: tuple[Query, ...]
    gone: tuple[Query, ...]

    @property
    def moved(self) -> tuple[Pair, ...]:
        """Shared queries that count among all queries only."""
        return tuple([pair for pair in self.shared if pair.is_moved])


def pair_queries(before: Run, after: Run) -> Pairing:
    """The queries of two runs, paired."""
    same = counterparts(list(before.queries), list(after.queries), folded_ids)
    found = set(same.values())
    both = [
        Pair(query, after.queries[same[query_id]]) for query_id, query in before.queries.items() if query_id in same
    ]
    reworded = {pair.before.query_id for pair in both if is_reworded(*pair)}
    return Pairing(
        shared=tuple([pair for pair in both if pair.before.query_id not in reworded]),
        reworded=tuple([pair for pair in both if pair.before.query_id in reworded]),
        appeared=tuple([query for query_id, query in after.queries.items() if query_id not in found]),
        gone=tuple([query for query_id, query in before.queries.items() if query_id not in same]),
    )


def counterparts(old: Sequence[str], new: Sequence[str], forms: Callable[[Sequence[str]], list[str]]) -> dict[str, str]:
    """Query ID before -> the same one after, or the only one that looks alike (docs/scoring.md#ids-that-look-alike).

    Looking alike counts where each of the two runs has just one ID of that form. forms: those of some IDs.
    """
    known = set(new)
    same = {query_id: query_id for query_id in old if query_id in known}
    if len(same) in {len(old), len(new)}:
        return same
    old_forms, new_forms = forms(old), forms(new)
    old_counts, new_counts = Counter(old_forms), Counter(new_forms)
    by_form = dict(zip(new_forms, new, strict=True))
    for query_id, form in zip(old, old_forms, strict=True):
        if query_id not in same and old_counts[form] == new_counts[form] == 1:
            same[query_id] = by_form[form]
    return same


def is_reworded(before: Query, after: Query) -> bool:
    """Does one Query ID ask for something else in another run?"""
    return _differ(before.questions, after.questions) or _differ(before.expected, after.expected)


def _differ(before: Sequence[str], after: Sequence[str]) -> bool:
    """Do both sides say something, and never the same?"""
    if before == after or not before or not after:
        return False
    return set(before).isdisjoint(after)


class QueryChange(NamedTuple):
    """A query that changed. change: of its score, 0..1 of the scale, negative is worse; None without scores."""

    pair: Pair
    change: float | None


class QueryLists(msgspec.Struct, frozen=True, kw_only=True):
    """now_fails, now_passes: every item passed on one side only. dropped, rose: the score of the others.

    now_unanswered: queries, be they in another list or not, with items that lack an answer and are not assessed for
    it, on the later side only. Largest change first, then by Query ID. The score of a query is the mean of its answer
    metrics, each as a part of its scale; latency and consistency are not part of it.
    """

    now_fails: tuple[QueryChange, ...]
    now_passes: tuple[QueryChange, ...]
    dropped: tuple[QueryChange, ...]
    rose: tuple[QueryChange, ...]
    now_unanswered: tuple[QueryChange, ...] = ()


def answer_metrics(basis: Basis) -> tuple[str, ...]:
    """The metrics that an answer earns by itself: neither latency nor consistency."""
    left_out = (CONSISTENCY, "latency")
    return tuple(name for name in basis.metrics if name not in left_out and not name.startswith(LATENCY_PREFIX))


def list_queries(pairs: Iterable[tuple[Pair, Pair]], basis: Basis) -> QueryLists:
    """The shared queries that changed. basis: whose metrics make the score.

    pairs: each also without what was only graded anew, which is no change.
    """
    metrics = answer_metrics(basis)
    lengths = [length_of(metric, basis.points.length) for metric in metrics]
    lists: dict[str, list[QueryChange]] = {"now_fails": [], "now_passes": [], "dropped": [], "rose": []}
    unanswered = lists["now_unanswered"] = []
    for pair, even in pairs:
        change = _change(even, metrics, lengths)
        name = _list_of(even, change)
        if name:
            lists[name].append(QueryChange(pair, change))
        if pair.after.lacks_answers and not pair.before.lacks_answers:
            unanswered.append(QueryChange(pair, change))
    return QueryLists(**{name: _ordered(entries) for name, entries in lists.items()})


def _change(pair: Pair, metrics: Sequence[str], lengths: Sequence[float]) -> float | None:
    old, new = pair.before.values, pair.after.values
    parts = [
        (new[metric] - old[metric]) / length
        for metric, length in zip(metrics, lengths, strict=True)
        if metric in old and metric in new
    ]
    return fsum(parts) / len(parts) if parts else None


def _list_of(pair: Pair, change: float | None) -> str:
    """Name of the list that a query is in, "" for none."""
    old, new = pair.before.passes, pair.after.passes
    if old is not None and new is not None and old is not new:
        return "now_fails" if old else "now_passes"
    moved = round(change or _share_change(pair), _DECIMALS)
    return "" if not moved else "dropped" if moved < 0 else "rose"


def _share_change(pair: Pair) -> float:
    """Change of the share of its items that pass; decides where the score did not change."""
    if not pair.before.assessed or not pair.after.assessed:
        return 0.0
    return pair.after.passed / pair.after.assessed - pair.before.passed / pair.before.assessed


def _ordered(entries: list[QueryChange]) -> tuple[QueryChange, ...]:
    return tuple(sorted(entries, key=lambda entry: (-abs(entry.change or 0.0), entry.pair.after.query_id)))
