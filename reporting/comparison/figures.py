"""How the figures of a comparison look: points, shares in percent, seconds, signed differences, verdicts."""

from __future__ import annotations

from collections.abc import Iterable

from reporting.wording.catalogue import Texts
from reporting.wording.display import NONE, count, percent, quantity, score, seconds
from reporting.wording.names import measure_title, metric_word
from scoring.comparison.basis import ANSWERED, PASS, SECONDS, SHARES, has_no_scale
from scoring.comparison.changes import Change
from scoring.comparison.run import Query
from scoring.rubric.measures import Measure, is_measure, measure_named
from scoring.statistics.intervals import Interval

_LEAST_P = 0.001
_OWN_WORDS = (PASS, ANSWERED, SECONDS)


def metric_name(metric: str, t: Texts, measures: Iterable[Measure] = ()) -> str:
    """A metric of a comparison in words. measures: whose titles are known; others are shown by their names."""
    measure = measure_named(measures, metric)
    if measure is not None:
        return measure_title(measure.title, measure.unit, t)
    return t(f"compare.{metric}") if metric in _OWN_WORDS else metric_word(metric, t)


def value_text(metric: str, value: float | None, decimals: int | None = None) -> str:
    """A value in the unit of its metric. decimals: of a measure, None where they are not known."""
    if value is None:
        return NONE
    if metric in SHARES:
        return percent(value, 1)
    if is_measure(metric):
        return quantity(value, decimals)
    return seconds(value) if metric == SECONDS else score(value)


def difference_text(metric: str, value: float | None, t: Texts) -> str:
    """A difference with its sign; percent points for shares. What is shown as 0 has none."""
    if value is None:
        return NONE
    size = value_text(metric, abs(value)).removesuffix("%")
    sign = "" if not size.strip("0.") else "+" if value > 0 else "−"
    return t("changes.percent-points", n=f"{sign}{size}") if metric in SHARES else f"{sign}{size}"


def change_text(change: Change, t: Texts) -> str:
    """The difference of a change; without a scale it is a median, which need not have the sign of the means beside."""
    difference = difference_text(change.metric, change.difference, t)
    return t("compare.median", difference=difference) if has_no_scale(change.metric) else difference


def size_text(metric: str, value: float | None, t: Texts) -> str:
    """The size of a difference, without a sign."""
    return difference_text(metric, value, t).lstrip("+−")


def interval_text(metric: str, interval: Interval | None, t: Texts) -> str:
    """An interval of a difference; "—" without one."""
    if interval is None:
        return NONE
    low, high = (difference_text(metric, end, t) for end in interval)
    return t("compare.interval", low=low, high=high)


def p_text(p: float | None) -> str:
    """A p-value with three decimals."""
    if p is None:
        return NONE
    return f"<{_LEAST_P}" if p < _LEAST_P else f"{p:.3f}"


def verdict_text(change: Change, t: Texts) -> str:
    """The verdict in words."""
    return t(f"compare.verdict.{change.verdict.value}")


def margin_text(change: Change, t: Texts) -> str:
    """What the interval shows about the margin, in words."""
    return NONE if change.margin is None else t(f"compare.margin.{change.margin.value}")


def passes_text(query: Query) -> str:
    """`1/2`: items that pass, of those assessed."""
    return f"{count(query.passed)}/{count(query.assessed)}" if query.assessed else NONE


def sentence(change: Change, shared: int, margin: float | None, t: Texts) -> str:
    """A change in one sentence: what, from, to, difference, over how many queries, verdict, smallest change.

    shared: queries in both runs.
    """
    metric = change.metric
    name = metric_name(metric, t)
    if change.difference is None:
        return t("compare.no-value", metric=name, n=count(shared))
    verdict = verdict_text(change, t)
    if margin is not None and change.margin is not None:
        verdict += ", " + t("compare.within", margin=f"{margin:g}", verdict=margin_text(change, t))
    values = {
        "metric": name,
        "before": value_text(metric, change.before),
        "after": value_text(metric, change.after),
        "difference": change_text(change, t),
        "n": count(change.queries),
        "verdict": verdict,
        "smallest": size_text(metric, change.smallest, t),
    }
    if change.interval is None:
        return t("compare.sentence-short", **values)
    return t("compare.sentence", **values, interval=interval_text(metric, change.interval, t))
