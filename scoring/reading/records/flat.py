"""Reads the usual record in one step: names that are known, each the value of a cell.

A quarter of the time that `scoring.reading.records.values` takes, which reads everything else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import attrgetter, itemgetter

import msgspec

from scoring.json_values import is_too_deep

_MAX_NAMES = 500  # a record with more is no usual one
_UNUSUAL_NAME = re.compile(r'["\\\x00-\x1f]')
_QUOTED_TEXT = 4  # quotation marks of a name and its text
_QUOTED_NAME = 2


class _Number(str):
    """A number with a fraction or an exponent, as written."""

    __slots__ = ()


def flat_reader(names: Sequence[str], nested: frozenset[str], cells: Sequence[str | None]) -> FlatReader | None:
    """A reader of records with some of these names; None where they are none, too many, or have to be escaped.

    nested: names whose values are objects or lists. cells: the name of each cell, None for one without any.
    """
    is_usual = 0 < len(names) <= _MAX_NAMES and not any(map(_UNUSUAL_NAME.search, names))
    return FlatReader(names, nested, cells) if is_usual else None


class FlatReader:
    """Reads records with some of a few names, as `flat_reader` takes them."""

    def __init__(self, names: Sequence[str], nested: frozenset[str], cells: Sequence[str | None]) -> None:
        fields = [
            (f"f{at}", msgspec.Raw if name in nested else object, msgspec.field(name=name, default=msgspec.UNSET))
            for at, name in enumerate(names)
        ]
        record = msgspec.defstruct("FlatRecord", fields, gc=False, forbid_unknown_fields=True)
        self._decode = msgspec.json.Decoder(record, float_hook=_Number).decode
        # A getter of a single index gives no tuple: ask for one value more.
        self._values = attrgetter(*(name for name, _, _ in fields), fields[0][0])
        at = [len(names) if name is None else names.index(name) for name in cells]
        self._row = itemgetter(*at, len(names))

    def cells(self, data: bytes) -> list[str] | None:
        """The cells of a record; None for one that needs a closer look.

        That is one with other names or a name twice, with nesting that is not expected, or that can't be read.
        """
        try:
            *values, _ = self._values(self._decode(data))
            if set(map(type, values)) == {str}:
                texts, written, within = values, _QUOTED_TEXT * len(values), "".join(values).count('"')
            else:
                texts, written, within = _texts_of(values)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, _NestedError):
            return None
        # A name that is there twice brings quotation marks that no value accounts for.
        if data.count(b'"') != written + within or (within and b"\\u0022" in data):
            return None
        texts.append("")
        row: list[str]
        *row, _ = self._row(texts)
        return row


class _NestedError(Exception):
    """A value nests where none is expected to, or too deep."""


def _texts_of(values: Sequence[object]) -> tuple[list[str], int, int]:
    """Values as cells; the quotation marks around names and texts, and those within texts."""
    texts, written, within = [], 0, 0
    for value in values:
        text = ""
        kind = type(value)
        if kind is str:
            assert isinstance(value, str)
            text, written = value, written + _QUOTED_TEXT
            within += text.count('"')
        elif kind is msgspec.UnsetType:
            pass
        elif isinstance(value, msgspec.Raw):
            text, quotes = _nested_text(bytes(value))
            written += _QUOTED_NAME + quotes
        elif isinstance(value, dict | list):
            raise _NestedError
        else:
            text = "" if value is None else str(value).lower() if kind is bool else str(value)
            written += _QUOTED_NAME
        texts.append(text)
    return texts, written, within


def _nested_text(data: bytes) -> tuple[str, int]:
    if data[:1] not in {b"{", b"["} or is_too_deep(data):
        raise _NestedError
    return data.decode(), data.count(b'"')
