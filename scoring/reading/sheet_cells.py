"""The cells of a sheet: mended as their reader hands them over, and what it leaves out (docs/scoring.md#workbooks).

Error values, formulas without a value and number formats of cells take a second reading of the sheet's XML, about as
long as the first one. It is only done where the bytes of the sheet or the dates in it give a reason.
"""

import datetime as dt
import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import BinaryIO, NamedTuple
from xml.parsers import expat

from scoring.findings import FindingLog
from scoring.problems import Problem
from scoring.reading.columns import ColumnMap
from scoring.text import cut, is_blank

_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_STYLES = "xl/styles.xml"
_BLOCK = 1 << 20
_PLACE = re.compile(r"([A-Z]+)([0-9]+)")
_LITERALS = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|[_*].')  # of a number format: quoted and escaped text, colours, locales
_FORMULA_TEXT = "str"  # type of a formula whose stored value is text, also the empty one
_ERROR = "e"
# Built-in formats with dates; those of East Asian languages differ by language.
_DAY_IDS = frozenset({14, 15, 16, 22})
_MONTH_YEAR_ID = 17
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_IDS = ("run_id", "item_id", "query_id", "session")
_OF_THE_QUERY = ("query_id", "question", "expected", "category", "track", "session")
_LEAST_LONG = 1e14  # numbers of 15 digits, as many as Excel keeps
_Place = tuple[int, int]


class DateFormat(Enum):
    """What a number format shows of a date."""

    DAY = "day"
    MONTH_YEAR = "month-year"
    OTHER = "other"


class SheetCells(NamedTuple):
    """Cells of one sheet by (row, column), from 0. styles: of the cells of one column, by row.

    hidden_rows, hidden_columns: by a filter or by hand, as ranges.
    """

    errors: dict[tuple[int, int], str]
    formulas: list[tuple[int, int]]
    styles: dict[int, int]
    hidden_rows: list[int]
    hidden_columns: list[range]


def sheet_member(archive: zipfile.ZipFile, name: str) -> str:
    """The member that holds the sheet of this name, "" when the workbook does not say."""
    ids: dict[str, str] = {}
    targets: dict[str, str] = {}

    def sheet(tag: str, attributes: Mapping[str, str], _: int) -> None:
        if tag == "sheet":
            by_name = {key.rpartition(":")[2]: value for key, value in attributes.items()}
            ids[by_name.get("name", "")] = by_name.get("id", "")

    def relation(tag: str, attributes: Mapping[str, str], _: int) -> None:
        if tag == "Relationship":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    parse_member(archive, _WORKBOOK, sheet)
    parse_member(archive, _RELATIONS, relation)
    target = targets.get(ids.get(name, ""), "")
    return posixpath.normpath(posixpath.join("/xl", target)).lstrip("/") if target else ""


class NumberFormat(NamedTuple):
    """The number format of a cell style. number: of a built-in one. code: "" for those."""

    number: int
    code: str


def date_formats(archive: zipfile.ZipFile) -> list[DateFormat]:
    """The formats of the workbook's cell styles, in their order."""
    return [_date_format(one) for one in number_formats(archive)]


def number_formats(archive: zipfile.ZipFile) -> list[NumberFormat]:
    """The formats of the workbook's cell styles, in their order. Raises ValueError for what is no such XML."""
    codes: dict[str, str] = {}
    ids: list[str] = []
    path: list[str] = []

    def start(tag: str, attributes: Mapping[str, str], _: int) -> None:
        path.append(tag)
        if tag == "numFmt":
            codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif tag == "xf" and path[-2:] == ["cellXfs", "xf"]:
            ids.append(attributes.get("numFmtId", "0"))

    if _STYLES in archive.namelist():
        parse_member(archive, _STYLES, start, lambda _: path.pop())
    return [NumberFormat(int(one) if one.isdecimal() else 0, codes.get(one, "")) for one in ids]


def read_cells(archive: zipfile.ZipFile, member: str, styled_column: int | None) -> SheetCells:
    """Read a sheet. styled_column: the one whose styles are wanted, from 0."""
    reader = _CellReader(styled_column)
    parse_member(archive, member, reader.start, reader.end, reader.text)
    return reader.cells


def first_sheet(stream: BinaryIO) -> str:
    """The name of the first sheet of a workbook, "" without one. Raises ValueError for what is no such XML."""
    names: list[str] = []

    def sheet(tag: str, attributes: Mapping[str, str], _: int) -> None:
        if tag == "sheet":
            names.append(attributes.get("name", ""))

    with zipfile.ZipFile(stream) as archive:
        parse_member(archive, _WORKBOOK, sheet)
    return next(iter(names), "")


