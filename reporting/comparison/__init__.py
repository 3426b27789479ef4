"""Report folders become runs, and a comparison becomes pages and data."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.comparison.absence import NO_SHARED, UNREADABLE, Absence, absence_key, absence_page, absence_text
    from reporting.comparison.absence import unmade_page
    from reporting.comparison.causes import ERROR_CHARS, cause_texts, costliest_metric, error_of, failing_answers
    from reporting.comparison.causes import metric_behind, why_title
    from reporting.comparison.data import ComparisonReport, GradeEntry, QueryEntry, QuerySide, build_comparison
    from reporting.comparison.data import build_ranking, comparison_key, ranking_key, read_recorded
    from reporting.comparison.figures import change_text, difference_text, graded_anew_texts, interval_text
    from reporting.comparison.figures import metric_name, metric_of, moved_text, range_text, sentence, size_text
    from reporting.comparison.figures import told_difference, told_figure, untested, value_text, verdicts_text, why_text
    from reporting.comparison.figures import without_chance
    from reporting.comparison.items import embed_comparison
    from reporting.comparison.queries import item_href, list_title, lists_of
    from reporting.comparison.ranking import ranking_line, ranking_lines, ranking_page
    from reporting.comparison.run_table import run_name
    from reporting.comparison.view import compared_blocks, comparison_page, notes_of, words_section
else:
    __getattr__ = door(__name__)
