"""Scorewatch for programs: score a file, read its report, compare two runs, decide a gate.

    >>> from scorewatch import compare, gate, read_report, score
    >>> report = score("resume_agent_20260302.csv")
    >>> report.metrics["intent"]
    4.37
    >>> [item.query_id for item in report.items.where("track=3&status=error")]

This is the one door for programs (docs/python.md): its names, `report.json` and the columns of the CSV files follow
semantic versioning. Modules behind it, and every other top-level package, may change at any time.
"""

from typing import TYPE_CHECKING

from scoring.door import door

__all__ = [
    "Change",
    "Changes",
    "Chart",
    "Comparison",
    "Finding",
    "Gate",
    "Item",
    "Items",
    "Problem",
    "Queries",
    "Query",
    "RefusedError",
    "Report",
    "RequestError",
    "RuleOutcome",
    "ScorewatchError",
    "SettingsError",
    "compare",
    "gate",
    "read_report",
    "score",
]

if TYPE_CHECKING:
    from scorewatch.comparing import Change, Changes, Comparison, compare
    from scorewatch.gating import Gate, RuleOutcome, gate
    from scorewatch.reports import Chart, Finding, Report, read_report
    from scorewatch.rows import Item, Items, Queries, Query
    from scorewatch.scored import score
    from scorewatch.surroundings import Problem, RefusedError, RequestError, ScorewatchError, SettingsError
else:
    __getattr__ = door(__name__)
