"""How sure a figure is, and whether two differ."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.statistics.attempts import Attempts, Reliability, Repeats, Share, VarianceSplit, reliability, repeats
    from scoring.statistics.attempts import split_variance
    from scoring.statistics.change_intervals import DECIMALS, EXACT_RANKS_BELOW, Board, LeastMargin, RankedPair, Shift
    from scoring.statistics.change_intervals import benjamini_hochberg, change_interval, holm, leaderboard
    from scoring.statistics.change_intervals import least_margin, shift, sign_flip, signed_ranks, smallest_change
    from scoring.statistics.change_intervals import whole_steps
    from scoring.statistics.corrected import QUERIES_FOR_INTERVAL, QUERIES_FOR_VALUE, Graded, corrected_points
    from scoring.statistics.corrected import rogan_gladen
    from scoring.statistics.distributions import ALPHA
    from scoring.statistics.group_tests import RoundsTest, lower_by_chance, rounds_alike, sample_of
    from scoring.statistics.intervals import FEW_QUERIES, Interval, Queries, Rounds, Spread, Values, deviation
    from scoring.statistics.intervals import in_one_round, interval_of_spread, mean_interval, mean_interval_of_queries
    from scoring.statistics.intervals import percentile, query_mean, spread_of, weights_of
    from scoring.statistics.kappa import LEAST_DISAGREEING, exact_agreement, kappa_interval, least_queries
    from scoring.statistics.kappa import repeatability, weighted_kappa
    from scoring.statistics.slices import WeakCells, weak_cells
else:
    __getattr__ = door(__name__)
