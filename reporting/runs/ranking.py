"""Writes what ranks two or more runs: ranking.html, ranking.md and ranking.json in one folder."""

from collections.abc import Sequence
from pathlib import Path

from reporting.comparison import build_ranking, ranking_key, ranking_page
from reporting.document import html_page, markdown_page
from reporting.runs.compare import page_of, place_files
from reporting.store import RANKING_HTML, RANKING_JSON, RANKING_MD, Destination, encode_json, transient
from scoring.comparison import Ranking
from scoring.items import ENGINE_VERSION
from texts import texts


def ranking_files(ranking: Ranking, *, language: str, pages: Sequence[str]) -> dict[str, bytes]:
    """The files by name, ranking.json last. pages: relative addresses of the reports, "" without one."""
    t = texts(language)
    key = ranking_key([run.id for run in ranking.runs], pages=pages, language=language)
    page = ranking_page(ranking, key=key, engine=ENGINE_VERSION, pages=pages, t=t)
    return {
        RANKING_HTML: bytes(html_page(page, t)),
        RANKING_MD: markdown_page(page).encode(errors="replace"),
        RANKING_JSON: encode_json(build_ranking(ranking, key=key, pages=pages, t=t)),
    }


def publish_ranking(
    ranking: Ranking, folder: Path, destination: Destination, *, reports: Sequence[Path | None]
) -> dict[str, bytes]:
    """Write a ranking into a folder and return its files by name. Arguments and errors as of `publish_comparison`."""
    pages = [page_of(report, folder) for report in reports]
    files = ranking_files(ranking, language=destination.language, pages=pages)
    with transient(folder):
        folder.mkdir(parents=True, exist_ok=True)
    place_files(files, folder, destination, marks=(RANKING_JSON,))
    return files
