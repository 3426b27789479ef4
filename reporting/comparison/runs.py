"""Runs to compare, from the folder of a report or from a set that was just scored.

Both are read from the same two files, `report.json` and `items.csv`; of a set that was just scored they stay in
memory. So the same key gives the same values.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import msgspec

from reporting.data.items_csv import encode_items
from reporting.data.items_csv_rows import decoded_lines, read_items
from reporting.store.baseline import run_key
from reporting.store.set_folder import ITEMS_CSV
from reporting.store.status import REPORT_FORMAT_VERSION, REPORT_JSON, FileMark, Headline, headline_of
from scoring.comparison.basis import ANSWERED, PASS, SECONDS, Basis
from scoring.comparison.order import earliest
from scoring.comparison.reduce import ItemValues, reduce_items
from scoring.comparison.run import Judge, Run, RunId
from scoring.items.rounds_and_tracks import round_sort_key
from scoring.reading.content_hash import whole_hash
from scoring.reading.regular_file import NotRegularError, open_named, read_named
from scoring.results.insights import run_ids
from scoring.results.model import SetResult
from scoring.results.table.execution import Execution, TimeRange
from scoring.rubric.measures import MEASURE_PREFIX
from scoring.statistics.intervals import query_mean

_PAUSES_SECONDS = (0.0, 0.2, 1.0)  # a report that is being published has files of two versions for a moment


class UnreadableRunError(Exception):
    """The folder holds no report that this version can compare."""


class UnknownRoundError(Exception):
    """The run has no round of this label. rounds: the labels that it has."""

    def __init__(self, label: str, rounds: tuple[str, ...]) -> None:
        super().__init__(label, rounds)
        self.label = label
        self.rounds = rounds


class RunInput(msgspec.Struct, frozen=True):
    """An input file of a run."""

    name: str
    sha256: str


class _JudgeMark(msgspec.Struct, frozen=True):
    model: str = ""
    votes: int = 1
    prompt: str = ""
    digest: str = ""


class _Mean(msgspec.Struct, frozen=True):
    mean: float | None = None


class _MeasureHead(msgspec.Struct, frozen=True):
    set: _Mean


class _GroupHead(msgspec.Struct, frozen=True):
    set_seconds: _Mean
    measures: dict[str, _MeasureHead] = {}


class _InsightsHead(msgspec.Struct, frozen=True):
    run_ids: tuple[str, ...] = ()
    executed: TimeRange | None = None


class _Title(msgspec.Struct, frozen=True):
    name: str
    title: str


class ReportHead(msgspec.Struct, frozen=True, kw_only=True):
    """What of `report.json` a run needs. groups: all items first. judge: null for profiles with nothing for one."""

    format_version: int
    set: str
    key: str
    profile: str
    engine_version: int
    rubric_digest: str
    headline: Headline
    basis: Basis
    metrics: tuple[_Title, ...] = ()
    groups: tuple[_GroupHead, ...]
    inputs: tuple[RunInput, ...]
    files: dict[str, FileMark]
    insights: _InsightsHead = _InsightsHead()
    judge: _JudgeMark | None = None


def read_head(folder: Path) -> ReportHead:
    """The head of the report in a folder. Raises UnreadableRunError."""
    with _unreadable(OSError, ValueError):
        return _read_head(folder / REPORT_JSON)


def run_id(head: ReportHead, *, selection: str = "") -> RunId:
    """The id of the run of a report, without reading its items."""
    digest = "" if head.judge is None else head.judge.digest
    return RunId(head.set, run_key(head.key, digest, selection), head.rubric_digest)


def read_run(folder: Path, *, selection: str = "") -> Run:
    """The run of the report in a folder. selection: label of the one round to compare, "" for all.

    Raises UnreadableRunError, also when `items.csv` is not the file that belongs to the report; UnknownRoundError.
    """
    for pause in _PAUSES_SECONDS:
        time.sleep(pause)
        with _unreadable(OSError, ValueError):
            run = _read_run(folder / REPORT_JSON, folder / ITEMS_CSV, selection)
        if run is not None:
            return run
    raise UnreadableRunError(ITEMS_CSV)


def read_run_files(report: Path, items: Path) -> Run:
    """The run of a report that no other process writes. report, items: where its files are.

    Raises UnreadableRunError when they are missing or damaged, and OSError as the system does.
    """
    with _unreadable(FileNotFoundError, NotADirectoryError, NotRegularError, ValueError):
        run = _read_run(report, items, "")
    if run is None:
        raise UnreadableRunError(ITEMS_CSV)
    return run


def run_of_result(result: SetResult, *, name: str, key: str, selection: str = "") -> Run:
    """The run of a scored set. Raises UnknownRoundError."""
    judge: Mapping[str, Any] | None = None
    if result.judge is not None:
        judge = {part: getattr(result.judge, part) for part in _JudgeMark.__struct_fields__}
    head = ReportHead(
        format_version=REPORT_FORMAT_VERSION,
        set=name,
        key=key,
        profile=result.rubric.profile,
        engine_version=result.engine_version,
        rubric_digest=result.rubric_digest,
        headline=headline_of(result),
        basis=Basis.of(result.rubric),
        metrics=tuple(_Title(metric.name, metric.title) for metric in result.rubric.metrics),
        groups=(msgspec.convert(result.groups[0], _GroupHead, from_attributes=True),),
        inputs=tuple(RunInput(entry.name, entry.sha256) for entry in result.inputs),
        files={},
        insights=_InsightsHead(run_ids(result.table), result.table.executed.time_range()),
        judge=None if judge is None else _JudgeMark(**judge),
    )
    return _run(head, decoded_lines(encode_items(result)), selection)


@contextmanager
def _unreadable(*kinds: type[Exception]) -> Iterator[None]:
    """Raise UnreadableRunError for an error of these kinds."""
    try:
        yield
    except kinds as error:
        raise UnreadableRunError(str(error)) from error


def _read_head(path: Path) -> ReportHead:
    """Raises UnreadableRunError, OSError, ValueError."""
    head = msgspec.json.decode(read_named(path), type=ReportHead)
    if head.format_version != REPORT_FORMAT_VERSION or not head.groups:
        raise UnreadableRunError(f"format {head.format_version}")
    return head


def _read_run(report: Path, items: Path, selection: str) -> Run | None:
    """None when the two files do not belong together. Raises UnreadableRunError, OSError, ValueError."""
    head = _read_head(report)
    with open_named(items) as stream:
        found = whole_hash(stream)
        if head.files.get(ITEMS_CSV) != FileMark(found.size, found.sha256):
            return None
        stream.seek(0)
        with TextIOWrapper(stream, encoding="utf-8-sig", newline="") as lines:
            return _run(head, lines, selection)


def _run(head: ReportHead, lines: Iterable[str], selection: str) -> Run:
    measures = tuple(measure.key for measure in head.basis.measures)
    labels: set[str] = set()
    executed = Execution()

    def chosen() -> Iterator[ItemValues]:
        for item in read_items(lines, measures):
            labels.add(item.round)
            if not selection or item.round == selection:
                executed.add((item.executed_at,))
                yield item

    queries = reduce_items(chosen(), head.basis)
    rounds = tuple(sorted(labels, key=round_sort_key))
    if selection and selection not in labels:
        raise UnknownRoundError(selection, rounds)
    if selection:
        shown: dict[str, float | None] = {
            metric: _mean([query.values[metric] for query in queries.values() if metric in query.values])
            for metric in head.basis.names
        }
    else:
        shown = {
            **head.headline.metrics,
            PASS: head.headline.pass_rate,
            ANSWERED: head.headline.answered_rate,
            SECONDS: head.groups[0].set_seconds.mean,
            **{f"{MEASURE_PREFIX}{name}": found.set.mean for name, found in head.groups[0].measures.items()},
        }
    judge = head.judge or _JudgeMark()
    return Run(
        name=head.set,
        key=run_id(head, selection=selection).key,
        selection=selection,
        profile=head.profile,
        rubric_digest=head.rubric_digest,
        engine_version=head.engine_version,
        judge=Judge(judge.model, judge.votes, judge.prompt),
        basis=head.basis,
        rounds=rounds,
        executed=earliest(executed.written),
        shown=shown,
        queries=queries,
        times=head.insights.executed,
        run_ids=head.insights.run_ids,
        titles={metric.name: metric.title for metric in head.metrics},
    )


def _mean(values: list[float]) -> float | None:
    return query_mean(values) if values else None
