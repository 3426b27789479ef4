"""Which value of a record is which cell: the columns of a document by name or path, other names beside them.

See docs/rubrics.md#json-input. Names that come up only after the records that were looked at first are not read.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from scoring.json_path import Path, parse_path
from scoring.problems import InputError, refused
from scoring.reading.columns import MAX_COLUMNS, ColumnMap, map_columns
from scoring.reading.records.flat import FlatReader, flat_reader
from scoring.reading.records.values import Record, text_of
from scoring.rubric.fields import normalise_header
from scoring.rubric.measures import is_measure
from scoring.rubric.model import WHOLE_RECORD, Column
from scoring.text import known_text, visible

_MAX_SETS_OF_NAMES = 1_000
_WHOLE: Path = ()

Place = str | Path  # a name of the record, or a path into it


class Layout:
    """The cells of the records of one file, by those that were looked at first.

    columns: as of a table; every declared column has a cell. names: of those records. never_found: indexes of columns
    with paths and of measures that no row has filled so far. flat: reads records in which each cell is the value of one
    name; None where there are none such.
    """

    def __init__(self, sample: Iterable[Record], declared: Sequence[Column], where: Iterable[str] = ()) -> None:
        """where: paths by which records were selected. Raises InputError for more names than columns may be."""
        records = list(sample)
        where = list(where)
        self.names = list(dict.fromkeys(name for record in records for name in record.fields))
        self._check_number(len(self.names))
        self._declared = [(column, column.paths or (column.title, *column.aliases)) for column in declared]
        self._known = set(self.names)
        paths = [path for _, spellings in self._declared for path in spellings] + where
        self._claimed = {*paths, *(str(path[0]) for path in map(parse_path, paths) if path)}
        self._claimed_forms = {
            normalise_header(name) for column, names in self._declared if not column.paths for name in names
        }
        self._takes_all = WHOLE_RECORD in self._claimed
        self._extra = list(self._unclaimed(self.names))
        self._places_by_names: dict[tuple[str, ...], tuple[tuple[Place, ...], ...]] = {}
        self.never_found = {index for index, column in enumerate(declared) if column.paths or is_measure(column.name)}
        self.columns = self._column_map(has_records=bool(records))
        has_paths = any(column.paths for column in declared)
        self.flat = None if where or has_paths else self._flat_reader(records)

    def cells(self, record: Record) -> tuple[list[str], Sequence[str]]:
        """The cells of a record, and its names that come up for the first time and are not read.

        Raises UnreadableError and UnicodeDecodeError as values do, InputError as the constructor.
        """
        names = tuple(record.fields)
        late: Sequence[str] = ()
        places = self._places_by_names.get(names)
        if places is None:
            places, late = self._new_places(names)
        return [_first_text(record, tried) for tried in places], late

    def saw(self, row: Sequence[str]) -> None:
        """Note which columns the row fills."""
        self.never_found -= {index for index in self.never_found if row[index]}

    def _column_map(self, *, has_records: bool) -> ColumnMap:
        places = list(self._places(self.names))[: len(self._declared)]
        titles = [
            tried[0] if tried and isinstance(tried[0], str) and not column.paths else column.title
            for (column, _), tried in zip(self._declared, places, strict=True)
        ]
        extra = map_columns(self._extra, ()).extra  # cleaned, and none twice
        return ColumnMap(
            header=(*titles, *(visible(name).strip() for name in self._extra)),
            at={column.name: index for index, (column, _) in enumerate(self._declared)},
            extra=tuple((len(titles) + index, title) for index, title in extra),
            missing=tuple(
                column.title
                for (column, _), tried in zip(self._declared, places, strict=True)
                if column.required and has_records and not tried
            ),
            invisible=(),
            problems=(),
        )

    def _new_places(self, names: tuple[str, ...]) -> tuple[tuple[tuple[Place, ...], ...], list[str]]:
        late = [name for name in self._unclaimed(names) if name not in self._known]
        self._known.update(late)
        self._check_number(len(self._known))
        if len(self._places_by_names) >= _MAX_SETS_OF_NAMES:
            self._places_by_names.clear()
        places = self._places_by_names[names] = tuple(self._places(names))
        return places, late

    def _flat_reader(self, records: Sequence[Record]) -> FlatReader | None:
        places = [tried[0] if tried else None for tried in self._places(self.names) if len(tried) < 2]
        cells = [place for place in places if not isinstance(place, tuple)]
        if len(cells) < len(self.columns.header):
            return None
        nested = frozenset(
            name for record in records for name, value in record.fields.items() if value[:1] in {b"{", b"["}
        )
        return flat_reader(self.names, nested, cells)

    def _places(self, names: Sequence[str]) -> Iterable[tuple[Place, ...]]:
        """Of each cell, those places that records with these names have."""
        by_form: dict[str, list[str]] = {}
        present = frozenset(names)
        for name in names:
            by_form.setdefault(normalise_header(name), []).append(name)
        for column, spellings in self._declared:
            tried: list[Place] = []
            for spelling in spellings:
                alike = [] if column.paths else by_form.get(normalise_header(spelling), [])
                place = None if alike else place_of(spelling, present)
                tried += alike if place is None else [place]
            yield tuple(tried)
        for name in self._extra:
            yield (name,) if name in present else ()

    def _unclaimed(self, names: Iterable[str]) -> Iterable[str]:
        """The names that no column and no condition has to do with."""
        if self._takes_all:
            return ()
        return (
            name for name in names if name not in self._claimed and normalise_header(name) not in self._claimed_forms
        )

    @staticmethod
    def _check_number(number: int) -> None:
        if number > MAX_COLUMNS:
            raise InputError((refused("too-many-columns", columns=str(number), limit=str(MAX_COLUMNS)),))


class Selection:
    """The records that a document asks for. where: words by path; a record has one of them at each path."""

    def __init__(self, where: Mapping[str, Sequence[str]]) -> None:
        self._wanted = [(path, {known_text(word) for word in words}) for path, words in where.items()]

    def __contains__(self, record: Record) -> bool:
        return all(self._has_any(record, path, words) for path, words in self._wanted)

    @staticmethod
    def _has_any(record: Record, path: str, words: set[str]) -> bool:
        place = place_of(path, record.fields)
        return place is not None and any(known_text(text_of(value)) in words for value in _values(record, place))


def place_of(path: str, names: Container[str]) -> Place | None:
    """Where a path leads in a record with these names: a name that is written like it counts first.

    None where it leads nowhere.
    """
    if path in names:
        return path
    if path == WHOLE_RECORD:
        return _WHOLE
    steps = parse_path(path)
    return steps if steps is not None and str(steps[0]) in names else None


def _values(record: Record, place: Place) -> list[bytes]:
    if isinstance(place, str):
        return [record.fields[place]]
    return record.find(place) if place else [record.data]


def _first_text(record: Record, places: Iterable[Place]) -> str:
    """The text at the first place that has one; several values are lines of it."""
    for place in places:
        if text := "\n".join(filter(None, map(text_of, _values(record, place)))):
            return text
    return ""
