"""How sure a figure is, and whether two differ."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.statistics.attempts import Attempts, Reliability, Repeats, Share, reliability, repeats
    from scoring.statistics.bootstrap import agreeing_interval, change_intervals
    from scoring.statistics.chance import EXACT_RANKS_BELOW, adjusted, sign_flip, signed_ranks, smallest_change
    from scoring.statistics.chance import whole_steps
    from scoring.statistics.intervals import ALPHA, FEW_QUERIES, Interval, Values, mean_interval, median_interval
    from scoring.statistics.intervals import percentile, query_mean
    from scoring.statistics.student import mean_interval_of_queries
else:
    __getattr__ = door(__name__)
