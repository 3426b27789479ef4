"""Many tracks and categories at once: p-values that hold for the whole family.

Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", JRSS B 57 (1995) 289-300. See docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Sequence


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Each p-value after Benjamini and Hochberg, in the order given.

    Where those up to 0.05 are reported as changes, at most 5 % of what is reported is chance, on average. A family is
    the tracks and categories of one metric; the figure of all queries is not part of it. Empty in, empty out.
    """
    n = len(p_values)
    found = [1.0] * n
    lowest = 1.0
    ranks = range(n, 0, -1)
    for rank, at in zip(ranks, sorted(range(n), key=p_values.__getitem__, reverse=True), strict=True):
        lowest = min(lowest, p_values[at] * n / rank)
        found[at] = lowest
    return found
