"""Figures with their intervals, groups of few queries, and what may be named as the weakest (docs/statistics.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reporting.wording.display import count, percent, quantity, score
from scoring.statistics import FEW_QUERIES, Interval
from texts import Texts

if TYPE_CHECKING:
    from scoring.results import Weakest

_UNITS = ("%",)


def between(low: str, high: str) -> str:
    """`3.96–4.63`, `83.9–93.3%`: a range of values that usually have no sign, from its two ends as they are shown.

    A unit of both stands once. Where an end is negative the dash has blanks: `−1.00 – 0.50`.
    """
    low, high = minus(low), minus(high)
    for unit in _UNITS:
        if high.endswith(unit):
            low = low.removesuffix(unit)
    return f"{low} – {high}" if low.startswith("−") or high.startswith("−") else f"{low}–{high}"


def between_signed(low: str, high: str, t: Texts) -> str:
    """`−0.66 ~ +0.11`: a range of differences, where a dash would read as one more minus."""
    return t("interval.signed", low=minus(low), high=minus(high))


def minus(shown: str) -> str:
    """A number as it is shown, with a minus sign instead of a hyphen."""
    return f"−{shown[1:]}" if shown.startswith("-") else shown


def span(interval: Interval) -> str:
    """`3.96–4.63`."""
    return between(score(interval.low), score(interval.high))


def sure_score(value: float | None, interval: Interval | None) -> str:
    """`4.37 (3.96–4.63)`; the value alone without an interval."""
    shown = minus(score(value))
    return shown if interval is None else f"{shown} ({span(interval)})"


def sure_quantity(value: float | None, interval: Interval | None, decimals: int | None, t: Texts) -> str:
    """`1,234.5 (980 to 1,489)`, the value of a measure; alone without an interval."""
    shown = minus(quantity(value, decimals))
    if interval is None:
        return shown
    low, high = (minus(quantity(end, decimals)) for end in interval)
    return t("measures.sure", value=shown, low=low, high=high)


def sure_percent(part: float, whole: float, interval: Interval | None) -> str:
    """`89.5% (83.9–93.3%)`; the share alone without an interval."""
    share = percent(part, whole)
    if interval is None:
        return share
    return f"{share} ({between(percent(interval.low, 1), percent(interval.high, 1))})"


def few(shown: str, queries: int, t: Texts) -> str:
    """`4 (적음)`: a text about a group, which says so where the group has fewer than FEW_QUERIES queries."""
    return t("queries.few", shown=shown) if 0 < queries < FEW_QUERIES else shown


def sample_size(queries: int, items: str, t: Texts) -> str:
    """`질의 83개, 247문항`. items: their number as it is shown."""
    return f"{few(t.counted('queries', count(queries)), queries, t)}, {items}"


def weakest_text(entry: Weakest, name: str, t: Texts) -> str:
    """The place with the lowest value: its name where it is the weakest, else also that chance can make it the lowest.

    `Track 3`, `Track 2: 가장 낮지만 구분되지 않음 (질의 4개)`.
    """
    if entry.is_distinct:
        return name
    return t("lowest.not-distinct", place=name, queries=t.counted("queries", count(entry.queries)))
