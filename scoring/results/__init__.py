"""Parts become a result: figures, losses, consistency, what to look at."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.results.checklist import SLOW, checklist_lines, unknown_levels
    from scoring.results.damage import INTENT, PASS, SECONDS, UNGRADED, Damage, copies_of, leading_figure, leading_of
    from scoring.results.execution import Execution, TimeRange
    from scoring.results.insights import CategoryFigures, FailurePattern, Insights, PatternGroup, PatternKey
    from scoring.results.insights import find_insights, pattern_of
    from scoring.results.item_table import Scored, Traits, cause_of, fold, without_request_id
    from scoring.results.losses import Loss, MetricLoss, Weakest
    from scoring.results.means import TOTAL_ORDER
    from scoring.results.merging import merge
    from scoring.results.model import AgreementFigures, Distribution, Group, InputSummary, LevelCounts, Mean, Pairs
    from scoring.results.model import QueryAgreement, QueryRounds, Round, Seconds, SetResult, Total
    from scoring.results.passes import find_passes, needs_person, passes_of
    from scoring.results.repeatability import QueryAttempts, Repeatability
    from scoring.results.reviewing import Against, Corrected, MetricReview, Reviews
    from scoring.results.sessions import Session, SessionGroup, SessionShare, Sessions, reading_order, turn_labels
    from scoring.results.slices import Slice, Slices, SliceValue, WeakSlice
    from scoring.results.uncertainty import ANSWERED
else:
    __getattr__ = door(__name__)