def formula_cells(stream: BinaryIO, sheet: str) -> frozenset[_Place]:
    """The (row, column), from 0, of the cells of a sheet that hold a formula, with a stored value or without.

    Raises ValueError for what is no such XML.
    """
    places, found = CellPlaces(), set[_Place]()

    def start(tag: str, attributes: Mapping[str, str], _: int) -> None:
        places.start(tag, attributes)
        if tag == "f":
            found.add(places.at)

    with zipfile.ZipFile(stream) as archive:
        if member := sheet_member(archive, sheet):
            parse_member(archive, member, start)
    return frozenset(found)


def _date_format(one: NumberFormat) -> DateFormat:
    if one.number in _DAY_IDS:
        return DateFormat.DAY
    if one.number == _MONTH_YEAR_ID:
        return DateFormat.MONTH_YEAR
    shown = _LITERALS.sub("", one.code).partition(";")[0].lower()
    if "d" in shown:
        return DateFormat.DAY
    return DateFormat.MONTH_YEAR if "y" in shown and "m" in shown else DateFormat.OTHER


class CellPlaces:
    """The place of the last cell by (row, column), from 0. A cell whose tag has none follows the one before."""

    def __init__(self) -> None:
        self.at = (0, -1)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take the start of any tag."""
        row, column = self.at
        if tag == "c":
            place = _PLACE.fullmatch(attributes.get("r", ""))
            self.at = (int(place[2]) - 1, _column(place[1])) if place else (row, column + 1)
        elif tag == "row":
            number = attributes.get("r", "")
            self.at = (int(number) - 1 if number.isdecimal() else row + (column >= 0), -1)


class _CellReader:
    """Handlers of the sheet's tags."""

    def __init__(self, styled_column: int | None) -> None:
        self.cells = SheetCells({}, [], {}, [], [])
        self._styled_column = styled_column
        self._places = CellPlaces()
        self._type = ""
        self._has_formula = self._is_value = False
        self._value = self._hides_rows = ""

    def start(self, tag: str, attributes: Mapping[str, str], _: int) -> None:
        self._places.start(tag, attributes)
        if tag == "c":
            row, column = self._places.at
            self._type = attributes.get("t", "")
            self._has_formula, self._value = False, ""
            if column == self._styled_column and attributes.get("s", "").isdecimal():
                self.cells.styles[row] = int(attributes["s"])
        elif tag == "f":
            self._has_formula = True
        elif tag == "v":
            self._is_value = True
        elif tag == "row":
            if _is_on(attributes.get("hidden", self._hides_rows)):
                self.cells.hidden_rows.append(self._places.at[0])
        elif tag == "sheetFormatPr":
            self._hides_rows = attributes.get("zeroHeight", "")
        elif tag == "col" and _is_on(attributes.get("hidden", "")):
            first, last = (attributes.get(name, "") for name in ("min", "max"))
            if first.isdecimal() and last.isdecimal():
                self.cells.hidden_columns.append(range(int(first) - 1, int(last)))

    def text(self, text: str) -> None:
        if self._is_value:
            self._value += text

    def end(self, tag: str) -> None:
        if tag == "v":
            self._is_value = False
        elif tag == "c":
            if self._type == _ERROR:
                self.cells.errors[self._places.at] = self._value
            elif self._has_formula and not self._value and self._type != _FORMULA_TEXT:
                self.cells.formulas.append(self._places.at)


def _is_on(flag: str) -> bool:
    return flag in {"1", "true"}


def _column(letters: str) -> int:
    """A is 0, Z 25, AA 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def parse_member(
    archive: zipfile.ZipFile,
    member: str,
    start: Callable[[str, Mapping[str, str], int], None],
    end: Callable[[str], object] | None = None,
    text: Callable[[str], None] | None = None,
) -> None:
    """Call the handlers with the tags of a member, prefixes removed. Raises ValueError for what is no such XML.

    start: also gets the offset of the tag in the member.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: start(
        name.rpartition(":")[2], attributes, parser.CurrentByteIndex
    )
    if end is not None:
        parser.EndElementHandler = lambda name: end(name.rpartition(":")[2])
    if text is not None:
        parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        with archive.open(member) as content:
            while block := content.read(_BLOCK):
                parser.Parse(block, False)
            parser.Parse(b"", True)
    except (expat.ExpatError, KeyError) as error:
        raise ValueError(str(error)) from None


def _refuse_doctype(*_: object) -> None:
    raise ValueError("a document type is declared")  # no writer of workbooks does so; it could define entities


class Sheet(NamedTuple):
    """A sheet by its name. rows: values as the reader has them. merged: first and last (row, column) of each range."""

    name: str
    rows: Sequence[Sequence[object]]
    merged: Sequence[tuple[_Place, _Place]]


