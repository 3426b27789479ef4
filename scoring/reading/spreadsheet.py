"""XLSX workbooks, bytes to rows: the first visible sheet with the required columns (docs/scoring.md#workbooks)."""

import codecs
import datetime as dt
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from functools import partial
from itertools import chain, islice
from typing import BinaryIO, NamedTuple

import python_calamine

from scoring.findings import FileLog, FindingLog
from scoring.problems import InputError, Problem, ScorewatchError, refused
from scoring.reading.columns import LOOKED_AT_ROWS, ColumnMap, TopRow, map_columns, unusable_header, wrong_width
from scoring.reading.file_type import ByteSigns, SheetSigns, is_markup, refuse_web_page
from scoring.reading.number_range import FarCell, PlainCopy, far_cell_problems, with_plain_numbers
from scoring.reading.regular_file import whole_hash
from scoring.reading.selection import RowSelection
from scoring.reading.sheet_cells import Sheet, mend_cells, sheet_member
from scoring.reading.sheet_extent import MAX_CELLS, MEMBER, TEXT_LIMIT, SharedTexts, UnreadableTagError, find_extent
from scoring.rubric import Column, Where

UNCOMPRESSED_LIMIT = 512 * 1024 * 1024  # bytes of all members together
_READ_LIMIT = 4 * UNCOMPRESSED_LIMIT  # bytes of sheets that are looked at for the columns
_OF_OTHER_KINDS = ("content.xml", "xl/workbook.bin")  # of ODS and XLSB: the reader would take them as well
_LARGEST_SHOWN = 1e21  # Python and Excel show larger numbers as powers of ten
_BLOCK = 1 << 20
_HEAD = 4096
_VISIBLE = python_calamine.SheetVisibleEnum.Visible
_PANIC = "PanicException"  # of pyo3, which nothing can import
_ZIP = b"PK"
_UTF16_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_OLE = b"\xd0\xcf\x11\xe0"


class SpreadsheetTable:
    """The chosen sheet; same members as `scoring.reading.delimited.DelimitedTable`.

    log: takes what to look at.
    """

    encoding = "xlsx"
    delimiter = ""
    is_cut_after_quote = False
    has_end_mark = False
    ends_inside_line = False
    first_row = 2
    row_unit = ""
    beside = ""

    def __init__(self, stream: BinaryIO, columns: Sequence[Column], *, where: Where | None = None) -> None:
        """Open the workbook and choose a sheet. Raises InputError for a file that is refused."""
        self.sha256, self.size = whole_hash(stream)
        if not self.size:
            raise InputError((refused("empty-file"),))
        stream.seek(0)
        _refuse_other_kind(stream.read(_HEAD))
        look = _refuse_bomb(stream)
        stream.seek(0)
        self.signs = look.signs
        stream, sheet, self.log, far_cells = _read(stream, columns, look)
        self._far_cells = far_cells
        self.sheet = sheet.name
        self._rows = [[cell_text(cell) for cell in row] for row in sheet.rows]
        self.columns: ColumnMap = map_columns(self._rows[0] if self._rows else (), columns)
        self.selection = RowSelection(where or {}, self.columns.header)
        self._wanted = columns
        self.last_row = (len(self._rows), 0)
        if not self.columns.missing:
            for problem in far_cell_problems(far_cells, self.columns):
                self.log.add(problem)
            try:
                mend_cells(stream, sheet, self._rows, self.columns, log=self.log, suspects=look.suspects)
            except ValueError as error:
                raise InputError((refused("bad-spreadsheet", reason="content", error=str(error)),)) from None

    def header_faults(self) -> tuple[Problem, ...]:
        """Why the header misses required columns: it is further down, or they are missing; then cells out of range."""
        faults = unusable_header(_top_rows(self._rows), self._wanted)
        return (*faults, *far_cell_problems(self._far_cells, self.columns))

    def rows(self) -> Iterator[list[str]]:
        """Every row after the header, in order, blank ones included, also in place of one that is not asked for."""
        return self.selection.rows(iter(self._rows[1:]))

    def all_rows(self) -> Sequence[Sequence[str]]:
        """Every row of the sheet, the first one included."""
        return self._rows

    def misfit(self, number: int, row: Sequence[str]) -> Problem:
        """Why a row of another width than the header makes no item."""
        return wrong_width(number, row, self.columns.width)

    def drain(self) -> None:
        """Nothing to do: the whole file has been read."""


