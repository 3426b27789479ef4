"""What people would give overall, from their grades of queries that were drawn at random.

Points: the double-sampling regression estimator, W. G. Cochran, "Sampling Techniques" (1977), chapter 12. Passes: W. J.
Rogan, B. Gladen, American Journal of Epidemiology 107 (1978) 71-76, with the interval of Z. Lang, J. Reiczigel,
Preventive Veterinary Medicine 113 (2014) 13-22. The methods are explained in docs/statistics.md.
"""

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from scoring.statistics.distributions import NORMAL, t_quantile
from scoring.statistics.intervals import Interval, query_mean

QUERIES_FOR_VALUE = 15  # reviewed at random; with fewer a report shows no corrected figure
QUERIES_FOR_INTERVAL = 30  # from here on the interval holds the truth often enough to be shown

_LEAST = 3  # queries that leave a degree of freedom beside a line
_ROUNDING = 1e-15  # of the squared scale; a spread below comes from floating point


class CorrectedPoints(NamedTuple):
    """What people would give on average. queries: of the set; reviewed: those with people's grades.

    slope: by how much people's points rise with those of the report. se: standard error of the value.
    """

    queries: int
    reviewed: int
    slope: float
    value: float
    se: float
    interval: Interval


class Graded(NamedTuple):
    """Items that people passed (positive) or failed (negative), by what the report said of them.

    true_positives, true_negatives: items where both agree. positive_queries, negative_queries: how many queries these
    items come from, which is what they are worth as observations.
    """

    true_positives: int
    positives: int
    true_negatives: int
    negatives: int
    positive_queries: int
    negative_queries: int


class CorrectedShare(NamedTuple):
    """What share people would pass.

    sensitivity, specificity: how often the report passes what people pass, and fails what people fail.
    """

    sensitivity: float
    specificity: float
    value: float
    interval: Interval


def corrected_points(
    scores: Sequence[float], reviewed: Mapping[int, float], *, floor: float = 0.0, top: float
) -> CorrectedPoints | None:
    """The mean of people's points over all queries, from a regression on the points that the report has.

    scores: of every query the mean points of the report. reviewed: index of a query -> the mean of people's points for
    it. floor, top: ends of the scale, at which value and interval are cut. None for fewer than three reviewed queries.
    """
    n, size = len(reviewed), len(scores)
    if n < _LEAST:
        return None
    ours, theirs = [scores[at] for at in reviewed], list(reviewed.values())
    mean_of_ours, mean_of_theirs = query_mean(ours), query_mean(theirs)
    spread = fsum([(x - mean_of_ours) ** 2 for x in ours])
    together = fsum([(x - mean_of_ours) * (y - mean_of_theirs) for x, y in zip(ours, theirs, strict=True)])
    slope = together / spread if spread > _ROUNDING * (top - floor) ** 2 else 0.0
    value = mean_of_theirs + slope * (query_mean(scores) - mean_of_ours)
    rests = [y - mean_of_theirs - slope * (x - mean_of_ours) for x, y in zip(ours, theirs, strict=True)]
    around_line = fsum([rest * rest for rest in rests]) / (n - 2)
    around_mean = fsum([(y - mean_of_theirs) ** 2 for y in theirs]) / (n - 1)
    se = sqrt(max(around_line / n + (around_mean - around_line) / size, 0.0))
    half = t_quantile(n - 2) * se
    interval = Interval(_between(floor, value - half, top), _between(floor, value + half, top))
    return CorrectedPoints(size, n, slope, _between(floor, value, top), se, interval)


def rogan_gladen(share: float, worth: float, graded: Graded) -> CorrectedShare | None:
    """The share that people would pass, from the share that the report passes.

    share: of the report. worth: how many independent observations it is worth, see `Spread.worth`. None where the
    report cannot tell: people passed or failed no item, or it is no better than chance, also when one item more of each
    kind had gone either way.
    """
    if not graded.positives or not graded.negatives:
        return None
    sensitivity = graded.true_positives / graded.positives
    specificity = graded.true_negatives / graded.negatives
    wider = _Rates(*_one_more(sensitivity, graded.positive_queries), *_one_more(specificity, graded.negative_queries))
    if sensitivity + specificity <= 1 or wider.power <= 0:
        return None
    value = (share + specificity - 1) / (sensitivity + specificity - 1)
    return CorrectedShare(sensitivity, specificity, _between(0.0, value, 1.0), _lang_reiczigel(share, worth, wider))


class _Rates(NamedTuple):
    """Sensitivity and specificity, each with the number of its observations, one success and one failure added."""

    sensitivity: float
    positives: float
    specificity: float
    negatives: float

    @property
    def power(self) -> float:
        """How much better than chance."""
        return self.sensitivity + self.specificity - 1


def _one_more(rate: float, n: int) -> tuple[float, float]:
    return (n * rate + 1) / (n + 2), n + 2


def _lang_reiczigel(share: float, worth: float, rates: _Rates) -> Interval:
    square = NORMAL * NORMAL
    n = worth + square
    apparent = (worth * share + square / 2) / n
    truth = (apparent + rates.specificity - 1) / rates.power
    of_sensitivity = rates.sensitivity * (1 - rates.sensitivity) / rates.positives
    of_specificity = rates.specificity * (1 - rates.specificity) / rates.negatives
    moved = 2 * square * (truth * of_sensitivity - (1 - truth) * of_specificity)
    variance = apparent * (1 - apparent) / n + truth**2 * of_sensitivity + (1 - truth) ** 2 * of_specificity
    half = NORMAL * sqrt(variance) / rates.power
    return Interval(_between(0.0, truth + moved - half, 1.0), _between(0.0, truth + moved + half, 1.0))


def _between(low: float, value: float, high: float) -> float:
    return min(max(value, low), high)
