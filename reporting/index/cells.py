"""A row of the index in texts, for both formats; not yet escaped."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from reporting.document import leading_metrics, pass_cell
from reporting.index.rows import IndexRow, Rows
from reporting.store import BaselineFile, source_text
from reporting.trend import time_text
from reporting.wording import (
    NONE,
    WORSE_AGAIN,
    between,
    count,
    counted,
    excerpt,
    measure_title,
    metric_word,
    percent,
    quantity,
    run_info_lines,
    score,
    sure_quantity,
    sure_score,
    verdict_mark,
)
from scoring.comparison import Difference, Verdict
from scoring.judging import JudgeState
from scoring.results import ANSWERED, PASS
from scoring.sets import shown
from texts import Texts

NAME_CHARS = 120
PROBLEM_CHARS = 4_000  # more than any text of ours: a remedy is at its end
_KINDS = {
    Verdict.WORSE: "h",
    Verdict.BETTER: "b",
    Verdict.CHANGED: "c",
    Verdict.NOT_DISTINGUISHABLE: "n",
    Verdict.SAME: "s",
    Verdict.NOT_COMPARABLE: "x",
}
MARKS = {
    "w": WORSE_AGAIN,
    **{kind: verdict_mark(verdict) for verdict, kind in _KINDS.items()},
    "d": verdict_mark(Verdict.NOT_COMPARABLE),
}
WORST_FIRST = "whdxbcns"
_WITH_NOTE = {JudgeState.PENDING, JudgeState.INCOMPLETE}


class MetricCell(NamedTuple):
    """A metric with its verdict beside the baseline (`verdict_kind`), "" for none.

    ends: of its interval, none without one. sure: value and interval in one.
    """

    value: str
    kind: str
    ends: tuple[str, ...]
    sure: str

    @property
    def mark(self) -> str:
        """The sign of the verdict."""
        return MARKS.get(self.kind, "")

    @property
    def interval(self) -> str:
        """`3.96–4.63`; "" without one."""
        return between(*self.ends) if self.ends else ""


class RowTexts(NamedTuple):
    """The cells of a row. notes: beside the state. problem: why there is no report, "" for a report.

    n, and the figures: "—" where there is no figure; of a problem all are. baseline: "" where the report is
    not compared yet.
    """

    name: str
    state: str
    notes: str
    problem: str
    executed: str
    n: str
    passed: MetricCell
    answered: MetricCell
    metrics: tuple[MetricCell, ...]
    baseline: str
    look_at: str


def row_texts(row: IndexRow, metrics: Sequence[str], t: Texts) -> RowTexts:
    """metrics: the columns."""
    status = row.entry.status
    headline = status.headline
    first = status.findings[0].text if status.findings and not row.is_report else ""
    return RowTexts(
        name=set_title(row.entry.set_name),
        state=t(f"state.{status.state.value}"),
        notes=", ".join(notes_of(row, t)),
        problem=excerpt(first, PROBLEM_CHARS),
        executed=time_text(status.executed) if status.executed else t("index-js.arrived", at=arrived(row)),
        n=NONE if headline is None else count(headline.n),
        passed=_rate(row, PASS, NONE if headline is None else pass_cell(headline)),
        answered=_rate(row, ANSWERED, NONE if headline is None else percent(headline.answered, headline.n)),
        metrics=tuple(metric_cell(row, name, t) for name in metrics),
        baseline=baseline_title(row.compared, t),
        look_at=counted(status.findings, t),
    )


def _rate(row: IndexRow, name: str, shown: str) -> MetricCell:
    """A share of the items, whose interval has no place in a row."""
    return MetricCell(shown, _row_kind(row, name, shown), (), shown)


def arrived(row: IndexRow) -> str:
    """When a set without a time of its own was first published, as far as that is known."""
    return moment((row.entry.first_published_ns or row.entry.published_ns) / 1e9)


def moment(at: float) -> str:
    """A time by the clock of this machine. at: seconds since the epoch."""
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M")  # noqa: DTZ006 -- as people's clocks have it


def set_title(set_name: str) -> str:
    """The name of a set as it is shown."""
    return excerpt(shown(set_name), NAME_CHARS)


def baseline_title(compared: BaselineFile | None, t: Texts) -> str:
    """The name of the run that it is compared with, or that there is none; "" where that is not known yet."""
    if compared is None:
        return ""
    return excerpt(shown(compared.baseline), NAME_CHARS) if compared.verdicts else t("index-js.no-baseline")


def notes_of(row: IndexRow, t: Texts) -> list[str]:
    """Notes beside the state: removed or renamed files, the gate, and items that a judge has left."""
    notes = [] if row.mark is None else [source_text(row.mark, t)]
    if row.entry.gate is not None:
        notes.append(f"{t('gate.title')} {t(f'gate.state.{row.entry.gate.result.state}')}")
    judge = row.entry.status.judge
    if judge in _WITH_NOTE:
        notes.append(t(f"index.judge-{judge.value}"))
    if said := said_of_run(row, t):
        notes.append(said)
    return notes


def said_of_run(row: IndexRow, t: Texts) -> str:
    """What people say of the run in a few words, "" for nothing."""
    return excerpt(" · ".join(run_info_lines(row.entry.told.info, t)[:1]), NAME_CHARS)


def metric_cell(row: IndexRow, metric: str, t: Texts) -> MetricCell:
    """One metric or measure of a row."""
    headline = row.entry.status.headline
    if headline is None:
        return MetricCell(NONE, "", (), NONE)
    is_damaged = row.entry.status.damaged
    measure = headline.measured.get(metric)
    if measure is not None:
        interval = None if is_damaged else measure.interval
        show: Callable[[float | None], str] = partial(quantity, decimals=measure.decimals)
        shown, sure = show(measure.mean), sure_quantity(measure.mean, interval, measure.decimals, t)
    else:
        value, interval = headline.metrics.get(metric), None if is_damaged else headline.intervals.get(metric)
        show, shown, sure = score, score(value), sure_score(value, interval)
    return MetricCell(shown, _row_kind(row, metric, shown), tuple(map(show, interval or ())), sure)


def _row_kind(row: IndexRow, metric: str, shown: str) -> str:
    """The verdict of a figure; of a damaged run all are damaged, as on its pages."""
    if row.entry.status.damaged:
        return "" if shown == NONE else "d"
    return verdict_kind(row.compared, metric)


def column_titles(rows: Rows, t: Texts) -> list[str]:
    """What the columns of the metrics are called; a measure as a document calls it."""
    measures = rows.measures
    return [measure_title(*measures[name], t) if name in measures else metric_word(name, t) for name in rows.metrics]


def leading_column(row: IndexRow, metrics: Sequence[str]) -> int | None:
    """Column of the metric that leads in this row: the total or the level score, where the set has one."""
    headline = row.entry.status.headline
    values = {} if headline is None else headline.metrics
    found = leading_metrics([name for name, value in values.items() if value is not None])
    return metrics.index(found[0]) if found else None


def differences(compared: BaselineFile | None) -> list[Difference]:
    """What else than the answers differs from the baseline, so that like is not compared with like."""
    if compared is None or compared.is_like_with_like:
        return []
    return [kind for kind in compared.differences if kind is not Difference.QUESTIONS]


def figure_mark(compared: BaselineFile | None, metric: str) -> str:
    """The sign of a verdict, "" for none."""
    return MARKS.get(verdict_kind(compared, metric), "")


def verdict_kind(compared: BaselineFile | None, metric: str) -> str:
    """Of MARKS: w worse again, h worse, b better, c changed, n not distinguishable, s no query changed.

    x not comparable, d for its damage; "" for none. A figure that is compared by its classes alone has their worst one,
    and c where they are better and worse.
    """
    if compared is None:
        return ""
    if metric in compared.verdicts:
        return _kind(compared, metric)
    parts = [_kind(compared, name) for name in compared.verdicts if name.startswith(f"{metric}.")]
    return "c" if {"b", "h"} <= {*parts} else min(filter(None, parts), key=WORST_FIRST.index, default="")


def _kind(compared: BaselineFile, metric: str) -> str:
    if compared.is_worse_again(metric):
        return "w"
    kind = _KINDS.get(compared.verdicts[metric], "")
    return "d" if kind and compared.damaged and metric in compared.damaged else kind
