"""Rare byte patterns of a file, looked for while it is read: cells are only searched when one of them occurs."""

from __future__ import annotations

import re2

# Each pattern starts with a literal: re2 finds one in half a hundredth of the time that scoring takes, `bytes.find` of
# several bytes in a twentieth; of a single byte it is as fast.
_OF_DAMAGE = tuple(map(re2.compile, (rb"\?\?", rb"\\u(?:fffd|FFFD)", "\ufffd".encode())))  # lost, replaced ones
_OF_LATIN_LETTERS = b"\xc3"  # in UTF-8, the first byte of à to ÿ: no Korean text has it
# In JSON, escaped as well: any of them, and the letters that the other two of `is_damaged` look for.
_OF_DAMAGE_IN_JSON = (
    re2.compile(rb"\?\?"),
    re2.compile(rb"(?i)fffd"),
    re2.compile("\ufffd".encode()),
    re2.compile(rb"u00[b-fB-F]"),
)
_OF_ERROR_VALUES = re2.compile(
    rb"#(?:N|REF!|DIV/0!|VALUE!|SPILL!|CALC!|GETTING_D|FIELD!|BLOCKED!|CONNECT!|UNKNOWN!|BUSY!|EXTERNAL!|PYTHON!)"
)
_LONGEST_SIGN = 10
_OF_CELLS = tuple(map(re2.compile, (rb't="e"', rb"t='e'", rb"<f>", rb"<f ", rb":f>", rb":f ")))
_LONGEST_TAG = 8


class ByteSigns:
    """What the bytes so far give a reason to search the cells for; True from the start where bytes tell nothing.

    A cell without any sign in its bytes is never damaged, so that it does not matter which bytes were read before it.
    error_values: error values of Excel. damage: characters that were replaced or lost, UTF-8 that was read as Latin-1.
    """

    def __init__(self, *, error_values: bool = False, damage: bool = False, is_json: bool = False) -> None:
        self.error_values = error_values
        self.damage = damage
        self._of_damage = _OF_DAMAGE_IN_JSON if is_json else _OF_DAMAGE
        self._tail = b""

    def look_at(self, block: bytes) -> None:
        """Search the next bytes, and what is partly in the ones before."""
        self._search(self._tail + block[:_LONGEST_SIGN])
        self._search(block)
        self._tail = block[-_LONGEST_SIGN:]

    def _search(self, data: bytes) -> None:
        self.error_values = self.error_values or _OF_ERROR_VALUES.search(data) is not None
        self.damage = (
            self.damage
            or data.find(_OF_LATIN_LETTERS) >= 0
            or any(literal.search(data) is not None for literal in self._of_damage)
        )


class SheetSigns:
    """Whether a member of a workbook, read block by block, may hold error values or formulas as cells of a sheet."""

    def __init__(self) -> None:
        self.found = False
        self._tail = b""

    def look_at(self, block: bytes) -> None:
        """Search the next bytes."""
        edge = self._tail + block[:_LONGEST_TAG]
        self.found = self.found or any(sign.search(data) is not None for sign in _OF_CELLS for data in (block, edge))
        self._tail = block[-_LONGEST_TAG:]
