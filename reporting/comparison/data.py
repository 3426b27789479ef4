"""`compare.json`: every figure of a comparison at full precision, for programs and for a gate; and its commit mark.

`ranking.json` is the same of runs that are ranked. The schema that is published in `docs/compare.schema.json` is made
from the classes of a comparison.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import msgspec

from reporting.comparison.absence import Absence
from reporting.comparison.figures import sentence
from reporting.comparison.ranking import MOST_DIFFERING, ranking_line
from reporting.comparison.view import notes_of
from reporting.store import CHANGES_HTML, COMPARE_JSON, BaselineFile, FileMark, StoredFile, published_schema
from scoring.comparison import (
    GRADED,
    Comparison,
    Difference,
    Flips,
    Grade,
    GradedAnew,
    GroupChanges,
    Judge,
    Origin,
    Pair,
    QueryChange,
    Ranking,
    RegradedItem,
    Run,
    RunId,
    TrackMeans,
    Unranked,
    Verdict,
)
from scoring.items import ENGINE_VERSION
from scoring.rubric import TrackId
from scoring.sets import RunInfo
from scoring.statistics import RankedPair
from texts import Texts

FORMAT_VERSION = 1
_FORMAT = "scorewatch-compare-1"


class RunEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One side. shown: figures of the whole run, by metric. page: relative address of its report.html, "" without one.

    selection: label of the one round that was compared, "" for all of them. executed: earliest time, "" where none
    parses. is_rescored: for the comparison, under a rubric or engine other than that of its report. info: what
    people say of the run; absent where they say nothing.
    """

    name: str
    key: str
    selection: str
    profile: str
    rubric_digest: str
    engine_version: int
    judge: Judge
    executed: str
    rounds: tuple[str, ...]
    queries: int
    items: int
    shown: dict[str, float | None]
    is_rescored: bool
    page: str
    info: RunInfo | msgspec.UnsetType = msgspec.UNSET


class QuerySide(msgspec.Struct, frozen=True, kw_only=True):
    """A query in one run: items that pass, of those assessed, and means over its items by metric."""

    passed: int
    assessed: int
    values: dict[str, float]


class QueryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A query that changed. change: of its score as a part of the scale, null without scores.

    known: the ticket of one that newly fails and is known, or what was decided of it; absent for others.
    """

    query_id: str
    question: str
    track: TrackId | None
    category: str
    change: float | None
    before: QuerySide
    after: QuerySide
    known: str | msgspec.UnsetType = msgspec.UNSET


class RewordedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A Query ID that asks for something else: questions, then expected results, of each side."""

    query_id: str
    before: tuple[str, ...]
    after: tuple[str, ...]


class GradeEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Points by metric, and by what they were given."""

    points: dict[str, float]
    origins: dict[str, str]


class RegradedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An item that says the same in both runs, with its two grades."""

    query_id: str
    round: str
    before: GradeEntry
    after: GradeEntry


class ComparisonReport(msgspec.Struct, frozen=True, kw_only=True):
    """The content of compare.json.

    key: of the comparison; the same key gives the same bytes. verdict, sentence: of the metric `headline`. notes: what
    else differs, in words; note_codes: slugs of these. differences: what the runs themselves differ in, as codes;
    `like_with_like`: every figure is comparable. origin: how the baseline was chosen, null for two runs that a person
    named. groups: all shared queries first. regraded: items that say the same in both runs with another grade, which
    are left out of every difference. reviewed: items that people graded on one side only, left out likewise; absent
    where there are none, as now_unanswered is. graded_anew: of two versions of the same inputs what people or a judge
    changed. files: size and hash of the pages beside.
    """

    format_version: int
    key: str
    language: str
    engine_version: int
    before: RunEntry
    after: RunEntry
    margin: float | None
    origin: Origin | None
    is_like_with_like: bool = msgspec.field(name="like_with_like")
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]
    note_codes: tuple[str, ...] = ()  # in no file of engine 9 and before
    headline: str
    verdict: Verdict
    sentence: str
    shared: int
    groups: tuple[GroupChanges, ...]
    groups_left_out: int
    flips: Flips
    regraded: tuple[RegradedEntry, ...]
    reviewed: int | msgspec.UnsetType = msgspec.UNSET
    graded_anew: GradedAnew | msgspec.UnsetType = msgspec.UNSET
    now_fails: tuple[QueryEntry, ...]
    now_unanswered: tuple[QueryEntry, ...] | msgspec.UnsetType = msgspec.UNSET
    now_passes: tuple[QueryEntry, ...]
    dropped: tuple[QueryEntry, ...]
    rose: tuple[QueryEntry, ...]
    appeared: tuple[str, ...]
    gone: tuple[str, ...]
    reworded: tuple[RewordedEntry, ...]
    moved: tuple[str, ...]
    files: dict[str, FileMark]


_STORED = StoredFile(ComparisonReport, COMPARE_JSON, FORMAT_VERSION)


def comparison_key(
    before: RunId,
    after: RunId,
    *,
    margin: float | None,
    pages: tuple[str, str],
    language: str,
    origin: Origin | None = None,
    has_changes: bool = False,
    told: str = "",
    known: str = "",
) -> str:
    """SHA-256 (hex) over everything that the files of a comparison depend on, known without reading any item.

    told: digest of what is said of the two runs. known: of the lines of known failures, "" where none is shown.
    """
    values = [_FORMAT, ENGINE_VERSION, before, after, margin, pages, language, origin, *[CHANGES_HTML] * has_changes]
    values += ["run", told] if told else []
    values += ["known", known] if known else []
    return hashlib.sha256(json.dumps(values, separators=(",", ":")).encode("ascii")).hexdigest()


