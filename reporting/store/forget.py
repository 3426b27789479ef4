"""Removes the folder of a set: what Scorewatch wrote in it, and the folder itself unless something else is there."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from reporting.store.gate import GATE_JSON
from reporting.store.history import forget_first_publication
from reporting.store.locks import set_lock
from reporting.store.reviews import REVIEWS
from reporting.store.run_info import RUN_JSON
from reporting.store.set_folders import (
    BASELINE_JSON,
    CHANGES_HTML,
    CHANGES_MD,
    CHANGES_SVG,
    CHARTS,
    COMPARE_HTML,
    COMPARE_JSON,
    COMPARE_MD,
    HISTORY,
    REPORT_XLSX,
    ROUNDS,
    SUMMARY_HTML,
    SUMMARY_MD,
    TICKETS_CSV,
    VERDICTS,
    report_files,
)
from reporting.store.status import STATUS_JSON
from reporting.store.summary import SUMMARY_JSON
from scoring import InputError, Problem

_FOLDERS = (HISTORY, ROUNDS, CHARTS)
# The marks of the front page and of the comparison go before their pages, and the status last of all: an interrupted
# removal can be repeated.
_FRONT = (SUMMARY_JSON, SUMMARY_HTML, SUMMARY_MD, REPORT_XLSX, TICKETS_CSV)
_FILES = (*_FRONT, BASELINE_JSON, COMPARE_HTML, COMPARE_MD, COMPARE_JSON, GATE_JSON, RUN_JSON)
_LAST = (CHANGES_HTML, CHANGES_MD, CHANGES_SVG, VERDICTS, REVIEWS, STATUS_JSON)


def forget_set(out: Path, set_name: str) -> list[str]:
    """Remove the report of a set with its history and its verdicts, under the lock of the set.

    Gives the names of what is left in its folder because Scorewatch did not write it: files of people, folders of
    other sets; empty where the folder is gone. Raises InputError (`output-outside`) for a name that leads out of `out`
    or through a link, TransientError when the file system refuses or another process holds the set.
    """
    with set_lock(out, set_name) as folder:
        way = folder
        while way != out:
            if way.is_symlink():
                raise InputError((Problem(code="output-outside", source=set_name, found=str(way.resolve())),))
            way = way.parent
        for name in (*_FILES, *report_files(folder)):
            (folder / name).unlink(missing_ok=True)
        for name in _FOLDERS:
            _remove_folder(folder / name)
        for name in _LAST:
            (folder / name).unlink(missing_ok=True)
        forget_first_publication(out, set_name)
        left = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
        way = folder
        with suppress(OSError):  # not empty
            while way != out:
                way.rmdir()
                way = way.parent
        return left


def _remove_folder(folder: Path) -> None:
    """A folder of ours with all that is in it; of a link the link alone."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.is_dir():
        shutil.rmtree(folder)
