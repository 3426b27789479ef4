"""The first rows of a file whose columns are not known yet, and what the cells of a column hold.

A column holds numbers, times, JSON objects, a few words or text.
"""

import codecs
import re
from collections import Counter
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from statistics import median
from typing import BinaryIO

import msgspec

from scoring.items import Opened, open_payload, read_amount, read_number, read_seconds
from scoring.problems import InputError
from scoring.proposal.json_fields import flatten, shape_of
from scoring.proposal.model import Sample
from scoring.proposal.names import is_among_scores, likely_meanings
from scoring.reading import (
    JSON_EXTENSIONS,
    TEXT_EXTENSIONS,
    NoRecordsError,
    Place,
    Table,
    TopRow,
    in_its_encoding,
    open_table,
    top_rows,
)
from scoring.rubric import WHOLE_RECORD, Column, RecordRule, normalise_header
from scoring.text import is_blank, normalise

FEW_VALUES = 12  # different texts of a column that sorts answers into kinds
MOST = 0.9  # share of the filled cells that makes a column one of numbers, times or objects
_KEPT_CHARACTERS = 200  # of a cell, where only its words count
_HANGUL = re.compile("[가-힣]")
_LATIN = re.compile("[A-Za-z]")
MAX_ROWS = 2_000
_TOP = 20  # rows that may be the header, below one that is none
MAX_CHARACTERS = 32_000_000  # of all cells together
MAX_LOOKED_THROUGH = 100_000_000  # characters of further records that are looked through for names of scores
MAX_SHAPES = 500  # of these records
_FEWEST_NAMES, _LONGEST_NAME = 3, 40  # of a header
_HEAD = 1 << 16  # bytes that tell by which sign cells are divided
_SIGNS = (",", "\t", ";")
_DIRECTIVE = ("sep=", '"sep=')  # names the sign
_WHOLE = (Column(name="raw_json", title=WHOLE_RECORD, paths=(WHOLE_RECORD,)),)
_BOMS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


_LOOKED_AT = 50  # records of each list of a document
_HELD = {"response": 8, "question": 4, "llm_score": 2, "intent_verdict": 2, "error": 2, "expected": 1, "query_id": 1}


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """The filled cells of one column.

    filled: their number; rows: of the sample. first: index of the first. values: texts with how often each occurs, cut
    at 200 characters.
    numbers: the cells that are numbers. seconds: those that are an amount of time, in seconds if they are bare.
    objects: cells that hold a JSON object. mean_length: in characters.
    """

    at: int
    header: str
    rows: int
    filled: int
    first: int
    values: Counter[str]
    numbers: tuple[float, ...]
    seconds: tuple[float, ...]
    objects: int
    mean_length: float

    @property
    def share(self) -> float:
        """Share of the rows that are filled."""
        return self.filled / self.rows if self.rows else 0.0

    @property
    def is_full(self) -> bool:
        """Is every cell filled?"""
        return bool(self.rows) and self.filled == self.rows

    @property
    def has_numbers(self) -> bool:
        """Are nearly all cells numbers?"""
        return self.filled > 0 and len(self.numbers) >= MOST * self.filled

    @property
    def whole_numbers(self) -> tuple[float, ...]:
        """The numbers of a column in which all are whole, so that `3,338` is one; () where some are not."""
        found = [
            amount for text in self.values.elements() if isinstance(amount := read_amount(text, is_whole=True), float)
        ]
        return tuple(found) if all(map(float.is_integer, found)) else ()

    @property
    def unclear(self) -> str:
        """The first cell that can be two numbers, as `3,338`, where they keep a column from being one of numbers."""
        read = [text for text in self.values.elements() if read_number(text, has_decimal_comma=True) is not None]
        if self.has_numbers or len(read) < MOST * self.filled:
            return ""
        return next((text for text in read if read_number(text, has_decimal_comma=False) is None), "")

    @property
    def has_times(self) -> bool:
        """Are nearly all cells amounts of time?"""
        return self.filled > 0 and len(self.seconds) >= MOST * self.filled

    @property
    def has_objects(self) -> bool:
        """Are nearly all cells JSON objects?"""
        return self.filled > 0 and self.objects >= MOST * self.filled

    @property
    def is_unique(self) -> bool:
        """Does no value occur twice?"""
        return self.filled == len(self.values)

    @property
    def are_whole(self) -> bool:
        """Are all numbers whole?"""
        return all(value == int(value) for value in self.numbers)

    @property
    def middle(self) -> float:
        """The median of the times; 0 without any."""
        return median(self.seconds) if self.seconds else 0.0


