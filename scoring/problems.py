"""Problems as values, and the exceptions that carry them.

Decides nothing about wording: a problem is a stable code plus the facts, and
`reporting` turns it into Korean (or another language). The exception tree
follows who has to act.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from texts import codes

MAX_LISTED_PROBLEMS = 100


class Severity(StrEnum):
    """How much a problem takes away from the result. The first one is the worst."""

    REFUSED = "refused"  # the whole input was refused: no figures from it, exit code 1
    ERROR = "error"  # a row or cell was left out: exit code 1
    NOTE = "note"  # shown in the report, the exit code stays 0


# Every code of a scored set that does not refuse its file, in the order in which reports show them (the records in
# texts/data/problems.toml). All other codes refuse what they are about.
SEVERITIES: Mapping[str, Severity] = MappingProxyType(
    {
        code: Severity(known.severity)
        for code, known in codes().items()
        if known.severity in {Severity.ERROR, Severity.NOTE}
    }
)


class NearRow(NamedTuple):
    """A row near a problem. number: as a spreadsheet shows it; cells: the first ones, cut for display."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with an input, a rubric document or a set.

    code: stable slug, also a heading in docs/errors.md ("cell-count").
    source: file name relative to its set, "" while it is not known yet.
    row: as a spreadsheet shows it (the header is row 1), the number of a line of JSONL or of a record of a JSON
    document; None when the whole file is meant. row_unit: "line" or "record" for these, "" for rows of a table.
    line: physical line in a text file, from 1; None where it means nothing.
    column: header as written in the file.
    found: what was there, cut for display by the reporting side.
    values: further facts by name that the text of this code needs.
    around: the row itself with its neighbours, the header first; empty where that says nothing.
    times: how many cells, rows or files it stands for.
    """

    code: str
    source: str = ""
    row: int | None = None
    row_unit: str = ""
    line: int | None = None
    column: str | None = None
    found: str = ""
    values: dict[str, str] = field(default_factory=dict)
    around: tuple[NearRow, ...] = ()
    times: int = 1

    def __post_init__(self) -> None:
        """Order the facts by name, as a stored part has them: a problem looks the same whichever way it came."""
        if len(self.values) > 1:
            object.__setattr__(self, "values", dict(sorted(self.values.items())))

    @property
    def severity(self) -> Severity:
        """How much it takes away: decided by the code alone."""
        return SEVERITIES.get(self.code, Severity.REFUSED)

    def at(self, source: str) -> Problem:
        """The same problem, named as one of the file `source`."""
        return replace(self, source=source)

    def __str__(self) -> str:
        """Language-free form for logs and tracebacks; people read `reporting.wording.problems`."""
        place = [self.source]
        place += [
            f"{label} {value}"
            for label, value in (("row", self.row), ("line", self.line), ("column", self.column))
            if value is not None
        ]
        facts = [f"{name}={value!r}" for name, value in self.values.items()]
        if self.found:
            facts.insert(0, f"found={self.found!r}")
        return f"[{self.code}] {', '.join(part for part in place if part)} {' '.join(facts)}".strip()


def refused(
    code: str, *, source: str = "", row: int | None = None, line: int | None = None, found: str = "", **values: str
) -> Problem:
    """A problem for which the whole input is refused."""
    return Problem(code=code, source=source, row=row, line=line, found=found, values=values)


def internal_error(names: Sequence[str], error: Exception) -> Problem:
    """A bug that work on these files met, as a problem of theirs."""
    reason = f"{type(error).__name__}: {error}"
    return refused("internal-error", source=", ".join(names), reason=reason)


def system_error(code: str, error: OSError, source: str = "") -> Problem:
    """What the system refuses, in its own words."""
    return refused(code, source=source, reason=error.strerror or type(error).__name__)


class ScorewatchError(Exception):
    """Root of every error that Scorewatch raises on purpose."""


class InputError(ScorewatchError):
    """A person has to fix an input: never retried. Carries at least one problem."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "; ".join(str(problem) for problem in self.problems)


class RubricError(InputError):
    """A person has to fix a rubric document; `line` and `found` name the cell."""


class TransientError(ScorewatchError):
    """The surroundings failed (disk full, file locked, broker down): tried again with back-off."""
