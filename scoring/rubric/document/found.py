"""What one table of a rubric document was found to say."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from scoring.rubric.model import LATENCY_PREFIX, RUBRICS, TOTAL, Rubric
from scoring.rubric.points import Bands, Status
from scoring.rubric.rules import Level

NONE = "none"  # outcome: nothing to check


class Form(StrEnum):
    """How the table of a role is read."""

    STATUSES = "statuses"
    LEVELS = "levels"
    NUMBERS = "numbers"  # numbered levels
    RATIO = "ratio"
    CONDITIONS = "conditions"
    BANDS = "bands"
    WEIGHTS = "weights"


class Place(NamedTuple):
    """line: in the document, from 1. cell: as written."""

    line: int
    cell: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """A table, list or key of the front matter that was not used.

    label: the heading or line above it; the key. reason: not-points, other-bands, list or front-matter. rows: line and
    first cell, or text, of each.
    """

    line: int
    last_line: int
    label: str
    reason: str
    rows: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One table that says something.

    rows: (condition, points). points and places: per status, empty where no status is named. outcomes: points of
    other named conditions. bands: None without numbers and for faulty ones. missing: points without a value, None when
    no row gives them. levels, weights: of tables of these forms.
    """

    role: str
    line: int
    last_line: int
    rows: tuple[tuple[str, float], ...]
    points: dict[Status, float] = field(default_factory=dict)
    places: dict[Status, Place] = field(default_factory=dict)
    outcomes: dict[str, float] = field(default_factory=dict)
    bands: Bands | None = None
    missing: float | None = None
    levels: tuple[Level, ...] = ()
    weights: dict[str, float] = field(default_factory=dict)

    def says_the_same(self, other: Found) -> bool:
        """Is nothing said differently? A table may leave out what a missing value scores."""
        same_missing = None in {self.missing, other.missing} or self.missing == other.missing
        # Criteria are prose: two wordings of one level are one level.
        levels = [[(level.name, level.points) for level in table.levels] for table in (self, other)]
        return (
            same_missing
            and (self.points, self.outcomes, self.bands, self.weights)
            == (other.points, other.outcomes, other.bands, other.weights)
            and levels[0] == levels[1]
        )


def forms_of(rubric: Rubric) -> dict[str, Form]:
    """Roles that a full document has to fill with a table, in the order of the report, and how each is read."""
    forms: dict[str, Form] = {}
    if rubric.verdict is not None:
        forms["intent"] = Form.LEVELS
    elif "intent" in rubric.status_points:
        forms["intent"] = Form.STATUSES
    if rubric.checks is not None:
        forms["accuracy"] = Form.RATIO
    elif rubric.addresses is not None:
        forms["accuracy"] = Form.CONDITIONS
    if "stability" in rubric.status_points:
        forms["stability"] = Form.STATUSES
    forms |= {f"{LATENCY_PREFIX}{entry.name}": Form.BANDS for entry in rubric.latency_classes}
    if rubric.rubrics is not None:
        forms[RUBRICS] = Form.NUMBERS
    if rubric.weights:
        forms[TOTAL] = Form.WEIGHTS
    return forms
