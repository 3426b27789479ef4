"""How the figures of a comparison look: points, shares in percent, seconds, signed differences, verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from reporting.wording import NONE, between_signed, count, measure_title, percent, quantity, score, seconds, titled
from scoring.comparison import ANSWERED, PASS, SECONDS, SHARES, Change, Comparison, Query, Run, has_no_scale
from scoring.rubric import Measure, is_measure, measure_named
from scoring.statistics import Interval
from texts import Texts

_LEAST_P = 0.001
_OWN_WORDS = (PASS, ANSWERED, SECONDS)


def metric_name(
    metric: str, t: Texts, measures: Iterable[Measure] = (), titles: Mapping[str, str] = MappingProxyType({})
) -> str:
    """A metric of a comparison in words. measures, titles: of a document; others are shown by their usual words."""
    measure = measure_named(measures, metric)
    if measure is not None:
        return measure_title(measure.title, measure.unit, t)
    return t(f"compare.{metric}") if metric in _OWN_WORDS else titled(metric, titles, t)


def metric_of(run: Run, metric: str, t: Texts) -> str:
    """A metric as the document of a run calls it: of the two that are compared, the later one."""
    return metric_name(metric, t, run.basis.measures, run.titles)


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
    return between_signed(low, high, t)


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


def verdicts_text(change: Change, margin: float | None, t: Texts) -> str:
    """The verdict, and the second one about the margin where there is one."""
    verdict = verdict_text(change, t)
    if margin is None or change.margin is None:
        return verdict
    return f"{verdict}, {t('compare.within', margin=f'{margin:g}', verdict=margin_text(change, t))}"


def passes_text(query: Query) -> str:
    """`1/2`: items that pass, of those assessed."""
    return f"{count(query.passed)}/{count(query.assessed)}" if query.assessed else NONE


def sentence(comparison: Comparison, t: Texts) -> str:
    """The change that leads in one sentence: what, from, to, difference, over how many queries, verdict.

    Then the smallest change that could have been found, where that is known.
    """
    change = comparison.headline
    metric = change.metric
    name = metric_of(comparison.after, metric, t)
    if change.difference is None:
        return t("compare.no-value", metric=name, n=count(len(comparison.pairing.shared)))
    values = {
        "metric": name,
        "before": value_text(metric, change.before),
        "after": value_text(metric, change.after),
        "difference": change_text(change, t),
        "n": count(change.queries),
        "verdict": verdicts_text(change, comparison.margin, t),
    }
    if change.interval is None:
        text = t("compare.sentence-short", **values)
    else:
        text = t("compare.sentence", **values, interval=interval_text(metric, change.interval, t))
    if change.smallest is None:
        return text
    return t("compare.could-show", sentence=text, smallest=size_text(metric, change.smallest, t))
