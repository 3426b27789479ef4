"""Removes the folder of a set: what Scorewatch wrote in it, and the folder itself unless something else is there.

Which files in a folder of reports are ours is told by their names: nobody else may write them.
"""

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
    ITEMS_CSV,
    PROBLEM_HTML,
    PROBLEM_MD,
    QUERIES_CSV,
    REPORT_HTML,
    REPORT_MD,
    REPORT_XLSX,
    ROUNDS,
    SUMMARY_HTML,
    SUMMARY_MD,
    TICKETS_CSV,
    VERDICTS,
    WORK_AREA,
    report_files,
)
from reporting.store.status import REPORT_JSON, STATUS_JSON
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


_PAGES = {REPORT_MD, REPORT_HTML, PROBLEM_MD, PROBLEM_HTML, CHANGES_MD, CHANGES_HTML, CHANGES_SVG}
_COMPARED = {COMPARE_MD, COMPARE_HTML, COMPARE_JSON, BASELINE_JSON, GATE_JSON, RUN_JSON}
_FRONT_PAGES = {SUMMARY_HTML, SUMMARY_MD, SUMMARY_JSON, REPORT_XLSX, TICKETS_CSV}
_DATA = {REPORT_JSON, STATUS_JSON, ITEMS_CSV, QUERIES_CSV, VERDICTS, REVIEWS, ROUNDS, CHARTS, HISTORY}
_OF_SET = _PAGES | _COMPARED | _FRONT_PAGES | _DATA
_TOP = ("index.", "known.", "trend-", "baseline-", "ranking.")  # beginnings of the names of files at the top


def is_of_set(path: Path, folder: Path) -> bool:
    """Is it, or would it be, a file of the report in this folder?"""
    path, folder = _real(path), _real(folder)
    if not path.is_relative_to(folder):
        return False
    first, *_ = (*path.relative_to(folder).parts, "")
    return first.casefold() in _OF_SET


def is_of_reports(path: Path, out: Path) -> bool:
    """Is it, or would it be, a file of a report, wherever that is, or one that this folder of reports has for all?"""
    path, out = _real(path), _real(out)
    for folder in path.parents:
        is_set = folder != out and folder.is_relative_to(out)
        if (is_set or (folder / STATUS_JSON).is_file()) and is_of_set(path, folder):
            return True
    if not path.is_relative_to(out):
        return False
    first, *inner = (*path.relative_to(out).parts, "")
    return first == WORK_AREA or (inner == [""] and first.casefold().startswith(_TOP))


def _real(path: Path) -> Path:
    """Without links in its folder; a link itself is what is replaced."""
    return path.parent.resolve() / path.name
