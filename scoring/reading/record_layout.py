"""Which value of a JSON record is which cell (docs/rubrics.md#json-input).

A rubric document names its columns by name or path; other names follow beside them. Names that come up only after the
records that were looked at first are not read.

One score decides of those that a record has side by side: `scores: {match: …, f1: …}`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from operator import attrgetter, itemgetter
from typing import NamedTuple

import msgspec

from scoring.json_values import ANY_KEY, Having, Path, is_too_deep, parse_path
from scoring.problems import InputError, Problem, refused
from scoring.reading.columns import MAX_COLUMNS, ColumnMap, map_columns
from scoring.reading.record_values import Record, UnreadableError, text_of
from scoring.rubric import HOLDER, WHOLE_RECORD, Column, at_key, is_map_path, is_measure, normalise_header
from scoring.text import cut, is_blank, normalise, visible

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


_MAX_SETS_OF_NAMES = 1_000
_WHOLE: Path = ()
Place = str | Path  # a name of the record, or a path into it


class RecordCells(NamedTuple):
    """The cells of a record.

    late: its names that come up for the first time and are not read. two_names: of a column with different texts under
    two of its names, the name that was used and those that were not.
    """

    cells: list[str]
    late: Sequence[str]
    two_names: Sequence[tuple[str, ...]]


class _Places(NamedTuple):
    """Where records with the same names have their cells. several: of columns with more than one of their names."""

    of_cells: tuple[tuple[Place, ...], ...]
    several: tuple[tuple[Place, ...], ...]


class Layout:
    """The cells of the records of one file, by those that were looked at first.

    columns: as of a table; every declared column has a cell. names: of those records. never_found: indexes of columns
    with paths and of measures that no row has filled so far. flat: reads records in which each cell is the value of one
    name; None where there are none such.
    """

    def __init__(
        self, records: Sequence[Record], declared: Sequence[Column], scores: ScoresSideBySide, where: Iterable[str] = ()
    ) -> None:
        """where: paths by which records were selected. Raises InputError for more names than columns may be."""
        where = list(where)
        self.names = list(dict.fromkeys(name for record in records for name in record.fields))
        self._check_number(len(self.names))
        self._declared = [
            (column, tuple(scores.paths(column)) if column.paths else (column.title, *column.aliases))
            for column in declared
        ]
        self._known = set(self.names)
        paths = [path for _, spellings in self._declared for path in spellings] + where
        self._claimed = {*paths, *(name for path in map(parse_path, paths) if path for name in _at_the_top(path))}
        self._claimed_forms = {
            normalise_header(name) for column, names in self._declared if not column.paths for name in names
        }
        self._takes_all = WHOLE_RECORD in self._claimed
        self._extra = list(self._unclaimed(self.names))
        self._places_by_names: dict[tuple[str, ...], _Places] = {}
        self.never_found = {index for index, column in enumerate(declared) if column.paths or is_measure(column.name)}
        self.columns = self._column_map(has_records=bool(records))
        has_paths = any(column.paths for column in declared)
        self.flat = None if where or has_paths else self._flat_reader(records)

    def cells(self, record: Record) -> RecordCells:
        """The cells of a record. Raises UnreadableError and UnicodeDecodeError as values do, InputError as `Layout`."""
        names = tuple(record.fields)
        late: Sequence[str] = ()
        places = self._places_by_names.get(names)
        if places is None:
            places, late = self._new_places(names)
        texts = [_first_text(record, tried) for tried in places.of_cells]
        return RecordCells(texts, late, [two for tried in places.several if (two := _two_names(record, tried))])

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

    def _new_places(self, names: tuple[str, ...]) -> tuple[_Places, list[str]]:
        late = [name for name in self._unclaimed(names) if name not in self._known]
        self._known.update(late)
        self._check_number(len(self._known))
        if len(self._places_by_names) >= _MAX_SETS_OF_NAMES:
            self._places_by_names.clear()
        of_cells = tuple(self._places(names))
        declared = zip(self._declared, of_cells, strict=False)
        several = tuple(tried for (column, _), tried in declared if len(tried) > 1 and not column.paths)
        places = self._places_by_names[names] = _Places(of_cells, several)
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


def _at_the_top(path: Path) -> Iterator[str]:
    """The names of a record that a path reads: its first one, and those in conditions of the record before it."""
    for step in path:
        yield step.name if isinstance(step, Having) else str(step)
        if not isinstance(step, Having):
            return


def place_of(path: str, names: Container[str]) -> Place | None:
    """Where a path leads in a record with these names: a name that is written like it counts first.

    None where it leads nowhere.
    """
    if path in names:
        return path
    if path == WHOLE_RECORD:
        return _WHOLE
    steps = parse_path(path)
    if steps and isinstance(first := steps[0], Having):
        return steps if first.holds_without or first.name in names else None
    return steps if steps and (first in {HOLDER, ANY_KEY} or first in names) else None


def texts_at(record: Record, path: str) -> list[str]:
    """The texts of the values at a path."""
    place = place_of(path, record.fields)
    return [] if place is None else list(map(text_of, _values(record, place)))


def _values(record: Record, place: Place) -> list[bytes]:
    if isinstance(place, str):
        return [record.fields[place]]
    return record.find(place) if place else [record.data]


def text_at(record: Record, place: Place) -> str:
    """The text at a place; several values are lines of it."""
    return "\n".join(filter(None, map(text_of, _values(record, place))))


def _first_text(record: Record, places: Iterable[Place]) -> str:
    """The text at the first place that has one."""
    return next((text for place in places if (text := text_at(record, place))), "")


def _two_names(record: Record, places: Iterable[Place]) -> tuple[str, ...]:
    """The names of a column under which the record has different texts, the one that counts first; else ()."""
    named = {str(place): normalise(text) for place in places if (text := _first_text(record, (place,)))}
    named = {name: text for name, text in named.items() if not is_blank(text)}
    return tuple(named) if len(set(named.values())) > 1 else ()


_RESULTS = ("llm_score", "intent_verdict")  # a recorded score counts before a verdict
_MOST_NAMES = 20


class ScoresSideBySide:
    """The one score that decides in all records of a file that has several of them, and how many have others beside it.

    Where a column of results takes the values under any name of an object (`scores.*.value`), its names are those of
    scores. The first that a path names by itself and that any of the first records has decides, else the only one that
    they have.
    """

    def __init__(self, columns: Sequence[Column], sample: Sequence[Record]) -> None:
        wanted = (column for name in _RESULTS for column in columns if column.name == name)
        self._paths = [steps for column in wanted for path in column.paths if (steps := parse_path(path))]
        maps = {steps[: steps.index(ANY_KEY)] for steps in self._paths if ANY_KEY in steps}
        self._deciding = {place: name for place in maps if (name := self._name_in(sample, place))}
        self._records: Counter[str] = Counter()
        self._others: dict[str, dict[str, None]] = {}

    def look_at(self, record: Record) -> None:
        """Count a record. Raises UnreadableError and UnicodeDecodeError as values do."""
        for place, used in self._deciding.items():
            names = record.names(place)
            if len(names) > 1 and used in names:
                self._records[used] += 1
                others = self._others.setdefault(used, {})
                others.update(dict.fromkeys(name for name in names[: _MOST_NAMES + 2] if name != used))

    def problems(self) -> Iterator[tuple[Problem, int]]:
        """One for each name that decides, with the number of records."""
        for used, n in sorted(self._records.items()):
            others = [cut(name) for name in self._others[used]]
            more = ["…"] if len(others) > _MOST_NAMES else []
            found = f"{cut(used)} > {', '.join([*others[:_MOST_NAMES], *more])}"
            yield Problem(code="score-of-several", found=found), n

    def _name_in(self, sample: Sequence[Record], place: Path) -> str:
        """The name that decides, "" where there are several and none is named."""
        below = [steps for steps in self._paths if steps[: len(place)] == place and len(steps) > len(place)]
        for steps in below:
            if ANY_KEY not in steps and any(_has_text(record, steps) for record in sample):
                return str(steps[len(place)])
        names = {name for record in sample for name in _names(record, place)}
        return names.pop() if len(names) == 1 else ""

    def paths(self, column: Column) -> Iterator[str]:
        """The paths of a column without those to scores that do not decide."""
        for path in column.paths:
            steps = parse_path(path) or ()
            place = next((one for one in self._deciding if steps[: len(one)] == one and len(steps) > len(one)), None)
            if place is None or steps[len(place)] == self._deciding[place]:
                yield path
            elif steps[len(place)] == ANY_KEY and is_map_path(path):
                yield at_key(path, self._deciding[place])


def _has_text(record: Record, steps: Path) -> bool:
    with suppress(UnreadableError):  # which is told where it is read
        return any(map(text_of, record.find(steps)))
    return False


def _names(record: Record, place: Path) -> list[str]:
    with suppress(UnreadableError):
        return record.names(place)
    return []
