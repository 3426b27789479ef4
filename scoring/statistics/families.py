"""Several tests at once: p-values that hold for the whole family (docs/statistics.md).

S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70; Y. Benjamini and Y. Hochberg, JRSS B 57 (1995) 289-300.
"""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p-value after Holm, in the order given.

    Where those up to 0.05 are reported, the chance that any of them is false is at most 5 %. Empty in, empty out.
    """
    n = len(p_values)
    found = [1.0] * n
    highest = 0.0
    for rank, at in enumerate(sorted(range(n), key=p_values.__getitem__)):
        highest = max(highest, min(p_values[at] * (n - rank), 1.0))
        found[at] = highest
    return found


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Each p-value after Benjamini and Hochberg, in the order given.

    Where those up to 0.05 are reported, at most 5 % of what is reported is chance, on average. Empty in, empty out.
    """
    n = len(p_values)
    found = [1.0] * n
    lowest = 1.0
    ranks = range(n, 0, -1)
    for rank, at in zip(ranks, sorted(range(n), key=p_values.__getitem__, reverse=True), strict=True):
        lowest = min(lowest, p_values[at] * n / rank)
        found[at] = lowest
    return found
