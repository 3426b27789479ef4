"""What others may use of `reporting.document.report`."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.document.report.accuracy import OUTCOMES, SOURCES, alike, fault_text, frequent_failures
    from reporting.document.report.accuracy import operator_text, outcome_of
    from reporting.document.report.consistency import differs
    from reporting.document.report.item_tables import ERROR_CHARS
    from reporting.document.report.metrics import source_text
    from reporting.document.report.page import report_page
    from reporting.document.report.repeatability import pass_kind, session_rule
    from reporting.document.report.rubrics import LEVEL_SOURCES, level_text, page_cells, page_titles, why_unjudged
else:
    __getattr__ = door(__name__)
