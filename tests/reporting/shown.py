"""The pages of a result as texts."""

from reporting.document.markdown import markdown_page
from reporting.document.report.page import report_page
from reporting.page_files import report_pages
from scoring.results import SetResult, find_insights
from texts import texts


def report_md(result: SetResult, set_name: str = "s", language: str = "ko") -> str:
    """report.md without charts."""
    return markdown_page(report_page(result, set_name=set_name, t=texts(language)))


def report_files(result: SetResult, set_name: str = "s", language: str = "ko") -> dict[str, str]:
    """report.md, report.html and the charts by path."""
    pages = report_pages(result, find_insights(result), set_name=set_name, t=texts(language))
    return {path: str(page) for path, page in pages}
