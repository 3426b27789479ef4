"""How far the cells of a sheet reach and how much text they come to, by its XML, before its reader allocates memory.

The reader takes memory for every cell from the first to the last, so two cells may ask for terabytes. What counts is
what it goes by: the place in each cell's tag, or the cell before and the row's tag where that has none. Cells without
content, a declared size and merged ranges cost nothing.

A workbook keeps a text once and cells name it by number, so a file of 100 KB may ask for gigabytes. Texts are measured
while the workbook is looked at; cells are only counted in workbooks that could go beyond the limit.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import re2

EXCEL_ROWS = 1_048_576
SURE_COLUMNS = 26  # sheets of so many may be as high as Excel has them
MAX_CELLS = SURE_COLUMNS * EXCEL_ROWS

_LONGEST_TAG = 1 << 16


def _compiled(pattern: bytes) -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # bytes of any encoding
    return re2.compile(pattern, options)


_NAME = rb"(?:[^\s<>:]*:)?"  # any prefix
_CELL_OR_ROW = re.compile(rb"<(?!/)" + _NAME + rb"(?:c|row)[\s/>]")
# Cells that are not as writers write them, `<c r="B7" s="1" t="s">`: nothing after the place can change it.
_UNUSUAL = _compiled(
    rb"<[^\s<>:]*:c[\s/>]|<c[/>\t\n\r\f\v]|<c (?:[^r]|r[^=]|r=[^\"]|r=\"[^A-Z]|r=\"[A-Z]+(?:[^A-Z0-9]|[0-9]+[^0-9\"]))"
    rb"|<c r=\"[^\"<>]*\"(?:(?:[^<>]*[\s\"'])?r\s*=|[^<>]*'|[^<>]*=\s*\"[^\"]*[<>]|[^<>]*<)"
)
_FAR = _compiled(rb'<c r="(?:[A-Z]{2}|[A-Z][0-9]{7})')  # farther than SURE_COLUMNS of a million rows
_FILLED = re.compile(rb'<c r="([A-Z]+)([0-9]+)"[^<>]*(?<!/)>')
# Anything that the reader takes.
_ATTRIBUTE = rb"\s+[^\s=<>\"']+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*')"
_TAG = re.compile(rb"<(/?)" + _NAME + rb"(c|row)((?:" + _ATTRIBUTE + rb")*)\s*(/?)>")
_OPEN_TAG = _compiled(rb"<[^<>]*<")  # inside it a name may hide
_PLACE = re.compile(rb"\sr\s*=\s*[\"']([A-Za-z]{0,7})0*([0-9]{0,10})[\"']")
_HAS_PLACE = re.compile(rb"\sr\s*=")


class UnreadableTagError(Exception):
    """A tag of a cell or a row that no writer writes; the place of its cell is unknown."""


class Extent(NamedTuple):
    """Rows and columns from the first cell of the sheet to the last that holds something; filled: number of those."""

    rows: int = 0
    columns: int = 0
    filled: int = 0

    @property
    def is_too_large(self) -> bool:
        """Would it take more than MAX_CELLS, as a rectangle or as cells in the same place?"""
        return max(self.rows * self.columns, self.filled) > MAX_CELLS


def find_extent(blocks: Callable[[], Iterable[bytes]]) -> Extent | None:
    """The extent of a member of a workbook, None of one that cannot be too large: most sheets, and all else.

    blocks: the bytes of the member, once more from the start each time it is called. Raises UnreadableTagError.
    """
    filled = 0
    for block in _whole_tags(blocks()):
        if _UNUSUAL.search(block) is not None:
            return _extent_of_any(_whole_tags(blocks()))
        filled += block.count(b"<c ")
        if filled > MAX_CELLS or _FAR.search(block) is not None:
            return _extent_of_usual(_whole_tags(blocks())) or _extent_of_any(_whole_tags(blocks()))
    return None


def _whole_tags(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, divided where no tag is."""
    tail = b""
    for new in blocks:
        block, tail = tail + new, b""
        last = block.rfind(b"<")
        if last >= 0 and block.find(b">", last) < 0:
            block, tail = block[:last], block[last:]
            if len(tail) > _LONGEST_TAG:
                raise UnreadableTagError
        yield block
    yield tail


def _extent_of_usual(blocks: Iterable[bytes]) -> Extent | None:
    """None when the cells further down are written in another way."""
    extent = Extent()
    for block in blocks:
        if _UNUSUAL.search(block) is not None:
            return None
        if cells := _FILLED.findall(block):
            columns, rows = zip(*cells, strict=True)
            extent = Extent(
                max(extent.rows, *map(int, rows)),
                max(extent.columns, *map(_number_of_column, set(columns))),
                extent.filled + len(cells),
            )
    return extent


