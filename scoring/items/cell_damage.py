"""Finds cells that lost their value or text before the file was made (docs/scoring.md#damaged-cells).

An error value of Excel is never a value. In columns that identify an item it counts as missing, or `#REF!` would be
one query of many rows. In other columns it stays in the cell, where it is no score, no number and not blank.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from scoring.findings import FindingLog
from scoring.problems import Problem
from scoring.reading.byte_signs import ByteSigns
from scoring.reading.columns import ColumnMap
from scoring.reading.korean import is_korean_in_latin_1
from scoring.text import cut, has_invisible, normalise

ERROR_VALUES = frozenset((
    "#NAME?", "#N/A", "#REF!", "#DIV/0!", "#VALUE!", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#GETTING_DATA", "#FIELD!",
    "#BLOCKED!", "#CONNECT!", "#UNKNOWN!", "#BUSY!", "#EXTERNAL!", "#PYTHON!",
))  # fmt: skip
_LONGEST_ERROR_CELL = 32  # characters, white space around the value included
_IDENTIFYING = ("run_id", "item_id", "query_id", "round", "track", "session", "turn")
_LEAST_MARKS = 3
_QUOTED_MARKS = re.compile(r'"([ ?.,!~()0-9]+)"')  # a JSON string without any letter
# Two Hangul syllables in UTF-8 that were read as Latin-1 or Windows-1252: `ì•ˆë…•`.
_CONTINUED = bytes(range(0x80, 0xC0))
_LATIN = "".join(sorted({*_CONTINUED.decode("latin-1"), *_CONTINUED.decode("cp1252", "ignore")}))
_READ_AS_LATIN = re.compile(f"(?:[\xea-\xed][{re.escape(_LATIN)}]{{2}}){{2}}")
# What both that and `is_korean_in_latin_1` start with, so that most cells are searched once.
_LATIN_RUN = re.compile(f"[\xb0-\xc8\xea-\xed][{re.escape(_LATIN)}\xa1-\xfe]{{3}}")
_ESCAPED_REPLACEMENT = re.compile(r"\\u(?:fffd|FFFD)")
_LATIN_LETTER = re.compile("[\xc0-\xff]")  # what `ByteSigns` looks for: without one, the cell has no sign


class CellDamage:
    """Logs the damaged cells of one file."""

    def __init__(self, columns: ColumnMap, log: FindingLog) -> None:
        self._titles = columns.header
        self._claimed = sorted(columns.at.values())
        self._identifying = sorted(columns.at[field] for field in _IDENTIFYING if field in columns.at)
        self._log = log
        self._invisible_titles = columns.invisible

    def finish(self) -> None:
        """Log what is damaged in the header."""
        for at in self._invisible_titles:
            self._add("invisible-characters", 1, at, self._titles[at])

    def look_at(
        self,
        numbers: Sequence[int],
        rows: list[list[str]],
        cells: Sequence[Sequence[str]],
        *,
        signs: ByteSigns,
    ) -> bool:
        """Log what is damaged, and replace rows with error values in identifying cells; were there any?

        cells: the columns of the rows, as they were. signs: of the file so far.
        """
        has_blanked = False
        for at in self._claimed:
            if signs.error_values:
                errors = self._log_cells("error-cell", numbers, at, cells[at], is_error_value)
                if at in self._identifying:
                    for index in errors:
                        rows[index] = [*rows[index][:at], "", *rows[index][at + 1 :]]
                        has_blanked = True
            if signs.damage:
                self._log_cells("damaged-text", numbers, at, cells[at], is_damaged)
        for at in self._identifying:
            if has_invisible("".join(cells[at])):
                self._log_cells("invisible-characters", numbers, at, cells[at], has_invisible)
        return has_blanked

    def _log_cells(
        self, code: str, numbers: Sequence[int], at: int, column: Sequence[str], is_found: Callable[[str], bool]
    ) -> list[int]:
        """Log the cells of a column for which `is_found` is true; their indexes."""
        found = [index for index, cell in enumerate(column) if is_found(cell)]
        for index in found:
            self._add(code, numbers[index], at, column[index])
        return found

    def _add(self, code: str, number: int, at: int, cell: str) -> None:
        self._log.add(Problem(code=code, row=number, column=self._titles[at], found=cut(cell)))


def is_error_value(cell: str) -> bool:
    """Is the cell an error value of Excel and nothing else?"""
    return len(cell) <= _LONGEST_ERROR_CELL and "#" in cell and normalise(cell) in ERROR_VALUES


def is_damaged(cell: str) -> bool:
    """Did the text lose characters: replaced by U+FFFD, mostly `?`, or UTF-8 or CP949 that was read as Latin-1?"""
    if "\ufffd" in cell:
        return True
    if "??" in cell and (_is_lost(cell) or any(map(_is_lost, _QUOTED_MARKS.findall(cell)))):
        return True
    if _ESCAPED_REPLACEMENT.search(cell) is not None:
        return True
    is_suspect = not cell.isascii() and _LATIN_RUN.search(cell) is not None
    return (
        is_suspect
        and _LATIN_LETTER.search(cell) is not None
        and (_READ_AS_LATIN.search(cell) is not None or is_korean_in_latin_1(cell))
    )


def _is_lost(text: str) -> bool:
    """Are at least half of the characters question marks, and the others ASCII?"""
    marks = text.count("?")
    return marks >= _LEAST_MARKS and marks * 2 >= len("".join(text.split())) and text.isascii()
