"""The runs of one profile in the order of their data, what changed between them, and the table for programs."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from reporting.data import cell
from reporting.store import BaselineFile, Headline, IndexEntry, StatusFile
from reporting.wording import metric_place
from scoring.comparison import Difference
from scoring.results import ANSWERED, PASS
from scoring.rubric import is_measure
from scoring.sets import RunInfo, shown
from scoring.statistics import Interval

_HEAD = ("set", "executed", "items", "queries")
_END = ("rubric_digest", "engine_version", "judge", "questions", "changed", "damaged")
_RATES = (PASS, ANSWERED)


@dataclass(frozen=True, slots=True)
class TrendRun:
    """One run. changed: what differs from the last run before it that is not damaged, besides the answers.

    info, before: what people say of it, and of that run before it. compared: with its baseline, None where it is not.
    is_first: has it no run before it, which it could be compared with?
    """

    name: str
    status: StatusFile
    changed: tuple[Difference, ...] = ()
    info: RunInfo = field(default_factory=RunInfo)
    before: RunInfo = field(default_factory=RunInfo)
    compared: BaselineFile | None = None
    is_first: bool = False


class Figure(NamedTuple):
    """A value with its interval; None without one. decimals: of a measure, as its document has them."""

    value: float | None
    interval: Interval | None
    decimals: int | None = None


def figures_of(headline: Headline | None) -> tuple[str, ...]:
    """Names of the rates, metrics and measures that a run has; parts of the latency are left out."""
    if headline is None:
        return ()
    rates = (ANSWERED,) if headline.passed is None else (PASS, ANSWERED)
    return (*rates, *(name for name in headline.metrics if "." not in name), *headline.measured)


def in_order(figures: Collection[str]) -> list[str]:
    """The rates, metrics and measures that any run has, those that lead first."""
    metrics = sorted((is_measure(name), metric_place(name), name) for name in figures if name not in _RATES)
    return [*(rate for rate in _RATES if rate in figures), *(name for *_, name in metrics)]


def figure_of(headline: Headline | None, metric: str) -> Figure:
    """A rate, a metric or the mean of a measure of a run."""
    if headline is None:
        return Figure(None, None)
    measure = headline.measured.get(metric)
    if measure is not None:
        return Figure(measure.mean, measure.interval, measure.decimals)
    if metric == PASS:
        return Figure(headline.pass_rate, headline.pass_interval)
    if metric == ANSWERED:
        return Figure(headline.answered_rate, headline.answered_interval)
    return Figure(headline.metrics.get(metric), headline.intervals.get(metric))


def csv_head(metrics: Sequence[str]) -> bytes:
    """The first line of the table, with the mark by which Excel knows UTF-8."""
    names = [f"{metric}{end}" for metric in metrics for end in ("", "_low", "_high")]
    return ",".join(("\ufeff" + _HEAD[0], *_HEAD[1:], *map(cell, names), *_END)).encode(errors="replace") + b"\r\n"


def csv_row(run: TrendRun, metrics: Sequence[str]) -> bytes:
    """A row: every metric with its interval at full precision, what else differs from the run before, and damage."""
    return ",".join(_cells(run, metrics)).encode(errors="replace") + b"\r\n"


def _cells(run: TrendRun, metrics: Sequence[str]) -> Iterator[str]:
    status, headline = run.status, run.status.headline
    yield cell(shown(run.name))
    yield status.executed
    yield "" if headline is None else str(headline.n)
    yield "" if headline is None else str(headline.queries)
    for metric in metrics:
        value, interval, _ = figure_of(headline, metric)
        yield _number(value)
        yield from map(_number, interval or (None, None))
    yield status.rubric_digest
    yield str(status.engine_version)
    yield cell(status.judged_by)
    yield status.asked
    yield " ".join(run.changed)
    yield "true" if status.damaged else ""


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def changed_since(before: IndexEntry, after: IndexEntry) -> tuple[Difference, ...]:
    """What differs from the run before, besides the answers. What a damaged run asked is not known: it lacks rows."""
    old, new = before.status, after.status
    differs = {
        Difference.RUBRIC: old.rubric_digest != new.rubric_digest,
        Difference.ENGINE: old.engine_version != new.engine_version,
        Difference.JUDGE: old.judged_by != new.judged_by or _is_graded_otherwise(before, after),
        Difference.QUESTIONS: old.asked != new.asked and not new.damaged,
    }
    return tuple([kind for kind, is_there in differs.items() if is_there])


def _is_graded_otherwise(before: IndexEntry, after: IndexEntry) -> bool:
    """Do the models differ? What a file names of them is known by comparisons: of the two, or of each with one run."""
    if after.compared is None or after.compared.baseline == before.set_name:
        return _has_other_judge(after)
    is_beside_one = before.compared is not None and before.compared.baseline == after.compared.baseline
    return is_beside_one and _has_other_judge(before) != _has_other_judge(after)


def _has_other_judge(entry: IndexEntry) -> bool:
    """Does its comparison say that others graded it, be it our judge or the models that the file names?"""
    compared = entry.compared
    return compared is not None and compared.is_about(entry.status) and Difference.JUDGE in compared.differences
