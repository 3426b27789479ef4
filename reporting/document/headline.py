"""The figures that lead, in their order: total or level score, items that pass, items that are answered.

An item is *answered* by its status, and *passes* by the points that its document names; the two are never mixed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from reporting.store import TOTAL, Headline, MeasuredHeadline
from reporting.wording import (
    NONE,
    between,
    count,
    metric_word,
    minus,
    percent,
    score,
    shown_names,
    span,
    sure_percent,
    sure_score,
)
from scoring.rubric import RUBRICS
from scoring.statistics import Interval
from texts import Texts

if TYPE_CHECKING:
    from scoring.results import Sessions

LEADING = (TOTAL, RUBRICS)  # metrics that stand before the shares


def leading_metrics(metrics: Collection[str]) -> list[str]:
    """The metrics that lead, of those there are."""
    return [name for name in LEADING if name in metrics]


def measures_of(headlines: Iterable[Headline | None]) -> dict[str, MeasuredHeadline]:
    """The measures that any of them has, by the name among metrics; each as the last one has it."""
    found: dict[str, MeasuredHeadline] = {}
    for headline in headlines:
        found |= {} if headline is None else headline.measured
    return found


def headline_pieces(headline: Headline, t: Texts) -> list[str]:
    """`종합 점수 3.46`, `통과 40/60 (66.7%)`, `응답 성공 58/62 (93.5%)`."""
    pieces = [_figure(name, headline, t) for name in leading_metrics(headline.metrics)]
    if headline.passed is not None:
        pieces.append(passed_text(headline, t))
    return [*pieces, answered_text(headline, t)]


def all_pieces(headline: Headline, t: Texts) -> list[str]:
    """The figures that lead, then those of the other metrics."""
    leading = leading_metrics(headline.metrics)
    others = [metric for metric in shown_names(headline.metrics) if metric not in leading]
    return [*headline_pieces(headline, t), *(_figure(metric, headline, t) for metric in others)]


def leading_figure(headline: Headline, t: Texts) -> tuple[str, str]:
    """`응답 성공 83.0%` and `71–91`: the total where there is one, else a share, and its interval; "" without one."""
    if (value := headline.metrics.get(TOTAL)) is not None:
        interval = headline.intervals[TOTAL]
        return f"{metric_word(TOTAL, t)} {minus(score(value))}", "" if interval is None else span(interval)
    is_passed = headline.pass_rate is not None
    interval = headline.pass_interval if is_passed else headline.answered_interval
    share = headline.pass_rate if is_passed else headline.answered_rate
    text = t(
        "headline.passed" if is_passed else "headline.answered", share=NONE if share is None else percent(share, 1)
    )
    return text, "" if interval is None else between(*(str(int(100 * end + 0.5)) for end in interval))


def passed_text(headline: Headline, t: Texts) -> str:
    """`통과 40/60 (66.7%), 평가 제외 2`; "" for a document that does not say what passes."""
    if headline.passed is None:
        return ""
    left_out = headline.n - headline.assessed
    share = share_of(headline.passed, headline.assessed, headline.pass_interval)
    text = t("headline.passed", share=share)
    return t("headline.left-out", passed=text, n=count(left_out)) if left_out else text


def answered_text(headline: Headline, t: Texts) -> str:
    """`응답 성공 58/62 (93.5%)`."""
    return t("headline.answered", share=share_of(headline.answered, headline.n, headline.answered_interval))


def pass_cell(headline: Headline) -> str:
    """The share of items that pass, for a table."""
    return NONE if headline.passed is None else percent(headline.passed, headline.assessed)


def share_title(headline: Headline, t: Texts) -> str:
    """Title of the share that leads: of items that pass, else of those that are answered."""
    return t("headline.answered-rate" if headline.pass_rate is None else "headline.pass-rate")


def _figure(metric: str, headline: Headline, t: Texts) -> str:
    """`의도 충족 4.37 (3.96–4.63)`."""
    return f"{metric_word(metric, t)} {sure_score(headline.metrics[metric], headline.intervals[metric])}"


def sessions_text(sessions: Sessions, t: Texts) -> str:
    """`세션 통과 9/12 = 75.0% (46.8–91.1%)`."""
    share = sessions.all
    return t("headline.sessions", share=share_of(share.passed, share.n, share.interval))


def share_of(part: int, whole: int, interval: Interval | None) -> str:
    """`221/247 = 89.5% (82.4–93.9%)`; `0/0 (—)` of nothing."""
    shown = f"{count(part)}/{count(whole)}"
    return f"{shown} = {sure_percent(part, whole, interval)}" if whole else f"{shown} ({NONE})"
