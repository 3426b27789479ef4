"""Keeping the version that is about to be replaced, and the pages that say what changed since.

Runs under the lock of the set, with the new version written but not yet in its place.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from reporting.changes.compare import Changes, Files, compare
from reporting.changes.pages import changes_view, render_changes, render_kept
from reporting.store.commit_mark import REPORT_JSON, read_commit_mark
from reporting.store.history import Version, is_growth, keep_version, kept_versions, versions_after
from reporting.store.set_folder import CHANGES_HTML, CHANGES_MD, CHANGES_SVG, ITEMS_CSV
from reporting.store.staging import Staging
from reporting.store.status import State, StatusFile
from reporting.wording.catalogue import Texts
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
    """Keep the version that stands in `folder` and write the changes pages of the one in `files`.

    earlier: status of what stands there. limit: versions that stay. rubric: None for a problem.
    Raises OSError when the file system refuses.
    """
    if not folder.exists():
        if status.state is State.REPORT:
            _write_pages(files, status, None, [], rubric=rubric, t=t)
        return
    mark = earlier or read_commit_mark(folder / REPORT_JSON)  # the watcher takes the status of damaged outputs away
    is_same = mark is not None and mark.key == status.key
    if is_same and (folder / CHANGES_MD).is_file() and (folder / CHANGES_HTML).is_file():
        if earlier is None or (earlier.judge, earlier.judge_digest) == (status.judge, status.judge_digest):
            return  # healed or forced: what changed before this version stands there
        if _newest(folder) is None:
            return  # a judge went on, and nothing is kept that could be compared with
    replaced = earlier if earlier is not None and not is_same and not is_growth(earlier, status) else None
    before = Files(replaced, folder / ITEMS_CSV, folder / REPORT_JSON) if replaced is not None else _newest(folder)
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
        # Last: when a write fails, nothing but the new files is lost.
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
    if view.trend is not None:
        files.write(CHANGES_SVG, [view.trend.file().encode()])
    pages = render_changes(view, t)
    files.write(CHANGES_MD, [pages["md"].encode()])
    files.write(CHANGES_HTML, [pages["html"].encode()])


def _newest(folder: Path) -> Files | None:
    kept = kept_versions(folder)
    if not kept:
        return None
    return Files(kept[-1].status, kept[-1].folder / ITEMS_CSV, kept[-1].folder / REPORT_JSON)


def _staged(files: Staging, name: str) -> Path | None:
    return files.path(name) if name in files.marks else None


def _compare(before: Files, after: Files) -> Changes | None:
    """None when the earlier version is damaged: a report must not fail for what stood there before it."""
    try:
        return compare(before, after)
    except (OSError, ValueError, csv.Error):
        return None
