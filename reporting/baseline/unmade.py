"""The page in the place of a comparison that is not made yet, so that the link of a new report leads somewhere."""

from __future__ import annotations

from pathlib import Path

from reporting.comparison.absence import unmade_page
from reporting.comparison.publish import place_files
from reporting.document.html import html_page
from reporting.store.set_folder import COMPARE_HTML
from texts import texts


def announce_comparison(folder: Path, set_name: str, *, out: Path, language: str, strict: bool = False) -> None:
    """Write `compare.html` beside a report that has none. `compare_with_baseline` replaces it.

    Raises TransientError when the file system refuses.
    """
    page = folder / COMPARE_HTML
    if page.exists():
        return
    t = texts(language)
    files = {COMPARE_HTML: bytes(html_page(unmade_page(set_name, t), t))}
    place_files(files, folder, out=out, strict=strict, is_wanted=lambda: not page.exists())
