"""Keeps the version that is about to be replaced, and writes the pages that say what changed since.

Runs under the lock of the set, with the new version written but not yet in its place.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from reporting.changes.compare import Changes, Files, compare
from reporting.changes.pages import changes_view, render_changes, render_kept
from reporting.store.history import Version, is_growth, keep_version, kept_versions, versions_after
from reporting.store.set_folder import CHANGES_HTML, CHANGES_MD, CHANGES_SVG, ITEMS_CSV
from reporting.store.staging import Staging
from reporting.store.status import REPORT_JSON, State, StatusFile, read_commit_mark
from reporting.wording.catalogue import Texts
from scoring.reading.regular_file import NotRegularError
from scoring.rubric.model import Rubric


def log_changes(
    files: Staging,
    folder: Path,
    earlier: StatusFile | None,
    status: StatusFile,
    *,
    rubric: Rubric | None,
    limit: int,
    t: Texts,
) -> None:
    """Keep the version in `folder` and write the changes pages of the one in `files`.

    earlier: status of the version in `folder`. limit: versions to keep. rubric: None for a problem.
    Raises OSError when the file system refuses.
    """
    if not folder.exists():
        if status.state is State.REPORT:
            _write_pages(files, status, None, [], rubric=rubric, t=t)
        return
    # The watcher removes the status of damaged outputs.
    mark = earlier or read_commit_mark(folder / REPORT_JSON, strict=True)
    is_same = mark is not None and mark.key == status.key
    if is_same and (folder / CHANGES_MD).is_file() and (folder / CHANGES_HTML).is_file():
        if earlier is None or (earlier.judge, earlier.judge_digest) == (status.judge, status.judge_digest):
            return  # repaired or forced: the changes pages are there already
        if _newest(folder) is None:
            return  # more verdicts of the same key, and no kept version to compare with
    replaced = earlier if earlier is not None and not is_same and not is_growth(earlier, status) else None
    before = _newest(folder)
    # If it is kept already, a try has failed half-way, and the files in the folder may be of two versions.
    if replaced is not None and (before is None or before.status.key != replaced.key):
        before = Files(replaced, folder / ITEMS_CSV, folder / REPORT_JSON)
    if before is None and status.state is State.PROBLEM:
        return  # a report links to the pages, so it always has them; a problem does not
    changes = (
        None
        if before is None
        else _compare(before, Files(status, _staged(files, ITEMS_CSV), _staged(files, REPORT_JSON)))
    )
    _write_pages(files, status, changes, versions_after(folder, replaced, limit=limit), rubric=rubric, t=t)
    if replaced is not None:
        kept = render_kept(replaced, t) if replaced.state is State.REPORT else {}
        # Last: when a write fails, only the new files are lost.
        keep_version(folder, replaced, limit=limit, pages=kept)


def _write_pages(
    files: Staging,
    status: StatusFile,
    changes: Changes | None,
    versions: Sequence[Version],
    *,
    rubric: Rubric | None,
    t: Texts,
) -> None:
    view = changes_view(status.set, status, changes, versions, rubric=rubric, t=t)
    pages = render_changes(view, t)
    drawn = [] if view.trend is None else [(CHANGES_SVG, view.trend.file())]
    files.write_texts([*drawn, (CHANGES_MD, pages["md"]), (CHANGES_HTML, pages["html"])])


def _newest(folder: Path) -> Files | None:
    kept = kept_versions(folder)
    if not kept:
        return None
    return Files(kept[-1].status, kept[-1].folder / ITEMS_CSV, kept[-1].folder / REPORT_JSON)


def _staged(files: Staging, name: str) -> Path | None:
    return files.path(name) if name in files.marks else None


def _compare(before: Files, after: Files) -> Changes | None:
    """None when the earlier version is damaged: that must not fail the report. Raises OSError as the system does."""
    try:
        return compare(before, after)
    except (FileNotFoundError, NotADirectoryError, NotRegularError, ValueError, csv.Error):
        return None
