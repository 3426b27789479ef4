"""A report in its folder as programs read it: `report.json` as it is, items and queries as records, one by one.

Reads every report of this format, also of an engine whose figures are not compared with those of now.
"""

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import compress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from reporting.data import PageData, Record, cell, item_records, query_records
from reporting.runs.read import UnreadableRunError
from reporting.store import ITEMS_CSV, QUERIES_CSV, REPORT_FORMAT_VERSION, REPORT_HTML, REPORT_JSON, FileMark
from scoring import uncovered
from scoring.items import ENGINE_VERSION
from scoring.reading import open_named, read_named, whole_hash
from scoring.rubric import key_of_measure


class OtherEngineError(Exception):
    """The page of a report of another engine is not filtered. engine: which made it."""

    def __init__(self, engine: int) -> None:
        super().__init__(engine)
        self.engine = engine


class Chosen(NamedTuple):
    """is_chosen: of each item. left_out: items of the set that the page does not carry, so that no filter saw them."""

    is_chosen: list[bool]
    left_out: int


class StoredReport:
    """A report in a folder. data: the content of its report.json, as docs/report.schema.json has it."""

    def __init__(self, folder: Path) -> None:
        """Raises UnreadableRunError where the folder holds no report of this format."""
        self.folder = folder
        with _unreadable():
            data = msgspec.json.decode(read_named(folder / REPORT_JSON), type=dict[str, Any])
            if data["format_version"] != REPORT_FORMAT_VERSION:
                raise UnreadableRunError(f"format {data['format_version']}")
            self.n: int = data["headline"]["n"]
            self._inputs = [entry["name"] for entry in data["inputs"]]
            self._measures = [key_of_measure(one["name"]) for one in data["basis"].get("measures", ())]
            self._marks = {name: FileMark(**mark) for name, mark in data["files"].items()}
        self.data = data

    def items(self, is_chosen: Sequence[bool] | None = None) -> Iterator[Record]:
        """The items as records: all of them, or those that are chosen. Raises UnreadableRunError."""
        with self._text(ITEMS_CSV) as lines:
            records = item_records(lines, self._measures)
            yield from records if is_chosen is None else compress(records, is_chosen)

    def queries(self) -> Iterator[Record]:
        """The queries as records. Raises UnreadableRunError."""
        with self._text(QUERIES_CSV) as lines:
            yield from query_records(lines)

    def lines(self, is_chosen: Sequence[bool] | None = None) -> Iterator[bytes]:
        """The same as the lines of `items.csv`, the header first."""
        with self._file(ITEMS_CSV) as stream:
            yield next(stream)
            yield from stream if is_chosen is None else compress(stream, is_chosen)

    def choose(self, where: str) -> Chosen:
        """Which items an address of report.html leaves.

        Raises AddressError for one that says something else, OtherEngineError, UnreadableRunError.
        """
        if self.data["engine_version"] != ENGINE_VERSION:
            raise OtherEngineError(self.data["engine_version"])
        with self._file(REPORT_HTML) as stream:
            page = PageData.of(stream.read())
        files = {_as_read(name): at for at, name in enumerate(self._inputs)}
        wanted = set(page.chosen(where))
        with self._text(ITEMS_CSV) as lines:
            places = [(files[str(one["file"])], one["row"]) for one in item_records(lines, self._measures)]
        return Chosen([place in wanted for place in places], self.n - page.shown)

    @contextmanager
    def _file(self, name: str) -> Iterator[BinaryIO]:
        """A file of the report. Raises UnreadableRunError where it is another than the one that belongs to it."""
        with _unreadable(), open_named(self.folder / name) as stream:
            found = whole_hash(stream)
            if self._marks.get(name) != FileMark(found.size, found.sha256):
                raise UnreadableRunError(name)
            stream.seek(0)
            yield stream

    @contextmanager
    def _text(self, name: str) -> Iterator[TextIOWrapper]:
        with self._file(name) as stream, TextIOWrapper(stream, encoding="utf-8-sig", newline="") as lines:
            yield lines


@contextmanager
def _unreadable() -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreadableRunError(str(error)) from error


def _as_read(name: str) -> str:
    """The name of an input as `items.csv` gives it back."""
    return uncovered(next(csv.reader([f'"{cell(name)}"']))[0])
