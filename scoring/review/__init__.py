"""People's grades: which items go out to a person, what comes back, and what it makes of a set (docs/review.md)."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from scoring.review.apply import Applied, Outcome, ReviewedItem, apply_grades, grades_for, origin_of, outcome_of
    from scoring.review.apply import points_of
    from scoring.review.files import ReviewFile, column_title, may_be_review, read_review
    from scoring.review.grades import FORMAT, Candidate, GradeScale, ItemKey, PersonGrade, Sample, TextPlace
    from scoring.review.grades import choose_sample, digest_of, graded_metrics, key_parts, rows_for, scale_of, steps_of
else:
    __getattr__ = door(__name__)