def mend_cells(
    stream: BinaryIO,
    sheet: Sheet,
    texts: list[list[str]],
    columns: ColumnMap,
    *,
    log: FindingLog,
    suspects: frozenset[str],
) -> None:
    """Set the texts of cells that the reader leaves blank or reads as a wrong date.

    suspects: members of the workbook that may hold error values or formulas.
    """
    _log_long_ids(sheet.rows, columns, log)
    at = columns.at.get("round")
    dates = {} if at is None else dict(_first_days(sheet.rows, at))
    with zipfile.ZipFile(stream) as archive:
        formats = date_formats(archive) if dates else []
        is_unsure = DateFormat.MONTH_YEAR in formats or any(not _is_day(date) for date in dates.values())
        member = sheet_member(archive, sheet.name) if suspects or is_unsure else ""
        if member and (member in suspects or is_unsure):
            cells = read_cells(archive, member, at)
            for (row, column), value in cells.errors.items():
                if row < len(texts) and column < len(texts[row]):
                    texts[row][column] = value
            _log_formulas(cells.formulas, columns, texts, log)
            _log_hidden(cells, columns, texts, log)
            for row, date in dates.items():
                style = cells.styles.get(row, len(formats))
                shown = formats[style] if style < len(formats) else DateFormat.OTHER
                if shown is DateFormat.MONTH_YEAR or (shown is DateFormat.OTHER and not _is_day(date)):
                    assert at is not None
                    texts[row][at] = f"{_MONTHS[date.month - 1]}-{date.year % 100:02}"
    _fill_merged(sheet.merged, texts, columns, log)


def _first_days(rows: Sequence[Sequence[object]], at: int) -> Iterator[tuple[int, dt.date]]:
    """The first days of a month in a column, by row: as such Excel stores a month and year."""
    for number, row in enumerate(rows):
        value = row[at]
        if isinstance(value, dt.date) and value.day == 1:
            yield number, value


def _is_day(date: dt.date) -> bool:
    """Is the year, in two digits, a day that the month has in a common year?"""
    return 1 <= date.year % 100 <= _DAYS[date.month - 1]


def _log_long_ids(rows: Sequence[Sequence[object]], columns: ColumnMap, log: FindingLog) -> None:
    """Ids that are numbers of more digits than Excel keeps, or as many."""
    for at in (columns.at[field] for field in _IDS if field in columns.at):
        long = [
            number
            for number, row in enumerate(rows, start=1)
            if isinstance(value := row[at], float) and abs(value) >= _LEAST_LONG
        ]
        if long:
            place = Problem(
                code="id-rounded", row=long[0], column=columns.header[at], found=f"{rows[long[0] - 1][at]:.0f}"
            )
            log.add(place, len(long))


def _log_formulas(places: Sequence[_Place], columns: ColumnMap, texts: list[list[str]], log: FindingLog) -> None:
    claimed = set(columns.at.values())
    for row, column in places:
        if column in claimed and 0 < row < len(texts):
            log.add(Problem(code="formula-without-value", row=row + 1, column=columns.header[column]))


def _log_hidden(cells: SheetCells, columns: ColumnMap, texts: list[list[str]], log: FindingLog) -> None:
    """Rows with data that are hidden, at the first one, and columns with a title."""
    rows = [row for row in cells.hidden_rows if 0 < row < len(texts) and not all(map(is_blank, texts[row]))]
    if rows:
        log.add(Problem(code="hidden-rows", row=rows[0] + 1, values={"rows": str(len(rows))}), len(rows))
    titles = [title for at, title in enumerate(columns.header) if any(at in range_ for range_ in cells.hidden_columns)]
    for title in filter(None, titles):
        log.add(Problem(code="hidden-rows", row=1, column=title))


def _fill_merged(
    ranges: Sequence[tuple[_Place, _Place]], texts: list[list[str]], columns: ColumnMap, log: FindingLog
) -> None:
    """Fill the value of a merged cell down the columns of the query; elsewhere it counts for its first row only."""
    filled = {columns.at[field] for field in _OF_THE_QUERY if field in columns.at}
    claimed = set(columns.at.values())
    budget = len(texts) * len(claimed)  # ranges of a sheet do not overlap
    for (top, left), (bottom, right) in sorted(ranges):
        rows = range(max(top, 1), min(bottom + 1, len(texts)))
        merged = [at for at in range(left, min(right + 1, columns.width)) if at in claimed]
        budget -= len(rows) * len(merged)
        if top < 1 or not merged or budget < 0:
            continue
        value = texts[top][left]
        if left in filled:
            for row in rows[1:]:
                if is_blank(texts[row][left]):
                    texts[row][left] = value
        covered = len(rows) * len(merged) - (left in claimed)
        blank = covered - (len(rows) - 1) * (left in filled)
        if covered > 0:
            values = {"how": "not-filled" if blank else "filled", "cells": str(blank or covered)}
            place = Problem(code="merged-cells", row=top + 1, column=columns.header[merged[0]], found=cut(value))
            log.add(replace(place, values=values), covered)
