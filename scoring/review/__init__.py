"""People's grades: which items go out to a person, what comes back, and what it makes of a set (docs/review.md)."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.review.apply import Applied, Outcome, ReviewedItem, apply_grades, grades_for, origin_of
    from scoring.review.apply import outcome_of, points_of
    from scoring.review.files import ReviewFile, column_title, may_be_review, read_review
    from scoring.review.grades import FORMAT, ItemKey, PersonGrade, Sample, TextPlace, digest_of, key_parts
    from scoring.review.sample import Candidate, choose_sample, rows_for
    from scoring.review.scales import GradeScale, graded_metrics, scale_of, steps_of
else:
    __getattr__ = door(__name__)
