"""Interval of a mean without a scale, by Student's t over queries (docs/statistics.md).

Source: W. S. Gosset ("Student"), "The probable error of a mean", Biometrika 6 (1908) 1-25. The distribution for whole
degrees of freedom is M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions" (1964), 26.7.3 and 26.7.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import cos, pi, sin, sqrt

from scoring.statistics.intervals import ALPHA, Interval, standard_error

_NORMAL_FROM = 1_000  # degrees of freedom; from here on the quantile is that of the normal distribution within 0.0024
_NORMAL = 1.959963984540054
_LEAST_QUERIES = 2
_HALVINGS = 60
_DECIMALS = 9  # sine and cosine differ between machines in their last digit


def mean_interval_of_queries(value: float, means: Sequence[float], *, is_above_0: bool = False) -> Interval | None:
    """How far a mean could move if other queries of the same kind had been asked.

    value: the mean as it is shown. means: of each query, in any order. is_above_0: no value is negative, so that the
    low end is not below 0. None for fewer than two queries.
    """
    if len(means) < _LEAST_QUERIES:
        return None
    half = t_quantile(len(means) - 1) * standard_error(means)
    low = value - half
    return Interval(max(low, 0.0) if is_above_0 else low, value + half)


@lru_cache(maxsize=_NORMAL_FROM)
def t_quantile(degrees: int) -> float:
    """The t that a variable of so many degrees of freedom exceeds in size with a probability of ALPHA.

    degrees: 1 or more. Has 9 decimals.
    """
    if degrees >= _NORMAL_FROM:
        return _NORMAL
    low, high = 0.0, pi / 2  # of the angle whose tangent is t / sqrt(degrees)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, degrees) < 1 - ALPHA else (low, middle)
    return round(sqrt(degrees) * sin(high) / cos(high), _DECIMALS)


def _within(angle: float, degrees: int) -> float:
    """Probability that the size of t is at most sqrt(degrees) x tan(angle)."""
    is_odd = degrees % 2
    term = cos(angle) if is_odd else 1.0
    total = term if degrees > 1 else 0.0
    for step in range(2 + is_odd, degrees - 1, 2):
        term *= cos(angle) ** 2 * (step - 1) / step
        total += term
    return 2 / pi * (angle + sin(angle) * total) if is_odd else sin(angle) * total
