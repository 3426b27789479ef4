"""Runs to compare, from the folder of a report or from a set that was just scored.

Both are read from the same two files, `report.json` and `items.csv`; of a set that was just scored they stay in
memory. So the same key gives the same values.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple

import msgspec

from reporting.data import ReadSlice, Report, build_report, decoded_lines, encode_items, item_cells, read_items
from reporting.store import ITEMS_CSV, REPORT_FORMAT_VERSION, REPORT_JSON, FileMark, known_of, run_info_in, run_key
from scoring import Memo, number
from scoring.comparison import ItemValues, Judge, KnownQueries, Losses, Run, RunId, earliest, reduce_items
from scoring.items import round_sort_key
from scoring.known import known_failures
from scoring.reading import NotRegularError, open_named, read_named, whole_hash
from scoring.results import ANSWERED, PASS, SECONDS, Execution, SetResult, find_insights
from scoring.rubric import Status, key_of_measure, normalise_header
from scoring.sets import SetId
from scoring.statistics import query_mean

_MOST_KEPT = 4_096  # points recur
_PAUSES_SECONDS = (0.0, 0.2, 1.0)  # a report that is being published has files of two versions for a moment


class UnreadableRunError(Exception):
    """The folder holds no report that this version can compare."""


class UnknownRoundError(Exception):
    """The run has no round of this label. rounds: the labels that it has."""

    def __init__(self, label: str, rounds: tuple[str, ...]) -> None:
        super().__init__(label, rounds)
        self.label = label
        self.rounds = rounds


class ReportedRun(NamedTuple):
    """A report, and the run of its items."""

    report: Report
    run: Run


def read_report(folder: Path) -> Report:
    """The report in a folder, without its items. Raises UnreadableRunError."""
    with _unreadable(OSError, ValueError):
        return _read_report(folder / REPORT_JSON)


def run_id(report: Report, *, selection: str = "") -> RunId:
    """The id of the run of a report, without reading its items."""
    digest = "" if report.judge is None else report.judge.digest
    return RunId(report.set, run_key(report.key, digest, selection), report.rubric_digest)


def read_run(folder: Path, *, selection: str = "") -> Run:
    """The run of the report in a folder. Raises as `read_reported`."""
    return read_reported(folder, selection=selection).run


def read_reported(folder: Path, *, selection: str = "") -> ReportedRun:
    """The report in a folder with its run. selection: label of the one round to compare, "" for all.

    Raises UnreadableRunError, also when `items.csv` is not the file that belongs to the report; UnknownRoundError.
    """
    for pause in _PAUSES_SECONDS:
        time.sleep(pause)
        with _unreadable(OSError, ValueError):
            found = _read(folder / REPORT_JSON, folder / ITEMS_CSV, selection)
        if found is not None:
            run = msgspec.structs.replace(found.run, info=run_info_in(folder).info)
            return found._replace(run=run)
    raise UnreadableRunError(ITEMS_CSV)


def with_known(run: Run, folder: Path) -> Run:
    """The run of the report in a folder with what a team knows of its failures."""
    lines = known_of(folder, run.name, run.profile)
    if lines is None:
        return run
    found = known_failures(lines, run.queries.values(), metric="", highest=0.0).known
    names = {query_id: line.ticket or line.resolution.value for query_id, line in found.items()}
    return msgspec.structs.replace(run, known=KnownQueries(lines.digest, names if lines.is_readable else None))


def read_repeats(folder: Path, report: Report, figure: str) -> list[list[float]]:
    """The values that the items of each query have in a figure, without those that have none.

    figure: a share (1 passes or is answered, 0 is not), or a metric that items have points of by themselves. report: of
    the folder. Raises UnreadableRunError, also when `items.csv` is not the file that belongs to the report.
    """
    names = {PASS: "passed", ANSWERED: "status"}
    values: Mapping[str, float | None] | Memo[str, float | None] = Memo(number, limit=_MOST_KEPT)
    if figure == PASS:
        values = {"true": 1.0, "false": 0.0, "": None}
    elif figure == ANSWERED:
        values = {status.value: float(status in report.basis.answered) for status in Status}
    found: defaultdict[str, list[float]] = defaultdict(list)
    with _unreadable(OSError, ValueError, KeyError), open_named(folder / ITEMS_CSV) as stream:
        hashed = whole_hash(stream)
        if report.files.get(ITEMS_CSV) != FileMark(hashed.size, hashed.sha256):
            raise UnreadableRunError(ITEMS_CSV)
        stream.seek(0)
        with TextIOWrapper(stream, encoding="utf-8-sig", newline="") as lines:
            for query_id, cell in item_cells(lines, ("query_id", names.get(figure, figure))):
                if (value := values[cell]) is not None:
                    found[query_id].append(value)
    return list(found.values())


def read_rounds(folder: Path) -> list[Run]:
    """The run of each round of the report in a folder by itself, in their order. Raises UnreadableRunError."""
    return [read_run(folder, selection=label) for label in read_run(folder).rounds]


def read_run_files(report: Path, items: Path) -> Run:
    """The run of a report that no other process writes. report, items: where its files are.

    Raises UnreadableRunError when they are missing or damaged, and OSError as the system does.
    """
    with _unreadable(FileNotFoundError, NotADirectoryError, NotRegularError, ValueError):
        found = _read(report, items, "")
    if found is None:
        raise UnreadableRunError(ITEMS_CSV)
    return found.run


def reported_of_result(result: SetResult, set_id: SetId, *, language: str, selection: str = "") -> ReportedRun:
    """The report of a scored set that is not published, with its run. Raises UnknownRoundError."""
    report = build_report(result, find_insights(result), set_id, language=language, files={})
    return ReportedRun(report, _run(report, decoded_lines(encode_items(result)), selection))


@contextmanager
def _unreadable(*kinds: type[Exception]) -> Iterator[None]:
    """Raise UnreadableRunError for an error of these kinds."""
    try:
        yield
    except kinds as error:
        raise UnreadableRunError(str(error)) from error


def _read_report(path: Path) -> Report:
    """Raises UnreadableRunError, OSError, ValueError."""
    report = msgspec.json.decode(read_named(path), type=Report)
    if report.format_version != REPORT_FORMAT_VERSION or not report.groups:
        raise UnreadableRunError(f"format {report.format_version}")
    return report


def _read(report_path: Path, items: Path, selection: str) -> ReportedRun | None:
    """None when the two files do not belong together. Raises UnreadableRunError, OSError, ValueError."""
    report = _read_report(report_path)
    with open_named(items) as stream:
        found = whole_hash(stream)
        if report.files.get(ITEMS_CSV) != FileMark(found.size, found.sha256):
            return None
        stream.seek(0)
        with TextIOWrapper(stream, encoding="utf-8-sig", newline="") as lines:
            return ReportedRun(report, _run(report, lines, selection))


def _run(report: Report, lines: Iterable[str], selection: str) -> Run:
    measures = tuple(measure.key for measure in report.basis.measures)
    labels: set[str] = set()
    slow = frozenset(report.insights.slow)
    executed = Execution()
    columns = report.insights.slices.columns if report.insights.slices else ()
    slices = {column.column: tuple([one.value for one in column.values]) for column in columns}
    extra = report.extra_columns
    read = [ReadSlice(normalise_header(title), extra.index(title) - len(extra), of) for title, of in slices.items()]

    def chosen() -> Iterator[ItemValues]:
        for at, item in enumerate(read_items(lines, measures, read)):
            labels.add(item.round)
            if not selection or item.round == selection:
                executed.add((item.executed_at,))
                yield item._replace(is_slow=True) if at in slow else item

    queries = reduce_items(chosen(), report.basis)
    rounds = tuple(sorted(labels, key=round_sort_key))
    if selection and selection not in labels:
        raise UnknownRoundError(selection, rounds)
    if selection:
        shown: dict[str, float | None] = {
            metric: _mean([query.values[metric] for query in queries.values() if metric in query.values])
            for metric in report.basis.names
        }
    else:
        shown = {
            **report.headline.metrics,
            PASS: report.headline.pass_rate,
            ANSWERED: report.headline.answered_rate,
            SECONDS: report.groups[0].set_seconds.mean,
            **{key_of_measure(name): found.set.mean for name, found in report.groups[0].measures.items()},
        }
    judge = report.judge
    return Run(
        name=report.set,
        key=run_id(report, selection=selection).key,
        selection=selection,
        profile=report.profile,
        rubric_digest=report.rubric_digest,
        engine_version=report.engine_version,
        judge=Judge() if judge is None else Judge(judge.model, judge.votes, judge.prompt),
        basis=report.basis,
        rounds=rounds,
        executed=earliest(executed.written),
        shown=shown,
        queries=queries,
        times=report.insights.executed,
        run_ids=report.insights.run_ids,
        titles={metric.name: metric.title for metric in report.metrics},
        damaged=report.damaged,
        banner=report.banner,
        damage=report.damage_texts,
        inputs=tuple(sorted([one.sha256 for one in report.inputs])),
        slices=slices,
        losses=Losses() if selection else Losses(report.insights.losses, report.insights.patterns),
    )


def _mean(values: list[float]) -> float | None:
    return query_mean(values) if values else None