def facts_of(at: int, header: str, cells: Sequence[str]) -> Facts:
    """Look at the cells of a column."""
    filled = [cell for cell in cells if not is_blank(cell)]
    texts = [normalise(cell[:_KEPT_CHARACTERS]) for cell in filled]
    numbers = [value for text in texts if (value := read_number(text, has_decimal_comma=False)) is not None]
    seconds = [amount for text in texts if isinstance(amount := read_seconds(text), float)]
    objects = [cell for cell in filled if cell.lstrip()[:1] in {"{", '"'} and isinstance(open_payload(cell), Opened)]
    return Facts(
        at=at,
        header=header,
        rows=len(cells),
        filled=len(filled),
        first=next((row for row, cell in enumerate(cells) if not is_blank(cell)), 0),
        values=Counter(texts),
        numbers=tuple(numbers),
        seconds=tuple(seconds),
        objects=len(objects),
        mean_length=sum(map(len, filled)) / len(filled) if filled else 0.0,
    )


def share_of_hangul(texts: Sequence[str]) -> float:
    """Share of Hangul among the letters of the texts, of Hangul and the Latin alphabet; 0 without any."""
    joined = " ".join(texts)
    hangul, latin = len(_HANGUL.findall(joined)), len(_LATIN.findall(joined))
    return hangul / (hangul + latin) if hangul + latin else 0.0


def read_sample(stream: BinaryIO, name: str) -> Sample:
    """Read the header and the first rows of `stream` (seekable), by the extension of `name`.

    Short rows are filled up, as Excel leaves out blank last cells; longer ones are counted and left out. Raises
    InputError for a file that cannot be read, OSError as the stream does.
    """
    if name.lower().endswith(JSON_EXTENSIONS):
        return in_its_encoding(lambda encoding: _records(stream, name, encoding))
    return in_its_encoding(lambda encoding: _sample(_open(stream, name, encoding)))


def _sample(table: Table) -> Sample:
    too_wide = tuple(problem for problem in table.columns.problems if problem.code == "too-many-columns")
    if too_wide:  # twice the same title is no fault here: nobody wants it yet
        raise InputError(too_wide)
    width = table.columns.width
    rows: list[Sequence[str]] = []
    left_out = characters = 0
    below: Sequence[str] = ()
    for number, row in enumerate(islice(table.rows(), MAX_ROWS)):
        if not any(row):
            continue
        if number < _TOP and not below and _is_header(row) and list(row) != list(table.columns.header):
            below = [cell for cell in row if not is_blank(cell)]
        if len(row) > width:
            left_out += 1
            continue
        rows.append([*row, *[""] * (width - len(row))])
        characters += sum(map(len, row))
        if characters > MAX_CHARACTERS:
            break
    return Sample(table.columns.header, rows, left_out, below=tuple(below))


def _is_header(row: Sequence[str]) -> bool:
    """Are most of the filled cells names of columns, and none a number?"""
    filled = [cell for cell in row if not is_blank(cell)]
    named = sum(any(one.is_whole for one in likely_meanings(cell)) for cell in filled if len(cell) <= _LONGEST_NAME)
    is_named = named >= _FEWEST_NAMES and 2 * named > len(filled)
    return is_named and all(read_number(cell, has_decimal_comma=True) is None for cell in filled)


def _records(stream: BinaryIO, name: str, encoding: str) -> Sample:
    """The fields of the first records; of a document those of the list that holds most, where it is none itself."""
    try:
        return _flat(open_table(stream, name, _WHOLE, encoding=encoding), None)
    except NoRecordsError as error:
        samples = [_flat(_at(stream, name, place, encoding), place, most=_LOOKED_AT) for place in error.places]
        # Objects that only look alike are no map of records: that has to hold something of items.
        samples = [one for one in samples if not one.key or _held(one) > _HELD["query_id"]]
        if not samples:
            raise
    return _richest(samples, stream, name, encoding)


def _at(stream: BinaryIO, name: str, place: Place, encoding: str) -> Table:
    rule = RecordRule(paths=(place.path,), key=place.key or msgspec.UNSET)
    return open_table(stream, name, _WHOLE, records=rule, encoding=encoding)