def build_comparison(
    comparison: Comparison,
    *,
    key: str,
    pages: tuple[str, str],
    files: Mapping[str, FileMark],
    origin: Origin | None = None,
    t: Texts,
) -> ComparisonReport:
    """The comparison as a value, ready for `encode_json`. pages: relative addresses of the two reports."""
    before, after = comparison.before, comparison.after
    notes = list(notes_of(comparison, t))
    lists, pairing = comparison.lists, comparison.pairing
    return ComparisonReport(
        format_version=FORMAT_VERSION,
        key=key,
        language=t.language,
        engine_version=ENGINE_VERSION,
        before=run_entry(before, pages[0]),
        after=run_entry(after, pages[1]),
        margin=comparison.margin,
        origin=origin,
        is_like_with_like=comparison.is_like_with_like,
        differences=comparison.differences,
        notes=tuple(note.text for note in notes),
        note_codes=tuple(note.code for note in notes),
        headline=comparison.headline.metric,
        verdict=comparison.headline.verdict,
        sentence=sentence(comparison, t),
        shared=len(pairing.shared),
        groups=comparison.groups,
        groups_left_out=comparison.groups_left_out,
        flips=comparison.flips,
        regraded=tuple(map(_regraded, comparison.regraded.items)),
        reviewed=comparison.reviewed or msgspec.UNSET,
        graded_anew=comparison.graded_anew or msgspec.UNSET,
        now_fails=_entries(lists.now_fails, comparison.known_fails or {}),
        now_unanswered=_entries(lists.now_unanswered) or msgspec.UNSET,
        now_passes=_entries(lists.now_passes),
        dropped=_entries(lists.dropped),
        rose=_entries(lists.rose),
        appeared=tuple(query.query_id for query in pairing.appeared),
        gone=tuple(query.query_id for query in pairing.gone),
        reworded=tuple(map(_reworded, pairing.reworded)),
        moved=tuple(pair.after.query_id for pair in pairing.moved),
        files=dict(sorted(files.items())),
    )


def schema() -> dict[str, object]:
    """JSON Schema (2020-12) of compare.json: a comparison, or why there is none."""
    kinds, definitions = msgspec.json.schema_components((ComparisonReport, Absence), ref_template="#/$defs/{name}")
    return published_schema({"anyOf": list(kinds), "$defs": definitions})


def read_recorded(folder: Path, mark: BaselineFile) -> ComparisonReport | None:
    """The comparison with the baseline that `baseline.json` names; None where nothing was compared."""
    found = _STORED.read(folder) if mark.verdicts else None
    if found is None or (found.before.key, found.after.key) != (mark.baseline_key, mark.key):
        return None
    return found


def run_entry(run: Run, page: str) -> RunEntry:
    """One side. page: relative address of its report.html."""
    found = {name: getattr(run, name) for name in RunEntry.__struct_fields__ if name != "page"}
    shown = {metric: run.shown.get(metric) for metric in run.basis.names}
    info = run.info if run.info.said else msgspec.UNSET
    return RunEntry(**{**found, "queries": len(run.queries), "shown": shown, "info": info}, page=page)


def _regraded(item: RegradedItem) -> RegradedEntry:
    return RegradedEntry(query_id=item.query_id, round=item.round, before=_grade(item.before), after=_grade(item.after))


def _grade(grade: Grade) -> GradeEntry:
    graded = [(metric, value, origin) for metric, value, origin in zip(GRADED, *grade[:2], strict=True) if origin]
    return GradeEntry(
        points={metric: value for metric, value, _ in graded if value is not None},
        origins={metric: origin for metric, _, origin in graded},
    )


def _entries(changes: Iterable[QueryChange], known: Mapping[str, str] = MappingProxyType({})) -> tuple[QueryEntry, ...]:
    return tuple(
        [
            QueryEntry(
                query_id=pair.after.query_id,
                question=pair.after.question,
                track=pair.after.track,
                category=pair.after.category,
                change=change,
                before=msgspec.convert(pair.before, QuerySide, from_attributes=True),
                after=msgspec.convert(pair.after, QuerySide, from_attributes=True),
                known=known.get(pair.after.query_id, msgspec.UNSET),
            )
            for pair, change in changes
        ]
    )


def _reworded(pair: Pair) -> RewordedEntry:
    old, new = pair
    return RewordedEntry(
        query_id=new.query_id, before=(*old.questions, *old.expected), after=(*new.questions, *new.expected)
    )


RANKING_VERSION = 1


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
    values = ["scorewatch-ranking", RANKING_VERSION, ENGINE_VERSION, list(runs), list(pages), language]
    return hashlib.sha256(msgspec.json.encode(values)).hexdigest()


def build_ranking(ranking: Ranking, *, key: str, pages: Sequence[str], t: Texts) -> RankingReport:
    """The ranking as a value, ready for `encode_json`. pages: relative addresses of the reports."""
    board = ranking.board
    return RankingReport(
        format_version=RANKING_VERSION,
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
