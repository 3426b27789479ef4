"""What one table of a rubric document was found to say, and what a document means where it says nothing.

What may be left out is described in docs/rubrics.md#what-may-be-left-out. Words, headings and titles are known in
Korean and English, as in the shipped documents.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import msgspec
from msgspec.structs import fields, replace

from scoring.rubric.document.schema import AllWords, Consistency, FrontMatter, HeadedClass, Latency
from scoring.rubric.fields import is_score
from scoring.rubric.model import LATENCY_PREFIX, RUBRICS, TOTAL, Column, Rubric, Vocabulary
from scoring.rubric.points import Bands, Status
from scoring.rubric.rules import Level
from texts import words

NONE = "none"  # outcome: nothing to check
SCORING_WORDS = msgspec.convert(words("scoring"), AllWords)
TABLE_WORDS = msgspec.convert(words("tables"), Vocabulary)
_CONSISTENCY = ("일관성", "consistency")
_ONE_CLASS = "all"  # name of the latency class of a document that names none
_COLUMNS = words("usual-columns")  # title and aliases


class Form(StrEnum):
    """How the table of a role is read."""

    STATUSES = "statuses"
    LEVELS = "levels"
    NUMBERS = "numbers"  # numbered levels
    RATIO = "ratio"
    CONDITIONS = "conditions"
    BANDS = "bands"
    WEIGHTS = "weights"


class TablePlace(NamedTuple):
    """line: in the document, from 1. cell: as written."""

    line: int
    cell: str


class Ignored(msgspec.Struct, frozen=True, kw_only=True):
    """A table, list or key of the front matter that was not used.

    label: the heading or line above it; the key. reason: not-points, other-bands, list or front-matter. rows: line and
    first cell, or text, of each.
    """

    line: int
    last_line: int
    label: str
    reason: str
    rows: tuple[tuple[int, str], ...] = ()


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One table that says something.

    rows: (condition, points). points and places: per status, empty where no status is named. outcomes: points of
    other named conditions. bands: None without numbers and for faulty ones. missing: points without a value, None when
    no row gives them. levels, weights: of tables of these forms.
    """

    role: str
    line: int
    last_line: int
    rows: tuple[tuple[str, float], ...]
    points: dict[Status, float] = {}
    places: dict[Status, TablePlace] = {}
    outcomes: dict[str, float] = {}
    bands: Bands | None = None
    missing: float | None = None
    levels: tuple[Level, ...] = ()
    weights: dict[str, float] = {}

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
    forms |= {rule.metric: Form.NUMBERS for rule in rubric.judged_scores}
    if rubric.weights and not any(map(is_score, rubric.weights)):
        forms[TOTAL] = Form.WEIGHTS
    return forms


def filled_in(front: FrontMatter) -> FrontMatter:
    """The front matter with what it leaves out."""
    return replace(
        front,
        columns=tuple(map(_column, front.columns)),
        metrics=replace(
            front.metrics,
            consistency=_consistency(front.metrics.consistency),
            latency=_latency(front.metrics.latency),
        ),
        words=_words(front),
        recorded_range=front.recorded_range or (front.scale.lowest, front.scale.highest),
    )


def table_words(rubric: Rubric) -> Vocabulary:
    """The words by which tables are read. Tables of levels alone, which have no points, need none."""
    written = rubric.vocabulary
    if all(metric.name == RUBRICS for metric in rubric.metrics):
        return written
    names = ("missing", "either", "seconds", "points", "at_most", "above", "at_least", "below")
    return replace(written, **{name: getattr(written, name) or getattr(TABLE_WORDS, name) for name in names})


def _column(spec: Column) -> Column:
    """A title that is left out is the usual one, with its aliases and those of the document."""
    if spec.title or spec.name not in _COLUMNS:
        return spec if spec.title else replace(spec, title=spec.name)
    title, *aliases = _COLUMNS[spec.name]
    return replace(spec, title=title, aliases=(*aliases, *spec.aliases))


def _words(front: FrontMatter) -> AllWords:
    """All of them where the document has no `words` and a metric in points; else those that it lists.

    The words for a track are usual wherever a latency class needs them.
    """
    in_points = any(metric.name != RUBRICS and getattr(front.metrics, metric.name) for metric in fields(front.metrics))
    words = front.words if front.words is not None else SCORING_WORDS if in_points else AllWords()
    if front.metrics.latency is not None and not words.track:
        words = replace(words, track=SCORING_WORDS.track)
    return words


def _consistency(spec: Consistency | None) -> Consistency | None:
    if spec is None or spec.title:
        return spec
    return replace(spec, title=_CONSISTENCY[0], headings=(*_CONSISTENCY[1:], *spec.headings))


def _latency(spec: Latency | None) -> Latency | None:
    if spec is None:
        return None
    written = spec.classes or {_ONE_CLASS: HeadedClass()}
    of_metric = spec.headings if len(written) == 1 else ()  # the one table is that of the metric
    classes = {name: _class(name, one, of_metric) for name, one in written.items()}
    return replace(spec, classes=classes, default=spec.default or next(iter(written)))


def _class(name: str, spec: HeadedClass, of_metric: tuple[str, ...]) -> HeadedClass:
    title = spec.title or name
    headings = spec.headings or tuple(dict.fromkeys((title, name, *of_metric)))
    return replace(spec, title=title, headings=headings)
