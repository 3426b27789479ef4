"""The files that people look at: `report.md`, `report.html` and `charts/*.svg`, or `problem.md` and `.html`."""

from collections.abc import Iterator

from reporting.data import embed_items
from reporting.document import Page, Pieces, html_page, markdown_page, page_address
from reporting.document.charts import draw_charts
from reporting.document.report import report_page
from reporting.store import CHARTS, PROBLEM_HTML, PROBLEM_MD, REPORT_HTML, REPORT_MD
from scoring.results import Insights, SetResult
from texts import Texts


def report_pages(
    result: SetResult, insights: Insights, *, set_name: str, t: Texts
) -> Iterator[tuple[str, str | Pieces]]:
    """(path relative to the set's folder, text or its pieces), the charts first."""
    charts = draw_charts(result, t)
    for chart in charts:
        yield f"{CHARTS}/{chart.name}.svg", chart.file()
    mark = page_address(set_name, result.rubric.profile).mark
    items = embed_items(result, insights, t, mark=mark, set_name=set_name)
    page = report_page(result, set_name=set_name, t=t, insights=insights, charts=charts, items=items)
    yield REPORT_MD, markdown_page(page)
    yield REPORT_HTML, html_page(page, t)


def problem_pages(page: Page, t: Texts) -> Iterator[tuple[str, str | Pieces]]:
    """problem.md and problem.html."""
    yield PROBLEM_MD, markdown_page(page)
    yield PROBLEM_HTML, html_page(page, t)