def _flat(table: Table, place: Place | None, most: int = MAX_ROWS) -> Sample:
    objects: list[Mapping[str, object]] = []
    left_out = characters = 0
    rows = table.rows()
    for row in islice(rows, most):
        opened = open_payload(row[0]) if len(row) == len(_WHOLE) else ""
        if isinstance(opened, Opened):
            objects.append(opened.value)
        elif opened is not None:
            left_out += 1
        characters += sum(map(len, row))
        if characters > MAX_CHARACTERS:
            break
    flat = flatten(objects)
    path, _, key = place or ("", 0, "")
    late = _late_scores(rows, set(flat.paths)) if most == MAX_ROWS else ()
    return Sample(flat.paths, flat.rows, left_out, flat.fields, path, key=key, late=late)


def _late_scores(rows: Iterator[Sequence[str]], known: Container[str]) -> tuple[str, ...]:
    """Paths of scores that only these further records have. Where one cannot be read, scoring the file says so."""
    found: dict[str, None] = {}
    shapes: set[Hashable] = set()
    characters = 0
    with suppress(InputError):
        for row in rows:
            characters += sum(map(len, row))
            if characters > MAX_LOOKED_THROUGH or len(shapes) == MAX_SHAPES:
                break
            opened = open_payload(row[0]) if len(row) == len(_WHOLE) else ""
            if isinstance(opened, Opened) and (shape := shape_of(opened.value)) not in shapes:
                shapes.add(shape)
                found |= dict.fromkeys(path for path in flatten([opened.value]).paths if is_among_scores(path))
    return tuple(path for path in found if path not in known)


def _richest(samples: Sequence[Sample], stream: BinaryIO, name: str, encoding: str) -> Sample:
    """The whole sample of the list that holds most of question, answer, score and id; the longest of equal ones."""
    held = [_held(sample) for sample in samples]
    best = max(range(len(samples)), key=lambda at: (held[at], len(samples[at].rows), -at))
    path = samples[best].records
    others = [one.records for one, points in zip(samples, held, strict=True) if points == held[best] > 0]
    place = Place(path, 0, samples[best].key)
    whole = _flat(_at(stream, name, place, encoding), place)
    return whole._replace(others=tuple(other for other in others if other != path))


def _held(sample: Sample) -> int:
    """What the records of a list hold: an answer counts most, then a question, a score, and what they were to say."""
    fields = {
        one.field
        for facts in (facts_of(at, path, [row[at] for row in sample.rows]) for at, path in enumerate(sample.header))
        if facts.filled
        for one in likely_meanings(facts.header)
    }
    return sum(points for field, points in _HELD.items() if field in fields)


def _open(stream: BinaryIO, name: str, encoding: str) -> Table:
    """The table, its cells divided by the sign under which most of the first rows are as long as the header."""
    wanted: Sequence[Column] = ()
    if name.lower().endswith(TEXT_EXTENSIONS):
        stream.seek(0)
        text = _text(stream.read(_HEAD), encoding)
        found = {sign: top_rows(text, sign, skips_line=False) for sign in _SIGNS}
        best = max(_SIGNS, key=lambda sign: _fit(found[sign]))
        wanted = _columns(found[best][0].cells) if found[best] and not text.lower().startswith(_DIRECTIVE) else ()
    return open_table(stream, name, wanted, encoding=encoding)


def _text(head: bytes, encoding: str) -> str:
    """The first bytes as text, whatever is wrong with them; the reader refuses that."""
    codec = next((codec for bom, codec in _BOMS if head.startswith(bom)), encoding or "utf-8")
    return head.decode(codec, errors="replace").lstrip("\ufeff")


def _columns(cells: Sequence[str]) -> tuple[Column, ...]:
    """The columns of a header, all required, so that a reader takes the sign by which they are divided."""
    named = [cell.strip() for cell in cells if normalise_header(cell)]
    return tuple(Column(name=str(at), title=title, required=True) for at, title in enumerate(named))


def _fit(rows: Sequence[TopRow]) -> tuple[bool, float, int]:
    """How well a sign divides the first rows: are there columns at all, share of rows of that width, width."""
    widths = [len(row.cells) for row in rows if any(row.cells)]
    if not widths:
        return False, 0.0, 0
    width, *others = widths
    share = others.count(width) / len(others) if others else 0.0
    return width > 1, share, width
