"""Did it change: how often chance alone would move the queries of two runs as far, for one figure and for many.

If nothing changed, the difference of a query is as likely to have either sign. The test takes all assignments of signs
as equally likely: R. A. Fisher, "The Design of Experiments" (1935), section 21. On differences of +1 and -1 it is the
exact McNemar test (1947), on signed ranks the Wilcoxon signed-rank test (1945). See docs/statistics.md.

For many tracks and categories at once, p-values hold for the whole family: Y. Benjamini and Y. Hochberg, "Controlling
the false discovery rate", JRSS B 57 (1995) 289-300.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import erfc, fsum, gcd, sqrt

from scoring.statistics.intervals import standard_error

EXACT_BELOW = 200  # changed queries; from here on the normal approximation
EXACT_RANKS_BELOW = 100
DECIMALS = 9  # differences below are floating point, not data

_STEPS = 1_200  # of a scale: means of up to six items differ by whole steps
_POWER = 2.8015852181  # normal quantiles of 0.975 and 0.8 together: a test at 5 % with 80 % power
_LEAST_CHANGED = 6  # queries that all change alike: 2 / 2**6 is the first p-value below 5 %


def sign_flip(differences: Iterable[int], *, exact_below: int = EXACT_BELOW) -> float:
    """Two-sided p-value of the sum of the differences; 1 when none differs from 0.

    differences: one per query, in whole steps, see `whole_steps` and `signed_ranks`. exact_below: below this number of
    differences other than 0 all assignments of signs are counted; from it on the normal approximation with continuity
    correction is taken.
    """
    changed = [difference for difference in differences if difference]
    unit = gcd(*changed) or 1
    total = abs(sum(changed)) // unit
    sizes = sorted(abs(difference) // unit for difference in changed)
    if not total:
        return 1.0
    if len(sizes) >= exact_below:
        return erfc((total - 1) / sqrt(2 * sum(size * size for size in sizes)))
    # As far as observed means that the smaller side adds up to `least` or less, in either direction.
    least = (sum(sizes) - total) // 2
    return 2 * _subsets_up_to(least, sizes) / (1 << len(sizes))


def whole_steps(differences: Iterable[float], scale: float) -> list[int]:
    """Differences of means on a scale of this length, in steps of scale / 1200."""
    return [round(difference * _STEPS / scale) if difference else 0 for difference in differences]


def signed_ranks(differences: Iterable[float]) -> list[int]:
    """Twice the rank of each difference by size, with its sign; ties share their mean rank, zeros are left out."""
    rounded = [round(difference, DECIMALS) for difference in differences]
    sizes = Counter(abs(difference) for difference in rounded if difference)
    ranks: dict[float, int] = {}
    below = 0
    for size in sorted(sizes):
        ranks[size] = 2 * below + sizes[size] + 1
        below += sizes[size]
    return [ranks[abs(difference)] * (1 if difference > 0 else -1) for difference in rounded if difference]


def smallest_change(differences: Sequence[float]) -> float | None:
    """Smallest mean difference that this comparison finds with 80 % power (Miller 2024, section 5).

    differences: one per shared query. Never less than six queries that change as much as the changed ones did, because
    fewer never reach 5 %. None where no query changed: nothing says then how much queries vary.
    """
    changed = [abs(difference) for difference in differences if difference and round(difference, DECIMALS)]
    if not changed:
        return None
    n = len(differences)
    least = _LEAST_CHANGED * fsum(changed) / len(changed) / n
    return max(_POWER * standard_error(differences), least) if n > 1 else least


def _subsets_up_to(least: int, sizes: Sequence[int]) -> int:
    """Number of subsets of `sizes` that add up to `least` or less.

    The product of all (1 + x**size) as one whole number, a field of bits per power of x. It holds no power above
    `least`, and no sum of fields overflows a field.
    """
    field = len(sizes) + 1
    kept = (1 << (least + 1) * field) - 1
    product = 1
    for size in sizes:
        product += (product << size * field) & kept
    return product % ((1 << field) - 1)  # the sum of the fields, as casting out nines sums digits


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
