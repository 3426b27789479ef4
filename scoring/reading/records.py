"""JSON, bytes to rows: one object a line, or the list of objects that a document has (docs/rubrics.md#json-input).

Writers of JSON Lines put commas, comments and separators around a record, which are left out.
"""

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import BinaryIO, NamedTuple

from scoring.findings import FileLog
from scoring.problems import InputError, Problem, refused
from scoring.reading.columns import nearly
from scoring.reading.record_join import JoinedFile
from scoring.reading.record_layout import Layout, ScoresSideBySide, texts_at
from scoring.reading.record_shapes import DOCUMENT_LIMIT, Document, Found
from scoring.reading.record_values import CUT, Holder, Record, UnreadableError, check_json, open_list
from scoring.reading.selection import Selection
from scoring.reading.text_source import LineLimit, TextSource, TextTable
from scoring.rubric import ONE_A_FILE, WHOLE_RECORD, Column, JoinRule, RecordRule
from scoring.text import cut

SPACE = b" \t\r\n"
SEPARATOR = b"\x1e"  # before each record of a JSON text sequence (RFC 7464)
_AROUND = SPACE + SEPARATOR + b","
_COMMENTS = (b"#", b"//")
_LOOKED_AT = 200  # lines
_OBJECT, _LIST = "{", "["


class Line(NamedTuple):
    """A line without what stands around its record. code: of the finding about that, "" for none."""

    data: bytes
    code: str = ""


def read_line(line: bytes) -> Line:
    """The text of the record in a line, b"" for a blank line and for a comment."""
    data = line.strip(SPACE)
    if data[:1] == b"{" and data[-1:] == b"}":
        return Line(data)
    if data.startswith(_COMMENTS):
        return Line(b"", "record-comment")
    if data[:1] == SEPARATOR:
        return Line(data.strip(SEPARATOR + SPACE), "record-separator")
    inside = data.strip(_AROUND)
    return Line(inside, "record-comma") if inside != data and inside[:1] == b"{" else Line(data)


def may_be_no_lines(head: str) -> bool:
    """Does a file that begins like this perhaps not have one object a line? Sure to be False where it does."""
    first, line_break, _ = head.lstrip().partition("\n")
    first = first.strip()
    return first.startswith(_LIST) or bool(line_break and first.startswith(_OBJECT) and not first.endswith(("}", "},")))


def other_layout(data: bytes) -> tuple[Problem, ...]:
    """Why a file is no JSON Lines although each of its objects may be right; nothing where it is not clear.

    data: all of it, in UTF-8. Raises UnicodeDecodeError for bytes that are none.
    """
    data = data.strip()
    if data[:1] == b"{":
        return _of_objects(data)
    problem = refused("record-list", reason="list")
    try:
        check_json(data)
    except UnreadableError as error:
        if _has_lines(data):
            return ()
        near = Problem(code="json-unreadable", line=error.line, found=error.near, values={"reason": error.reason})
        return (problem, refused("record-cut", line=error.line) if error.reason == CUT else near)
    return (problem,) if _has_objects(data) else ()


def _of_objects(data: bytes) -> tuple[Problem, ...]:
    if _is_json(data):
        return (refused("record-list", reason="document"),)
    return (refused("record-over-lines"),) if _begins_with_object(data) else ()


def _has_lines(data: bytes) -> bool:
    """Is the first line a whole value, or are two others whole objects, without the comma of an element?"""
    first, *others = data.split(b"\n", _LOOKED_AT)[:_LOOKED_AT]
    objects = (line for line in others if line.strip(SPACE)[-1:] == b"}" and _is_json(line))
    return _is_json(first) or len(list(islice(objects, 2))) > 1


def _is_json(data: bytes) -> bool:
    try:
        check_json(data)
    except UnreadableError:
        return False
    return True


def _has_objects(data: bytes) -> bool:
    return any(bytes(memoryview(element)[:1]) == b"{" for element in open_list(data))


def _begins_with_object(data: bytes) -> bool:
    """Is there an object over several lines, with another one behind it?"""
    text = data.decode()
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return text[end:].lstrip(", \t\r\n\x1e").startswith(_OBJECT)


LINE, RECORD = "line", "record"
LINE_EXTENSIONS = (".jsonl", ".ndjson")
RECORD_LIMIT = 64 << 20  # bytes of a line
MAX_CELLS = 26 << 20  # as many as of a sheet: records of few bytes may lack thousands of names that the first ones have
_LINE_LIMIT = LineLimit(RECORD_LIMIT, "record-too-large")
_FIRST_LINE_LIMIT = LineLimit(1 << 20, "record-too-large")  # of a document that may have one object a line
_SAMPLE = 200  # records that tell the names
_MAX_NAMES = 40  # that a refusal lists
_FOUND_CHARACTERS = 80
_ALL = RecordRule()


