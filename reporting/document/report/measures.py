"""The section about the measures of a set: a table for each, by round and track (docs/scoring.md#measures)."""

from __future__ import annotations

from reporting.document.blocks import Passage
from reporting.document.report.metrics import scopes
from reporting.document.tables import table
from reporting.wording import LABEL_CHARS, count, excerpt, measure_title, quantity, sure_quantity
from scoring.results import Group, SetResult
from scoring.rubric import Measure
from texts import Texts


def measure_blocks(result: SetResult, t: Texts) -> list[Passage]:
    """What the figures mean, then a table per measure."""
    told = t("measures.told", rule=t("speed.percentiles"))
    return [Passage(text=f"{told}."), *(_block(result, measure, t) for measure in result.rubric.measures)]


def source_text(measure: Measure, t: Texts) -> str:
    """Where the values are."""
    if measure.column:
        return t("measures.column", places=excerpt(measure.column, LABEL_CHARS))
    return t("measures.payload", places=", ".join(excerpt(path, LABEL_CHARS) for path in measure.paths))


def _block(result: SetResult, measure: Measure, t: Texts) -> Passage:
    def cells(group: Group, index: int | None) -> list[str]:
        found = group.measures[measure.name]
        figures = found.set if index is None else found.rounds[index]
        places = measure.decimals
        shown = [quantity(value, places) for value in (figures.p50, figures.p95, figures.max, figures.per_answered)]
        mean = sure_quantity(figures.mean, figures.interval, places, t)
        return [count(figures.n), quantity(figures.sum, places), mean, *shown, count(figures.missing)]

    titles = [
        t("table.scope"),
        ">n",
        f">{t('measures.sum')}",
        f">{t('measures.mean')}",
        ">p50",
        ">p95",
        f">{t('measures.max')}",
        f">{t('measures.per-answered')}",
        f">{t('measures.missing')}",
    ]
    rows = [[title, *found] for title, found in scopes(result, cells, t)]
    return Passage(
        heading=measure_title(measure.title, measure.unit, t), text=source_text(measure, t), table=table(titles, rows)
    )
