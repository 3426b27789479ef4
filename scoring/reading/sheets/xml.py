"""What the workbook reader does not hand over: error values, formulas without a value, and number formats of cells.

A second reading of the sheet's XML, about as long as the first one: only done where the bytes of the sheet or the dates
in it give a reason.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Callable, Mapping
from enum import Enum
from typing import NamedTuple
from xml.parsers import expat

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


class DateFormat(Enum):
    """What a number format shows of a date."""

    DAY = "day"
    MONTH_YEAR = "month-year"
    OTHER = "other"


class SheetCells(NamedTuple):
    """Cells of one sheet by (row, column), from 0. styles: of the cells of one column, by row."""

    errors: dict[tuple[int, int], str]
    formulas: list[tuple[int, int]]
    styles: dict[int, int]


def sheet_member(archive: zipfile.ZipFile, name: str) -> str:
    """The member that holds the sheet of this name, "" when the workbook does not say."""
    ids: dict[str, str] = {}
    targets: dict[str, str] = {}

    def sheet(tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "sheet":
            by_name = {key.rpartition(":")[2]: value for key, value in attributes.items()}
            ids[by_name.get("name", "")] = by_name.get("id", "")

    def relation(tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "Relationship":
            targets[attributes.get("Id", "")] = attributes.get("Target", "")

    _parse(archive, _WORKBOOK, sheet)
    _parse(archive, _RELATIONS, relation)
    target = targets.get(ids.get(name, ""), "")
    return posixpath.normpath(posixpath.join("/xl", target)).lstrip("/") if target else ""


def date_formats(archive: zipfile.ZipFile) -> list[DateFormat]:
    """The formats of the workbook's cell styles, in their order."""
    codes: dict[str, str] = {}
    ids: list[str] = []
    path: list[str] = []

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        path.append(tag)
        if tag == "numFmt":
            codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif tag == "xf" and path[-2:] == ["cellXfs", "xf"]:
            ids.append(attributes.get("numFmtId", "0"))

    if _STYLES in archive.namelist():
        _parse(archive, _STYLES, start, lambda _: path.pop())
    return [_date_format(number, codes.get(number, "")) for number in ids]


def read_cells(archive: zipfile.ZipFile, member: str, styled_column: int | None) -> SheetCells:
    """Read a sheet. styled_column: the one whose styles are wanted, from 0."""
    reader = _CellReader(styled_column)
    _parse(archive, member, reader.start, reader.end, reader.text)
    return reader.cells


def _date_format(number: str, code: str) -> DateFormat:
    if number.isdecimal() and int(number) in _DAY_IDS:
        return DateFormat.DAY
    if number == str(_MONTH_YEAR_ID):
        return DateFormat.MONTH_YEAR
    shown = _LITERALS.sub("", code).partition(";")[0].lower()
    if "d" in shown:
        return DateFormat.DAY
    return DateFormat.MONTH_YEAR if "y" in shown and "m" in shown else DateFormat.OTHER


class _CellReader:
    """Handlers of the sheet's tags. Cells without a place follow the one before."""

    def __init__(self, styled_column: int | None) -> None:
        self.cells = SheetCells({}, [], {})
        self._styled_column = styled_column
        self._at = (0, -1)
        self._type = ""
        self._has_formula = self._is_value = False
        self._value = ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "c":
            row, column = self._at
            place = _PLACE.fullmatch(attributes.get("r", ""))
            self._at = (int(place[2]) - 1, _column(place[1])) if place else (row, column + 1)
            self._type = attributes.get("t", "")
            self._has_formula, self._value = False, ""
            if self._at[1] == self._styled_column and attributes.get("s", "").isdecimal():
                self.cells.styles[self._at[0]] = int(attributes["s"])
        elif tag == "f":
            self._has_formula = True
        elif tag == "v":
            self._is_value = True
        elif tag == "row":
            number = attributes.get("r", "")
            self._at = (int(number) - 1 if number.isdecimal() else self._at[0] + (self._at[1] >= 0), -1)

    def text(self, text: str) -> None:
        if self._is_value:
            self._value += text

    def end(self, tag: str) -> None:
        if tag == "v":
            self._is_value = False
        elif tag == "c":
            if self._type == _ERROR:
                self.cells.errors[self._at] = self._value
            elif self._has_formula and not self._value and self._type != _FORMULA_TEXT:
                self.cells.formulas.append(self._at)


def _column(letters: str) -> int:
    """A is 0, Z 25, AA 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _parse(
    archive: zipfile.ZipFile,
    member: str,
    start: Callable[[str, Mapping[str, str]], None],
    end: Callable[[str], object] | None = None,
    text: Callable[[str], None] | None = None,
) -> None:
    """Call the handlers with the tags of a member, prefixes removed. Raises ValueError for what is no such XML."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: start(name.rpartition(":")[2], attributes)
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