class RecordTable(TextTable):
    """A JSON file whose first records have been looked at; same members as `scoring.reading.delimited.DelimitedTable`.

    row_unit: what the number of a row counts, "line" or "record" of a document. `rows` gives blank rows for records
    that the document does not ask for, so that numbers stay.
    """

    delimiter = ""
    sheet = ""
    first_row = 1
    is_cut_after_quote = False
    ends_inside_line = False

    def __init__(
        self, stream: BinaryIO, name: str, columns: Sequence[Column], *, rule: RecordRule | None, encoding: str = ""
    ) -> None:
        """Look at the first records.

        Raises InputError for a file that is refused, NotThisEncodingError for one to be opened again.
        """
        self._wanted = columns
        self._rule = rule or _ALL
        self.selection = Selection(self._rule.where)
        self._row = 0
        self._left_out: dict[str, int] = {}
        self._size = stream.seek(0, io.SEEK_END)
        self._stream = stream
        self._forced = encoding
        self._joined = (
            JoinedFile(stream, self._rule.join, whole_records) if isinstance(self._rule.join, JoinRule) else None
        )
        is_lines = self._rule.paths != (ONE_A_FILE,) and (
            name.lower().endswith(LINE_EXTENSIONS) or self._is_one_a_line()
        )
        self.row_unit = LINE if is_lines else RECORD
        self.log = FileLog(row_unit=self.row_unit)
        self._source = self._open(_LINE_LIMIT if is_lines else None)
        self.encoding = self._source.encoding
        try:
            if is_lines and may_be_no_lines(self._source.head_text):
                self._refuse_other_layout()
            self._records = [] if is_lines else self._document()
            sample = list(self._sample())
            self._scores = ScoresSideBySide(columns, sample)
            self._layout = Layout(sample, columns, self._scores, self._rule.where)
            if self._joined is not None:
                self._layout.flat = None
        except UnicodeDecodeError as error:
            self._source.raise_undecodable(error, refused)
        if is_lines:
            self._source = self._open(_LINE_LIMIT)
        self.columns = self._layout.columns
        if self.encoding == "cp949" and all(map(str.isascii, self._layout.names)):
            self._source.refuse_other_encoding()

    @property
    def last_row(self) -> tuple[int, int]:
        """(row, row) of the last record."""
        return self._row, self._row

    def header_faults(self) -> tuple[Problem, ...]:
        """Why required columns are missing."""
        found = self._layout.names
        shown = ", ".join(cut(name) for name in found[:_MAX_NAMES]) + (", …" if len(found) > _MAX_NAMES else "")
        values = {"missing": ", ".join(self.columns.missing), "found": shown}
        lacking = Problem(code="records-lack-columns", values=values)
        return (lacking, *(replace(problem, row=None) for problem in nearly(self.columns, self._wanted)))

    def misfit(self, number: int, row: Sequence[str]) -> Problem:
        """Why a record makes no row, whose reason and text `rows` gave in its place."""
        reason, text, *_ = row
        return Problem(code="record-unreadable", row=number, found=text, values={"reason": reason})

    def rows(self) -> Iterator[list[str]]:
        """A row for every line or element, in order; blank ones for blank lines and for records that are not selected.

        What is no object gives a row of one cell too many, see `misfit`. Raises as the constructor does.
        """
        blank = [""] * self.columns.width
        most = max(MAX_CELLS, self._size) // max(self.columns.width, 1)
        cut_at = last = 0
        layout = self._layout
        flat = None if layout.flat is None else layout.flat.cells
        bare = self._bare
        try:
            for number, line in enumerate(self._each(), start=1):
                self._row = number
                if number > most:
                    raise InputError((self._too_wide(),))
                if flat is not None and (row := flat(line)) is not None:
                    last = number
                    if layout.never_found:
                        layout.saw(row)
                    yield row
                    continue
                data, code = bare(line)
                if code:
                    self.log.add(Problem(code=code, row=number))
                if not data:
                    yield blank
                    continue
                last = number
                try:
                    yield self._row_of(data) or blank
                except UnreadableError as error:
                    cut_at = number if error.reason == CUT else cut_at
                    yield [*_unreadable(data, error), *blank[1:]]
        except UnicodeDecodeError as error:
            self._source.raise_undecodable(error, refused)
        if cut_at == last > 0:
            raise InputError((refused("record-cut", row=cut_at),))
        self._note_whole_file()

    def _too_wide(self) -> Problem:
        return refused("records-too-wide", row=self._row, columns=str(self.columns.width), limit=str(MAX_CELLS))

    def _row_of(self, data: bytes) -> list[str]:
        """The row of a record, nothing for one that is not selected. Raises UnreadableError."""
        flat = self._layout.flat
        if flat is not None and (plain := flat.cells(data)) is not None:
            self._layout.saw(plain)
            return plain
        if self._joined is not None:
            data = self._joined.with_other(data, self._row, self.log)
        record = Record(data, self._holder(self._row))
        if not self.selection.takes(partial(texts_at, record)):
            self.selection.unselected += 1
            return []
        row, late, two_names = self._layout.cells(record)
        self._layout.saw(row)
        self._scores.look_at(record)
        for used, *others in two_names:
            found = cut(", ".join(others))
            self.log.add(Problem(code="two-names", row=self._row, column=used, found=found))
        if record.names_twice:
            self.log.add(Problem(code="record-name-twice", row=self._row, found=cut(", ".join(record.names_twice))))
        for name in late:
            self.log.add(Problem(code="record-name-late", row=self._row, found=cut(name)))
        return row

    @property
    def beside(self) -> str:
        """SHA-256 of the file that is joined, "" where there is none."""
        return "" if self._joined is None else self._joined.sha256

    def _note_whole_file(self) -> None:
        if self._joined is not None:
            self._joined.note(self.log)
        for path, n in self._left_out.items():
            self.log.add(Problem(code="records-left-out", found=cut(path)), n)
        for problem, n in self._scores.problems():
            self.log.add(problem, n)
        for index in sorted(self._layout.never_found):
            column = self._wanted[index]
            self.log.add(Problem(code="column-never-found", column=column.title, found=cut(", ".join(column.paths))))

    def _open(self, limit: LineLimit | None) -> TextSource:
        return TextSource(self._stream, line_limit=limit, encoding=self._forced, is_json=True)

    def _is_one_a_line(self) -> bool:
        """Is the first line that is not blank a whole object, and does another one follow?"""
        try:
            lines = (data for line in self._open(_FIRST_LINE_LIMIT).utf8_lines() if (data := read_line(line).data))
            Record(next(lines, b""))
            return next(lines, b"") != b""
        except (UnreadableError, InputError, UnicodeDecodeError):
            return False  # what is wrong with the document is found when it is read

    def _document(self) -> list[Found]:
        if self._size > DOCUMENT_LIMIT:
            found, limit = (str(-(-size // (1 << 20))) for size in (self._size, DOCUMENT_LIMIT))
            raise InputError((refused("json-too-large", size=found, limit=limit),))
        document = Document(self._source.utf8_text(), self._rule)
        if document.names_twice:
            self.log.add(Problem(code="record-name-twice", found=cut(", ".join(document.names_twice))))
        self._left_out = document.left_out
        return document.records

    def _each(self) -> Iterator[bytes]:
        """The lines or elements."""
        if self.row_unit == RECORD:
            return (bytes(record.data) for record in self._records)
        return self._source.utf8_lines()

    def _holder(self, number: int) -> Holder | None:
        """What the record of this number lies in."""
        return self._records[number - 1].holder if self.row_unit == RECORD else None

    def _bare(self, line: bytes) -> Line:
        """The text of a record without what a writer has put around it."""
        return read_line(line) if self.row_unit == LINE else Line(line.strip(SPACE))

    def _refuse_other_layout(self) -> None:
        """Raise InputError for a list, a document or objects over several lines under a name of JSON Lines."""
        if self._size > DOCUMENT_LIMIT:
            return
        if problems := other_layout(self._open(None).utf8_text()):
            raise InputError(problems)

    def _sample(self) -> Iterator[Record]:
        """The first records that are selected and can be read. Raises InputError without any."""
        return islice(self._selected(), _SAMPLE)

    def _selected(self) -> Iterator[Record]:
        for number, line in enumerate(self._each(), start=1):
            try:
                data = self._bare(line).data
                if data and self._joined is not None:
                    data = self._joined.with_other(data, number, None)
                record = Record(data, self._holder(number)) if data else None
            except UnreadableError:
                continue
            if record is not None and self.selection.takes(partial(texts_at, record)):
                yield record


def whole_records(stream: BinaryIO, name: str, encoding: str) -> RecordTable:
    """A file of records, each row of it the text of a whole one. Errors: as of `RecordTable`."""
    return RecordTable(stream, name, (Column(name="raw_json", paths=(WHOLE_RECORD,)),), rule=None, encoding=encoding)


def _unreadable(data: bytes, error: UnreadableError) -> tuple[str, str]:
    """Why the text of a record can't be read, and its start."""
    start = data[: 4 * _FOUND_CHARACTERS].decode(errors="replace")[:_FOUND_CHARACTERS]
    return "separator" if SEPARATOR in data else error.reason, start
