"""`items.csv` and `queries.csv` as records for programs: cells by the fixed names of their columns, as values.

Text is as it was read, without the apostrophe that a spreadsheet needs. Absent numbers, truths and tracks are None,
absent text is "".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from reporting.data.items_csv import snake_case
from reporting.data.items_csv_rows import ItemsFileError, places_of, table_rows
from reporting.data.queries_csv import COLUMNS as QUERY_COLUMNS
from scoring import Memo, number, uncovered
from scoring.rubric import is_number

Value = str | int | float | bool | None
Record = dict[str, Value]

_POINTS = ("intent", "accuracy", "stability", "latency", "rubrics")
_NUMBERS = {*_POINTS, *(f"before_{name}" for name in _POINTS), "seconds", "ratio"}
_COUNTS = {"row", "checks", "ignored_checks", "n", "passes"}
_STATUS = "status"  # `status_1`, and `status 1/1` under titles


def item_records(lines: Iterable[str], measures: Sequence[str] = ()) -> Iterator[Record]:
    """The items of a file, in its order. lines: as a text stream without translation of line ends gives them.

    measures: of the report, by their names among metrics. An extra column of the input has its own title. Raises
    ItemsFileError for another file.
    """
    rows = table_rows(lines)
    header = next(rows)
    names = {at: name for name, at in places_of(header, tuple(measures)).items()}
    numbers = _NUMBERS | {*measures}
    fields: dict[str, Callable[[str], Value]] = {}
    for at, title in enumerate(header):
        name = names.get(at, "")
        own = snake_case([name])[0] if name else title if title not in fields else f"{title} (input)"
        fields[own] = _reader_of(name, numbers)
    yield from _records(rows, fields)


def query_records(lines: Iterable[str]) -> Iterator[Record]:
    """The queries of a file, in its order. Raises ItemsFileError for another file."""
    rows = table_rows(lines)
    header = next(rows)
    if tuple(header[2 : len(QUERY_COLUMNS)]) != QUERY_COLUMNS[2:]:  # the first two may have titles of a rubric document
        raise ItemsFileError("columns")
    names = [*QUERY_COLUMNS, *snake_case(header[len(QUERY_COLUMNS) :])]
    numbers = {name for name in names[len(QUERY_COLUMNS) :] if not name.startswith(_STATUS)}
    yield from _records(rows, {name: _reader_of(name, numbers) for name in names})


def _records(rows: Iterable[list[str]], fields: Mapping[str, Callable[[str], Value]]) -> Iterator[Record]:
    readers = list(fields.items())
    return ({name: read(cell) for (name, read), cell in zip(readers, row, strict=True)} for row in rows)


def _reader_of(name: str, numbers: Iterable[str]) -> Callable[[str], Value]:
    if name in numbers:
        return Memo(number, limit=4096).__getitem__
    if name in _COUNTS:
        return lambda cell: int(cell) if is_number(cell) else None
    if name == "passed":
        return {"true": True, "false": False}.get
    if name == "track":
        return lambda cell: int(cell) if is_number(cell) else uncovered(cell) or None
    return uncovered
