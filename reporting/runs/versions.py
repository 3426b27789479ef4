"""Keeps the version that is about to be replaced, and writes the pages that say what changed since.

Runs under the lock of the set, with the new version written but not yet in its place.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from reporting.changes import changes_page, version_name, versions_chart
from reporting.document import html_page, markdown_page
from reporting.runs.read import UnreadableRunError, read_run_files
from reporting.store import (
    CHANGES_HTML,
    CHANGES_MD,
    CHANGES_SVG,
    COMMIT_MARK,
    HISTORY,
    ITEMS_CSV,
    REPORT_JSON,
    Destination,
    Staging,
    StatusFile,
    StatusHead,
    Version,
    is_growth,
    keep_version,
    kept_versions,
    versions_after,
)
from scoring.comparison import Comparison, NoSharedQueryError, compare_runs
from scoring.rubric import Rubric
from texts import Texts, texts

REFUSED_BEFORE, REFUSED_NOW, UNREADABLE = "was-refused", "is-refused", "unreadable"
NO_SHARED, REWORDED = "no-shared", "reworded"
GROWN = "grown"  # by files alone, and no version is kept of that


class _Before(NamedTuple):
    """The version that is compared with, as it is kept. folder: where its files are now."""

    version: Version
    folder: Path


def log_changes(
    files: Staging,
    folder: Path,
    earlier: StatusFile | None,
    status: StatusFile,
    destination: Destination,
    *,
    head: StatusHead | None,
    rubric: Rubric | None,
) -> None:
    """Keep the version in `folder` and write the changes pages of the one in `files`.

    earlier: status of the version in `folder`; None also where another engine has written it in a format of its own, of
    which `head` is known. rubric: None for a problem. Raises OSError when the file system refuses.
    """
    t, limit = texts(destination.language), destination.history_versions
    if not folder.exists():
        return
    # The watcher removes the status of damaged outputs.
    mark = earlier or COMMIT_MARK.read(folder, strict=True)
    is_same = mark is not None and mark.key == status.key
    if is_same and _has_pages(folder, earlier, status):
        return
    replaced = earlier if earlier is not None and not is_same and not is_growth(earlier, status) else None
    versions = versions_after(folder, replaced, limit=limit)
    before = _before(folder, replaced, versions)
    foreign = head if earlier is None and head is not None and head.key != status.key else None
    engine = None
    if foreign is not None:
        changes: Comparison | str = UNREADABLE
        engine = foreign.engine_version
    elif before is not None:
        changes, engine = _compare(before, files, status, t), before.version.status.engine_version
    elif (folder / CHANGES_HTML).is_file():
        changes = GROWN  # what it says is about versions that are kept no longer
    else:
        return
    place = f"{HISTORY}/{before.version.folder.name}" if before is not None and versions else ""
    _write_pages(files, status, changes, versions, place=place, engine=engine, rubric=rubric, t=t)
    if foreign is not None:
        keep_version(folder, foreign, limit=limit)
    if replaced is not None:
        keep_version(folder, replaced, limit=limit)  # last: when a write fails, only the new files are lost


def _has_pages(folder: Path, earlier: StatusFile | None, status: StatusFile) -> bool:
    """Are the changes pages of this key there already?"""
    if not ((folder / CHANGES_MD).is_file() and (folder / CHANGES_HTML).is_file()):
        return False
    if earlier is None or (earlier.judge, earlier.judge_digest) == (status.judge, status.judge_digest):
        return True  # repaired or forced
    return _newest(folder) is None  # more verdicts of the same key, and no kept version to compare with


def _write_pages(
    files: Staging,
    status: StatusFile,
    changes: Comparison | str,
    versions: Sequence[Version],
    *,
    place: str = "",
    engine: int | None = None,
    rubric: Rubric | None,
    t: Texts,
) -> None:
    headlines = [*(version.status.headline for version in versions), status.headline]
    trend = versions_chart(headlines, rubric, t)
    page = changes_page(status, changes, versions, folder=place, engine=engine, trend=trend, t=t)
    drawn = [] if trend is None else [(CHANGES_SVG, trend.file())]
    files.write_texts([*drawn, (CHANGES_MD, markdown_page(page)), (CHANGES_HTML, html_page(page, t))])


def _newest(folder: Path) -> Version | None:
    kept = kept_versions(folder)
    return kept[-1] if kept else None


def _before(folder: Path, replaced: StatusFile | None, versions: Sequence[Version]) -> _Before | None:
    """The version in the folder where it is kept, else the newest that was; its files are where they are now."""
    newest = _newest(folder)
    # If it is kept already, a try has failed half-way, and the files in the folder may be of two versions.
    if replaced is None or (newest is not None and newest.status.key == replaced.key):
        return None if newest is None else _Before(newest, newest.folder)
    version = versions[-1] if versions else Version(0, folder / HISTORY, replaced)
    return _Before(version, folder)


def _compare(before: _Before, files: Staging, status: StatusFile, t: Texts) -> Comparison | str:
    """The two versions compared, or a slug that says why they are not: damage must not fail the report.

    Raises OSError as the system does.
    """
    if before.version.status.headline is None:
        return REFUSED_BEFORE
    if status.headline is None:
        return REFUSED_NOW
    try:
        old = read_run_files(before.folder / REPORT_JSON, before.folder / ITEMS_CSV)
        new = read_run_files(files.path(REPORT_JSON), files.path(ITEMS_CSV))
    except UnreadableRunError:
        return UNREADABLE
    try:
        return compare_runs(replace(old, name=version_name(before.version, t)), new)
    except NoSharedQueryError:
        return REWORDED if old.queries.keys() == new.queries.keys() else NO_SHARED
