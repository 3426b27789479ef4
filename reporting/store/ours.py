"""Which files in a folder of reports are ours, by their names: nobody else may write them."""

from __future__ import annotations

from pathlib import Path

from reporting.store.gate import GATE_JSON
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
)
from reporting.store.status import REPORT_JSON, STATUS_JSON
from reporting.store.summary import SUMMARY_JSON

_PAGES = {REPORT_MD, REPORT_HTML, PROBLEM_MD, PROBLEM_HTML, CHANGES_MD, CHANGES_HTML, CHANGES_SVG}
_COMPARED = {COMPARE_MD, COMPARE_HTML, COMPARE_JSON, BASELINE_JSON, GATE_JSON, RUN_JSON}
_FRONT = {SUMMARY_HTML, SUMMARY_MD, SUMMARY_JSON, REPORT_XLSX, TICKETS_CSV}
_DATA = {REPORT_JSON, STATUS_JSON, ITEMS_CSV, QUERIES_CSV, VERDICTS, REVIEWS, ROUNDS, CHARTS, HISTORY}
_OF_SET = _PAGES | _COMPARED | _FRONT | _DATA
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