def cell_text(value: object) -> str:
    """A cell as the text that a CSV export would hold: whole numbers without `.0`, dates in ISO form."""
    match value:
        case str():
            return value
        case bool():
            return "TRUE" if value else "FALSE"
        case float() if value.is_integer() and abs(value) < _LARGEST_SHOWN:
            return str(int(value))
        case dt.datetime():
            return value.isoformat(sep=" ", timespec="seconds")
        case dt.timedelta():
            return _duration(value)
        case None:
            return ""
        case _:
            return str(value)


def _duration(value: dt.timedelta) -> str:
    """Hours, minutes and seconds, as Excel shows a duration: `30:00:12.5`."""
    microseconds = value // dt.timedelta(microseconds=1)
    minutes, rest = divmod(microseconds, 60_000_000)
    fraction = f"{rest % 1_000_000:06}".rstrip("0")
    return f"{minutes // 60}:{minutes % 60:02}:{rest // 1_000_000:02}" + (f".{fraction}" if fraction else "")


def _refuse_other_kind(head: bytes) -> None:
    """Refuse a file that has only the name of a workbook."""
    if head.startswith(_OLE):
        raise InputError((refused("bad-spreadsheet", reason="ole"),))
    if head.startswith(_ZIP):
        return
    text = head.decode("utf-16" if head.startswith(_UTF16_BOMS) else "utf-8-sig", errors="replace")
    if is_markup(text):
        refuse_web_page(text)
        raise InputError((refused("bad-spreadsheet", reason="html"),))
    if all(char.isprintable() or char.isspace() for char in text):
        raise InputError((refused("bad-spreadsheet", reason="text"),))


class _Look(NamedTuple):
    """largest: bytes of the largest member. suspects: members that may hold error values or formulas as cells.

    negative: those that may hold negative numbers. signs: what there is a reason to look for in the cells.
    """

    largest: int
    signs: ByteSigns
    suspects: frozenset[str]
    negative: frozenset[str]


def _refuse_bomb(stream: BinaryIO) -> _Look:
    """Unpack once, counting: what the directory says of the sizes is not to be trusted, nor a sheet's of its own."""
    unpacked = largest = size = 0

    def blocks(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
        nonlocal size
        size = 0
        of_cells = SheetSigns()
        measured = texts[member.header_offset] = (
            SharedTexts() if member.filename.replace("\\", "/").lower() == MEMBER else None
        )
        with archive.open(member) as content:
            while block := content.read(_BLOCK):
                size += len(block)
                of_cells.look_at(block)
                signs.look_at(block)
                if measured is not None:
                    measured.look_at(block)
                if unpacked + size > UNCOMPRESSED_LIMIT:
                    raise InputError((_too_much(),))
                yield block
        found_in[member.filename] = of_cells

    found_in: dict[str, SheetSigns] = {}
    signs = ByteSigns()
    texts: dict[int, SharedTexts | None] = {}
    sizes: list[tuple[zipfile.ZipInfo, int]] = []
    try:
        with zipfile.ZipFile(stream) as archive:
            for member in _members(archive):
                extent = find_extent(partial(blocks, archive, member))
                if extent is not None and extent.is_too_large:
                    raise InputError((_too_far(extent.rows, extent.columns),))
                unpacked += size
                largest = max(largest, size)
                sizes.append((member, size))
            _refuse_repeated(archive, sizes, [measured for measured in texts.values() if measured is not None])
    except UnreadableTagError:
        raise InputError((refused("bad-spreadsheet", reason="content"),)) from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, ValueError, RuntimeError) as error:
        raise InputError((refused("bad-spreadsheet", reason="zip", error=str(error)),)) from None
    suspects = frozenset(name for name, found in found_in.items() if found.found)
    return _Look(largest, signs, suspects, frozenset(name for name, found in found_in.items() if found.has_negative))


