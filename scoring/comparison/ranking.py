"""Ranks two or more runs over the queries that all of them have, by the figure that leads.

What makes two runs comparable, and what of a change was only graded anew, is decided as in a comparison of two; a pair
has the difference and the test that it has there. Where any two runs are not alike the figure has no rank.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import partial
from itertools import combinations
from math import fsum

import msgspec

from scoring.comparison.compare import NoSharedQueryError
from scoring.comparison.like_with_like import Why, unlike_figures
from scoring.comparison.pairing import Pair, counterparts, is_reworded
from scoring.comparison.regraded import find_regraded, without_one_sided
from scoring.comparison.run import CONSISTENCY, Query, Run, has_no_scale, length_of
from scoring.rubric import TOTAL, TrackId, place_of
from scoring.statistics import Board, leaderboard
from scoring.text import folded_ids


class UnrankedKind(StrEnum):
    """In what two runs differ, so that nothing is ranked. FIGURE: see its `Why`."""

    PROFILE = "profile"
    RUBRIC = "rubric"
    ENGINE = "engine"
    ROUNDS = "rounds"
    FIGURE = "figure"


class Unranked(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why there is no rank: places of two runs and in what they differ."""

    a: int
    b: int
    kind: UnrankedKind
    why: Why | None = None


class TrackMeans(msgspec.Struct, frozen=True, kw_only=True):
    """The means of each run over the shared queries of a track, which is that of the first run."""

    track: TrackId | None
    queries: int
    means: tuple[float, ...]


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """Runs in the order in which they were named.

    shared: every query that all have, as each run has it. reworded: Query IDs of those that do not ask the same in
    all. left_out: of each run how many of its own queries are not compared. figure: that is ranked; rows: the shared
    queries with a value of it in every run. means: of each run over these; figures: of every distinct figure that all
    have, by name. board: None where there is no rank, for the reasons in `unranked`. regraded: items that were only
    graded anew, over all pairs.
    """

    runs: tuple[Run, ...]
    shared: tuple[tuple[Query, ...], ...]
    reworded: tuple[str, ...]
    left_out: tuple[int, ...]
    figure: str
    rows: tuple[tuple[Query, ...], ...]
    figures: dict[str, tuple[float, ...]]
    tracks: tuple[TrackMeans, ...]
    board: Board | None
    unranked: tuple[Unranked, ...]
    regraded: int

    @property
    def means(self) -> tuple[float, ...]:
        """Of each run, in the figure that is ranked."""
        return self.figures[self.figure]

    @property
    def order(self) -> list[int]:
        """Places of the runs, the highest mean first; of equal ones the one that was named first."""
        return sorted(range(len(self.runs)), key=lambda at: -self.means[at])

    def spread(self, row: Sequence[Query]) -> float:
        """By how much the runs differ in a query."""
        values = [query.values[self.figure] for query in row]
        return max(values) - min(values)

    @property
    def differing(self) -> list[tuple[Query, ...]]:
        """The queries in which the runs differ, those in which they differ most first."""
        rows = [row for row in self.rows if self.spread(row) > 0]
        return sorted(rows, key=lambda row: (-self.spread(row), row[0].query_id))


def rank_runs(runs: Sequence[Run]) -> Ranking:
    """Rank two runs or more. Raises NoSharedQueryError where no query is in all, or none has a value in all."""
    shared, reworded = _shared(runs)
    if not shared:
        raise NoSharedQueryError
    last = runs[-1].basis
    names = [name for name in last.names if all(name in run.basis.names for run in runs)]
    rows_of = {name: _with_value(name, runs, shared) for name in names if last.source_of(name) == name}
    figures = {name: _means(name, rows) for name, rows in rows_of.items() if rows}
    scaled = [name for name in figures if not has_no_scale(name)]
    if not scaled:
        raise NoSharedQueryError
    lead = last.source_of(runs[0].leading)
    figure = lead if lead in scaled else scaled[0]
    rows = rows_of[figure]
    unranked = tuple(_unlike(figure, runs, shared))
    board, regraded = (None, 0) if unranked else _board(figure, runs, rows)
    tracks = sorted({row[0].track for row in rows}, key=partial(place_of, listed=last.tracks))
    by_track = {track: [row for row in rows if row[0].track == track] for track in tracks}
    return Ranking(
        runs=tuple(runs),
        shared=tuple(shared),
        reworded=tuple(reworded),
        left_out=tuple(len(run.queries) - len(shared) for run in runs),
        figure=figure,
        rows=tuple(rows),
        figures=figures,
        tracks=tuple(
            [TrackMeans(track=track, queries=len(of), means=_means(figure, of)) for track, of in by_track.items()]
        ),
        board=board,
        unranked=unranked,
        regraded=regraded,
    )


