"""The runs of one profile in the order of their data, what changed between them, and the table for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from reporting.data.items_csv import cell
from reporting.store.status import Headline, StatusFile
from reporting.view.headline import measures_of
from reporting.wording.names import metric_place
from scoring.comparison.basis import ANSWERED, PASS
from scoring.comparison.compare import Difference
from scoring.sets.names import shown
from scoring.statistics.intervals import Interval

MOST_KEPT = 65_536
_HEAD = ("set", "executed", "items", "queries")
_END = ("rubric_digest", "engine_version", "judge", "questions", "changed")
_RATES = (PASS, ANSWERED)


@dataclass(frozen=True, slots=True, eq=False)
class TrendRun:
    """One run. changed: what differs from the run before, besides the answers.

    Runs are equal when made from the same status, so that a row can be cached.
    """

    name: str
    status: StatusFile
    changed: tuple[Difference, ...] = ()

    def __hash__(self) -> int:
        return hash((self.name, self.status.key, self.changed))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TrendRun)
            and self.status is other.status
            and (self.name, self.changed) == (other.name, other.changed)
        )


class Figure(NamedTuple):
    """A value with its interval; None without one. decimals: of a measure, as its document has them."""

    value: float | None
    interval: Interval | None
    decimals: int | None = None


def with_changes(runs: Sequence[tuple[str, StatusFile]]) -> list[TrendRun]:
    """The runs, (name, status) in the order of their data, each with what changed since the one before."""
    first = [TrendRun(*runs[0])] if runs else []
    return first + [TrendRun(*after, _changed(before[1], after[1])) for before, after in pairwise(runs)]


def trend_metrics(runs: Sequence[TrendRun]) -> list[str]:
    """The rates, metrics and measures that any of the runs has, those that lead first, without parts of the latency."""
    headlines = [run.status.headline for run in runs if run.status.headline is not None]
    found = {name for headline in headlines for name in headline.metrics if "." not in name}
    rates = [PASS] if any(headline.passed is not None for headline in headlines) else []
    return [*rates, *([ANSWERED] if headlines else []), *sorted(found, key=metric_place), *measures_of(headlines)]


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


def trend_csv(runs: Sequence[TrendRun], metrics: Sequence[str]) -> bytes:
    """A row per run: every metric with its interval at full precision, and what else differs from the run before."""
    names = [f"{metric}{end}" for metric in metrics for end in ("", "_low", "_high")]
    header = ",".join((*_HEAD, *map(cell, names), *_END))
    key = tuple(metrics)
    return "".join(["\ufeff", header, "\r\n", *(_row(run, key) for run in runs)]).encode(errors="replace")


@lru_cache(maxsize=MOST_KEPT)
def _row(run: TrendRun, metrics: tuple[str, ...]) -> str:
    return ",".join(_cells(run, metrics)) + "\r\n"


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


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def _changed(before: StatusFile, after: StatusFile) -> tuple[Difference, ...]:
    pairs = (
        (Difference.RUBRIC, before.rubric_digest, after.rubric_digest),
        (Difference.ENGINE, before.engine_version, after.engine_version),
        (Difference.JUDGE, before.judged_by, after.judged_by),
        (Difference.QUESTIONS, before.asked, after.asked),
    )
    return tuple(kind for kind, old, new in pairs if old != new)
