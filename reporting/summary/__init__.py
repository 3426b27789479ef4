"""The front page of a set: what its report, its comparison and its gate say, on one sheet of paper."""

from typing import TYPE_CHECKING

from scoring.door import door

if TYPE_CHECKING:
    from reporting.summary.facts import Plan
    from reporting.summary.files import announce_summary, summarise_missing, write_summary
    from reporting.summary.gates import gates_summary
    from reporting.summary.plan import figure_title, flips_text, half_width, plan_of
else:
    __getattr__ = door(__name__)
