"""Reads review files: a table that Scorewatch gave out and that people filled, as any spreadsheet has saved it.

A file is known by what is in it: its first row has the title `scorewatch-key`, and its first filled key begins `sw1|`.
Every filled row becomes a grade or a problem with its cell; rows = grades + blank + problems.
"""

import zipfile
import zlib
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import islice
from typing import BinaryIO

import msgspec

from scoring.problems import InputError, Problem
from scoring.reading import (
    SPREADSHEET_EXTENSIONS,
    TEXT_EXTENSIONS,
    ColumnMap,
    NotThisEncodingError,
    Table,
    first_sheet,
    formula_cells,
    open_table,
    refuse_unusable_header,
)
from scoring.review.grades import FORMAT, KEY_TITLE, ItemKey, PersonGrade
from scoring.rubric import Column
from scoring.text import cut, is_blank, known_text, uncovered
from texts import LANGUAGES, words

COMMENT_CHARACTERS = 4_096  # of a comment, a cause and a check
NAME_CHARACTERS = 200  # of a reviewer
MOST_ROWS = 200_000
_WORDS = words("review-columns")
_FIELDS = ("grade", "comment", "cause", "check", "reviewer", "decides")
_COLUMNS = (
    Column(name="key", title=KEY_TITLE, required=True),
    *(
        Column(name=name, title=_WORDS[name][0], aliases=_WORDS[name][1:], required=name in {"grade", "reviewer"})
        for name in _FIELDS
    ),
)
_MARK = KEY_TITLE.encode()
_HEAD = 1 << 16
_BLOCK = 1 << 20
_MOST_SHEETS = 50
_MOST_SHARED = 64 << 20  # bytes of the texts of a workbook that are looked at
_SHARED = "xl/sharedStrings.xml"
_SHEETS = "xl/worksheets/"
_FORMULA = "="
_TEXTS = ("comment", "cause", "check")
_SEPARATOR = "|"


class ReviewFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a review file holds. blank: rows without a grade. problems: of the rows that are refused.

    refused: why nothing of the file can be used; empty where it could be read.
    """

    name: str
    grades: tuple[PersonGrade, ...] = ()
    blank: int = 0
    problems: tuple[Problem, ...] = ()
    refused: tuple[Problem, ...] = ()

    @property
    def rows(self) -> int:
        """All rows that are not empty."""
        return len(self.grades) + self.blank + len(self.problems)


def column_title(name: str, language: str) -> str:
    """How a column of the sheet is called."""
    if name in {"key", "check"}:  # the same in every language
        return KEY_TITLE if name == "key" else _WORDS[name][0]
    return _WORDS[name][LANGUAGES.index(language)]


def may_be_review(stream: BinaryIO, name: str) -> bool:
    """Is there a sign of the key column? Cheap, and never False for a review file. stream: at any place, seekable."""
    stream.seek(0)
    if name.lower().endswith(TEXT_EXTENSIONS):
        head = stream.read(_HEAD).replace(b"\0", b"")  # also of UTF-16
        return _MARK in head.lower()
    if not name.lower().endswith(SPREADSHEET_EXTENSIONS):
        return False
    faults = (zipfile.BadZipFile, zlib.error, OSError, NotImplementedError, RuntimeError, ValueError, EOFError)
    with suppress(*faults), zipfile.ZipFile(stream) as archive:
        names = [one for one in archive.namelist() if one == _SHARED or one.startswith(_SHEETS)]
        return any(_has_mark(archive, one, _MOST_SHARED if one == _SHARED else _HEAD) for one in names[:_MOST_SHEETS])
    return False


def read_review(stream: BinaryIO, name: str) -> ReviewFile | None:
    """The grades of a file; None when it is no review file. stream: at any place, seekable. Raises OSError."""
    if not may_be_review(stream, name):
        return None
    try:
        table, rows = _table(stream, name)
        if "key" not in table.columns.at or not _is_first_sheet(stream, table.sheet):
            return None
        if not _first_key(rows, table.columns.at["key"]).startswith(f"{FORMAT}{_SEPARATOR}"):
            return None
        refuse_unusable_header(table)
        _refuse_too_long(rows)
        formulas = formula_cells(stream, table.sheet) if table.sheet else frozenset()
    except InputError as error:
        return ReviewFile(name=name, refused=tuple(problem.at(name) for problem in error.problems))
    except ValueError as error:  # of a workbook whose sheets say nothing that can be read
        values = {"reason": "content", "error": str(error)}
        return ReviewFile(name=name, refused=(Problem(code="bad-spreadsheet", source=name, values=values),))
    return _Reader(table.columns, formulas, name).file(rows)


def _refuse_too_long(rows: Sequence[object]) -> None:
    if len(rows) > MOST_ROWS:
        raise InputError((Problem(code="review-too-long", values={"limit": str(MOST_ROWS)}),))


def _table(stream: BinaryIO, name: str) -> tuple[Table, list[Sequence[str]]]:
    """The table and its rows: that the text has another encoding may show in the header or in any row."""
    encoding = ""
    while True:
        try:
            table = open_table(stream, name, _COLUMNS, encoding=encoding)
            return table, list(islice(table.rows(), MOST_ROWS + 1))
        except NotThisEncodingError as error:
            encoding = error.next_encoding


def _is_first_sheet(stream: BinaryIO, sheet: str) -> bool:
    """Text files have one table, whose sheet has no name."""
    if not sheet:
        return True
    stream.seek(0)
    return first_sheet(stream) == sheet


def _first_key(rows: Sequence[Sequence[str]], at: int) -> str:
    return next((key for row in rows if at < len(row) and (key := row[at].strip())), "")


def _has_mark(archive: zipfile.ZipFile, member: str, most: int) -> bool:
    """Is the mark in the first bytes of a member?"""
    tail = b""
    with archive.open(member) as content:
        while most > 0 and (block := content.read(min(_BLOCK, most))):
            if _MARK in (tail + block).lower():
                return True
            tail, most = block[-len(_MARK) :], most - len(block)
    return False


class _Reader:
    """Makes grades of the rows under a header."""

    def __init__(self, columns: ColumnMap, formulas: Collection[tuple[int, int]], name: str) -> None:
        self._columns = columns
        self._formulas = formulas
        self._name = name
        self._grades: list[PersonGrade] = []
        self._problems: list[Problem] = []
        self._blank = 0

    def file(self, rows: Sequence[Sequence[str]]) -> ReviewFile:
        """Everything that the rows hold."""
        for number, row in enumerate(rows, start=2):
            if any(not is_blank(cell) for cell in row):
                self._take(number, row)
        return ReviewFile(
            name=self._name, grades=tuple(self._grades), blank=self._blank, problems=tuple(self._problems)
        )

    def _take(self, number: int, row: Sequence[str]) -> None:
        cells = {field: row[at] if at < len(row) else "" for field, at in self._columns.at.items()}
        told = {field: known_text(uncovered(cell.strip())) for field, cell in cells.items()}
        formula = next((field for field in self._columns.at if self._is_formula(number, field, cells[field])), "")
        grade, reviewer = told["grade"], told["reviewer"][:NAME_CHARACTERS]
        key = ItemKey.read(cells["key"])
        if not grade and formula != "grade":
            self._blank += 1
        elif formula:
            self._refuse("review-formula", number, formula, cells[formula])
        elif key is None:
            self._refuse("review-key", number, "key", cells["key"])
        elif not reviewer:
            self._refuse("review-nameless", number, "reviewer", grade)
        else:
            self._grades.append(
                PersonGrade(
                    key=key,
                    grade=grade,
                    reviewer=reviewer,
                    **{name: told.get(name, "")[:COMMENT_CHARACTERS] for name in _TEXTS},
                    decides=not is_blank(cells.get("decides", "")),
                    file=self._name,
                    row=number,
                    column=self._title("grade"),
                )
            )

    def _is_formula(self, number: int, field: str, cell: str) -> bool:
        """The comment of a text file may begin with an equals sign; no other cell of ours does."""
        at = self._columns.at[field]
        return (number - 1, at) in self._formulas or (field not in _TEXTS and cell.lstrip().startswith(_FORMULA))

    def _refuse(self, code: str, number: int, field: str, found: str) -> None:
        place = Problem(code=code, source=self._name, row=number, column=self._title(field), found=cut(found))
        self._problems.append(place)

    def _title(self, field: str) -> str:
        return self._columns.header[self._columns.at[field]]
