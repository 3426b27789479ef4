"""A second JSON file beside the one that is read, whose records have more of the same things (docs/rubrics.md#join)."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

from scoring.findings import FileLog
from scoring.problems import InputError, Problem, refused
from scoring.reading.packed import unpacked
from scoring.reading.record_layout import place_of, text_at
from scoring.reading.record_shapes import DOCUMENT_LIMIT
from scoring.reading.record_values import Record, as_object
from scoring.reading.regular_file import NotRegularError, open_regular, path_of, whole_hash
from scoring.reading.text_source import NotThisEncodingError
from scoring.rubric import JoinRule
from scoring.text import cut, known_text

_LISTED = 5  # values of the second file that a finding names


class Rows(Protocol):
    """A table whose rows are the texts of whole records, blank ones, and what is none in a row of more cells."""

    def rows(self) -> Iterator[list[str]]:
        """The rows, in order."""
        ...

    def misfit(self, number: int, row: Sequence[str]) -> Problem:
        """Why a row is no record."""
        ...


class JoinedFile:
    """The records of the second file, by the value that both have. sha256: of its bytes."""

    def __init__(self, stream: BinaryIO, rule: JoinRule, open_rows: Callable[[BinaryIO, str, str], Rows]) -> None:
        """stream: the file that is read. open_rows: the whole records of a file, by its name and encoding.

        Raises InputError where the second one is not beside it, or is refused.
        """
        self._rule = rule
        self._records: dict[str, dict[str, bytes]] = {}
        self._twice: list[str] = []
        path = path_of(stream)
        if path is None:  # in memory
            raise InputError((refused("join-no-file", found=rule.file),))
        try:
            with open_regular(Path(path).with_name(rule.file)) as second:
                _refuse_large(second)
                self.sha256 = whole_hash(second).sha256
                inside = unpacked(second, rule.file)
                try:
                    self._read(open_rows(inside.stream, inside.name, ""))
                except NotThisEncodingError as error:
                    self._read(open_rows(inside.stream, inside.name, error.next_encoding))
        except (FileNotFoundError, NotRegularError):
            raise InputError((refused("join-no-file", found=rule.file),)) from None
        except InputError as error:
            raise InputError(tuple(problem.at(rule.file) for problem in error.problems)) from None
        self._used: set[str] = set()

    def with_other(self, data: bytes, number: int, log: FileLog | None) -> bytes:
        """A record with what the other file has of it; its own values count first. log: takes one that is not there."""
        record = Record(data)
        key = self._key(record)
        other = self._records.get(key) if key else None
        if other is None:
            if log is not None:
                found, values = cut(key), {"file": self._rule.file, "on": self._rule.on}
                log.add(Problem(code="join-missing", row=number, found=found, values=values))
            return data
        self._used.add(key)
        return as_object(other | record.fields)

    def note(self, log: FileLog) -> None:
        """Log what of the second file was not used."""
        unused = [key for key in self._records if key not in self._used]
        for code, keys in (("join-unused", unused), ("join-twice", self._twice)):
            if keys:
                shown = ", ".join(keys[:_LISTED]) + (", …" if len(keys) > _LISTED else "")
                log.add(Problem(code=code, found=cut(shown), values={"file": self._rule.file}), len(keys))

    def _read(self, table: Rows) -> None:
        self._records = {}
        self._twice = []
        for number, row in enumerate(table.rows(), start=1):
            if len(row) > 1:
                raise InputError((table.misfit(number, row),))
            if row[0]:
                record = Record(row[0].encode())
                key = self._key(record)
                if key in self._records:
                    self._twice.append(key)
                self._records[key] = record.fields

    def _key(self, record: Record) -> str:
        place = place_of(self._rule.on, record.fields)
        return "" if place is None else known_text(text_at(record, place))


def _refuse_large(stream: BinaryIO) -> None:
    size = stream.seek(0, 2)
    if size > DOCUMENT_LIMIT:
        found, limit = (str(-(-one // (1 << 20))) for one in (size, DOCUMENT_LIMIT))
        raise InputError((refused("json-too-large", size=found, limit=limit),))