def _extent_of_any(blocks: Iterable[bytes]) -> Extent:
    rows = columns = filled = 0
    row = column = 0  # of the next cell without a place, from 0
    for block in blocks:
        tags = 0
        for closes, name, attributes, is_empty in _TAG.findall(block):
            tags += not closes
            place = _row_and_column(attributes)
            if name == b"row":
                row = place[1] - 1 if place else row
                if closes or is_empty:
                    row, column = row + 1, 0
            elif not closes:
                at, column = (place[1], place[0]) if place else (row + 1, column + 1)
                if not is_empty:
                    rows, columns, filled = max(rows, at), max(columns, column), filled + 1
        if tags != len(_CELL_OR_ROW.findall(block)) or _OPEN_TAG.search(block) is not None:
            raise UnreadableTagError
    return Extent(rows, columns, filled)


def _row_and_column(attributes: bytes) -> tuple[int, int] | None:
    """Column and row that a tag names, from 1; the last of several. None when it names none."""
    named = len(_HAS_PLACE.findall(attributes))
    if not named:
        return None
    places = _PLACE.findall(attributes)
    if len(places) != named:
        raise UnreadableTagError
    letters, digits = places[-1]
    return _number_of_column(letters), int(digits or b"0")


def _number_of_column(letters: bytes) -> int:
    """A is 1, Z 26, AA 27."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number


MEMBER = "xl/sharedstrings.xml"  # in any case
TEXT_LIMIT = 512 << 20  # bytes of UTF-8 in the cells of one sheet
_SHORTEST_CELL = len('<c t="s"><v>0</v></c>')
_FIRST_TEXT = re.compile(rb"<((?:[^\s<>:/!?]+:)?)si[\s/>]")
_CELL = b"<c "
_OF_TEXT_CELL = b't="s"'
_TEXT_CELL = re.compile(rb't="s"[^<>]*(?:/>|>\s*<(?:[^\s<>:/]+:)?v>\s*([0-9]*)\s*</)')


_COMMENT = _compiled(b"<!")
_UNUSUAL_CELL = _compiled(rb"\st(?:\s*=\s*'|\s+=|=\s)|<!")


class SharedTexts:
    """The sizes of the shared texts, by number. longest: of them; of all of them where they are written unusually."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._all = 0  # bytes
        self._carry = 0  # bytes of the text that the next block goes on with
        self._tail = b""  # a tag that the next block goes on with
        self._prefix: bytes | None = None
        self._unusual = _COMMENT
        self._is_usual = True

    def look_at(self, block: bytes) -> None:
        """Measure the texts of the next bytes of the member that holds them."""
        self._all += len(block)
        data, self._tail = self._tail + block, b""
        last = data.rfind(b"<")
        if last >= 0 and data.find(b">", last) < 0:
            data, self._tail = data[:last], data[last:]
        if self._prefix is None and (first := _FIRST_TEXT.search(data)) is not None:
            self._prefix = first[1]
            self._unusual = _unusual_texts(first[1])
        if len(self._tail) > _LONGEST_TAG or self._unusual.search(data) is not None:
            self._is_usual = False
        if not self._is_usual or self._prefix is None:
            self._tail = self._tail if self._is_usual else b""
            return
        end = b"</%bsi>" % self._prefix
        first_part, *parts = data.replace(b"<%bsi/>" % self._prefix, end).split(end)
        self._carry += len(first_part)
        if parts:
            self._sizes += (self._carry, *map(len, parts[:-1]))
            self._carry = len(parts[-1])

    @property
    def longest(self) -> int:
        """Bytes that a cell may hold at most."""
        return max(self._sizes, default=0) if self._is_usual else self._all

    def may_exceed(self, sheet_bytes: int) -> bool:
        """Could the cells of a sheet with so many bytes of XML hold more than TEXT_LIMIT?"""
        return self.longest * (sheet_bytes // _SHORTEST_CELL) > TEXT_LIMIT

    def in_cells(self, blocks: Iterable[bytes]) -> int:
        """Bytes of shared text that the cells of a sheet hold together; an upper bound for one written unusually."""
        total = cells = 0
        tail = b""
        is_usual = self._is_usual
        for block in chain(blocks, (_CELL,)):
            data = tail + block
            end = max(data.rfind(_CELL), data.rfind(b":c "), 0)  # no cell is divided
            data, tail = data[:end], data[end:]
            found = _TEXT_CELL.findall(data)
            cells += data.count(b"</")
            is_usual = is_usual and len(found) == data.count(_OF_TEXT_CELL) and _UNUSUAL_CELL.search(data) is None
            if is_usual:
                total += sum(map(self._size, filter(None, found)))
        return total if is_usual else self.longest * cells

    def _size(self, number: bytes) -> int:
        at = int(number)
        return self._sizes[at] if at < len(self._sizes) else 0  # the reader refuses it


def _unusual_texts(prefix: bytes) -> Any:
    """What makes the ends of texts uncertain: comments, spaces within tags, other prefixes than the first text has."""
    name = re.escape(prefix) + rb"si"
    other = rb"</?[^\s<>/:]+:si[\s/>]" if not prefix else rb"</?si[\s/>]"
    return _compiled(rb"<!|<" + name + rb"(?:\s|/\s)|</" + name + rb"\s|" + other)
