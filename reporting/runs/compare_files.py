"""Writes a comparison: whole or absent, whenever it is interrupted.

`compare.json` is the commit mark: it is removed first, written last, and has the size and hash of the pages. After it
comes `baseline.json` where the comparison is that with the baseline.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from reporting.comparison import (
    Absence,
    absence_key,
    absence_page,
    absence_text,
    build_comparison,
    comparison_key,
    comparison_page,
    unmade_page,
)
from reporting.document import Page, html_page, markdown_page
from reporting.store import (
    BASELINE_JSON,
    COMPARE_HTML,
    COMPARE_JSON,
    COMPARE_MD,
    LOCK_TIMEOUT_SECONDS,
    REPORT_HTML,
    Destination,
    FileMark,
    encode_json,
    exclusive,
    lock_path,
    staging,
    transient,
)
from scoring.comparison import Baseline, Comparison, Origin
from scoring.items import ENGINE_VERSION
from scoring.sets import shown
from texts import Texts, texts

NAMES = (COMPARE_HTML, COMPARE_MD, COMPARE_JSON)
_MARKS = (BASELINE_JSON, COMPARE_JSON)
_NO_PAGES = ("", "")


def _always() -> bool:
    return True


def comparison_files(
    comparison: Comparison, *, language: str, pages: tuple[str, str] = _NO_PAGES, origin: Origin | None = None
) -> dict[str, bytes]:
    """The files by name, compare.json last. pages: relative addresses of the two reports, "" without one.

    origin: of the baseline; None for two runs that a person named.
    """
    t = texts(language)
    before, after = comparison.before.id, comparison.after.id
    key = comparison_key(before, after, margin=comparison.margin, pages=pages, language=language, origin=origin)
    page = comparison_page(comparison, key=key, engine=ENGINE_VERSION, pages=pages, origin=origin, t=t)
    files = _drawn(page, t)
    report = build_comparison(comparison, key=key, pages=pages, files=_marks(files), origin=origin, t=t)
    return {**files, COMPARE_JSON: encode_json(report)}


def absence_files(
    set_name: str, run: str, baseline: Baseline, reason: str, *, language: str, told: str = ""
) -> dict[str, bytes]:
    """The files of a report without a comparison. run: its key. reason: slug of its text. told: as of the page."""
    t = texts(language)
    why = absence_text(baseline, reason, t)
    key = absence_key(set_name, run, baseline, reason, language=language)
    files = _drawn(absence_page(set_name, why, key=key, told=told, t=t), t)
    absence = Absence(
        key=key,
        language=language,
        engine_version=ENGINE_VERSION,
        set=shown(set_name),
        run=run,
        origin=baseline.origin,
        baseline=shown(baseline.name),
        reason=reason,
        sentence=why,
        files=_marks(files),
    )
    return {**files, COMPARE_JSON: encode_json(absence)}


def _drawn(page: Page, t: Texts) -> dict[str, bytes]:
    return {COMPARE_HTML: bytes(html_page(page, t)), COMPARE_MD: markdown_page(page).encode(errors="replace")}


def publish_comparison(
    comparison: Comparison,
    folder: Path,
    destination: Destination,
    *,
    reports: tuple[Path | None, Path | None] = (None, None),
) -> dict[str, bytes]:
    """Write a comparison into a folder and return its files by name.

    destination: on the same file system, as its work area is used: the folder of reports, or `folder` itself. reports:
    folders of the two reports, None without one. Of several writers at once one is last, and all files are its own.
    Raises TransientError when the file system refuses or another writer holds the folder for too long.
    """
    pages = page_of(reports[0], folder), page_of(reports[1], folder)
    files = comparison_files(comparison, language=destination.language, pages=pages)
    with transient(folder):
        folder.mkdir(parents=True, exist_ok=True)
    place_files(files, folder, destination)
    return files


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


def place_files(
    files: Mapping[str, bytes],
    folder: Path,
    destination: Destination,
    *,
    marks: Sequence[str] = _MARKS,
    is_wanted: Callable[[], bool] = _always,
) -> bool:
    """Put pages beside a report into a folder that exists, in their order, the last one as the commit mark.

    marks: names of the commit marks, those of a comparison if not given, which go first. is_wanted: asked once nobody
    else writes; False leaves everything as it is. Returns whether it was written. Raises TransientError as
    `publish_comparison`.
    """
    with transient(folder):
        lock = lock_path(destination.out, f"{marks[-1]} {os.path.realpath(folder)}")
        with (
            exclusive(lock, timeout_seconds=LOCK_TIMEOUT_SECONDS),
            staging(destination.out, strict=destination.strict) as staged,
        ):
            if not is_wanted():
                return False
            for name, data in files.items():
                staged.write(name, [data])
            for name in marks:
                (folder / name).unlink(missing_ok=True)
            for name in files:
                staged.place(name, folder)
    return True


def page_of(report: Path | None, folder: Path) -> str:
    """Address of the page of a report relative to a folder, "" without a report or a way to it."""
    if report is None:
        return ""
    with suppress(ValueError):  # another drive of Windows
        way = os.path.relpath(os.path.realpath(report), os.path.realpath(folder))
        return (Path(way) / REPORT_HTML).as_posix()
    return ""


def _marks(files: Mapping[str, bytes]) -> dict[str, FileMark]:
    return {name: FileMark(len(page), hashlib.sha256(page).hexdigest()) for name, page in files.items()}
