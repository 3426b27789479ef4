"""The view of problem.md: inputs that were refused, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reporting.display import count, excerpt
from reporting.problem_text import ProblemText, explain
from reporting.tables import Table, table
from scoring.problems import MAX_LISTED_PROBLEMS, Problem, Severity

HASH_CHARS = 12
NAME_CHARS = 120
MAX_INPUTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemView:
    """problems: what refused the inputs first. more: number of problems not listed, "" when none."""

    set_name: str
    has_report: bool
    problems: tuple[ProblemText, ...]
    more: str
    inputs: Table


def build_problem_view(
    set_name: str,
    inputs: Sequence[tuple[str, str]],
    problems: Sequence[Problem],
    *,
    problem_count: int | None = None,
    has_report: bool = False,
) -> ProblemView:
    """inputs: (name, SHA-256). problem_count: when more were found than are given.

    has_report: other files were scored; their smaller problems stand in their report and are left out here.
    """
    if has_report:
        problems = [problem for problem in problems if problem.severity is Severity.REFUSED]
        problem_count = None
    ordered = sorted(problems, key=lambda problem: problem.severity is not Severity.REFUSED)
    listed = ordered[:MAX_LISTED_PROBLEMS]
    more = (len(problems) if problem_count is None else problem_count) - len(listed)
    return ProblemView(
        set_name=excerpt(set_name, NAME_CHARS),
        has_report=has_report,
        problems=tuple(explain(problem) for problem in listed),
        more=count(more) if more > 0 else "",
        inputs=table(
            ["파일", "SHA-256 (앞 12자리)"],
            [(excerpt(name, NAME_CHARS), digest[:HASH_CHARS]) for name, digest in inputs[:MAX_INPUTS]],
            total=len(inputs),
        ),
    )
