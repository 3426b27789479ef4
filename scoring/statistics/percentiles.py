"""Percentile of a list of numbers, by linear interpolation between neighbours.

The default rule of `numpy.percentile` and of Excel's PERCENTILE.INC, which is definition 7 of R. J. Hyndman and
Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50 (1996) 361-365. See
docs/scoring.md#mean-seconds.
"""

from __future__ import annotations

from collections.abc import Sequence

_PERCENT = 100


def percentile(ordered: Sequence[float], percent: int) -> float | None:
    """The value below which `percent` of the numbers lie, in their unit. ordered: ascending. None for no numbers.

    Its place is counted in whole numbers, and the value between two neighbours is computed as numpy computes it, from
    the nearer one: it is never beside them, and equal neighbours give exactly their value. Raises ValueError for a
    percent outside 0 to 100.
    """
    if not 0 <= percent <= _PERCENT:
        raise ValueError(f"{percent} is not a percent")
    if not ordered:
        return None
    at, rest = divmod((len(ordered) - 1) * percent, _PERCENT)
    low = ordered[at]
    if not rest:
        return low
    high, part = ordered[at + 1], rest / _PERCENT
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)
