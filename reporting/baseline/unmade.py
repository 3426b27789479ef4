"""The page in the place of a comparison that is not made yet, so that the link of a new report leads somewhere."""

from __future__ import annotations

from pathlib import Path

from reporting.comparison.publish import place_files
from reporting.pages.html import render
from reporting.store.set_folder import COMPARE_HTML
from reporting.view.page_paths import page_address
from reporting.wording.display import excerpt
from scoring.sets.names import shown
from texts import texts

_NAME_CHARS = 120


def announce_comparison(folder: Path, set_name: str, *, out: Path, language: str, strict: bool = False) -> None:
    """Write `compare.html` beside a report that has none. `compare_with_baseline` replaces it.

    Raises TransientError when the file system refuses.
    """
    page = folder / COMPARE_HTML
    if page.exists():
        return
    title, top = excerpt(shown(set_name), _NAME_CHARS), page_address(set_name, "").top
    text = render("unmade.html.j2", texts(language), title=title, top=top)
    files = {COMPARE_HTML: text.encode(errors="replace")}
    place_files(files, folder, out=out, strict=strict, is_wanted=lambda: not page.exists())
