"""Runs as values per query, and what changed between two."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.comparison.again import LEAST_BEFORE, MOST_BEFORE, worse_again
    from scoring.comparison.asked import Asked, Asking, asked_digest, asked_of_queries
    from scoring.comparison.baseline import Baseline, Chain, Hindrance, OrderKey, Origin, Overlaps, RunMark, earliest
    from scoring.comparison.baseline import name_date, name_of, numbered, order_key
    from scoring.comparison.changes import Change, Flips, MarginVerdict, Verdict, margin_verdict
    from scoring.comparison.compare import Comparison, Difference, GroupChanges, GroupKind, NoSharedQueryError, Told
    from scoring.comparison.compare import compare_runs
    from scoring.comparison.like_with_like import Why, WhyKind, sources_of
    from scoring.comparison.pairing import Pair, QueryChange, answer_metrics
    from scoring.comparison.ranking import Ranking, TrackMeans, Unranked, UnrankedKind, rank_runs
    from scoring.comparison.reduce import ByPeople, ItemValues, reduce_items
    from scoring.comparison.regraded import GradedAnew, RegradedItem
    from scoring.comparison.run import ACCURACY, CONSISTENCY, GRADED, GROUNDS, LATENCY, SAID, SHARES, Answer, Basis
    from scoring.comparison.run import Grade, Judge, KnownQueries, Losses, Query, Run, RunId, has_no_scale, length_of
else:
    __getattr__ = door(__name__)
