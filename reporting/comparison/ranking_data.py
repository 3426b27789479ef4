"""`ranking.json`: runs ranked, every figure at full precision, for programs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from reporting.comparison.data import RunEntry, run_entry
from reporting.comparison.ranking import MOST_DIFFERING, ranking_line
from scoring.comparison import Ranking, RunId, TrackMeans, Unranked
from scoring.items import ENGINE_VERSION
from scoring.statistics import RankedPair
from texts import Texts

FORMAT_VERSION = 1


class RankedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run. rank: from and to, null where nothing is ranked. mean: in the figure; figures: all that all runs have.

    left_out: its queries that not all runs have, or that are reworded.
    """

    run: RunEntry
    rank: tuple[int, int] | None
    mean: float
    figures: dict[str, float]
    left_out: int


class DifferingQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A query in which the runs differ. values: of each run, in the figure."""

    query_id: str
    question: str
    values: tuple[float, ...]


class RankingReport(msgspec.Struct, frozen=True, kw_only=True):
    """The content of ranking.json.

    runs: in the order in which they were named; pairs, unranked and the lists of values go by their places. queries:
    shared ones with a value of the figure in every run. pairs: b against a; empty where nothing is ranked, which
    `unranked` says the reasons of. differing: at most MOST_DIFFERING queries, those that differ most first.
    """

    format_version: int
    key: str
    language: str
    engine_version: int
    figure: str
    sentence: str
    queries: int
    runs: tuple[RankedRun, ...]
    pairs: tuple[dict[str, object], ...]
    unranked: tuple[Unranked, ...]
    tracks: tuple[TrackMeans, ...]
    differing: tuple[DifferingQuery, ...]
    reworded: tuple[str, ...]
    regraded: int


def ranking_key(runs: Sequence[RunId], *, pages: Sequence[str], language: str) -> str:
    """SHA-256 (hex) over everything that the files of a ranking depend on."""
    values = ["scorewatch-ranking", FORMAT_VERSION, ENGINE_VERSION, list(runs), list(pages), language]
    return hashlib.sha256(msgspec.json.encode(values)).hexdigest()


def build_ranking(ranking: Ranking, *, key: str, pages: Sequence[str], t: Texts) -> RankingReport:
    """The ranking as a value, ready for `encode_json`. pages: relative addresses of the reports."""
    board = ranking.board
    return RankingReport(
        format_version=FORMAT_VERSION,
        key=key,
        language=t.language,
        engine_version=ENGINE_VERSION,
        figure=ranking.figure,
        sentence=ranking_line(ranking, t),
        queries=len(ranking.rows),
        runs=tuple(
            RankedRun(
                run=run_entry(run, page),
                rank=None if board is None else board.ranks[at],
                mean=ranking.means[at],
                figures={name: means[at] for name, means in ranking.figures.items()},
                left_out=ranking.left_out[at],
            )
            for at, (run, page) in enumerate(zip(ranking.runs, pages, strict=True))
        ),
        pairs=() if board is None else tuple(_pair(pair) for pair in board.pairs),
        unranked=ranking.unranked,
        tracks=ranking.tracks,
        differing=tuple(
            DifferingQuery(
                query_id=row[0].query_id,
                question=row[0].question,
                values=tuple(query.values[ranking.figure] for query in row),
            )
            for row in ranking.differing[:MOST_DIFFERING]
        ),
        reworded=ranking.reworded,
        regraded=ranking.regraded,
    )


def _pair(pair: RankedPair) -> dict[str, object]:
    low, high = pair.interval
    return {**pair._asdict(), "interval": {"low": low, "high": high}}
