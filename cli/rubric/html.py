"""`scorewatch rubric show FILE --html`: a rubric document as it was understood, as one page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cli.rubric.values import line_range, role_title, value_groups
from reporting.pages.html import render
from reporting.view.tables import Table, table
from reporting.wording.catalogue import Texts
from reporting.wording.display import excerpt, score
from scoring.rubric.document.bands import show_number
from scoring.rubric.model import TOTAL, Rubric

if TYPE_CHECKING:
    from scoring.rubric.document.levels import LevelDocument
    from scoring.rubric.document.read import Reading
    from scoring.rubric.rules import VerdictRule

CELL_CHARS = 200
NAME_CHARS = 120
CRITERIA_CHARS = 2_000


class _Section(NamedTuple):
    """A heading with a table, a list, or both."""

    heading: str
    table: Table | None = None
    lines: tuple[str, ...] = ()


def rubric_page(rubric: Rubric, reading: Reading | None, *, source: str, t: Texts) -> str:
    """The page of a profile. reading: what of a document gave it, None for one in force."""
    sections = []
    if reading is not None:
        for found in reading.understood:
            rows = [[excerpt(cell, CELL_CHARS), show_number(points)] for cell, points in found.rows]
            heading = f"{role_title(rubric, found.role, t)} ({line_range(found.line, found.last_line, t)})"
            titles = ("table.metric", "table.weight") if found.role == TOTAL else ("checks.condition", "table.points")
            sections.append(_Section(heading, table([t(titles[0]), f">{t(titles[1])}"], rows)))
        unused = [
            [line_range(one.line, one.last_line, t), excerpt(one.label, NAME_CHARS), t(f"document.reason.{one.reason}")]
            for one in reading.ignored
        ]
        places = [t("rubric.place"), t("rubric.table"), t("table.cause")]
        sections.append(_Section(t("rubric.unused"), table(places, unused)))
        kept = tuple(role_title(rubric, role, t) for role in reading.kept)
        sections += [_Section(t("rubric.kept", profile=rubric.profile), lines=kept)] if kept else []
    rules = [rule for rule in (rubric.verdict, rubric.rubrics) if rule is not None]
    sections += [_levels(rule, role_title(rubric, rule.metric, t), t) for rule in rules]
    sections += [
        _Section(group.heading or t("rubric.values"), lines=tuple(map(str.strip, group.lines)))
        for group in value_groups(rubric, t)
    ]
    title = f"{excerpt(rubric.title, NAME_CHARS)} ({rubric.profile})"
    return render("rubric.html.j2", t, title=title, source=excerpt(source, NAME_CHARS), sections=sections)


def levels_page(document: LevelDocument, *, source: str, t: Texts) -> str:
    """The page of a rubric of levels."""
    rows = [
        [
            show_number(level.points),
            excerpt(level.name, NAME_CHARS),
            score(float(document.score(level.points))),
            excerpt(level.criteria, CRITERIA_CHARS),
        ]
        for level in document.levels
    ]
    titles = [f">{t('rubrics.level')}", t("rubrics.name"), f">{t('rubric.share')}", t("rubrics.criteria")]
    unused = [[line_range(first, last, t), excerpt(label, NAME_CHARS)] for first, last, label in document.ignored]
    sections = [
        _Section(f"{t('rubric.levels')} ({line_range(document.line, document.last_line, t)})", table(titles, rows)),
        _Section(t("rubric.unused"), table([t("rubric.place"), t("rubric.table")], unused)),
    ]
    return render("rubric.html.j2", t, title=t("rubric.levels"), source=excerpt(source, NAME_CHARS), sections=sections)


def _levels(rule: VerdictRule, heading: str, t: Texts) -> _Section:
    """The levels of a metric, with the criteria that a judge is given."""
    rows = [
        [
            *([show_number(level.points)] if rule.by_number else []),
            excerpt(level.name, NAME_CHARS),
            score(rule.points(level)),
            excerpt(level.criteria, CRITERIA_CHARS),
        ]
        for level in rule.levels
    ]
    number = [f">{t('rubrics.level')}"] if rule.by_number else []
    points = t("rubric.share") if rule.by_number else t("table.points")
    return _Section(heading, table([*number, t("rubrics.name"), f">{points}", t("rubrics.criteria")], rows))
