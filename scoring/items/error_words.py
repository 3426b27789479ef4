"""Finds a short text that fills most of `오류` beside answers: it may mean that there is no error."""

from __future__ import annotations

import re
from typing import NamedTuple

from scoring.findings import FindingLog
from scoring.items.spool import Items
from scoring.items.status import WHY_ERROR_COLUMN, is_time_out
from scoring.problems import Problem

_MOST_WORDS = 2
_LEAST_CELLS = 2
# What can only mean a failure, unless it is denied.
_FAILURE = re.compile(
    r"error|err\b|fail|exception|abort|reset|refus|denied|reject|invalid|crash|killed|limit|overload|unavailable|broken"
    r"|disconnect|missing|forbidden|unauthorized|\b[45][0-9]{2}\b|오류|에러|실패|예외|중단|거부|불가|장애|누락|초과",
    re.IGNORECASE,
)
_DENIED = re.compile(r"no|non|not|zero|without|\b0|없|아님|무", re.IGNORECASE)


class _Cells(NamedTuple):
    """Cells with one text. row: of the first; text: as it has it; answered: how many stand beside an answer."""

    row: int
    text: str
    n: int
    answered: int


def note_error_words(items: Items, filled: int, title: str, log: FindingLog) -> None:
    """Log the text that more than half of the filled cells of `오류` hold, where these items have answers.

    items: of one file. filled: cells of the column that are not blank, those included that say that there is no error.
    """
    for cells in _by_text(items).values() if filled >= _LEAST_CELLS else ():
        is_most = cells.n >= _LEAST_CELLS and cells.n * 2 > filled and cells.answered * 2 > cells.n
        if is_most and not _says_failure(cells.text):
            values = {"filled": str(filled), "answered": str(cells.answered)}
            place = Problem(code="error-column-constant", row=cells.row, column=title, found=cells.text, values=values)
            log.add(place, cells.n)


def _says_failure(text: str) -> bool:
    return is_time_out(text) or (_FAILURE.search(text) is not None and _DENIED.search(text) is None)


def _by_text(items: Items) -> dict[str, _Cells]:
    found: dict[str, _Cells] = {}
    for columns in items.columns("row", "error", "why", "message", "response"):
        for row, error, why, message, response in zip(*columns, strict=True):
            if why == WHY_ERROR_COLUMN and len(error.split()) <= _MOST_WORDS:
                first = found.get(key := error.strip().casefold()) or _Cells(row, error, 0, 0)
                answered = first.answered + bool(message or response)
                found[key] = first._replace(n=first.n + 1, answered=answered)
    return found
