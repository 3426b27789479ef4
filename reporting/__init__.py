"""The report of a set and what is told of it."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.notifications import EVERY_SET, Against, Notice, notification, told_as
    from reporting.pack import ChangingError, pack_report
    from reporting.prompt import evaluation_prompt, prompt_pieces
    from reporting.report import SetReport, refusal_of, refuse_set, report_set
    from reporting.review_sheet import ReviewSheet, Wanted, make_sheet, write_sheet
    from reporting.rubric_document import field_name, not_run_lines, reason_text, write_document
else:
    __getattr__ = door(__name__)
