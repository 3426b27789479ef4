"""Where the records of a JSON document are, in any of its shapes (docs/rubrics.md#shapes).

A list of objects, several lists, a map of objects by their ids, a table as `columns` and `data`, or the document.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

import msgspec

from scoring.json_values import Path, name_step, parse_path
from scoring.problems import InputError, Problem, refused
from scoring.reading.record_values import (
    CUT,
    Buffer,
    Holder,
    UnreadableError,
    elements_at,
    of_row,
    open_large,
    open_list,
    with_field,
)
from scoring.rubric import ONE_A_FILE, WHOLE_RECORD, RecordRule
from scoring.text import cut

DOCUMENT_LIMIT = 512 << 20  # bytes: a document is read as a whole
_MAX_LISTED = 20  # lists that a refusal names
_MAX_ENTRIES = 50  # of a map, that tell whether it is one
_KEYS = ("id", "key", "name", "map_key")  # what the key of a map is called, where its objects have no such name
_MAX_LOOKED_AT = 200  # values of a document that are looked at for lists
_DEEPEST = 4  # steps to a list that is named
_COLUMNS, _DATA = "columns", "data"


class Found(NamedTuple):
    """A value of a document, and the nearest object that it lies in."""

    data: Buffer
    holder: Holder | None


class Place(NamedTuple):
    """Where a document may have its records. key: what the key of a map is to be called, "" for a list or table."""

    path: str
    length: int
    key: str = ""


class NoRecordsError(InputError):
    """A document has no records where they were looked for. places: where it may have them."""

    def __init__(self, problems: tuple[Problem, ...], places: tuple[Place, ...] = ()) -> None:
        super().__init__(problems)
        self.places = places


class Document:
    """One JSON document. names_twice: names on the way to its records that are there more than once.

    left_out: length of the lists that the document is to name, by path.
    """

    def __init__(self, data: bytes, rule: RecordRule) -> None:
        """data: UTF-8. rule: without paths the document is a list itself. One that `$` names may be a record.

        Raises InputError for a document without records at any of the paths, or that is no JSON, and UnicodeDecodeError
        for bytes that are no UTF-8.
        """
        self.names_twice: list[str] = []
        self._data = data.strip() if data[:1].isspace() else data
        self._key = rule.key or ""
        try:
            self.records, read = self._read(rule.paths or (WHOLE_RECORD,), is_named=bool(rule.paths))
            left_out = (path for path in rule.left_out or () if path != read)
            self.left_out = {path: n for path in left_out if (n := self._length(path))}
        except UnreadableError as error:
            if error.reason == CUT:
                raise InputError((refused("record-cut", line=error.line),)) from None
            problem = refused("json-unreadable", line=error.line, found=cut(error.near), reason=error.reason)
            raise InputError((problem,)) from None

    def _read(self, paths: tuple[str, ...], *, is_named: bool) -> tuple[list[Found], str]:
        """The records at the first path that leads to any, and this path; an object that is itself named is one.

        Where there are only lists without any, there are none.
        """
        if paths == (ONE_A_FILE,) and _starts(self._data) == b"{":
            open_large(self._data)
            return [Found(self._data, None)], ONE_A_FILE
        empty = ""
        for text in paths:
            path: Path | None = () if text == WHOLE_RECORD else parse_path(text)
            found = [] if path is None else self._find(path)
            shapes = [shape for value in found if (shape := self._records_in(value)) is not None]
            if records := [record for shape in shapes for record in shape]:
                return records, text
            empty = empty or (text if shapes else "")
            # `runs[*]` names the objects themselves, as `$` does.
            is_itself = is_named if not path else not isinstance(path[-1], str)
            if is_itself and not empty and (objects := [value for value in found if _starts(value.data) == b"{"]):
                return objects, text
        if empty:
            return [], empty
        places = tuple(self._places())
        lists = islice((place for place in places if not place.key), _MAX_LISTED)
        listed = ", ".join(f"{place.path} ({place.length})" for place in lists)
        raise NoRecordsError((refused("records-not-found", found=listed, paths=", ".join(paths)),), places)

    def _records_in(self, value: Found) -> Iterable[Found] | None:
        """The records of a list, a map or a table; None of anything else."""
        start = _starts(value.data)
        if start == b"[":
            return [Found(element, value.holder) for element in open_list(value.data)]
        if start != b"{":
            return None
        fields, twice = open_large(value.data)
        if self._key:
            self.names_twice += twice
            return [
                record for name, inside in fields.items() for record in self._of_map(name, Found(inside, value.holder))
            ]
        columns, data = fields.get(_COLUMNS), fields.get(_DATA)
        if columns is None or data is None or _starts(columns) != b"[" or _starts(data) != b"[":
            return None
        rows, names = open_list(data), open_list(columns)
        if {_starts(name) for name in names} != {b'"'} or any(_starts(row) != b"[" for row in rows):
            return None
        return [Found(_row(names, row), value.holder) for row in rows]

    def _of_map(self, name: str, value: Found) -> list[Found]:
        """The object under a name of a map, or the objects of the list there, with the name as their key."""
        elements = open_list(value.data) if _starts(value.data) == b"[" else [value.data]
        return [
            Found(with_field(self._key, name, one) if _starts(one) == b"{" else one, value.holder) for one in elements
        ]

    def _find(self, path: Path) -> list[Found]:
        values = [Found(self._data, None)]
        for step in path:
            found: list[Found] = []
            for value in values:
                start = _starts(value.data)
                if isinstance(step, str) and start == b"{":
                    inside, twice = open_large(value.data)
                    self.names_twice += twice
                    if step in inside:
                        found.append(Found(inside[step], Holder(value.data, step, value.holder)))
                elif not isinstance(step, str) and start == b"[":
                    found += (Found(element, value.holder) for element in elements_at(value.data, step))
            values = found
        return values

    def _length(self, path: str) -> int:
        lists = (found.data for found in self._find(parse_path(path) or ()) if _starts(found.data) == b"[")
        return sum(len(open_list(data)) for data in lists)

    def _places(self) -> Iterator[Place]:
        """The lists, tables and maps of objects in the document, the nearest first."""
        waiting: list[tuple[int, str, Buffer]] = [(0, "", self._data)]
        for depth, path, value in islice(waiting, _MAX_LOOKED_AT):  # which grows
            start = _starts(value)
            if start == b"[" and (elements := open_list(value)) and _starts(elements[0]) == b"{":
                yield Place(path or WHOLE_RECORD, len(elements))
            elif start == b"{":
                fields = open_large(value)[0]
                if key := _key_of_map(fields):
                    yield Place(path or WHOLE_RECORD, len(fields), key)
                elif path and (rows := self._records_in(Found(value, None))) is not None:
                    yield Place(path, len(list(rows)))
                elif depth < _DEEPEST:
                    waiting += (
                        (depth + 1, f"{path}{name_step(name)}".removeprefix("."), inside)
                        for name, inside in fields.items()
                    )


def _key_of_map(fields: Mapping[str, Buffer]) -> str:
    """What to call the keys of a map of objects that share most of their names; "" for another object."""
    names: list[set[str]] = []
    for inside in islice(fields.values(), _MAX_ENTRIES):
        if _starts(inside) != b"{":
            return ""
        names.append(set(open_large(inside)[0]))
    shared = set.intersection(*names) if len(names) > 1 else set()
    if 2 * len(shared) < max(map(len, names), default=0) or not shared:
        return ""
    return next((key for key in _KEYS if not any(key in found for found in names)), "")


def _row(names: list[msgspec.Raw], row: Buffer) -> Buffer:
    """A row of a table as an object; as it is, which is none, where it has more or fewer cells than there are names."""
    cells = open_list(row)
    return of_row(names, cells) if len(cells) == len(names) else row


def _starts(value: Buffer) -> bytes:
    return bytes(memoryview(value)[:1])
