"""Writes a comparison: whole or absent, whenever it is interrupted.

`compare.json` is the commit mark: it is removed first, written last, and has the size and hash of the pages.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from reporting.comparison.data import build_comparison, comparison_key
from reporting.comparison.view import comparison_view
from reporting.data.items_in_html import script_json
from reporting.pages.html import render
from reporting.pages.markdown import render_markdown
from reporting.store.json import encode_json
from reporting.store.locks import LOCK_TIMEOUT_SECONDS, exclusive, lock_path
from reporting.store.set_folder import COMPARE_HTML, COMPARE_JSON, COMPARE_MD, REPORT_HTML
from reporting.store.staging import staging
from reporting.store.status import FileMark
from reporting.wording.catalogue import texts
from scoring.comparison.compare import Comparison
from scoring.items.part import ENGINE_VERSION
from scoring.problems import TransientError
from scoring.reading.regular_file import read_named

NAMES = (COMPARE_HTML, COMPARE_MD, COMPARE_JSON)
_NO_PAGES = ("", "")


class _Mark(msgspec.Struct, frozen=True):
    """What a check of a comparison needs of its compare.json."""

    key: str
    files: dict[str, FileMark]


def comparison_files(comparison: Comparison, *, language: str, pages: tuple[str, str] = _NO_PAGES) -> dict[str, bytes]:
    """The files by name, compare.json last. pages: relative addresses of the two reports, "" without one."""
    t = texts(language)
    before, after = comparison.before.id, comparison.after.id
    key = comparison_key(before, after, margin=comparison.margin, pages=pages, language=language)
    view = comparison_view(comparison, key=key, engine=ENGINE_VERSION, pages=pages, t=t)
    data = script_json({"texts": {"found": t("compare.found")}})
    files = {
        COMPARE_HTML: render("compare.html.j2", t, script="compare.js", view=view, data=data).encode(errors="replace"),
        COMPARE_MD: render_markdown("compare.md.j2", t=t, view=view).encode(errors="replace"),
    }
    marks = {name: FileMark(len(page), hashlib.sha256(page).hexdigest()) for name, page in files.items()}
    report = build_comparison(comparison, key=key, pages=pages, files=marks, t=t)
    return {**files, COMPARE_JSON: encode_json(report)}


def publish_comparison(
    comparison: Comparison,
    folder: Path,
    *,
    out: Path,
    language: str,
    reports: tuple[Path | None, Path | None] = (None, None),
    strict: bool = False,
) -> dict[str, bytes]:
    """Write a comparison into a folder and return its files by name.

    out: folder on the same file system whose work area is used: the folder of reports, or `folder` itself. reports:
    folders of the two reports, None without one. Of several writers at once one is last, and all files are its own.
    Raises TransientError when the file system refuses or another writer holds the folder for too long.
    """
    pages = page_of(reports[0], folder), page_of(reports[1], folder)
    files = comparison_files(comparison, language=language, pages=pages)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = lock_path(out, f"{COMPARE_JSON} {os.path.realpath(folder)}")
        with exclusive(lock, timeout_seconds=LOCK_TIMEOUT_SECONDS), staging(out, strict=strict) as staged:
            for name, data in files.items():
                staged.write(name, [data])
            (folder / COMPARE_JSON).unlink(missing_ok=True)
            for name in NAMES:
                staged.place(name, folder)
    except OSError as error:
        raise TransientError(f"{error.filename2 or error.filename or folder}: {error.strerror or error}") from error
    return files


def published_key(folder: Path) -> str | None:
    """The key of the comparison in a folder; None where there is none with all its pages."""
    try:
        mark = msgspec.json.decode(read_named(folder / COMPARE_JSON), type=_Mark)
        return mark.key if set(mark.files) == {COMPARE_HTML, COMPARE_MD} and all(_matches(folder, mark)) else None
    except (OSError, ValueError):
        return None


def remove_comparison(folder: Path) -> None:
    """Remove a comparison, the commit mark first. Raises OSError."""
    for name in reversed(NAMES):
        (folder / name).unlink(missing_ok=True)


def page_of(report: Path | None, folder: Path) -> str:
    """Address of the page of a report relative to a folder, "" without a report or a way to it."""
    if report is None:
        return ""
    with suppress(ValueError):  # another drive of Windows
        way = os.path.relpath(os.path.realpath(report), os.path.realpath(folder))
        return (Path(way) / REPORT_HTML).as_posix()
    return ""


def _matches(folder: Path, mark: _Mark) -> Iterator[bool]:
    for name, expected in mark.files.items():
        data = read_named(folder / name)
        yield (len(data), hashlib.sha256(data).hexdigest()) == (expected.size, expected.sha256)