def _shared(runs: Sequence[Run]) -> tuple[list[tuple[Query, ...]], list[str]]:
    """The queries of all runs, as each has them, and the Query IDs of those that are reworded."""
    first, *others = runs
    paired = [counterparts(list(first.queries), list(run.queries), folded_ids) for run in others]
    shared, reworded = [], []
    for query_id, query in first.queries.items():
        if all(query_id in same for same in paired):
            row = (query, *[run.queries[same[query_id]] for run, same in zip(others, paired, strict=True)])
            asked = {(one.questions, one.expected): one for one in row}
            if any(is_reworded(*pair) for pair in combinations(asked.values(), 2)):
                reworded.append(query_id)
            else:
                shared.append(row)
    return shared, reworded


def _with_value(figure: str, runs: Sequence[Run], shared: Sequence[tuple[Query, ...]]) -> list[tuple[Query, ...]]:
    """The shared queries with a value in every run.

    A query that was run once has the consistency of a rule, which is in its total: then all have to be run once.
    """
    is_ruled = figure == TOTAL and any(CONSISTENCY in run.basis.weights for run in runs)
    return [
        row
        for row in shared
        if all(figure in query.values for query in row) and not (is_ruled and len({query.n < 2 for query in row}) > 1)
    ]


def _means(figure: str, rows: Sequence[Sequence[Query]]) -> tuple[float, ...]:
    return tuple([fsum(query.values[figure] for query in of_run) / len(rows) for of_run in zip(*rows, strict=True)])


def _unlike(figure: str, runs: Sequence[Run], shared: Sequence[tuple[Query, ...]]) -> Iterator[Unranked]:
    """The pairs of runs that are not alike, each with the first reason."""
    for a, b in combinations(range(len(runs)), 2):
        one, other = runs[a], runs[b]
        differs = {
            UnrankedKind.PROFILE: one.profile != other.profile,
            UnrankedKind.RUBRIC: one.rules_digest != other.rules_digest,
            UnrankedKind.ENGINE: one.engine_version != other.engine_version,
            UnrankedKind.ROUNDS: _rounds(one) != _rounds(other),
        }
        kind = next((kind for kind, is_there in differs.items() if is_there), None)
        if kind is not None:
            yield Unranked(a=a, b=b, kind=kind)
            continue
        why = unlike_figures(one, other, [Pair(row[a], row[b]) for row in shared]).get(figure)
        if why is not None:
            yield Unranked(a=a, b=b, kind=UnrankedKind.FIGURE, why=why)


def _rounds(run: Run) -> int:
    return 1 if run.selection else len(run.rounds)


def _board(figure: str, runs: Sequence[Run], rows: Sequence[tuple[Query, ...]]) -> tuple[Board, int]:
    """The board, and how many items were only graded anew."""
    basis = runs[-1].basis
    differences, regraded = {}, 0
    for a, b in combinations(range(len(runs)), 2):
        pairs = [Pair(row[a], row[b]) for row in rows]
        found = find_regraded(without_one_sided(pairs, basis).pairs, basis)
        regraded += len(found.items)
        differences[a, b] = [
            even.after.values.get(figure, pair.after.values[figure])
            - even.before.values.get(figure, pair.before.values[figure])
            for pair, even in zip(pairs, found.evened, strict=True)
        ]
    length = length_of(figure, max(run.basis.points.length for run in runs))
    return leaderboard(differences, len(runs), length=length), regraded
