"""The records of one JSON document: the list in it that a rubric document names (docs/rubrics.md#json-input)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from scoring.json_path import Path, parse_path
from scoring.problems import InputError, refused
from scoring.reading.records.values import CUT, Buffer, UnreadableError, elements_at, open_large, open_list
from scoring.rubric.model import WHOLE_RECORD
from scoring.text import cut

DOCUMENT_LIMIT = 512 << 20  # bytes: a document is read as a whole
_MAX_LISTED = 20  # lists that a refusal names
_MAX_LOOKED_AT = 200  # values of a document that are looked at for lists
_DEEPEST = 4  # steps to a list that is named


class Document:
    """One JSON document. names_twice: names on the way to its records that are there more than once."""

    def __init__(self, data: bytes, paths: Sequence[str]) -> None:
        """data: UTF-8. paths: none for a document that is a list itself. A document that `$` names may be a record.

        Raises InputError for a document without a list at any of the paths, or that is no JSON, and UnicodeDecodeError
        for bytes that are no UTF-8.
        """
        self.names_twice: list[str] = []
        self._data = data.strip() if data[:1].isspace() else data
        try:
            self.records = self._read(paths or (WHOLE_RECORD,), is_named=bool(paths))
        except UnreadableError as error:
            if error.reason == CUT:
                raise InputError((refused("record-cut", line=error.line),)) from None
            problem = refused("json-unreadable", line=error.line, found=cut(error.near), reason=error.reason)
            raise InputError((problem,)) from None

    def _read(self, paths: Sequence[str], *, is_named: bool) -> list[msgspec.Raw]:
        """The elements of the lists at the first path that leads to one; an object that is itself named is a record."""
        for text in paths:
            path: Path | None = () if text == WHOLE_RECORD else parse_path(text)
            if path is not None and (lists := [value for value in self._find(path) if _starts(value) == b"["]):
                return [element for one in lists for element in open_list(one)]
            if path == () and is_named and _starts(self._data) == b"{":
                return [msgspec.Raw(self._data)]
        found = ", ".join(f"{path} ({number})" for path, number in islice(self._lists(), _MAX_LISTED))
        raise InputError((refused("records-not-found", found=found, paths=", ".join(paths)),))

    def _find(self, path: Path) -> list[Buffer]:
        values: list[Buffer] = [self._data]
        for step in path:
            found: list[Buffer] = []
            for value in values:
                start = _starts(value)
                if isinstance(step, str) and start == b"{":
                    inside, twice = open_large(value)
                    self.names_twice += twice
                    found += [inside[step]] if step in inside else []
                elif not isinstance(step, str) and start == b"[":
                    found += elements_at(value, step)
            values = found
        return values

    def _lists(self) -> Iterator[tuple[str, int]]:
        """Path and length of the lists of objects in the document, the nearest first."""
        waiting: list[tuple[str, Buffer]] = [("", self._data)]
        for path, value in islice(waiting, _MAX_LOOKED_AT):  # which grows
            start = _starts(value)
            if start == b"[" and (elements := open_list(value)) and _starts(elements[0]) == b"{":
                yield path or WHOLE_RECORD, len(elements)
            elif start == b"{" and path.count(".") < _DEEPEST - 1:
                waiting += ((f"{path}.{name}".lstrip("."), inside) for name, inside in open_large(value)[0].items())


def _starts(value: Buffer) -> bytes:
    return bytes(memoryview(value)[:1])
