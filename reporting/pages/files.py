"""The files that people look at: `report.md`, `report.html` and `charts/*.svg`, or `problem.md` and `.html`."""

from __future__ import annotations

from collections.abc import Iterator

from reporting.charts.scores import draw_charts
from reporting.charts.svg import Chart
from reporting.data.items_in_html import embed_items
from reporting.pages.html import Pieces, Tile, render, render_report_html
from reporting.pages.markdown import render_markdown, render_report
from reporting.store.set_folder import CHARTS, PROBLEM_HTML, PROBLEM_MD, REPORT_HTML, REPORT_MD
from reporting.view.problem import ProblemView
from reporting.view.report import ReportView
from reporting.wording.display import score
from reporting.wording.intervals import place_text, span
from reporting.wording.names import category_name, knows_tracks, set_metrics, track_name
from scoring.results.insights import Insights
from scoring.results.model import SetResult
from texts import Texts


def report_pages(
    result: SetResult, insights: Insights, view: ReportView, t: Texts
) -> Iterator[tuple[str, str | Pieces]]:
    """(path relative to the set's folder, text or its pieces), the charts first."""
    drawn = draw_charts(result, t)
    for chart in drawn:
        yield chart_path(chart), chart.file()
    yield REPORT_MD, render_report(view, t, drawn=drawn)
    items = embed_items(result, insights, t, mark=view.address.mark)
    yield REPORT_HTML, render_report_html(view, tiles=_tiles(result, insights, t), drawn=drawn, items=items, t=t)


def problem_pages(view: ProblemView, t: Texts) -> Iterator[tuple[str, str]]:
    """problem.md and problem.html: what is wrong, where, and what to do."""
    yield PROBLEM_MD, render_markdown("problem.md.j2", view=view, t=t)
    yield PROBLEM_HTML, render("problem.html.j2", t, view=view)


def chart_path(chart: Chart) -> str:
    """Path of a chart relative to the report."""
    return f"{CHARTS}/{chart.name}.svg"


def _tiles(result: SetResult, insights: Insights, t: Texts) -> list[Tile]:
    """The headline figures: the weighted total where there is one, then every metric and where it is weakest."""
    places, name = (
        (insights.weakest_tracks, track_name)
        if knows_tracks(result.rubric)
        else (insights.weakest_categories, category_name)
    )
    tiles = []
    if result.total is not None:
        total = result.total
        tiles.append(
            Tile(t("metric.total"), score(total.value), "" if total.interval is None else span(total.interval))
        )
    for figures in set_metrics(result, t):
        weakest = places.get(figures.name)
        notes = [span(figures.interval)] if figures.interval is not None else []
        if weakest:
            place = place_text(weakest, name(weakest.key, t), t)
            key = "tile.weakest" if weakest.is_distinct else "tile.lowest"
            notes.append(t(key, place=place, score=score(weakest.value)))
        tiles.append(Tile(figures.title, score(figures.set), " · ".join(notes)))
    return tiles