def _refuse_repeated(
    archive: zipfile.ZipFile, sizes: Sequence[tuple[zipfile.ZipInfo, int]], texts: Sequence[SharedTexts]
) -> None:
    """Refuse a sheet whose cells come to more text than they may: each has a copy of its own once it is read.

    sizes: members with their bytes. texts: shared texts by the members that hold them, of which there is one at most.
    """
    if len(texts) > 1:
        raise InputError((refused("bad-spreadsheet", reason="content"),))
    for member, size in sizes if texts else ():
        if texts[0].may_exceed(size):
            with archive.open(member) as content:
                found = texts[0].in_cells(iter(partial(content.read, _BLOCK), b""))
            if found > TEXT_LIMIT:
                size_found, limit = (str(-(-number // (1 << 20))) for number in (found, TEXT_LIMIT))
                raise InputError((refused("text-too-large", size=size_found, limit=limit),))


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The members of a workbook; InputError for an archive of another kind, or an encrypted one."""
    members = archive.infolist()
    if not {member.filename.lower() for member in members}.isdisjoint(_OF_OTHER_KINDS):
        raise InputError((refused("bad-spreadsheet", reason="other-kind"),))
    if any(member.flag_bits & 1 for member in members):
        raise InputError((refused("bad-spreadsheet", reason="encrypted"),))
    return members


class _FaultError(InputError):
    """The reader of workbooks failed at this one."""


@contextmanager
def _library_faults() -> Iterator[None]:
    """Raise `_FaultError` for whatever the reader raises, a panic of Rust included, which is no Exception."""
    try:
        yield
    except (ScorewatchError, OSError, MemoryError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
            raise
        reason = str(error) or type(error).__name__
        raise _FaultError((refused("bad-spreadsheet", reason="content", error=reason),)) from None


class _Read(NamedTuple):
    """The chosen sheet of a workbook. far_cells: those of it whose number is out of range of its format."""

    stream: BinaryIO
    sheet: Sheet
    log: FileLog
    far_cells: Sequence[FarCell]


def _read(stream: BinaryIO, columns: Sequence[Column], look: _Look) -> _Read:
    """Choose a sheet, of a copy with plain numbers where numbers are out of range. Raises InputError."""
    try:
        return _read_copy(stream, _mended(stream, look.negative) if look.negative else None, columns, look)
    except _FaultError:
        if (copy := _mended(stream, None)) is None:
            raise
        return _read_copy(stream, copy, columns, look)


def _mended(stream: BinaryIO, members: Collection[str] | None) -> PlainCopy | None:
    """The copy, None where there is no reason for one, or it can't be made."""
    try:
        return with_plain_numbers(stream, members)
    except (ValueError, KeyError, zipfile.BadZipFile):
        return None


def _read_copy(stream: BinaryIO, copy: PlainCopy | None, columns: Sequence[Column], look: _Look) -> _Read:
    log = FileLog()
    if copy is None:
        return _Read(stream, _choose(stream, columns, look.largest, log), log, ())
    sheet = _choose(copy.stream, columns, look.largest, log)
    with zipfile.ZipFile(copy.stream) as archive:
        far_cells = copy.cells.get(sheet_member(archive, sheet.name), ())
    return _Read(copy.stream, sheet, log, far_cells)


def _choose(stream: BinaryIO, columns: Sequence[Column], largest: int, log: FindingLog) -> Sheet:
    """The first visible sheet with the required columns and rows below them; else the nearest one by `rank_sheet`.

    Of sheets that miss as many columns, the one with a header further down is chosen. largest: bytes
    of the largest member; several sheets may name one, so what all of them come to is bounded as well. log: takes the
    other sheets that could have been chosen, and the chosen one if it is hidden.
    """
    best: tuple[SheetRank, Sheet] | None = None
    fitting: list[Problem] = []  # as those that are not read
    further: list[str] = []
    with _library_faults():
        workbook = python_calamine.CalamineWorkbook.from_filelike(stream)
        names = workbook.sheet_names
        hidden = {sheet.name for sheet in workbook.sheets_metadata if sheet.visible is not _VISIBLE}
        for number, sheet in enumerate(_sheets(workbook, largest), start=1):
            top = [[cell_text(cell) for cell in row] for row in sheet.rows[:LOOKED_AT_ROWS]]
            has_rows = any(map(any, islice(sheet.rows, 1, None)))
            rank = rank_sheet(top, columns, has_rows=has_rows, is_hidden=sheet.name in hidden)
            if best is None or rank < best[0]:
                best = rank, sheet
            if rank.kind in FITTING:
                fitting.append(_other_sheet(sheet.name, len(sheet.rows) - 1))
            if rank.kind == SheetKind.FITS:
                further = names[number : max(_READ_LIMIT // largest, number)]
                break
    if best is None:
        raise InputError((refused("bad-spreadsheet", reason="no-sheet"),))
    chosen = best[1]
    for place in chain(fitting, _not_read(workbook, further, columns)):
        if place.found != chosen.name:
            log.add(place)
    if chosen.name in hidden:
        log.add(Problem(code="hidden-sheet", found=chosen.name))
    return chosen


def _sheets(workbook: python_calamine.CalamineWorkbook, largest: int) -> Iterator[Sheet]:
    """The sheets in order, each read when it is asked for. Raises InputError where all so far are too large."""
    cells = 0
    for number, name in enumerate(workbook.sheet_names, start=1):
        if number * largest > _READ_LIMIT:
            raise InputError((_too_much(),))
        sheet = workbook.get_sheet_by_name(name)
        height, width = sheet.total_height + 1, sheet.total_width + 1
        cells += height * width
        if cells > MAX_CELLS:
            raise InputError((_too_far(height, width),))
        yield Sheet(name, sheet.to_python(skip_empty_area=False), sheet.merged_cell_ranges or ())


def _not_read(
    workbook: python_calamine.CalamineWorkbook, names: Sequence[str], columns: Sequence[Column]
) -> Iterator[Problem]:
    """Of each of these sheets that could have been chosen as well."""
    cells = 0
    for name in names:
        try:
            with _library_faults():
                sheet = workbook.get_sheet_by_name(name)
                cells += (sheet.total_height + 1) * (sheet.total_width + 1)
                header = next(sheet.iter_rows(), []) if cells <= MAX_CELLS else []
        except _FaultError:
            continue  # a fault in it costs the others nothing
        if cells > MAX_CELLS:
            return
        n = sheet.total_height  # without the header
        if n and not map_columns([cell_text(cell) for cell in header], columns).missing:
            yield _other_sheet(name, n)


def _other_sheet(name: str, rows: int) -> Problem:
    return Problem(code="sheet-not-read", found=name, values={"rows": str(rows)})


def _too_much() -> Problem:
    return refused("spreadsheet-too-large", limit=f"{UNCOMPRESSED_LIMIT // 1024 // 1024}")


def _too_far(rows: int, columns: int) -> Problem:
    return refused("sheet-too-large", rows=str(rows), columns=str(columns), limit=str(MAX_CELLS))


def _top_rows(rows: Sequence[Sequence[str]]) -> list[TopRow]:
    return [TopRow(number, None, cells) for number, cells in enumerate(rows[:LOOKED_AT_ROWS], start=1)]


class SheetKind(IntEnum):
    """The best kind first; a sheet that fits has the required columns and rows below them.

    A visible sheet whose header is further down is refused rather than replaced by a hidden one.
    """

    FITS = 1
    LOWER_HEADER = 2
    HIDDEN_FITS = 3
    VISIBLE = 4
    HIDDEN = 5


FITTING = frozenset({SheetKind.FITS, SheetKind.HIDDEN_FITS})


class SheetRank(NamedTuple):
    """The least is the best.

    missing: number of required columns that the first row lacks. below: the same for the best of the lower rows.
    """

    kind: SheetKind
    missing: int
    below: int


def rank_sheet(
    top: Sequence[Sequence[str]], columns: Sequence[Column], *, has_rows: bool, is_hidden: bool
) -> SheetRank:
    """Rank a sheet by its first rows. has_rows: is there anything below the first one?"""
    missing = len(map_columns(top[0] if top else (), columns).missing)
    lower = top[1:] if missing else ()
    below = min((len(map_columns(row, columns).missing) for row in lower), default=missing)
    if not missing and has_rows:
        kind = SheetKind.HIDDEN_FITS if is_hidden else SheetKind.FITS
    elif is_hidden:
        kind = SheetKind.HIDDEN
    else:
        kind = SheetKind.LOWER_HEADER if missing and not below else SheetKind.VISIBLE
    return SheetRank(kind, missing, below)
