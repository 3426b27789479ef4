"""How much text the cells of a workbook come to, before its reader gives each cell a copy of its own.

A workbook keeps a text once and cells name it by number, so a file of 100 KB may ask for gigabytes. Texts are measured
while the workbook is looked at; cells are only counted in workbooks that could go beyond the limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

import re2

MEMBER = "xl/sharedstrings.xml"  # in any case
TEXT_LIMIT = 512 << 20  # bytes of UTF-8 in the cells of one sheet
_SHORTEST_CELL = len('<c t="s"><v>0</v></c>')
_LONGEST_TAG = 1 << 16
_FIRST_TEXT = re.compile(rb"<((?:[^\s<>:/!?]+:)?)si[\s/>]")
_CELL = b"<c "
_OF_TEXT_CELL = b't="s"'
_TEXT_CELL = re.compile(rb't="s"[^<>]*(?:/>|>\s*<(?:[^\s<>:/]+:)?v>\s*([0-9]*)\s*</)')


def _compiled(pattern: bytes) -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # bytes of any encoding
    return re2.compile(pattern, options)


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
