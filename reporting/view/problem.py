"""The view of problem.md: inputs that were refused, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reporting.view.tables import Table, table_of
from reporting.wording.display import count, excerpt
from reporting.wording.problems import ProblemText, explain
from scoring.problems import MAX_LISTED_PROBLEMS, NearRow, Problem, Severity
from texts import Texts

HASH_CHARS = 12
NAME_CHARS = 120
CELL_CHARS = 80
MAX_INPUTS = 50


class AroundRow(NamedTuple):
    """is_hit: the row that the problem is about."""

    number: str
    is_hit: bool
    cells: tuple[str, ...]


class AroundView(NamedTuple):
    """The place of a problem in its file. titles: of the columns, as many as the widest row has cells."""

    titles: tuple[str, ...]
    rows: tuple[AroundRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemView:
    """What a page says of refused inputs.

    problems: what refused the inputs first. around: for each of them its place, None without one. more: number of
    problems not listed, "" when none.
    """

    set_name: str
    has_report: bool
    problems: tuple[ProblemText, ...]
    around: tuple[AroundView | None, ...]
    more: str
    inputs: Table


def build_problem_view(
    set_name: str,
    inputs: Sequence[tuple[str, str]],
    problems: Sequence[Problem],
    *,
    has_report: bool = False,
    t: Texts,
) -> ProblemView:
    """inputs: (name, SHA-256). problems: why they were refused. has_report: other files of the set were scored."""
    ordered = sorted(problems, key=lambda problem: problem.severity is not Severity.REFUSED)
    listed = ordered[:MAX_LISTED_PROBLEMS]
    more = len(problems) - len(listed)
    return ProblemView(
        set_name=excerpt(set_name, NAME_CHARS),
        has_report=has_report,
        problems=tuple(explain(problem, t.language) for problem in listed),
        around=tuple(around_view(problem) for problem in listed),
        more=count(more) if more > 0 else "",
        inputs=table_of(
            inputs,
            [
                (t("problem.file"), lambda entry: excerpt(entry[0], NAME_CHARS)),
                (t("problem.digest", chars=str(HASH_CHARS)), lambda entry: entry[1][:HASH_CHARS]),
            ],
            limit=MAX_INPUTS,
        ),
    )


def around_view(problem: Problem) -> AroundView | None:
    """The rows around a problem, None where it has none."""
    if not problem.around:
        return None
    rows = [AroundRow(count(near.number), near.number == problem.row, _cells(near)) for near in problem.around]
    has_header = problem.around[0].number <= 1 and problem.around[0].number != problem.row
    titles = rows.pop(0).cells if has_header and len(rows) > 1 else ()
    width = max(map(len, (titles, *(row.cells for row in rows))))
    filled = tuple(row._replace(cells=row.cells + ("",) * (width - len(row.cells))) for row in rows)
    return AroundView(titles + ("",) * (width - len(titles)), filled)


def _cells(near: NearRow) -> tuple[str, ...]:
    return tuple(excerpt(cell, CELL_CHARS) for cell in near.cells)
