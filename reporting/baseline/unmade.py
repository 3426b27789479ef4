"""The page in the place of a comparison that is not made yet, so that the link of a new report leads somewhere."""

from __future__ import annotations

from reporting.comparison.absence import unmade_page
from reporting.comparison.publish import place_files
from reporting.document.html import html_page
from reporting.store.destination import Destination
from reporting.store.set_folder import COMPARE_HTML
from texts import texts


def announce_comparison(set_name: str, destination: Destination) -> None:
    """Write `compare.html` beside a report that has none. `compare_with_baseline` replaces it.

    Raises TransientError when the file system refuses.
    """
    folder = destination.out / set_name
    page = folder / COMPARE_HTML
    if page.exists():
        return
    t = texts(destination.language)
    files = {COMPARE_HTML: bytes(html_page(unmade_page(set_name, t), t))}
    place_files(files, folder, destination, is_wanted=lambda: not page.exists())
