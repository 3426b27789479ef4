"""How the figures of a comparison look: points, shares in percent, seconds, signed differences, verdicts."""

from __future__ import annotations

from reporting.wording.catalogue import Texts
from reporting.wording.display import NONE, count, percent, score, seconds
from reporting.wording.intervals import between_signed
from reporting.wording.names import titled
from scoring.comparison.basis import ANSWERED, PASS, SECONDS, SHARES
from scoring.comparison.changes import Change
from scoring.comparison.compare import Comparison
from scoring.comparison.run import Query, Run
from scoring.statistics.intervals import Interval

_LEAST_P = 0.001
_OWN_WORDS = (PASS, ANSWERED, SECONDS)


def metric_name(metric: str, t: Texts, run: Run | None = None) -> str:
    """A metric of a comparison in words. run: the later one, whose document has titles for the metrics."""
    return t(f"compare.{metric}") if metric in _OWN_WORDS else titled(metric, run.titles if run else {}, t)


def value_text(metric: str, value: float | None) -> str:
    """A value in the unit of its metric."""
    if value is None:
        return NONE
    if metric in SHARES:
        return percent(value, 1)
    return seconds(value) if metric == SECONDS else score(value)


def difference_text(metric: str, value: float | None, t: Texts) -> str:
    """A difference with its sign; percent points for shares. What is shown as 0 has none."""
    if value is None:
        return NONE
    size = value_text(metric, abs(value)).removesuffix("%")
    sign = "" if not size.strip("0.") else "+" if value > 0 else "−"
    return t("changes.percent-points", n=f"{sign}{size}") if metric in SHARES else f"{sign}{size}"


def change_text(change: Change, t: Texts) -> str:
    """The difference of a change; of seconds it is a median, which need not have the sign of the means beside it."""
    difference = difference_text(change.metric, change.difference, t)
    return t("compare.median", difference=difference) if change.metric == SECONDS else difference


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
    name = metric_name(metric, t, comparison.after)
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
