"""More than two runs of the same queries: which are better than which, and the rank of each as a range.

Pairs are tested by sign-flip and all of them together by Holm, so that any false pair of a ranking is claimed in at
most 5 % of the cases (docs/statistics.md). Source: arXiv 2606.08679.
"""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import NamedTuple, Self

from scoring.statistics.change_intervals import DECIMALS, change_interval, holm, sign_flip, whole_steps
from scoring.statistics.distributions import ALPHA
from scoring.statistics.intervals import Interval


class RankedPair(NamedTuple):
    """Run b against run a, by their places. difference: of the means, b minus a.

    p: of the pair alone, p_holm: of all pairs together. interval: of the difference. win, tie, loss: queries in which b
    is above a, equal, or below.
    """

    a: int
    b: int
    difference: float
    p: float
    p_holm: float
    interval: Interval
    win: int
    tie: int
    loss: int

    @property
    def is_found(self) -> bool:
        """Is one of the two better, by all tests together?"""
        return self.p_holm <= ALPHA

    @property
    def mirrored(self) -> Self:
        """The same pair as a against b."""
        ends = Interval(-self.interval.high, -self.interval.low)
        turned = self._replace(a=self.b, b=self.a, difference=-self.difference, interval=ends)
        return turned._replace(win=self.loss, loss=self.win)


class Board(NamedTuple):
    """pairs: of places, the first ones first. ranks: of each run from and to, 1 is the best."""

    pairs: tuple[RankedPair, ...]
    ranks: tuple[tuple[int, int], ...]


def leaderboard(differences: Mapping[tuple[int, int], Sequence[float]], runs: int, *, length: float) -> Board:
    """The pairs and ranks of so many runs.

    differences: of every pair of places (a, b) with a < b the difference of each query, b minus a; one query or more.
    length: of the scale.
    """
    alone = [sign_flip(whole_steps(of_pair, length)) for of_pair in differences.values()]
    pairs = []
    for ((a, b), of_pair), p, p_holm in zip(differences.items(), alone, holm(alone), strict=True):
        signs = [round(one, DECIMALS) for one in of_pair]
        win, loss = sum(one > 0 for one in signs), sum(one < 0 for one in signs)
        interval = change_interval(of_pair, length=length, is_found=p_holm <= ALPHA)
        mean = fsum(of_pair) / len(of_pair)
        pairs.append(RankedPair(a, b, mean, p, p_holm, interval, win, len(signs) - win - loss, loss))
    above, below = [0] * runs, [0] * runs  # of each run how many are better, and worse
    for pair in pairs:
        if pair.is_found:
            better, worse = (pair.b, pair.a) if pair.difference > 0 else (pair.a, pair.b)
            above[worse] += 1
            below[better] += 1
    return Board(tuple(pairs), tuple((1 + up, runs - down) for up, down in zip(above, below, strict=True)))
