"""Finds cells that were damaged before the file was made (docs/scoring.md#damaged-cells). Nothing is repaired.

An error value of Excel is never a value. In columns that identify an item it counts as missing, or `#REF!` would be
one query of many rows. In other columns it stays in the cell, where it is no score, no number and not blank.

Excel also rewrites identifiers and round labels. `123456789012345` becomes `1.23457E+14`: its other digits are lost,
and ids that differ only in them are the same. Likewise `1234567890123456` becomes `1234567890123450`, `1.10` becomes
`1.1` and `1-2` a date. `1/1` typed into Excel is a date, and a column that is formatted as numbers shows it as 46023.
"""

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from operator import attrgetter

import re2

from scoring.findings import FindingLog
from scoring.items.part import Item
from scoring.items.rounds_and_tracks import is_like_date, is_room_and_repeat, read_round
from scoring.items.spool import Items
from scoring.problems import Problem
from scoring.reading import ByteSigns, ColumnMap, is_korean_in_latin_1
from scoring.rubric import DateOrder
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
_ID_OF = {field: attrgetter(field) for field in ("run_id", "item_id", "query_id")}
_COUNTED_ID_FIELDS = ("item_id", "query_id")
_EXCEL_DIGITS = 15  # Excel keeps so many and writes zeros for the others
_LONG_NUMBER = re.compile(r"[0-9]{16,}(?:\.0)?")
_DECIMAL = re.compile(r"[0-9]{1,6}\.[0-9]{1,3}")
_LIKE_DATE = (
    r"[0-9]{1,4}[-/](?:[0-9]{1,2}|[A-Za-z]{3})(?:[-/ T][-/0-9:. ]+)?|[0-9]{1,2}월 ?[0-9]{1,2}일|[A-Za-z]{3}-[0-9]{1,2}"
    r"|[0-9]{4}\. ?[0-9]{1,2}\. ?[0-9]{1,2}\.?|[0-9]{4}년 ?[0-9]{1,2}월 ?[0-9]{1,2}일"
)
_POWER = re.compile(r"[0-9](?:[.,][0-9]+)?[Ee]\+[0-9]+")
_REWRITTEN = re.compile(f"{_POWER.pattern}|{_LONG_NUMBER.pattern}|{_DECIMAL.pattern}|{_LIKE_DATE}")
_REWRITTEN_LINE = re2.compile(f"(?m)^(?:{_REWRITTEN.pattern})$")
_SERIAL = re.compile(r"([0-9]{5})(?:\.0+)?")
_DAY_ZERO = dt.date(1899, 12, 30)  # right from March 1900 on
_YEARS = range(2000, 2100)  # other numbers are more likely labels


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


class ExcelDamage:
    """Logs the damage in the items of one file. titles: of its columns, by field."""

    def __init__(self, titles: Mapping[str, str], log: FindingLog) -> None:
        self._titles = titles
        self._log = log
        self.suspect: set[str] = set()  # fields with an id that looks rewritten

    def look_at(self, items: Sequence[Item]) -> None:
        """Look at the ids of a batch. One search for all of them saves one for each: 2 % of all scoring."""
        for field, id_of in _ID_OF.items():
            if field not in self.suspect and _REWRITTEN_LINE.search("\n".join(map(id_of, items))) is not None:
                self.suspect.add(field)

    def log(self, items: Items, date_order: DateOrder, *, is_text: bool) -> None:
        """Log what is damaged. items: all, looked at before. is_text: is the file no workbook?"""
        for field in _ID_OF:
            if field in self.suspect:
                _log_rewritten(items, field, self._titles[field], self._log, is_text=is_text)
        _find_dates(items, date_order, self._titles["round"], self._log)


def serial_date(label: str) -> dt.date | None:
    """The date that Excel means by this number; None when the label is no such number, or of another century."""
    match = _SERIAL.fullmatch(label)
    if match is None:
        return None
    date = _DAY_ZERO + dt.timedelta(days=int(match[1]))
    return date if date.year in _YEARS else None


def _log_rewritten(items: Items, field: str, title: str, log: FindingLog, *, is_text: bool) -> None:
    first: dict[str, int] = {}  # row of each
    counted: Counter[str] = Counter()
    for ids, rows in items.columns(field, "row"):
        for text, row in zip(ids, rows, strict=True):
            if _REWRITTEN.fullmatch(text):
                first.setdefault(text, row)
                counted[text] += 1
    found = {
        "id-rounded": _rounded(first, is_text=is_text),
        "id-like-number": _decimals(first) if field in _COUNTED_ID_FIELDS else [],
        "id-date": [text for text in first if read_round(text, DateOrder.MONTH_FIRST).restored],
    }
    for code, texts in found.items():
        if texts:
            n = sum(counted[text] for text in texts)
            log.add(_note(code, first[texts[0]], title, texts[0], {"rows": str(n)}), n)


def _rounded(texts: Collection[str], *, is_text: bool) -> list[str]:
    """Powers of ten, and in text files ids of 16 digits and more that all end in zeros from the 16th digit on."""
    powers = [text for text in texts if _POWER.fullmatch(text)]
    long = [text for text in texts if _LONG_NUMBER.fullmatch(text)] if is_text else []
    is_cut = not any(text.split(".")[0][_EXCEL_DIGITS:].strip("0") for text in long)
    return [*powers, *(long if is_cut else ())]


def _decimals(texts: Collection[str]) -> list[str]:
    """Ids like `1.1`, which may have been `1.10`; none where an id has kept its last zero."""
    decimals = [text for text in texts if _DECIMAL.fullmatch(text)]
    return [] if any(text.endswith("0") for text in decimals) else decimals


def _find_dates(items: Items, date_order: DateOrder, title: str, log: FindingLog) -> None:
    """Log the labels of rounds that look like dates, or like the numbers that Excel stores for dates."""
    counted: Counter[str] = Counter()
    first: dict[str, int] = {}
    for labels, rows in items.columns("round", "row"):
        counted.update(labels)
        for label in counted.keys() - first.keys():
            first[label] = rows[labels.index(label)]
    for label, n in counted.items():
        values = {"rows": str(n)}
        if serial_date(label):
            date = str(serial_date(label))
            values |= {"date": date, "label": read_round(date, date_order).label}
            log.add(_note("round-serial-date", first[label], title, label, values), n)
        elif is_like_date(label) and not is_room_and_repeat(label):
            log.add(_note("round-like-date", first[label], title, label, values), n)


def _note(code: str, row: int, title: str, found: str, values: dict[str, str]) -> Problem:
    return Problem(code=code, row=row, column=title, found=found, values=values)
