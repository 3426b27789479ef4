"""The first rows of a file whose columns are not known yet."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import BinaryIO

from scoring.items.payload import Opened, open_payload
from scoring.problems import InputError
from scoring.proposal.json_fields import flatten
from scoring.proposal.model import Sample
from scoring.reading.header import TopRow, top_rows
from scoring.reading.open_table import JSON_EXTENSIONS, TEXT_EXTENSIONS, NotThisEncodingError, Table, open_table
from scoring.rubric.fields import normalise_header
from scoring.rubric.model import WHOLE_RECORD, Column, RecordRule

MAX_ROWS = 2_000
MAX_CHARACTERS = 32_000_000  # of all cells together
_HEAD = 1 << 16  # bytes that tell by which sign cells are divided
_SIGNS = (",", "\t", ";")
_DIRECTIVE = ("sep=", '"sep=')  # names the sign
_WHOLE = (Column(name="raw_json", title=WHOLE_RECORD, paths=(WHOLE_RECORD,)),)
_NO_LIST = "records-not-found"
_LIST = re.compile(r"(\S+) \(([0-9]+)\)")  # a path and the length of the list there, as that refusal names them
_BOMS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def read_sample(stream: BinaryIO, name: str) -> Sample:
    """Read the header and the first rows of `stream` (seekable), by the extension of `name`.

    Short rows are filled up, as Excel leaves out blank last cells; longer ones are counted and left out. Raises
    InputError for a file that cannot be read, OSError as the stream does.
    """
    encoding = ""
    mismatch: NotThisEncodingError | None = None
    while True:
        try:
            is_json = name.lower().endswith(JSON_EXTENSIONS)
            return _records(stream, name, encoding) if is_json else _sample(_open(stream, name, encoding))
        except NotThisEncodingError as error:
            encoding, mismatch = error.next_encoding, error
        except InputError as error:
            raise InputError(mismatch.likelier(error.problems) if mismatch is not None else error.problems) from None


def _sample(table: Table) -> Sample:
    too_wide = tuple(problem for problem in table.columns.problems if problem.code == "too-many-columns")
    if too_wide:  # twice the same title is no fault here: nobody wants it yet
        raise InputError(too_wide)
    width = table.columns.width
    rows: list[Sequence[str]] = []
    left_out = characters = 0
    for row in islice(table.rows(), MAX_ROWS):
        if not any(row):
            continue
        if len(row) > width:
            left_out += 1
            continue
        rows.append([*row, *[""] * (width - len(row))])
        characters += sum(map(len, row))
        if characters > MAX_CHARACTERS:
            break
    return Sample(table.columns.header, rows, left_out)


def _records(stream: BinaryIO, name: str, encoding: str) -> Sample:
    """The fields of the first records; of a document those of its longest list, where it is none itself."""
    try:
        table, path = open_table(stream, name, _WHOLE, encoding=encoding), ""
    except InputError as error:
        path = _longest_list(error)
        if not path:
            raise
        table = open_table(stream, name, _WHOLE, records=RecordRule(paths=(path,)), encoding=encoding)
    objects: list[Mapping[str, object]] = []
    left_out = characters = 0
    for row in islice(table.rows(), MAX_ROWS):
        opened = open_payload(row[0]) if len(row) == len(_WHOLE) else ""
        if isinstance(opened, Opened):
            objects.append(opened.value)
        elif opened is not None:
            left_out += 1
        characters += sum(map(len, row))
        if characters > MAX_CHARACTERS:
            break
    flat = flatten(objects)
    return Sample(flat.paths, flat.rows, left_out, flat.fields, path)


def _longest_list(error: InputError) -> str:
    """The path of the longest list that a refusal of a document without the wanted one names; "" for another one."""
    problem = error.problems[0]
    if problem.code != _NO_LIST:
        return ""
    lists = [(int(number), path) for path, number in _LIST.findall(problem.found)]
    return max(lists, key=lambda entry: entry[0])[1] if lists else ""


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
