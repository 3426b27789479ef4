"""Numbers that their number format can't show: no date of the calendar, no duration (docs/scoring.md#workbooks).

At some of them the reader of workbooks fails, and it takes others for midnight. Their cells lose the format in a copy
of the workbook, so that they are read as the numbers that they are.
"""

import io
import re
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO, NamedTuple

from scoring.problems import Problem
from scoring.reading.columns import ColumnMap
from scoring.reading.sheet_cells import CellPlaces, NumberFormat, number_formats, parse_member
from scoring.text import cut, number

_DAYS = 2_958_466  # from 1899-12-31 to the day after 9999-12-31, the last date of Excel
_OF_DATES = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})  # built-in formats
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_LITERALS = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|[_*].')
_OF_TIME = re.compile("[dmyhs]", re.IGNORECASE)
_STYLE = re.compile(rb"""\ss\s*=\s*(?:"[^"]*"|'[^']*')""")
_SHEETS = re.compile(r"xl/worksheets/[^/]*\.xml", re.IGNORECASE)
_TAG_END = b">"


class FarCell(NamedTuple):
    """A cell whose number is out of range. row, column: from 0. at: offset of its tag in the member."""

    row: int
    column: int
    found: str
    at: int


class PlainCopy(NamedTuple):
    """A workbook in which such cells are plain numbers. cells: of each member that has some."""

    stream: BinaryIO
    cells: Mapping[str, Sequence[FarCell]]


def with_plain_numbers(stream: BinaryIO, members: Collection[str] | None = None) -> PlainCopy | None:
    """The workbook with numbers out of range as numbers; None where there are none.

    members: sheets that are looked at; None: all. Raises ValueError for what is no workbook.
    """
    with zipfile.ZipFile(stream) as archive:
        timed = {str(index) for index, one in enumerate(number_formats(archive)) if _shows_time(one)}
        names = [name for name in archive.namelist() if members is None or name in members]
        looked_at = [name for name in names if members is not None or _SHEETS.fullmatch(name)]
        cells = {name: far for name in looked_at if timed and (far := _far_cells(archive, name, timed))}
        return PlainCopy(_copied(archive, cells), cells) if cells else None


def far_cell_problems(cells: Iterable[FarCell], columns: ColumnMap) -> Iterator[Problem]:
    """A problem for each that stands under the header of its sheet."""
    for cell in cells:
        if cell.row and cell.column < columns.width:
            title = columns.header[cell.column]
            yield Problem(code="out-of-range-cell", row=cell.row + 1, column=title, found=cut(cell.found))


def _shows_time(one: NumberFormat) -> bool:
    """Does a number format show a date, a time or a duration?"""
    if one.number in _OF_DATES or _ELAPSED.search(one.code):
        return True
    return _OF_TIME.search(_LITERALS.sub("", one.code).partition(";")[0]) is not None and one.code.lower() != "general"


class _Reader:
    """Handlers of a sheet's tags. timed: styles that show a time, as cells name them."""

    def __init__(self, timed: Collection[str]) -> None:
        self.far: list[FarCell] = []
        self._timed = timed
        self._places = CellPlaces()
        self._is_timed = self._is_value = False
        self._value = ""
        self._tag_at = 0

    def start(self, tag: str, attributes: Mapping[str, str], at: int) -> None:
        self._places.start(tag, attributes)
        if tag == "c":
            self._is_timed = attributes.get("s", "0") in self._timed and attributes.get("t", "n") == "n"
            self._tag_at, self._value = at, ""
        elif tag == "v":
            self._is_value = self._is_timed

    def text(self, text: str) -> None:
        if self._is_value:
            self._value += text

    def end(self, tag: str) -> None:
        if tag == "v":
            self._is_value = False
        elif tag == "c" and self._is_timed and _is_far(self._value):
            self.far.append(FarCell(*self._places.at, self._value.strip(), self._tag_at))


def _is_far(text: str) -> bool:
    value = number(text)
    return value is not None and not 0 <= value < _DAYS


def _far_cells(archive: zipfile.ZipFile, member: str, timed: Collection[str]) -> list[FarCell]:
    reader = _Reader(timed)
    parse_member(archive, member, reader.start, reader.end, reader.text)
    return reader.far


def _copied(archive: zipfile.ZipFile, cells: Mapping[str, Sequence[FarCell]]) -> BinaryIO:
    copy = io.BytesIO()
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        for name in dict.fromkeys(archive.namelist()):
            out.writestr(name, _unstyled(archive.read(name), cells.get(name, ())))
    copy.seek(0)
    return copy


def _unstyled(data: bytes, cells: Iterable[FarCell]) -> bytes:
    """A member without the styles of some cells. Raises ValueError for one in an encoding of several bytes."""
    pieces, done = [], 0
    for cell in cells:
        end = data.index(_TAG_END, cell.at)
        pieces += [data[done : cell.at], _STYLE.sub(b"", data[cell.at : end])]
        done = end
    return b"".join([*pieces, data[done:]])
